//! The declaration of every table: its folder, and name, type, unit and meaning of its columns. The files
//! carry units and meanings in their metadata, and `docs/tables.md` shows them; a test holds both to this
//! declaration. This module must not read or write.

/// A column, or all columns whose names follow a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnInfo {
    /// Its name. `<parameter>` in it stands for the name of any parameter.
    pub name: &'static str,
    /// Its type: `u32`, `u64`, `f64`, `text` or `boolean`.
    pub kind: &'static str,
    /// The unit of its values; empty if they have none.
    pub unit: &'static str,
    /// What its values mean.
    pub meaning: &'static str,
}

/// A table.
#[derive(Clone, Copy, Debug)]
pub struct TableInfo {
    /// Its place in the run directory.
    pub place: &'static str,
    /// What a row is.
    pub about: &'static str,
    /// Its columns, in order, in groups that tables share.
    pub columns: &'static [&'static [ColumnInfo]],
}

/// The part of a pattern that stands for the name of a parameter.
const PARAMETER: &str = "<parameter>";

const fn column(
    name: &'static str,
    kind: &'static str,
    unit: &'static str,
    meaning: &'static str,
) -> ColumnInfo {
    ColumnInfo {
        name,
        kind,
        unit,
        meaning,
    }
}

const GENERATION: ColumnInfo = column(
    "generation",
    "u32",
    "",
    "number of the generation, from 0 over all restarts",
);

const RESTART: ColumnInfo = column(
    "restart",
    "u32",
    "",
    "number of the restart that the generation belongs to; 0 is the first search",
);

const CANDIDATE: ColumnInfo = column(
    "candidate",
    "u32",
    "",
    "number of the candidate within its generation, from 0",
);

const FINALIST: ColumnInfo = column(
    "finalist",
    "u32",
    "",
    "number of the finalist: of cma-es that of its restart, of random its rank, in a series that of its run minus 1",
);

const WEIGHTS: ColumnInfo = column(
    "weights",
    "text",
    "",
    "who played: `start` or `tuned`; in a series `start`, `run-1`, `run-2` and so on",
);

const STANDARD_ERROR: ColumnInfo = column(
    "standard_error",
    "f64",
    "of the objective",
    "standard error of the fitness; in games for two players over openings",
);

/// The numbers of a training game.
const TRAIN_KEYS: &[ColumnInfo] = &[GENERATION, RESTART, CANDIDATE];

const RACE_KEYS: &[ColumnInfo] = &[FINALIST];

const HOLD_OUT_KEYS: &[ColumnInfo] = &[WEIGHTS];

const DEEPER_KEYS: &[ColumnInfo] = &[
    column("depth", "u32", "", "search depth of the player in the game"),
    WEIGHTS,
];

const ROW_KEYS: &[ColumnInfo] = &[
    column("row", "text", "", "name of the row of the experiment file"),
    column("row_number", "u32", "", "number of the row, from 0"),
];

const PAIR_KEYS: &[ColumnInfo] = &[
    column(
        "pair",
        "u64",
        "",
        "number of the pair, from 0; in games for two players a pair is an opening",
    ),
    column(
        "player",
        "u32",
        "",
        "number of the player, from 0 in the order of the command line",
    ),
];

const NUMBER: &[ColumnInfo] = &[column(
    "game",
    "u32",
    "",
    "number of the game, from 0; games of the table with the same number (in training also the same \
     generation) have the same seed",
)];

/// What is recorded of every game.
const RECORD: &[ColumnInfo] = &[
    column(
        "seed",
        "u64",
        "",
        "seed of the game; it can exceed 2^53, so do not convert it to a floating-point number",
    ),
    column(
        "opponent",
        "text",
        "",
        "games for two players: the opponent in this game",
    ),
    column(
        "side",
        "text",
        "",
        "games for two players: `first` if the player that is tuned or evaluated makes the first move \
         after the opening, else `second`",
    ),
    column(
        "opening",
        "u64",
        "",
        "games for two players: number of the opening; games with the same number begin with the same \
         position",
    ),
    column(
        "outcome",
        "text",
        "",
        "games for two players: `win`, `draw` or `loss` of the player that is tuned or evaluated",
    ),
    column(
        "score",
        "u64",
        "points",
        "games for one player: score at the end",
    ),
    column(
        "max_tile",
        "u32",
        "tile value",
        "games for one player that have tiles: largest tile at the end, for example 2048",
    ),
    column(
        "moves",
        "u32",
        "moves",
        "number of moves; in games for two players of both, without the opening",
    ),
    column(
        "leaf_evaluations",
        "u64",
        "boards",
        "number of boards that the player's heuristic valued",
    ),
    column(
        "capped",
        "boolean",
        "",
        "games for one player: two of the largest possible tiles met and did not merge, so the game no \
         longer follows the usual rules",
    ),
];

const FITNESS: &[ColumnInfo] = &[
    column(
        "fitness",
        "f64",
        "of the objective",
        "value of the objective over the candidate's games, larger is better; minus infinity, and no \
         games, if the player cannot use the weights",
    ),
    STANDARD_ERROR,
];

const PARAMETERS: &[ColumnInfo] = &[
    column(
        "<parameter>",
        "f64",
        "of the parameter",
        "value of the parameter",
    ),
    column(
        "<parameter>_bits",
        "u64",
        "",
        "the same value as the bits of its 64-bit floating-point number",
    ),
];

const OF_RACE: &[ColumnInfo] = &[
    column("games", "u32", "games", "number of games in the race"),
    column(
        "eliminated",
        "boolean",
        "",
        "whether it left the race before its end",
    ),
];

const OF_GENERATION: &[ColumnInfo] = &[
    GENERATION,
    RESTART,
    column(
        "population",
        "u32",
        "candidates",
        "number of candidates, with those that the player cannot use; the other columns leave these out",
    ),
    column("games", "u32", "games", "games of each candidate"),
    column(
        "best",
        "f64",
        "of the objective",
        "largest fitness of the generation",
    ),
    column(
        "mean",
        "f64",
        "of the objective",
        "mean fitness of the generation",
    ),
    column(
        "median",
        "f64",
        "of the objective",
        "median fitness of the generation",
    ),
    column(
        "worst",
        "f64",
        "of the objective",
        "smallest fitness of the generation",
    ),
    column(
        "noise",
        "f64",
        "of the objective",
        "root mean square of the candidates' standard errors",
    ),
    column(
        "residual",
        "f64",
        "of the objective",
        "like noise, but without what the candidates share because they play the same seeds; 0 = \
         unknown (fewer than two games)",
    ),
    column(
        "signal",
        "f64",
        "0 to 1",
        "share of the variance of the fitness values that is due to the candidates and not to luck: 1 - \
         residual^2 / variance, at least 0; 0 if the noise is unknown",
    ),
    column(
        "games_needed",
        "f64",
        "games",
        "games of each candidate at which that share would be one half, by the signal smoothed over the \
         last generations; 1e7 = no signal",
    ),
    column(
        "gain",
        "f64",
        "of the objective",
        "expected advantage of the mean of the selected candidates over the mean of all",
    ),
    column(
        "center_<parameter>",
        "f64",
        "of the parameter",
        "centre of the search distribution after the update: what would be recommended without a race",
    ),
    column(
        "spread_<parameter>",
        "f64",
        "unit coordinates",
        "standard deviation of the search distribution after the update; 0 for a fixed parameter",
    ),
];

const OF_DIAGNOSTIC: &[ColumnInfo] = &[
    GENERATION,
    RESTART,
    column(
        "name",
        "text",
        "",
        "name of a number that the optimizer says of itself",
    ),
    column("value", "f64", "", "its value after the update"),
];

const OF_PAIR: &[ColumnInfo] = &[
    column("pair", "u64", "", "number of the pair, from 0"),
    column(
        "first_seed",
        "u64",
        "",
        "seed of the first player's game, in games for two players of its first game of the opening; in \
         a direct match that of the other player",
    ),
    column(
        "other_seed",
        "u64",
        "",
        "the same of the other player; the seeds are equal if the players play common seeds",
    ),
    column(
        "first",
        "f64",
        "points",
        "result of the first player: a score, or mean points of the opening (win 1, draw 0.5, loss 0); \
         0.5 in a direct match",
    ),
    column(
        "other",
        "f64",
        "points",
        "the same of the other player; in a direct match its points against the first player",
    ),
    column("difference", "f64", "points", "other - first"),
];

/// Training games of a campaign.
pub const TRAIN: TableInfo = TableInfo {
    place: "tables/train",
    about: "one row per game for the fitness of a candidate",
    columns: &[TRAIN_KEYS, NUMBER, RECORD],
};

/// Games of the race between final means.
pub const RACE: TableInfo = TableInfo {
    place: "tables/race",
    about: "one row per game that chooses between the finalists of a search or of several runs",
    columns: &[RACE_KEYS, NUMBER, RECORD],
};

/// Hold-out games.
pub const HOLD_OUT: TableInfo = TableInfo {
    place: "tables/hold-out",
    about: "one row per hold-out game",
    columns: &[HOLD_OUT_KEYS, NUMBER, RECORD],
};

/// Hold-out games at other depths than that of the search.
pub const DEEPER: TableInfo = TableInfo {
    place: "tables/hold-out-deeper",
    about: "one row per hold-out game at another depth than that of the search",
    columns: &[DEEPER_KEYS, NUMBER, RECORD],
};

/// Games of an experiment.
pub const ROWS: TableInfo = TableInfo {
    place: "tables/games",
    about: "one row per game of a row of the experiment",
    columns: &[ROW_KEYS, NUMBER, RECORD],
};

/// Games of a comparison.
pub const PAIR_GAMES: TableInfo = TableInfo {
    place: "tables/games",
    about: "one row per game of a pair",
    columns: &[PAIR_KEYS, RECORD],
};

/// Pairs of a comparison.
pub const PAIRS: TableInfo = TableInfo {
    place: "tables/pairs",
    about: "one row per pair of a player with the first player",
    columns: &[OF_PAIR],
};

/// Candidates of a campaign.
pub const CANDIDATES: TableInfo = TableInfo {
    place: "tables/candidates",
    about: "one row per candidate",
    columns: &[TRAIN_KEYS, FITNESS, PARAMETERS],
};

/// Generations of a campaign.
pub const GENERATIONS: TableInfo = TableInfo {
    place: "tables/generations",
    about: "one row per generation",
    columns: &[OF_GENERATION],
};

/// Diagnostics of the optimizer.
pub const DIAGNOSTICS: TableInfo = TableInfo {
    place: "tables/diagnostics",
    about: "one row per generation and number that the optimizer says of itself",
    columns: &[OF_DIAGNOSTIC],
};

/// Finalists that have raced.
pub const FINALISTS: TableInfo = TableInfo {
    place: "tables/finalists.parquet",
    about: "one row per finalist that has raced",
    columns: &[RACE_KEYS, FITNESS, OF_RACE, PARAMETERS],
};

impl TableInfo {
    /// Every table.
    pub const ALL: [&TableInfo; 11] = [
        &TRAIN,
        &RACE,
        &HOLD_OUT,
        &DEEPER,
        &CANDIDATES,
        &GENERATIONS,
        &DIAGNOSTICS,
        &FINALISTS,
        &ROWS,
        &PAIR_GAMES,
        &PAIRS,
    ];

    /// The declaration of a column of its files, if it is declared.
    pub fn column(&self, name: &str) -> Option<&ColumnInfo> {
        let matching = |column: &&ColumnInfo| column.is_of(name);
        let columns = self.columns.iter().copied().flatten().filter(matching);
        // The most specific one: `<parameter>` stands for any name.
        columns.max_by_key(|column| (!column.name.contains(PARAMETER), column.name.len()))
    }
}

impl ColumnInfo {
    fn is_of(&self, name: &str) -> bool {
        match self.name.split_once(PARAMETER) {
            None => self.name == name,
            Some((prefix, suffix)) => {
                let rest = name.strip_prefix(prefix);
                rest.is_some_and(|rest| rest.len() > suffix.len() && rest.ends_with(suffix))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of the page for these columns.
    fn shown(columns: &[ColumnInfo]) -> String {
        let rows = columns.iter().map(|column| {
            let ColumnInfo {
                name,
                kind,
                unit,
                meaning,
            } = column;
            let unit = match unit.is_empty() {
                true => String::new(),
                false => format!(" {unit}"),
            };
            format!("| `{name}` | {kind} |{unit} | {meaning} |\n")
        });
        rows.collect()
    }

    #[test]
    fn the_page_shows_the_declaration() {
        let page = include_str!("../../docs/tables.md");
        for table in TableInfo::ALL {
            let (place, about) = (table.place, table.about);
            let rows = format!("`{place}` | {about} |");
            assert!(page.contains(&rows), "docs/tables.md lacks:\n{rows}");
            for group in table.columns {
                let rows = shown(group);
                assert!(
                    page.contains(&rows),
                    "{place}: docs/tables.md lacks:\n{rows}"
                );
            }
        }
    }

    #[test]
    fn patterns_stand_for_parameters() {
        let name = |table: &TableInfo, column| table.column(column).map(|one| one.name);
        assert_eq!(name(&CANDIDATES, "fitness"), Some("fitness"));
        assert_eq!(name(&CANDIDATES, "empty"), Some("<parameter>"));
        assert_eq!(name(&CANDIDATES, "empty_bits"), Some("<parameter>_bits"));
        assert_eq!(name(&GENERATIONS, "center_a"), Some("center_<parameter>"));
        assert_eq!(name(&GENERATIONS, "center_"), None);
        assert_eq!(name(&TRAIN, "phase"), None);
    }
}
