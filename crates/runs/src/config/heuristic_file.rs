//! Heuristics that users write: heuristic files, and the key `heuristic` of campaigns, experiments and weights files,
//! whose value is the path of such a file or its contents. The player that takes a heuristic defines the meaning of its
//! contents. This module must not interpret them, except for the folder of a program.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::document::{Document, Unresolved};
use super::{ConfigError, Source, joined};
use tiletune_engine::field_error::FieldError;
use tiletune_engine::heuristic::unsplit;
use tiletune_engine::player::options::HEURISTIC;
use tiletune_engine::player::{COMMAND, Extension, PlayerConfig, PlayerSpec};
use tiletune_engine::program;
use tiletune_tuning::Catalogue;

/// The working directory of a program.
const FOLDER: &str = "folder";

/// The value of the key `heuristic`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected the path of a heuristic file, or a table with its contents"
)]
pub enum HeuristicConfig {
    /// A heuristic file, relative to the file that names it.
    File(PathBuf),
    /// The contents of a heuristic file.
    Inline(toml::Table),
}

impl JsonSchema for HeuristicConfig {
    fn schema_name() -> Cow<'static, str> {
        "Heuristic".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "object"] })
    }
}

impl HeuristicConfig {
    /// The table of a parameter that the contents declare.
    pub(super) fn declared(&self, key: &str) -> Option<&toml::Value> {
        match self {
            HeuristicConfig::File(_) => None,
            HeuristicConfig::Inline(table) => table.get("parameters")?.get(key),
        }
    }

    /// Whether the contents declare a parameter as a category.
    pub(super) fn has_choices(&self, key: &str) -> bool {
        self.declared(key)
            .is_some_and(|one| one.get("choices").is_some())
    }

    /// The heuristic of a player in the form of files; `None` if the player uses its own terms.
    pub fn of(player: &PlayerSpec) -> Option<Self> {
        let heuristic = player.extension()?;
        Some(HeuristicConfig::Inline(heuristic.table().clone()))
    }

    /// The contents without checks. A path is relative to `folder`.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn table(&self, folder: &Path) -> Result<toml::Table, ConfigError> {
        match self {
            HeuristicConfig::Inline(table) => Ok(placed(table.clone(), folder)),
            HeuristicConfig::File(path) => {
                let source = Source::read(&joined(folder, path))?;
                let table = Document::parse(&source)?.read()?;
                Ok(placed(table, &source.folder))
            }
        }
    }

    /// A short description of the heuristic for exports that do not contain it: its key `about`, if it has one.
    pub fn about(&self) -> &str {
        const OWN: &str = "own";
        match self {
            HeuristicConfig::Inline(table) => {
                let about = table.get("about").and_then(toml::Value::as_str);
                about.unwrap_or(OWN)
            }
            HeuristicConfig::File(path) => path.to_str().unwrap_or(OWN),
        }
    }

    /// The player with this heuristic. A path is relative to `folder`.
    ///
    /// # Errors
    /// If the file cannot be read, the heuristic is wrong, or the player takes none. An error in a file has its
    /// position there. The path of any other error begins with the key `heuristic`.
    pub(crate) fn given_to(
        &self,
        player: &PlayerSpec,
        folder: &Path,
    ) -> Result<PlayerSpec, Unresolved> {
        match self {
            HeuristicConfig::Inline(table) => {
                Ok(player.with_heuristic(&placed(table.clone(), folder))?)
            }
            HeuristicConfig::File(path) => {
                player.takes_heuristic()?;
                let read = with_file(player, &joined(folder, path));
                let at_key = |message: String| FieldError::new([HEURISTIC], message);
                read.map_err(|error| Unresolved::of_file(error, at_key))
            }
        }
    }
}

/// Paths of the first terms of a heuristic file: a file has one of them at least.
const TERMS: [[&str; 2]; 2] = [["term", "0"], ["board_term", "0"]];

/// Whether a document is a heuristic file.
pub(super) fn is_one(document: &Document) -> bool {
    TERMS.iter().any(|term| document.has(term))
}

/// Fails if a document is a heuristic file. `wanted` is the expected kind of file, as in "not a campaign"; `instead`
/// says what to do instead.
pub(super) fn refuse(document: &Document, wanted: &str, instead: &str) -> Result<(), ConfigError> {
    let Some(term) = TERMS.iter().find(|term| document.has(*term)) else {
        return Ok(());
    };
    let message = format!("this is a heuristic file, not {wanted}: {instead}");
    Err(document.mistake_at(term, message))
}

/// Fails if a document is a campaign or an experiment. `wanted` is the expected kind of file, as in "not a weights file".
pub(super) fn refuse_plans(document: &Document, wanted: &str) -> Result<(), ConfigError> {
    let of_experiment = ("an experiment", "`tiletune ablate FILE` runs it");
    let kinds = [
        ("budget", ("a campaign", "`tiletune tune FILE` runs it")),
        ("row", of_experiment),
        ("generate", of_experiment),
    ];
    let found = kinds.into_iter().find(|(key, _)| document.has(&[key]));
    let Some((key, (kind, use_of_it))) = found else {
        return Ok(());
    };
    let message = format!("this is {kind}, not {wanted}: {use_of_it}");
    Err(document.mistake_at(&[key], message))
}

/// The contents with the folder of a program as an absolute path: the key `folder`, or the folder of the file. Other
/// contents are unchanged.
pub(super) fn placed(mut table: toml::Table, folder: &Path) -> toml::Table {
    if table.contains_key(COMMAND) {
        let given = table.get(FOLDER).and_then(toml::Value::as_str);
        let given = Path::new(given.unwrap_or_default());
        // An absolute folder can be a recorded one, which must stay as it is. `components` removes a separator at the
        // end.
        let absolute = if given.is_absolute() {
            Ok(given.components().collect())
        } else {
            program::folder::plain(&folder.join(given))
        };
        if let Some(text) = absolute.ok().as_deref().and_then(Path::to_str) {
            table.insert(FOLDER.into(), text.into());
        }
    }
    table
}

/// Whether a file is a heuristic file. False if it cannot be parsed.
pub fn is_heuristic(source: &Source) -> bool {
    Document::parse(source).is_ok_and(|document| is_one(&document))
}

/// The first player of the catalogue that can use the heuristic of a file. `game` and `name` limit the choice.
///
/// # Errors
/// If there is no such player, or none can use the heuristic. Then the error is that of the first one.
pub fn first_player(
    catalogue: &Catalogue,
    source: &Source,
    game: Option<&str>,
    name: Option<&str>,
) -> Result<PlayerSpec, ConfigError> {
    let mut refused = None;
    for entry in catalogue.players() {
        let is_asked = game.is_none_or(|game| game == entry.game.name)
            && name.is_none_or(|name| name == entry.name);
        let config = PlayerConfig::new(entry.name, Some(entry.game.name));
        let (true, Some(_), Ok(player)) = (
            is_asked,
            entry.extension_option(),
            catalogue.player(&config),
        ) else {
            continue;
        };
        match with_source(&player, source) {
            Ok(player) => return Ok(player),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    Err(refused.unwrap_or_else(|| {
        let of_game = game.map_or(String::new(), |game| format!(" of {game}"));
        let message = match name {
            Some(name) => format!("player `{name}`{of_game} takes no heuristic"),
            None => format!("no player{of_game} takes a heuristic"),
        };
        source.mistake_at(&[], message)
    }))
}

/// The player with the heuristic of a file.
///
/// # Errors
/// With the place of the first error: if the file cannot be read, the heuristic is wrong, or the player
/// takes none.
pub fn with_file(player: &PlayerSpec, path: &Path) -> Result<PlayerSpec, ConfigError> {
    with_source(player, &Source::read(path)?)
}

/// The same for a file that has been read.
///
/// # Errors
/// As [`with_file`].
pub fn with_source(player: &PlayerSpec, source: &Source) -> Result<PlayerSpec, ConfigError> {
    let document = Document::parse(source)?;
    refuse_plans(&document, "a heuristic file")?;
    let player = player.with_heuristic(&placed(document.read()?, &source.folder));
    player.map_err(|mut error| {
        // The path of the error begins at the root of the heuristic file.
        if error.path.first().is_some_and(|key| key == HEURISTIC) {
            error.path.remove(0);
        }
        document.place(error)
    })
}

/// The player of a file with the heuristic of the file. The heuristic is in the player's table, or under the key
/// `heuristic` next to that table. Paths are relative to `folder`.
///
/// # Errors
/// As [`HeuristicConfig::given_to`], or if both are given.
pub(crate) fn with_given(
    player: PlayerSpec,
    heuristic: Option<&HeuristicConfig>,
    folder: &Path,
) -> Result<PlayerSpec, Unresolved> {
    match heuristic {
        Some(_) if player.extension().is_some() => {
            let message = "the heuristic is given twice: here and as an option of the player";
            Err(FieldError::new([HEURISTIC], message).into())
        }
        Some(heuristic) => heuristic.given_to(&player, folder),
        None => Ok(player),
    }
}

/// Checks that the heuristic of a weights file equals the one that is given in addition, if there is one.
///
/// # Errors
/// If they differ. The message describes the difference.
pub(crate) fn check_equal(
    of_file: &Extension,
    given: Option<&Extension>,
) -> Result<(), FieldError> {
    let Some(given) = given.filter(|given| given.table() != of_file.table()) else {
        return Ok(());
    };
    let message = format!(
        "these weights belong to the heuristic of this file ({}), and another one is given beside them \
         ({}): leave that one out, or give weights that were tuned with it",
        in_words(of_file, given),
        in_words(given, of_file)
    );
    Err(FieldError::new([HEURISTIC], message))
}

/// A heuristic in words: its number of parameters, and its parameters that `other` lacks.
fn in_words(heuristic: &Extension, other: &Extension) -> String {
    const MOST: usize = 5;
    let keys = |of: &Extension| -> Vec<String> {
        let parameters = unsplit(of.parameters());
        parameters.map(|known| known.key.clone()).collect()
    };
    let (own, of_other) = (keys(heuristic), keys(other));
    let only: Vec<&str> = own
        .iter()
        .filter(|key| !of_other.contains(key))
        .map(String::as_str)
        .collect();
    let count = match own.len() {
        1 => "1 parameter".to_owned(),
        count => format!("{count} parameters"),
    };
    match only.len() {
        0 => count,
        1..=MOST => format!("{count}, only here: {}", only.join(", ")),
        more => {
            let shown = only[..MOST].join(", ");
            format!("{count}, only here: {shown} and {} more", more - MOST)
        }
    }
}
