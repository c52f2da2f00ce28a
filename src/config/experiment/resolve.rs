//! From an experiment file to players that are ready to play: defaults, checks, histograms,
//! baselines.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::place::Place;
use super::{Config, OracleConfig, RowConfig, generate};
use crate::config::document::{Document, Unresolved};
use crate::config::{ConfigError, Source, check_name_and_seed, reference};
use crate::field_error::FieldError;
use crate::heuristic::weights::Weights;
use crate::player::format::Request;
use crate::player::{self, Catalogue, PlayerSpec, Players};
use crate::record::experiment::Histogram;
use crate::suggestion::did_you_mean;

/// Most games of a row: they are held in memory.
const MOST_GAMES: u32 = 1_000_000;

/// An experiment ready to be run.
pub struct Experiment {
    /// The configuration with every default filled in and every row written out.
    pub config: Config,
    /// Its rows in order.
    pub rows: Vec<Row>,
    /// Who judges their single moves.
    pub oracle: Option<Oracle>,
    /// The files that the resolved configuration names, with their contents.
    pub files: Vec<(&'static str, String)>,
}

/// A row ready to be played.
pub struct Row {
    /// Its name.
    pub name: String,
    /// Heading that it shares with its neighbours.
    pub group: Option<String>,
    /// Who plays.
    pub player: PlayerSpec,
    /// All its weights.
    pub weights: Weights,
    /// Number of games.
    pub games: u32,
    /// Index of the row with which it is compared.
    pub baseline: Option<usize>,
    /// What was published of it.
    pub published: Option<Histogram>,
    /// What to test it against.
    pub reference: Option<Histogram>,
}

/// A player that knows what every move leads to, and the positions about which it is asked.
pub struct Oracle {
    /// Who knows the outcomes.
    pub player: PlayerSpec,
    /// The random player, whose games the positions are from.
    pub random: PlayerSpec,
    /// Number of positions.
    pub positions: u32,
    /// Random moves before a position, at least.
    pub moves: u32,
    /// The positions, once they are drawn.
    pub(crate) drawn: OnceLock<Vec<Request>>,
}

impl Experiment {
    /// Parses, checks and resolves an experiment file about built-in players. `folder` is where its
    /// relative paths begin.
    ///
    /// # Errors
    /// With the place of the first mistake.
    pub fn resolve(source: &Source, folder: &Path) -> Result<Self, ConfigError> {
        Self::resolve_with(&Catalogue::builtin(), source, folder)
    }

    /// The same about players of any catalogue.
    ///
    /// # Errors
    /// As [`Experiment::resolve`].
    pub fn resolve_with(
        catalogue: &Catalogue,
        source: &Source,
        folder: &Path,
    ) -> Result<Self, ConfigError> {
        let document = Document::parse(source)?;
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
    mut config: Config,
    folder: &Path,
) -> Result<Experiment, Unresolved> {
    check(&config)?;
    let mut files = Vec::new();
    let mut histograms = |path: &mut Option<PathBuf>, name: &'static str| {
        let Some(path) = path else { return Ok(None) };
        let source = Source::read(&folder.join(&*path))?;
        let histograms = reference::parse(&source)?;
        *path = name.into();
        files.push((name, source.text));
        Ok::<_, ConfigError>(Some(histograms))
    };
    let published = histograms(&mut config.published, "published.csv")?;
    let reference = histograms(&mut config.reference, "reference.csv")?;
    let planned = plan(catalogue, &mut config, folder)?;
    let mut rows = Vec::with_capacity(planned.len());
    for (place, mut asked) in planned.iter().cloned() {
        asked.games.get_or_insert(config.games);
        rows.push(Row {
            published: place.histogram("published", asked.published.as_deref(), &published)?,
            reference: place.histogram("reference", asked.reference.as_deref(), &reference)?,
            ..row(catalogue, place, &mut asked, config.player.as_ref(), folder)?
        });
        config.row.push(asked);
    }
    check_kinds(&config, &rows, &planned)?;
    find_baselines(&config, &mut rows, &planned)?;
    let oracle = match &config.oracle {
        Some(asked) => {
            let oracle = oracle(catalogue, asked, &rows);
            Some(oracle.map_err(|error| error.within(["yardstick"]))?)
        }
        None => None,
    };
    Ok(Experiment {
        oracle,
        config,
        rows,
        files,
    })
}

/// Takes all rows out of the file's `row` and `generate`, each with its place.
fn plan(
    catalogue: &Catalogue,
    config: &mut Config,
    folder: &Path,
) -> Result<Vec<(Place, RowConfig)>, Unresolved> {
    let mut planned = Vec::new();
    for (index, row) in std::mem::take(&mut config.row).into_iter().enumerate() {
        planned.push((Place::new("row", index), row));
    }
    for (index, asked) in std::mem::take(&mut config.generate).iter().enumerate() {
        let place = Place::new("generate", index);
        for row in generate::rows(catalogue, asked, config.player.as_ref(), place, folder)? {
            // Two tables about the same weights may share the row that both compare with.
            if !planned.iter().any(|(_, known)| *known == row) {
                planned.push((place, row));
            }
        }
    }
    let mut names = BTreeSet::new();
    for (place, row) in &planned {
        if row.name.trim().is_empty() || row.name.chars().any(char::is_control) {
            return Err(place.error(&["name"], "a row needs a name").into());
        }
        if !names.insert(&row.name) {
            let hint = match place.is_generated() {
                true => ": `name` is put before the names of the rows of a table",
                false => "",
            };
            let message = format!("two rows have the name `{}`{hint}", row.name);
            return Err(place.error(&["name"], message).into());
        }
        if let Some(games) = row.games {
            check_games(games).map_err(|message| place.error(&["games"], message))?;
        }
    }
    Ok(planned)
}

/// A row without its histograms and its baseline; what is written into the resolved file stands in
/// `asked` then.
fn row(
    catalogue: &Catalogue,
    place: Place,
    asked: &mut RowConfig,
    default_player: Option<&player::Config>,
    folder: &Path,
) -> Result<Row, Unresolved> {
    let player = place.player(catalogue, asked.player.as_ref(), default_player)?;
    let weights = place.changed_weights(asked, player.entry, folder)?;
    asked.player = Some(player.config());
    asked.weights = None;
    asked.values = weights
        .iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect();
    Ok(Row {
        name: asked.name.clone(),
        group: asked.group.clone(),
        player,
        weights,
        games: asked.games.unwrap_or_default(),
        baseline: None,
        published: None,
        reference: None,
    })
}

fn check(config: &Config) -> Result<(), FieldError> {
    check_name_and_seed(&config.name, config.seed)?;
    let wrong = |path: &[&str], message: String| Err(FieldError::new(path, message));
    check_games(config.games).map_err(|message| FieldError::new(["games"], message))?;
    if !(100..=1_000_000).contains(&config.resamples) {
        let message = format!(
            "resamples {} is out of range: 100 to 1000000",
            config.resamples
        );
        return wrong(&["resamples"], message);
    }
    if config.row.is_empty() && config.generate.is_empty() {
        let message = "no [[row]] and no [[generate]]: there is nothing to play";
        return wrong(&[], message.into());
    }
    Ok(())
}

fn check_games(games: u32) -> Result<(), String> {
    match (1..=MOST_GAMES).contains(&games) {
        true => Ok(()),
        false => Err(format!("games {games} is out of range: 1 to {MOST_GAMES}")),
    }
}

/// Most positions about which an oracle is asked.
const MOST_POSITIONS: u32 = 100_000;

fn oracle(catalogue: &Catalogue, asked: &OracleConfig, rows: &[Row]) -> Result<Oracle, FieldError> {
    let wrong = |path: &[&str], message: String| Err(FieldError::new(path, message));
    let spec_of = |config: &player::Config| {
        let player = catalogue.player(config);
        player.map_err(|error| error.within(["player"]))
    };
    let player = spec_of(&asked.player)?;
    let (name, game) = (player.entry.name, player.entry.game);
    if game.players != Players::Two {
        let message = format!(
            "{} is no game of two: its moves do not win, draw or lose",
            game.name
        );
        return wrong(&["player"], message);
    }
    if let Some(row) = rows
        .iter()
        .find(|row| !row.player.shares_board_with(&player))
    {
        let message = format!("row `{}` plays another game, or on another board", row.name);
        return wrong(&["player"], message);
    }
    if game.solver != Some(name) {
        let solver = game.solver.unwrap_or("nobody");
        let message =
            format!("player `{name}` does not know what a move leads to; `{solver}` does");
        return wrong(&["player", "name"], message);
    }
    if !(1..=MOST_POSITIONS).contains(&asked.positions) {
        let message = format!(
            "positions {} is out of range: 1 to {MOST_POSITIONS}",
            asked.positions
        );
        return wrong(&["positions"], message);
    }
    Ok(Oracle {
        random: spec_of(&player.on_same_board(player::RANDOM))?,
        player,
        positions: asked.positions,
        moves: asked.moves,
        drawn: OnceLock::new(),
    })
}

/// All rows play for one or all for two, whose games come in pairs and have no tiles.
fn check_kinds(
    config: &Config,
    rows: &[Row],
    planned: &[(Place, RowConfig)],
) -> Result<(), FieldError> {
    let Some(first) = rows.first() else {
        return Ok(());
    };
    let players = first.player.players();
    for (row, (place, _)) in rows.iter().zip(planned) {
        if row.player.players() != players {
            let message = format!(
                "row `{}` and row `{}` do not compare: one has points, the other scores",
                first.name, row.name
            );
            return Err(place.error(&["player"], message));
        }
        if players.whole(row.games) != row.games {
            let message = format!(
                "games {} is odd: every opening is played from both sides",
                row.games
            );
            return Err(place.error(&["games"], message));
        }
    }
    for (key, is_given) in [
        ("tile", config.tile.is_some()),
        ("published", config.published.is_some()),
        ("reference", config.reference.is_some()),
    ] {
        if is_given && players == Players::Two {
            let message = format!("{key}: a game of two has no tiles");
            return Err(FieldError::new([key], message));
        }
    }
    let is_tile = |tile| rows.iter().any(|row| (row.player.entry.game.is_tile)(tile));
    match config.tile.filter(|tile| !is_tile(*tile)) {
        Some(tile) => Err(FieldError::new(["tile"], format!("tile {tile} is no tile"))),
        None => Ok(()),
    }
}

/// Finds every row's baseline. Games are compared pair by pair, so both must play the same ones.
fn find_baselines(
    config: &Config,
    rows: &mut [Row],
    planned: &[(Place, RowConfig)],
) -> Result<(), FieldError> {
    let names: Vec<&str> = planned.iter().map(|(_, row)| row.name.as_str()).collect();
    let index_of = |name: &str| {
        let index = names.iter().position(|known| *known == name);
        index.ok_or_else(|| {
            let near = did_you_mean(name, names.iter().copied());
            format!("there is no row `{name}`{near}")
        })
    };
    let default = match &config.baseline {
        None => None,
        Some(name) => {
            let index = index_of(name);
            Some(index.map_err(|message| FieldError::new(["baseline"], message))?)
        }
    };
    for (index, (place, row)) in planned.iter().enumerate() {
        let own = row.baseline.as_deref().map(index_of).transpose();
        let own = own.map_err(|message| place.error(&["baseline"], message))?;
        if own == Some(index) {
            let message = format!("row `{}` cannot be compared with itself", row.name);
            return Err(place.error(&["baseline"], message));
        }
        let Some(baseline) = own.or(default.filter(|default| *default != index)) else {
            continue;
        };
        let (name, games) = (names[baseline], rows[baseline].games);
        let [one, other] = [index, baseline].map(|row| &rows[row]);
        if !one.player.shares_games_with(&other.player) {
            let message = format!(
                "row `{}` and `{name}` play different games, on other boards or against others",
                row.name
            );
            return Err(place.error(&["player"], message));
        }
        if rows[index].games != games {
            let message = format!(
                "row `{}` is compared with `{name}` game by game and must have as many games: \
                 {games}",
                row.name
            );
            return Err(place.error(&["games"], message));
        }
        rows[index].baseline = Some(baseline);
    }
    Ok(())
}
