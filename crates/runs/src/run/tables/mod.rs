//! The tables of run directories. Each row is declared once, by `row!`: rows of a search in
//! [`search`](tiletune_tuning::results), rows of games in `games`, rows of pairs in [`pairs`]. Reading, writing, the
//! descriptions in the files and `docs/tables.md` follow from the declaration. Only `file` uses polars. This
//! module must not know where the files are.

mod bounds;
#[cfg(test)]
mod documentation;
mod file;
mod games;
mod pairs;
mod search;
#[cfg(test)]
mod tests {
    pub(super) mod forged;
}

pub use file::{TableBlock, frame, write};
pub use games::{
    GamesOf, GamesWriter, KeyedGame, count_games, read_games, read_keyed_games, row_games,
};
pub use pairs::{Pair, PairGame, block, pairs, read_block};
pub(super) use search::generation_in;
pub use search::{candidates, diagnostics, finalists, generation, read_candidates, read_finalists};

/// A documented table.
#[derive(Debug)]
pub struct TableInfo {
    /// Its place in the run directory.
    pub place: &'static str,
    /// The kinds of run that have it.
    pub runs: &'static str,
    /// What a row is.
    pub about: &'static str,
}

macro_rules! tables {
    ($($name:ident: $place:literal, $runs:literal, $about:literal;)*) => {
        $(
            #[doc = $about]
            pub const $name: TableInfo = TableInfo { place: $place, runs: $runs, about: $about };
        )*

        /// Every table.
        #[cfg(test)]
        const ALL: &[&TableInfo] = &[$(&$name),*];
    };
}

tables! {
    TRAIN: "tables/train", "campaign", "one row per game for the fitness of a candidate";
    START: "tables/start", "campaign", "one row per game of the start weights at the beginning";
    RACE: "tables/race", "campaign, series",
        "one row per game that chooses between the finalists of a search or of several runs";
    HOLD_OUT: "tables/hold-out", "campaign, series", "one row per hold-out game";
    DEEPER: "tables/hold-out-deeper", "campaign",
        "one row per hold-out game at another depth than that of the search";
    CANDIDATES: "tables/candidates", "campaign", "one row per candidate";
    GENERATIONS: "tables/generations", "campaign", "one row per generation";
    DIAGNOSTICS: "tables/diagnostics", "campaign",
        "one row per generation and number that the optimizer says of itself";
    FINALISTS: "tables/finalists.parquet", "campaign, series", "one row per finalist that has raced";
    ROWS: "tables/games", "experiment", "one row per game of a row of the experiment";
    PAIR_GAMES: "tables/games", "comparison", "one row per game of a pair";
    PAIRS: "tables/pairs", "comparison", "one row per pair of a player with the first player";
}

/// The games of rows of an experiment that are not complete. This table is not documented, because no complete run has
/// it.
pub const BLOCKS: TableInfo = TableInfo {
    place: "tables/blocks",
    runs: "experiment",
    about: ROWS.about,
};

impl TableInfo {
    /// Prefix of the names of its files in a run directory.
    pub(super) fn prefix(&self) -> String {
        format!("{}/", self.place)
    }
}

/// The tables that are folders.
#[cfg(test)]
pub(super) fn folders() -> Vec<&'static TableInfo> {
    let tables = ALL.iter().copied().chain([&BLOCKS]);
    tables
        .filter(|table| !table.place.ends_with(".parquet"))
        .collect()
}
