//! Converts an experiment file into an experiment: fills in defaults, checks values, reads histograms
//! and finds baselines.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::place::{ExperimentFile, RowPlace};
use super::row::Row;
use super::{ExperimentConfig, OracleConfig, RowConfig, generate, retune};
use crate::config::document::{Document, Unresolved};
use crate::config::heuristic_file::{HeuristicConfig, refuse};
use crate::config::weights_file::refuse_weights;
use crate::config::{
    ConfigError, Source, check_name_and_seed, check_openings, check_range, check_resamples, joined,
    reference,
};
use tiletune_engine::field_error::{FieldError, Within};
use tiletune_engine::player::format::Request;
use tiletune_engine::player::{self, PlayerSpec, Players};
use tiletune_engine::suggestion::did_you_mean;
use tiletune_report::visible::is_line;
use tiletune_tuning::Catalogue;

/// Largest number of games of a row. The games are held in memory.
const MOST_GAMES: u32 = 1_000_000;

pub struct Experiment {
    /// The configuration with defaults filled in and all rows listed.
    pub config: ExperimentConfig,
    pub rows: Vec<Row>,
    /// The oracle that judges single moves.
    pub oracle: Option<Oracle>,
    /// The files that the resolved configuration names, with their contents.
    pub files: Vec<(&'static str, String)>,
}

/// A player that knows the outcome of every move, and the positions that it judges.
pub struct Oracle {
    /// The player whose values are the outcomes.
    pub player: PlayerSpec,
    /// The random player whose games contain the positions.
    pub random: PlayerSpec,
    /// Number of positions.
    pub positions: u32,
    /// Smallest number of random moves before a position.
    pub moves: u32,
    /// The positions, once they have been generated.
    pub(crate) drawn: OnceLock<Vec<Request>>,
}

impl Experiment {
    /// Parses and resolves an experiment file for built-in players. Relative paths in the file are relative to
    /// `folder`.
    ///
    /// # Errors
    /// With the place of the first error.
    pub fn resolve(source: &Source, folder: &Path) -> Result<Self, ConfigError> {
        Self::resolve_with(&Catalogue::builtin(), source, folder)
    }

    /// The same for the players of any catalogue.
    ///
    /// # Errors
    /// As [`Experiment::resolve`].
    pub fn resolve_with(
        catalogue: &Catalogue,
        source: &Source,
        folder: &Path,
    ) -> Result<Self, ConfigError> {
        let document = Document::parse(source)?;
        let instead = "write `heuristic = \"FILE\"` at the top of an experiment";
        refuse(&document, "an experiment", instead)?;
        let instead = "write `weights = \"FILE\"` in a [[row]] of an experiment to play with it";
        refuse_weights(&document, "an experiment", instead)?;
        let of_campaign = ["optimizer", "budget", "parameters"];
        if let Some(key) = of_campaign.into_iter().find(|key| document.has(&[key])) {
            let message = "this is a campaign, not an experiment: use `tiletune tune`";
            return Err(document.mistake_at(&[key], message));
        }
        let resolved = resolve(catalogue, document.read()?, folder);
        resolved.map_err(|error| document.place(error))
    }

    /// Number of games of all rows.
    pub fn games(&self) -> u64 {
        self.rows.iter().map(|row| u64::from(row.games)).sum()
    }
}

fn resolve(
    catalogue: &Catalogue,
    mut config: ExperimentConfig,
    folder: &Path,
) -> Result<Experiment, Unresolved> {
    check(&config)?;
    let mut files = Vec::new();
    let mut histograms = |key: &str, path: &mut Option<PathBuf>, name: &'static str| {
        let Some(path) = path else { return Ok(None) };
        let source = Source::read(&joined(folder, path.as_ref()));
        let source = source.map_err(|error| {
            Unresolved::of_file(error, |message| FieldError::new([key], message))
        })?;
        let histograms = reference::parse(&source)?;
        *path = name.into();
        files.push((name, source.text));
        Ok::<_, Unresolved>(Some(histograms))
    };
    let published = histograms("published", &mut config.published, "published.csv")?;
    let reference = histograms("reference", &mut config.reference, "reference.csv")?;
    let file = ExperimentFile {
        catalogue,
        folder,
        player: config.player.clone(),
        heuristic: config.heuristic.clone(),
        retune: config.retune.clone().unwrap_or_default(),
        retune_seeds: retune::seeds(&config.retune.clone().unwrap_or_default(), config.seed)?,
    };
    let planned = plan(&file, &mut config)?;
    let mut rows = Vec::with_capacity(planned.len());
    for (place, mut asked) in planned.iter().cloned() {
        asked.games.get_or_insert(config.games);
        let row = row(place, &mut asked)?;
        rows.push(Row {
            published: place.histogram("published", asked.published.as_deref(), &published)?,
            reference: place.histogram("reference", asked.reference.as_deref(), &reference)?,
            ..row
        });
        config.row.push(asked);
    }
    default_heuristic(&mut config, folder)?;
    retune::fill_in(&mut config, &mut rows, &planned)?;
    check_kinds(&config, &rows, &planned)?;
    find_baselines(&config, &mut rows, &planned)?;
    let oracle = config.oracle.as_ref();
    let oracle = oracle.map(|asked| oracle_of(catalogue, asked, &rows).within(["yardstick"]));
    let oracle = oracle.transpose()?;
    Ok(Experiment {
        oracle,
        config,
        rows,
        files,
    })
}

/// Writes the contents of the default heuristic into the configuration, and removes them from the rows that use it.
fn default_heuristic(config: &mut ExperimentConfig, folder: &Path) -> Result<(), Unresolved> {
    let Some(heuristic) = &config.heuristic else {
        return Ok(());
    };
    let default = Some(HeuristicConfig::Inline(heuristic.table(folder)?));
    let (with_it, others): (Vec<_>, Vec<_>) =
        (config.row.iter_mut()).partition(|row| row.heuristic == default);
    if with_it.is_empty() && others.iter().all(|row| row.heuristic.is_none()) {
        let message = "no player of this experiment takes a heuristic";
        return Err(FieldError::new(["heuristic"], message).into());
    }
    for row in with_it {
        row.heuristic = None;
    }
    config.heuristic = default;
    Ok(())
}

/// Moves all rows out of `row` and `generate`, each with its place.
fn plan<'a>(
    file: &'a ExperimentFile,
    config: &mut ExperimentConfig,
) -> Result<Vec<(RowPlace<'a>, RowConfig)>, Unresolved> {
    let place = |table, index| RowPlace { file, table, index };
    let mut planned = Vec::new();
    for (index, row) in std::mem::take(&mut config.row).into_iter().enumerate() {
        planned.push((place("row", index), row));
    }
    for (index, asked) in std::mem::take(&mut config.generate).iter().enumerate() {
        let place = place("generate", index);
        for row in generate::rows(asked, place)? {
            // Two tables with the same weights can share their baseline.
            if !planned.iter().any(|(_, known)| *known == row) {
                planned.push((place, row));
            }
        }
    }
    let mut names = BTreeSet::new();
    for (place, row) in &planned {
        if row.name.trim().is_empty() {
            return Err(place.error(&["name"], "a row needs a name").into());
        }
        for (key, text) in [("name", Some(&row.name)), ("group", row.group.as_ref())] {
            if text.is_some_and(|text| !is_line(text)) {
                let message = "control characters and marks of direction are not allowed";
                return Err(place.error(&[key], message).into());
            }
        }
        if !names.insert(&row.name) {
            let hint = if place.is_generated() {
                ": the key `name` sets a prefix for the names of a table"
            } else {
                ""
            };
            let message = format!("two rows have the name `{}`{hint}", row.name);
            return Err(place.error(&["name"], message).into());
        }
        if let Some(games) = row.games {
            check_games(games).map_err(|error| place.error(&["games"], error.message))?;
        }
    }
    Ok(planned)
}

/// Resolves a row, except for histograms and baseline. Fills in the defaults of `asked`.
fn row(place: RowPlace, asked: &mut RowConfig) -> Result<Row, Unresolved> {
    let player = place.player(asked.player.as_ref(), asked.heuristic.as_ref())?;
    let (player, weights) = place.changed_weights(asked, &player)?;
    asked.player = Some(player.without_heuristic().config());
    asked.heuristic = HeuristicConfig::of(&player);
    asked.weights = None;
    asked.values = weights.to_map();
    Ok(Row {
        name: asked.name.clone(),
        group: asked.group.clone(),
        player,
        weights,
        games: asked.games.unwrap_or_default(),
        baseline: None,
        moved: asked.moved.clone(),
        retuned: None,
        published: None,
        reference: None,
    })
}

fn check(config: &ExperimentConfig) -> Result<(), FieldError> {
    check_name_and_seed(&config.name, config.seed)?;
    check_games(config.games)?;
    check_range("resamples", config.resamples, 100..=1_000_000)?;
    if config.row.is_empty() && config.generate.is_empty() {
        let message = "no [[row]] and no [[generate]]: there is nothing to play";
        return Err(FieldError::new([""; 0], message));
    }
    Ok(())
}

fn check_games(games: u32) -> Result<(), FieldError> {
    check_range("games", games, 1..=MOST_GAMES)
}

/// Largest number of positions that an oracle judges.
const MOST_POSITIONS: u32 = 100_000;

fn oracle_of(
    catalogue: &Catalogue,
    asked: &OracleConfig,
    rows: &[Row],
) -> Result<Oracle, FieldError> {
    let wrong = |path: &[&str], message: String| Err(FieldError::new(path, message));
    let spec_of = |config: &player::PlayerConfig| catalogue.player(config).within(["player"]);
    let player = spec_of(&asked.player)?;
    let (name, game) = (player.entry.name, player.entry.game);
    if game.players != Players::Two {
        let message = format!("{} is not a game of two players", game.name);
        return wrong(&["player"], message);
    }
    let mut rows = rows.iter();
    if let Some(row) = rows.find(|row| !row.player.shares_board_with(&player)) {
        let message = format!("row `{}` plays another game, or on another board", row.name);
        return wrong(&["player"], message);
    }
    if game.solver != Some(name) {
        let solver = game.solver.unwrap_or("no player");
        let message =
            format!("player `{name}` does not know the outcome of a move; `{solver}` does");
        return wrong(&["player", "name"], message);
    }
    check_range("positions", asked.positions, 1..=MOST_POSITIONS)?;
    Ok(Oracle {
        random: spec_of(&player.on_same_board(player::RANDOM))?,
        player,
        positions: asked.positions,
        moves: asked.moves,
        drawn: OnceLock::new(),
    })
}

/// Checks that all rows play games of one player, or that all play games of two players. Games of two players come in
/// pairs and have no tiles.
fn check_kinds(
    config: &ExperimentConfig,
    rows: &[Row],
    planned: &[(RowPlace, RowConfig)],
) -> Result<(), FieldError> {
    let Some(first) = rows.first() else {
        return Ok(());
    };
    let players = first.player.players();
    for (row, (place, _)) in rows.iter().zip(planned) {
        if row.player.players() != players {
            let message = format!(
                "row `{}` and row `{}` cannot be compared: one has points, the other scores",
                first.name, row.name
            );
            return Err(place.error(&["player"], message));
        }
        check_openings("games", row.games, players)
            .map_err(|error| place.error(&["games"], error.message))?;
    }
    for (key, is_given) in [
        ("tile", config.tile.is_some()),
        ("published", config.published.is_some()),
        ("reference", config.reference.is_some()),
    ] {
        if is_given && players == Players::Two {
            let message = format!("{key}: games of two players have no tiles");
            return Err(FieldError::new([key], message));
        }
    }
    let is_tile = |tile| rows.iter().any(|row| (row.player.entry.game.is_tile)(tile));
    match config.tile.filter(|tile| !is_tile(*tile)) {
        Some(tile) => Err(FieldError::new(
            ["tile"],
            format!("tile {tile} is not a tile of these games"),
        )),
        None => Ok(()),
    }
}

/// Finds the baseline of every row. Games are compared in pairs, so both rows must play the same games.
fn find_baselines(
    config: &ExperimentConfig,
    rows: &mut [Row],
    planned: &[(RowPlace, RowConfig)],
) -> Result<(), FieldError> {
    let names: Vec<&str> = planned.iter().map(|(_, row)| row.name.as_str()).collect();
    let index_of = |name: &str| {
        let index = names.iter().position(|known| *known == name);
        index.ok_or_else(|| {
            let near = did_you_mean(name, names.iter().copied());
            format!("there is no row `{name}`{near}")
        })
    };
    let default = config.baseline.as_deref().map(index_of).transpose();
    let default = default.map_err(|message| FieldError::new(["baseline"], message))?;
    for (index, (place, row)) in planned.iter().enumerate() {
        let own = row.baseline.as_deref().map(index_of).transpose();
        let own = own.map_err(|message| place.error(&["baseline"], message))?;
        if own == Some(index) {
            let message = format!("row `{}` cannot be compared with itself", row.name);
            return Err(place.error(&["baseline"], message));
        }
        let baseline = own.or(default.filter(|default| *default != index));
        check_moved(rows, index, baseline).map_err(|message| place.error(&["moved"], message))?;
        let Some(baseline) = baseline else {
            continue;
        };
        let [one, other] = [index, baseline].map(|row| &rows[row]);
        let (name, games) = (names[baseline], other.games);
        if !one.player.shares_games_with(&other.player) {
            let message = format!(
                "row `{}` and `{name}` play different games: their boards or opponents differ",
                row.name
            );
            return Err(place.error(&["player"], message));
        }
        if one.games != games {
            let message = format!(
                "row `{}` is compared with `{name}` game by game and must have the same number of games: \
                 {games}",
                row.name
            );
            return Err(place.error(&["games"], message));
        }
        check_resamples(config.resamples, games)?;
        rows[index].baseline = Some(baseline);
    }
    Ok(())
}

/// Checks that a row with a moved parameter and its baseline both have this parameter.
fn check_moved(rows: &[Row], index: usize, baseline: Option<usize>) -> Result<(), String> {
    let row = &rows[index];
    let Some(moved) = &row.moved else {
        return Ok(());
    };
    let Some(baseline) = baseline else {
        let name = &row.name;
        return Err(format!(
            "row `{name}` needs a baseline: the row whose `{moved}` is not moved"
        ));
    };
    for row in [row, &rows[baseline]] {
        if row.weights.effective(moved).is_none() {
            let name = &row.name;
            return Err(format!("row `{name}` has no weight `{moved}`"));
        }
    }
    Ok(())
}
