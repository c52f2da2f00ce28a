//! From an experiment file to players that are ready to play: defaults, checks, histograms,
//! baselines.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{Config, RowConfig, generate};
use crate::config::{ConfigError, Source, names_a_directory, reference, weights_file};
use crate::evaluation::objective::is_tile;
use crate::heuristic::weights::{Weights, WeightsError, did_you_mean, nearest};
use crate::player::{self, Entry, Players};
use crate::record::experiment::Histogram;

/// Most games of a row: they are held in memory.
const MOST_GAMES: u32 = 1_000_000;

/// An experiment ready to be run.
pub struct Experiment {
    /// The configuration with every default filled in and every row written out.
    pub config: Config,
    /// Its rows in order.
    pub rows: Vec<Row>,
    /// What their single moves are measured by.
    pub yardstick: Option<Yardstick>,
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
    pub player: player::Config,
    /// The player's entry in the catalogue.
    pub entry: &'static Entry,
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

/// A yardstick ready to be asked.
pub struct Yardstick {
    /// Who knows the outcomes.
    pub player: player::Config,
    /// The player's entry in the catalogue.
    pub entry: &'static Entry,
    /// Who plays the games that the positions are from, by lot.
    pub lots: player::Config,
    /// The entry of that.
    pub entry_of_lots: &'static Entry,
    /// Number of positions.
    pub positions: u32,
    /// Random moves before a position, at least.
    pub moves: u32,
}

impl Experiment {
    /// Parses, checks and resolves an experiment file. `folder` is where its relative paths begin.
    ///
    /// # Errors
    /// With the place of the first mistake.
    pub fn resolve(source: &Source, folder: &Path) -> Result<Self, ConfigError> {
        let mut config: Config = source.parse()?;
        check(&config, source)?;
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
        let planned = plan(&mut config, source, folder)?;
        let mut rows = Vec::with_capacity(planned.len());
        for (place, mut row) in planned.iter().cloned() {
            row.games.get_or_insert(config.games);
            rows.push(Row {
                published: place.histogram("published", row.published.as_deref(), &published)?,
                reference: place.histogram("reference", row.reference.as_deref(), &reference)?,
                ..place.row(&mut row, config.player.as_ref(), folder)?
            });
            config.row.push(row);
        }
        check_kinds(&config, &rows, &planned)?;
        find_baselines(&config, &mut rows, &planned)?;
        Ok(Experiment {
            yardstick: yardstick(&config, &rows, source)?,
            config,
            rows,
            files,
        })
    }

    /// Number of games of all rows.
    pub fn games(&self) -> u64 {
        self.rows.iter().map(|row| u64::from(row.games)).sum()
    }
}

/// Takes all rows out of the file's `row` and `generate`, each with its place.
fn plan<'a>(
    config: &mut Config,
    source: &'a Source,
    folder: &Path,
) -> Result<Vec<(Place<'a>, RowConfig)>, ConfigError> {
    let place = |table, index| Place {
        source,
        table,
        index,
    };
    let mut planned = Vec::new();
    for (index, row) in std::mem::take(&mut config.row).into_iter().enumerate() {
        planned.push((place("row", index), row));
    }
    for (index, asked) in std::mem::take(&mut config.generate).iter().enumerate() {
        let place = place("generate", index);
        for row in generate::rows(asked, config.player.as_ref(), &place, folder)? {
            // Two tables about the same weights may share the row that both compare with.
            if !planned.iter().any(|(_, known)| *known == row) {
                planned.push((place, row));
            }
        }
    }
    let mut names = BTreeSet::new();
    for (place, row) in &planned {
        if row.name.trim().is_empty() || row.name.chars().any(char::is_control) {
            return Err(place.mistake(&["name"], "a row needs a name"));
        }
        if !names.insert(&row.name) {
            let message = format!("two rows have the name `{}`", row.name);
            return Err(match place.table {
                "generate" => place.mistake(
                    &["name"],
                    format!("{message}: `name` is put before the names of the rows of a table"),
                ),
                _ => place.mistake(&["name"], message),
            });
        }
        if let Some(games) = row.games.filter(|games| !(1..=MOST_GAMES).contains(games)) {
            return Err(place.mistake(&["games"], out_of_range(games)));
        }
    }
    Ok(planned)
}

/// Where a row stands in the file, or the table that asks for it.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    source: &'a Source,
    table: &'static str,
    index: usize,
}

impl Place<'_> {
    pub(super) fn mistake(&self, path: &[&str], message: impl Into<String>) -> ConfigError {
        let index = self.index.to_string();
        let path = [&[self.table, &index], path].concat();
        self.source.mistake_at(&path, message)
    }

    /// The player of this place, its own or the experiment's, and its entry.
    pub(super) fn player(
        &self,
        own: Option<&player::Config>,
        default: Option<&player::Config>,
    ) -> Result<(player::Config, &'static Entry), ConfigError> {
        let Some(player) = own.or(default) else {
            let what = self.table;
            return Err(self.mistake(
                &[],
                format!("no player: give this [[{what}]] or the experiment one"),
            ));
        };
        let entry = player.entry().map_err(|error| match own {
            Some(_) => self.mistake(&["player", error.key], error.message),
            None => self
                .source
                .mistake_at(&["player", error.key], error.message),
        })?;
        Ok((player.clone(), entry))
    }

    /// The weights of a file that the key `key` names, or the player's published ones.
    pub(super) fn weights(
        &self,
        key: &str,
        path: Option<&Path>,
        entry: &'static Entry,
        folder: &Path,
    ) -> Result<Weights, ConfigError> {
        match path {
            Some(_) if entry.published.is_none() => {
                Err(self.mistake(&[key], format!("player `{}` has no weights", entry.name)))
            }
            Some(path) => weights_file::read(&folder.join(path), entry),
            None => Ok(weights_file::published(entry)),
        }
    }

    /// The row without its histograms and its baseline; what is written into the resolved file
    /// stands in `row` then.
    fn row(
        &self,
        row: &mut RowConfig,
        default_player: Option<&player::Config>,
        folder: &Path,
    ) -> Result<Row, ConfigError> {
        let (player, entry) = self.player(row.player.as_ref(), default_player)?;
        let weights = self.changed_weights(row, entry, folder)?;
        row.player = Some(player.clone());
        row.weights = None;
        row.values = weights
            .iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        Ok(Row {
            name: row.name.clone(),
            group: row.group.clone(),
            player,
            entry,
            weights,
            games: row.games.unwrap_or_default(),
            baseline: None,
            published: None,
            reference: None,
        })
    }

    fn changed_weights(
        &self,
        row: &RowConfig,
        entry: &'static Entry,
        folder: &Path,
    ) -> Result<Weights, ConfigError> {
        let start = self.weights("weights", row.weights.as_deref(), entry, folder)?;
        let values = row.values.iter().map(|(key, value)| (key.as_str(), *value));
        let weights = start.with(values, &(entry.parameters)()).map_err(|error| {
            let key = match &error {
                WeightsError::Unknown { key, .. }
                | WeightsError::NotFinite { key, .. }
                | WeightsError::Mixed { key } => key,
                WeightsError::HalfSplit { given, .. } => given,
            };
            self.mistake(&["values", key], error.to_string())
        })?;
        (entry.check)(&weights).map_err(|reason| self.mistake(&["values"], reason))?;
        Ok(weights)
    }

    fn histogram(
        &self,
        key: &str,
        name: Option<&str>,
        known: &Option<BTreeMap<String, Histogram>>,
    ) -> Result<Option<Histogram>, ConfigError> {
        let Some(name) = name else { return Ok(None) };
        let Some(known) = known else {
            let message = format!("the experiment names no file `{key}` to find `{name}` in");
            return Err(self.mistake(&[key], message));
        };
        let histogram = known.get(name).ok_or_else(|| {
            let near = did_you_mean(&nearest(name, known.keys().map(String::as_str)));
            self.mistake(&[key], format!("no row `{name}` in the file `{key}`{near}"))
        })?;
        Ok(Some(histogram.clone()))
    }
}

fn check(config: &Config, source: &Source) -> Result<(), ConfigError> {
    let wrong = |path: &[&str], message: String| Err(source.mistake_at(path, message));
    if !names_a_directory(&config.name) {
        let message = format!(
            "name `{}` cannot name a directory: letters, digits, `-`, `_` and `.` are allowed",
            config.name
        );
        return wrong(&["name"], message);
    }
    if config.seed > i64::MAX as u64 {
        let message = "seed is out of range: 0 to 9223372036854775807";
        return wrong(&["seed"], message.into());
    }
    if !(1..=MOST_GAMES).contains(&config.games) {
        return wrong(&["games"], out_of_range(config.games));
    }
    if let Some(tile) = config.tile.filter(|tile| !is_tile(*tile)) {
        return wrong(&["tile"], format!("tile {tile} is no tile"));
    }
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

/// Most positions about which a yardstick is asked.
const MOST_POSITIONS: u32 = 100_000;

fn yardstick(
    config: &Config,
    rows: &[Row],
    source: &Source,
) -> Result<Option<Yardstick>, ConfigError> {
    let Some(asked) = &config.yardstick else {
        return Ok(None);
    };
    let wrong = |path: &[&str], message: String| {
        Err(source.mistake_at(&[&["yardstick"], path].concat(), message))
    };
    let player = asked.player.clone();
    let entry = match player.entry() {
        Ok(entry) => entry,
        Err(error) => return wrong(&["player", error.key], error.message),
    };
    if entry.players() != Players::Two {
        let message = format!(
            "{} is no game of two: its moves do not win, draw or lose",
            entry.game
        );
        return wrong(&["player"], message);
    }
    if let Some(row) = rows
        .iter()
        .find(|row| !row.player.shares_board_with(&player))
    {
        let message = format!(
            "row `{}` plays another game, or on another board: `rows`, `columns` and `connect` \
             must be written alike",
            row.name
        );
        return wrong(&["player"], message);
    }
    if entry.of_game().solver != Some(entry.name) {
        let solver = entry.of_game().solver.unwrap_or("nobody");
        let message = format!(
            "player `{}` does not know what a move leads to; `{solver}` does",
            entry.name
        );
        return wrong(&["player", "name"], message);
    }
    if !(1..=MOST_POSITIONS).contains(&asked.positions) {
        let message = format!(
            "positions {} is out of range: 1 to {MOST_POSITIONS}",
            asked.positions
        );
        return wrong(&["positions"], message);
    }
    let lots = player.by_lot();
    let entry_of_lots = match lots.entry() {
        Ok(entry) => entry,
        Err(error) => return wrong(&["player", error.key], error.message),
    };
    Ok(Some(Yardstick {
        lots,
        entry_of_lots,
        player,
        entry,
        positions: asked.positions,
        moves: asked.moves,
    }))
}

fn out_of_range(games: u32) -> String {
    format!("games {games} is out of range: 1 to {MOST_GAMES}")
}

/// All rows play for one or all for two, whose games come in pairs and have no tiles.
fn check_kinds(
    config: &Config,
    rows: &[Row],
    planned: &[(Place, RowConfig)],
) -> Result<(), ConfigError> {
    let Some(first) = rows.first() else {
        return Ok(());
    };
    let players = first.entry.players();
    for (row, (place, _)) in rows.iter().zip(planned) {
        if row.entry.players() != players {
            let message = format!(
                "row `{}` and row `{}` do not compare: one has points, the other scores",
                first.name, row.name
            );
            return Err(place.mistake(&["player"], message));
        }
        if players.whole(row.games) != row.games {
            let message = format!(
                "games {} is odd: every opening is played from both sides",
                row.games
            );
            return Err(place.mistake(&["games"], message));
        }
    }
    for (key, is_given) in [
        ("tile", config.tile.is_some()),
        ("published", config.published.is_some()),
        ("reference", config.reference.is_some()),
    ] {
        if is_given && players == Players::Two {
            let message = format!("{key}: a game of two has no tiles");
            // All places are in the same file.
            return Err(planned[0].0.source.mistake_at(&[key], message));
        }
    }
    Ok(())
}

/// Finds every row's baseline. Games are compared pair by pair, so both must play the same ones.
fn find_baselines(
    config: &Config,
    rows: &mut [Row],
    planned: &[(Place, RowConfig)],
) -> Result<(), ConfigError> {
    let names: Vec<&str> = planned.iter().map(|(_, row)| row.name.as_str()).collect();
    let index_of = |name: &str| {
        let index = names.iter().position(|known| *known == name);
        index.ok_or_else(|| {
            let near = did_you_mean(&nearest(name, names.iter().copied()));
            format!("there is no row `{name}`{near}")
        })
    };
    let default = match &config.baseline {
        None => None,
        Some(name) => Some(index_of(name).map_err(|message| {
            // All places are in the same file.
            planned[0].0.source.mistake_at(&["baseline"], message)
        })?),
    };
    for (index, (place, row)) in planned.iter().enumerate() {
        let own = row.baseline.as_deref().map(index_of).transpose();
        let own = own.map_err(|message| place.mistake(&["baseline"], message))?;
        if own == Some(index) {
            let message = format!("row `{}` cannot be compared with itself", row.name);
            return Err(place.mistake(&["baseline"], message));
        }
        let Some(baseline) = own.or(default.filter(|default| *default != index)) else {
            continue;
        };
        let (name, games) = (names[baseline], rows[baseline].games);
        let [one, other] = [index, baseline].map(|row| &rows[row]);
        if !one.player.shares_board_with(&other.player)
            || one.player.opponents(one.entry) != other.player.opponents(other.entry)
            || one.player.opponent_depth != other.player.opponent_depth
        {
            let message = format!(
                "row `{}` and `{name}` play different games, on other boards or against others",
                row.name
            );
            return Err(place.mistake(&["player"], message));
        }
        if rows[index].games != games {
            let message = format!(
                "row `{}` is compared with `{name}` game by game and must have as many games: \
                 {games}",
                row.name
            );
            return Err(place.mistake(&["games"], message));
        }
        rows[index].baseline = Some(baseline);
    }
    Ok(())
}
