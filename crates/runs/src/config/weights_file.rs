//! Weights files: TOML with game, player and one value per key, and with the heuristic of the weights if it is not the
//! player's own. Campaigns write them with provenance. Instead of a weights file, a run directory means its
//! `best.toml`, and `RUN:tuned` its `tuned.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::choices::Carrying;
use super::document::{Document, Unresolved};
use super::heuristic_file::{
    self, HeuristicConfig, check_equal, refuse, refuse_plans, with_source,
};
use super::{ConfigError, Source};
use crate::inventory::{self, Inventory};
use crate::plain_file;
use tiletune_engine::field_error::{FieldError, Within};
use tiletune_engine::heuristic::Parameter;
use tiletune_engine::heuristic::terms::complete;
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::{self, PlayerSpec};
use tiletune_tuning::Catalogue;

/// The contents of a weights file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WeightsFile {
    /// Game that the player plays.
    pub game: String,
    /// Player that the weights are for.
    pub player: String,
    /// Value by key.
    pub weights: BTreeMap<String, f64>,
    /// The heuristic that the weights belong to; `None` for the player's own terms. Files that are written
    /// carry its contents.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, serde_json::Value>>")]
    pub heuristic: Option<HeuristicConfig>,
    /// Origin of the weights. Its table `player` says how they are played; the rest is in any form.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, serde_json::Value>>")]
    pub provenance: Option<toml::Table>,
}

/// A weights file in the form in which it is written: values of integer parameters have no point.
#[derive(Serialize)]
pub struct WrittenWeights<'a> {
    game: &'a str,
    player: &'a str,
    weights: BTreeMap<&'a str, WrittenValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    heuristic: Option<&'a HeuristicConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<&'a toml::Table>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum WrittenValue {
    Whole(i64),
    Real(f64),
}

impl WrittenValue {
    fn new(value: f64, is_integer: bool) -> Self {
        let whole = value as i64;
        // Not every number is the same after it: -0, and those beyond the range of `i64`.
        if is_integer && (whole as f64).to_bits() == value.to_bits() && whole < i64::MAX {
            WrittenValue::Whole(whole)
        } else {
            WrittenValue::Real(value)
        }
    }
}

impl WeightsFile {
    /// The form in which it is written.
    pub fn written(&self) -> WrittenWeights<'_> {
        let weights = self.weights.iter().map(|(key, &value)| {
            let value = WrittenValue::new(value, self.declares_integer(key));
            (key.as_str(), value)
        });
        WrittenWeights {
            game: &self.game,
            player: &self.player,
            weights: weights.collect(),
            heuristic: self.heuristic.as_ref(),
            provenance: self.provenance.as_ref(),
        }
    }

    /// The player that they were tuned for or measured with, as `[player]` of a campaign; `None` if that is not known.
    pub fn tuned_player(&self) -> Option<&toml::Table> {
        self.provenance.as_ref()?.get("player")?.as_table()
    }

    /// The player that they were tuned for or measured with, with its options; `None` if that is not known, or if this program
    /// has no such player.
    pub fn tuned_by(&self, catalogue: &Catalogue) -> Option<PlayerSpec> {
        let player = self.tuned_player()?.clone().try_into().ok()?;
        catalogue.player_at_settings(&player).ok()
    }

    /// True if the number of the program of the weights is minimised: recorded scores are its negative.
    pub(crate) fn minimises(&self) -> bool {
        matches!(&self.heuristic, Some(HeuristicConfig::Inline(table))
            if table.get("minimise").and_then(toml::Value::as_bool) == Some(true))
    }

    /// True if the program of the weights declares a parameter as an integer.
    fn declares_integer(&self, key: &str) -> bool {
        let heuristic = self.heuristic.as_ref();
        let integer = heuristic.and_then(|one| one.declared(key)?.get("integer"));
        integer.and_then(toml::Value::as_bool) == Some(true)
    }
}

/// Words of the message about a heuristic file that is given instead of a weights file.
const NO_WEIGHTS: &str = "a weights file";
const INSTEAD: &str =
    "give it as `--heuristic FILE`, or write `heuristic = \"FILE\"` in a weights file";

/// Fails if a document is a weights file. `wanted` is the expected kind of file, as in "not a campaign"; the message
/// also says what to do instead.
pub(super) fn refuse_weights(
    document: &Document,
    wanted: &str,
    instead: &str,
) -> Result<(), ConfigError> {
    let keys = ["game", "weights"];
    if !keys.into_iter().all(|key| document.has(&[key])) {
        return Ok(());
    }
    let message = format!("this is a weights file, not {wanted}: {instead}");
    Err(document.mistake_at(&["weights"], message))
}

/// The file with the recommended weights of a run: the tuned ones if its hold-out games show that they are better than
/// the start weights, otherwise the start weights.
pub const BEST: &str = "best.toml";

/// The file with the weights that the search of a run found.
pub const TUNED: &str = "tuned.toml";

/// Suffix of a run directory that names its tuned weights.
pub const OF_TUNED: &str = ":tuned";

/// The provenance key of recommended start weights: the file of the tuned weights, if they differ.
pub const INSTEAD_OF: &str = "instead_of";

/// The path that names the tuned weights of a run directory.
pub fn tuned(run: &Path) -> PathBuf {
    let mut path = run.as_os_str().to_owned();
    path.push(OF_TUNED);
    path.into()
}

/// The run directory whose tuned weights a path names.
pub fn run_of_tuned(path: &Path) -> Option<&Path> {
    let run = Path::new(path.to_str()?.strip_suffix(OF_TUNED)?);
    (run.is_dir() && !path.exists()).then_some(run)
}

/// The weights file of a path: the file itself, `best.toml` of a run directory, or `tuned.toml` of the run directory in
/// `RUN:tuned`.
///
/// # Errors
/// If the path is a directory without these weights.
pub fn locate(path: &Path) -> Result<PathBuf, ConfigError> {
    match run_of_tuned(path) {
        Some(run) => of_run(run, TUNED),
        None if path.is_dir() => of_run(path, BEST),
        None => Ok(path.to_owned()),
    }
}

/// The weights file of this name in a run directory.
fn of_run(run: &Path, name: &str) -> Result<PathBuf, ConfigError> {
    let file = run.join(name);
    if file.is_file() {
        return Ok(file);
    }
    // Only campaigns have parameters, and only campaigns tune weights.
    let resolved = Source::read(&run.join("resolved.toml"));
    let reason = match resolved.and_then(|resolved| Document::parse(&resolved).map(tunes)) {
        Ok(true) if has_written(run, name) => {
            return Err(ConfigError::Damaged {
                path: file.display().to_string(),
                reason: "the file is missing".into(),
            });
        }
        Ok(true) if run.join(TUNED).is_file() => format!(
            "the hold-out games are not played yet, so no weights are recommended; `{}` names those of the search",
            tuned(run).display()
        ),
        Ok(true) => "the search has not ended; there are no weights yet".to_owned(),
        Ok(false) => {
            "this run tunes no weights; give a weights file or the run directory of a campaign"
                .to_owned()
        }
        Err(_) => "neither a weights file nor a run directory".to_owned(),
    };
    Err(ConfigError::Unreadable {
        path: run.display().to_string(),
        reason,
    })
}

/// What is wrong with changing a single parameter of a run whose candidates keep rules.
pub const DEPENDENT: &str = "parameters depend on each other (`require`, `active_when`): none can be changed or left out alone";

/// The run directory of weights, if they are of a run.
pub(super) fn run_of(path: &Path) -> Option<&Path> {
    let run = run_of_tuned(path).unwrap_or(path);
    if run.is_dir() {
        Some(run)
    } else {
        run.parent()
    }
}

/// The files of weights that can declare choices: the configuration of their run, and the weights file.
pub(super) fn declaring(path: &Path) -> Vec<toml::Table> {
    let resolved = run_of(path).map(|run| run.join("resolved.toml"));
    let files = resolved.into_iter().chain(locate(path).ok());
    // Who reads the weights reports what cannot be read.
    let read = |path: PathBuf| plain_file::read_text(&path).ok()?.parse().ok();
    files.filter_map(read).collect()
}

/// Whether a path names weights of a run whose candidates keep rules between parameters.
pub fn are_dependent(path: &Path) -> bool {
    let resolved =
        run_of(path).and_then(|run| plain_file::read_text(&run.join("resolved.toml")).ok());
    let resolved = resolved.and_then(|text| text.parse::<toml::Table>().ok());
    resolved.is_some_and(|table| {
        let rules = table.get("require").and_then(toml::Value::as_array);
        let parameters = table.get("parameters").and_then(toml::Value::as_table);
        let mut parameters = parameters.into_iter().flat_map(toml::Table::values);
        rules.is_some_and(|rules| !rules.is_empty())
            || parameters.any(|one| one.get("active_when").is_some())
    })
}

/// The message that a path names start weights although a search found other weights. `None` if it does not. Also
/// `None` if the path cannot be read, because the reader of the weights reports that.
pub fn start_instead_of_tuned(path: &Path) -> Option<String> {
    let file = unchecked(&source(path).ok()?).ok()??;
    let has_others = file.provenance?.contains_key(INSTEAD_OF);
    let run = if path.is_dir() { path } else { path.parent()? };
    has_others.then(|| {
        format!(
            "{}: the start weights of the run, because its tuned ones are not shown to be better; `{}` names the tuned \
             ones",
            path.display(),
            tuned(run).display()
        )
    })
}

/// Whether the list of files of a run directory contains this name.
fn has_written(run: &Path, name: &str) -> bool {
    let records = inventory::read(run);
    records.is_ok_and(|records| Inventory::of(records).get(name).is_some())
}

fn tunes(document: Document) -> bool {
    document.has(&["parameters"])
}

/// Reads a weights file, or the weights file of a run (see [`locate`]).
///
/// # Errors
/// If the path is a directory without recommended weights, or the file cannot be read.
pub fn source(path: &Path) -> Result<Source, ConfigError> {
    Source::read(&locate(path)?)
}

/// A parsed weights file. Its player, heuristic and keys are checked later, with a player or a catalogue.
pub struct ParsedWeights {
    source: Source,
    file: WeightsFile,
}

impl ParsedWeights {
    /// Reads and parses a weights file, or the weights file of a run (see [`locate`]).
    ///
    /// # Errors
    /// As [`source`], or if it is not a weights file.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        Self::parse(source(path)?)
    }

    /// Parses a weights file.
    ///
    /// # Errors
    /// If the text does not have the form of a weights file.
    pub fn parse(source: Source) -> Result<Self, ConfigError> {
        let document = Document::parse(&source)?;
        refuse(&document, NO_WEIGHTS, INSTEAD)?;
        refuse_plans(&document, NO_WEIGHTS)?;
        let file = document.read()?;
        Ok(ParsedWeights { source, file })
    }

    /// The contents of the file, without the checks of player, heuristic and keys.
    pub fn contents(&self) -> &WeightsFile {
        &self.file
    }

    /// Replaces values of the file by whole numbers that take their place later, so that a value that is not used need
    /// not be one that an integer parameter can have. Other numbers are checked where they are given.
    ///
    /// The numbers of a category belong to its own list of choices, so its value stays.
    fn replace(&mut self, others: &BTreeMap<String, f64>) {
        let heuristic = self.file.heuristic.as_ref();
        for (key, value) in &mut self.file.weights {
            let is_category = heuristic.is_some_and(|one| one.has_choices(key));
            let other = others
                .get(key)
                .filter(|other| other.fract() == 0.0 && !is_category);
            *value = other.copied().unwrap_or(*value);
        }
    }

    /// A player with the heuristic of the file, and its weights.
    ///
    /// # Errors
    /// If the file is for another player, a weight is invalid, or the player has another heuristic than the file.
    pub fn for_player(&self, player: &PlayerSpec) -> Result<(PlayerSpec, Weights), ConfigError> {
        inventory::note_move(&self.source.folder, player.programs());
        self.placed(self.file.resolve_for(player, &self.source.folder))
    }

    /// The player of the file with default options and the heuristic of the file, and its weights.
    ///
    /// # Errors
    /// If its player, its heuristic or a weight is unknown or invalid.
    pub fn in_catalogue(
        &self,
        catalogue: &Catalogue,
    ) -> Result<(PlayerSpec, Weights), ConfigError> {
        inventory::note_move(&self.source.folder, catalogue.programs());
        self.placed(self.file.resolve(catalogue, &self.source.folder))
    }

    /// Adds line and column to an error.
    fn placed<T>(&self, resolved: Result<T, impl Into<Unresolved>>) -> Result<T, ConfigError> {
        // The document is parsed again only for an error.
        resolved.or_else(|error| Err(Document::parse(&self.source)?.place(error)))
    }
}

/// Reads the weights of a weights file, or of the weights file of a run (see [`locate`]), for a player. The returned
/// player has the heuristic of the file.
///
/// # Errors
/// As [`ParsedWeights::read`] and [`ParsedWeights::for_player`].
pub fn read(path: &Path, player: &PlayerSpec) -> Result<(PlayerSpec, Weights), ConfigError> {
    read_source(source(path)?, player)
}

/// The same for a file that has been read.
///
/// # Errors
/// As [`ParsedWeights::parse`] and [`ParsedWeights::for_player`].
pub fn read_source(
    source: Source,
    player: &PlayerSpec,
) -> Result<(PlayerSpec, Weights), ConfigError> {
    ParsedWeights::parse(source)?.for_player(player)
}

/// As [`read`]. For a heuristic file, its default weights. The returned player has that heuristic.
///
/// # Errors
/// As [`read`], or if the heuristic is wrong or the player takes none.
pub fn read_or_default(
    path: &Path,
    player: &PlayerSpec,
) -> Result<(PlayerSpec, Weights), ConfigError> {
    let source = source(path)?;
    if heuristic_file::is_one(&Document::parse(&source)?) {
        let player = with_source(player, &source)?;
        let weights = published(&player);
        return Ok((player, weights));
    }
    ParsedWeights::parse(source)?.for_player(player)
}

/// Weights for a player whose heuristic may differ from theirs.
#[derive(Clone)]
pub(super) struct Carried {
    /// The player; with the heuristic of the file if it had none.
    pub(super) player: PlayerSpec,
    /// The values whose keys the player's heuristic has.
    pub(super) weights: Weights,
    /// The other keys of the file.
    pub(super) left_out: Vec<String>,
}

/// As [`read_source`], for a player whose heuristic may differ from that of the file. Values are then taken by key (see
/// [`Weights::carried_to`]), and categories keep their texts. The values of `others` replace those of the file.
///
/// # Errors
/// As [`read_source`], but not if the heuristics differ.
pub(super) fn read_by_key(
    source: Source,
    player: &PlayerSpec,
    others: &BTreeMap<String, f64>,
    carrying: &Carrying,
) -> Result<Carried, ConfigError> {
    let mut parsed = ParsedWeights::parse(source)?;
    parsed.replace(others);
    let moved = |weights: &Weights, parameters: &[Parameter]| {
        let mut moved = Vec::new();
        for (key, value) in weights.iter() {
            let here = match others.get(key) {
                Some(other) if other.fract() == 0.0 => Ok(*other),
                Some(_) => Ok(value),
                None => carrying.carried(key, value),
            };
            let wrong = |what| {
                FieldError::new(
                    [key],
                    format!("{what}: give another value in `values` of [start]"),
                )
            };
            moved.push((key, here.map_err(wrong)?));
        }
        weights.with(moved, parameters)
    };
    let read = parsed.for_player(player);
    let (Some(extension), Err(_)) = (player.extension(), &read) else {
        let (player, weights) = read?;
        let weights = moved(&weights, &player.parameters()).within(["weights"]);
        return Ok(Carried {
            weights: parsed.placed(weights)?,
            player,
            left_out: Vec::new(),
        });
    };
    let (_, own) = parsed.for_player(&player.without_heuristic())?;
    let carried = own.carried_to(extension.parameters());
    let checked = carried.and_then(|(weights, left_out)| {
        let weights = moved(&weights, extension.parameters())?;
        player.check_at_key(&weights, weights.keys())?;
        Ok((weights, left_out))
    });
    let (weights, left_out) = parsed.placed(checked.within(["weights"]))?;
    Ok(Carried {
        player: player.clone(),
        weights,
        left_out,
    })
}

/// The contents of a weights file without checks of player, heuristic and keys. For lists of many files, because
/// checking a heuristic takes long. `None` for a heuristic file, which has terms and no weights.
///
/// # Errors
/// If the text does not have the form of a weights file.
pub fn unchecked(source: &Source) -> Result<Option<WeightsFile>, ConfigError> {
    let document = Document::parse(source)?;
    if heuristic_file::is_one(&document) {
        return Ok(None);
    }
    document.read().map(Some)
}

/// Parses a weights file and checks it with the built-in player that it names. The returned player has default options
/// and the heuristic of the file.
///
/// # Errors
/// If the text is not a weights file, or its player, its heuristic or a weight is unknown or invalid.
pub fn parse(source: &Source) -> Result<(WeightsFile, PlayerSpec, Weights), ConfigError> {
    parse_with(&Catalogue::builtin(), source)
}

/// The same for a player of any catalogue.
///
/// # Errors
/// As [`parse`].
pub fn parse_with(
    catalogue: &Catalogue,
    source: &Source,
) -> Result<(WeightsFile, PlayerSpec, Weights), ConfigError> {
    let parsed = ParsedWeights::parse(source.clone())?;
    let (player, weights) = parsed.in_catalogue(catalogue)?;
    let mut file = parsed.file;
    file.heuristic = HeuristicConfig::of(&player);
    Ok((file, player, weights))
}

impl WeightsFile {
    /// The player that the file names and its weights.
    fn resolve(
        &self,
        catalogue: &Catalogue,
        folder: &Path,
    ) -> Result<(PlayerSpec, Weights), Unresolved> {
        let asked = player::PlayerConfig::new(self.player.as_str(), Some(&self.game));
        let player = catalogue.player(&asked).map_err(|mut error| {
            // Weights files have the key `player` instead of `name`.
            for key in error.path.iter_mut().filter(|key| *key == "name") {
                *key = "player".into();
            }
            error
        })?;
        self.resolve_for(&player, folder)
    }

    /// The player with the heuristic of the file, and its weights.
    fn resolve_for(
        &self,
        player: &PlayerSpec,
        folder: &Path,
    ) -> Result<(PlayerSpec, Weights), Unresolved> {
        let entry = player.entry;
        for (key, given, wanted) in [
            ("game", &self.game, entry.game.name),
            ("player", &self.player, entry.name),
        ] {
            if given != wanted {
                let message = format!(
                    "these weights are for {key} `{given}`, not for player `{}` of game `{}`",
                    entry.name, entry.game.name
                );
                return Err(FieldError::new([key], message).into());
            }
        }
        let player = match &self.heuristic {
            None => player.clone(),
            Some(heuristic) => {
                let own = heuristic.given_to(player, folder)?;
                if let Some(of_file) = own.extension() {
                    check_equal(of_file, player.extension())?;
                }
                own
            }
        };
        let wrong = |message: String| FieldError::new(["weights"], message);
        // Every parameter of a user's heuristic has a default in that heuristic.
        if self.weights.is_empty() && self.heuristic.is_none() {
            return Err(wrong("the file has no weights".into()).into());
        }
        let weights = Weights::new(self.weights.clone(), &player.parameters());
        let weights = weights.within(["weights"])?;
        player
            .check_at_key(&weights, weights.keys())
            .within(["weights"])?;
        Ok((player, weights))
    }
}

/// The published weights of a player; without a file of them the defaults of its parameters. For a heuristic of the user,
/// its defaults instead, because an equal key can have another meaning there.
///
/// # Panics
/// If the embedded file is invalid, which a test excludes.
pub fn published(player: &PlayerSpec) -> Weights {
    let entry = player.entry;
    if let Some(heuristic) = player.extension() {
        return complete(&Weights::default(), heuristic.parameters());
    }
    let Some(text) = entry.published else {
        return complete(&Weights::default(), &player.parameters());
    };
    let source = Source::new(format!("the published weights of {}", entry.name), text);
    // Whether the player can be built with them is not checked here: its options may be wrong, which is reported where it is
    // built.
    let file = unchecked(&source).unwrap_or_else(|error| panic!("{error}"));
    let weights = file.map(|file| file.weights).unwrap_or_default();
    Weights::new(weights, &player.parameters()).unwrap_or_else(|error| panic!("{error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::chain::Head;
    use crate::inventory::{FileName, Fingerprint, Record};

    #[test]
    fn published_weights_are_the_defaults() {
        let catalogue = Catalogue::builtin();
        for entry in catalogue.players() {
            let asked = player::PlayerConfig::new(entry.name, Some(entry.game.name));
            let player = catalogue.player(&asked).unwrap();
            for (key, value) in published(&player).iter() {
                let parameters = player.parameters();
                let known = parameters.iter().find(|parameter| parameter.key == key);
                assert_eq!(
                    known.map(|parameter| parameter.default),
                    Some(value),
                    "{key}"
                );
            }
        }
    }

    #[test]
    fn a_run_directory_stands_for_its_best_weights() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let asked = player::PlayerConfig::new("expectimax", None);
        let player = Catalogue::builtin().player(&asked).unwrap();
        let refused = || match read(path, &player) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        };
        assert!(refused().ends_with("neither a weights file nor a run directory"));
        std::fs::write(path.join("resolved.toml"), "row = []").unwrap();
        assert!(refused().contains("tunes no weights"));
        std::fs::write(path.join("resolved.toml"), "[parameters.empty]").unwrap();
        assert!(refused().contains("the search has not ended"));
        let record = Record {
            file: FileName::new(BEST).unwrap(),
            written: Some(Fingerprint::of(b"")),
        };
        let line = Head::default().seal(&serde_json::to_string(&record).unwrap());
        std::fs::write(path.join(inventory::FILE), line + "\n").unwrap();
        assert!(refused().ends_with("best.toml: the file is missing"));
        std::fs::remove_file(path.join(inventory::FILE)).unwrap();
        std::fs::write(path.join(BEST), player.entry.published.unwrap()).unwrap();
        for path in [path, &path.join(BEST)] {
            let read = read(path, &player).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(read.1, published(&player));
        }
    }
}
