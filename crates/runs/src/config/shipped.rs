//! Weights by name: the published ones of each player, and those that ship with the program. A file or a run of the same
//! name has priority.

use std::path::{Component, Path};

use super::weights_file::{self, OF_TUNED, WeightsFile, run_of_tuned, unchecked};
use super::{ConfigError, Source, joined};
use tiletune_engine::player::{Depth, PlayerSpec};
use tiletune_engine::suggestion::did_you_mean;
use tiletune_tuning::Catalogue;

/// The name of the published weights of a player.
pub const PUBLISHED: &str = "published";

/// The name of the shipped weights that were tuned for the depth that is played.
pub const TUNED: &str = "tuned";

/// What is known of the player that gets the weights.
#[derive(Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// Its game; `None` means any.
    pub game: Option<&'a str>,
    /// Its name; `None` means any.
    pub player: Option<&'a str>,
    /// The depth that is played; `None` means the default of the player.
    pub depth: Option<Depth>,
    /// The board and the other rules that are played, see [`PlayerSpec::variation`]; `None` means the usual ones.
    pub variation: Option<&'a str>,
}

impl<'a> Wanted<'a> {
    /// Weights for a player. `variation` is its [`PlayerSpec::variation`].
    pub fn by(player: &'a PlayerSpec, variation: Option<&'a str>) -> Self {
        Wanted {
            game: Some(player.entry.game.name),
            player: Some(player.entry.name),
            depth: player.depth(),
            variation,
        }
    }
}

/// Weights with a name.
#[derive(Clone)]
pub struct Shipped {
    /// Their name.
    pub name: &'static str,
    /// The text of their file.
    pub source: Source,
    /// The file, without checks of player, heuristic and keys.
    pub file: WeightsFile,
}

impl Shipped {
    fn read(name: &'static str, text: &str) -> Option<Self> {
        let source = Source::new(format!("the weights `{name}`"), text);
        let file = unchecked(&source).ok()??;
        Some(Shipped { name, source, file })
    }

    fn is_for(&self, wanted: Wanted) -> bool {
        wanted.game.is_none_or(|game| game == self.file.game)
            && wanted
                .player
                .is_none_or(|player| player == self.file.player)
    }
}

/// All weights with a name that a player can have: the published ones first.
pub fn all(catalogue: &Catalogue, wanted: Wanted) -> Vec<Shipped> {
    let players = catalogue.players().iter();
    let published = players.filter_map(|entry| Shipped::read(PUBLISHED, entry.published?));
    let shipped = catalogue.weights().iter();
    let shipped = shipped.filter_map(|one| Shipped::read(one.name, one.text));
    // A program of somebody else may lack the player.
    let is_known = |file: &WeightsFile| catalogue.entry(&file.player, Some(&file.game)).is_ok();
    let all = published.chain(shipped);
    all.filter(|one| one.is_for(wanted) && is_known(&one.file))
        .collect()
}

/// The weights with this name; `tuned` names those of the board and the depth that are played, or of the nearest
/// depth.
pub fn find(catalogue: &Catalogue, name: &str, wanted: Wanted) -> Option<Shipped> {
    let mut fitting = all(catalogue, wanted).into_iter();
    if name != TUNED {
        return fitting.find(|one| one.name == name);
    }
    let is_tuned_here = |one: &Shipped| {
        let tuned = one.file.tuned_by(catalogue);
        let variation = tuned.and_then(|player| player.variation());
        one.name != PUBLISHED && variation.as_deref() == wanted.variation
    };
    let fitting: Vec<Shipped> = fitting.filter(is_tuned_here).collect();
    // Without a game or a player it is that of the first ones.
    let WeightsFile { game, player, .. } = &fitting.first()?.file;
    let entry = catalogue.entry(player, Some(game)).ok()?;
    let depth = wanted
        .depth
        .or(entry.depths().map(|depths| depths.default))?;
    let wanted = Wanted {
        game: Some(entry.game.name),
        player: Some(entry.name),
        ..Wanted::default()
    };
    let of_player = fitting.into_iter().filter(|one| one.is_for(wanted));
    let with_distance = of_player.filter_map(|one| {
        let tuned = one.file.tuned_by(catalogue)?.depth()?;
        Some((distance(depth, tuned)?, one))
    });
    let nearest = with_distance.min_by_key(|(distance, _)| *distance);
    nearest.map(|(_, one)| one)
}

/// The names of the weights that a player can use on its board. The terms of others may have no meaning there.
pub fn fitting(catalogue: &Catalogue, player: &PlayerSpec) -> Vec<&'static str> {
    let all = all(catalogue, Wanted::by(player, None)).into_iter();
    let fits = |one: &Shipped| weights_file::read_source(one.source.clone(), player).is_ok();
    all.filter(fits).map(|one| one.name).collect()
}

/// How far the depth of weights is from the depth that is played; of two equally far ones the lower is nearer. `None` if
/// they do not fit.
fn distance(played: Depth, tuned: Depth) -> Option<(u8, bool)> {
    match (played, tuned) {
        (Depth::Adaptive, Depth::Adaptive) => Some((0, false)),
        (Depth::Fixed(played), Depth::Fixed(tuned)) => {
            Some((played.abs_diff(tuned), tuned > played))
        }
        _ => None,
    }
}

/// Whether a path names the published weights, and is no file or run.
pub fn is_published(folder: &Path, path: &Path) -> bool {
    path == Path::new(PUBLISHED) && !is_file_or_run(&joined(folder, path))
}

/// Whether a path can have weights: a folder that is no run hides no name.
fn is_file_or_run(path: &Path) -> bool {
    path.is_file() || path.join("manifest.json").exists()
}

/// The weights that a user names.
pub struct Named {
    /// The text of their file.
    pub source: Source,
    /// The weights with a name, if they are not a file or a run.
    pub shipped: Option<Shipped>,
}

/// The weights of a path in a file of `folder`: a weights file, a run directory (see
/// [`locate`](weights_file::locate)), or weights with a name.
///
/// # Errors
/// If there is nothing of this name; the message lists the names.
pub fn named(
    catalogue: &Catalogue,
    folder: &Path,
    path: &Path,
    wanted: Wanted,
) -> Result<Named, ConfigError> {
    let file = joined(folder, path);
    let name = name_of(path).filter(|_| !is_file_or_run(&file) && run_of_tuned(&file).is_none());
    let Some(name) = name else {
        let source = weights_file::source(&file)?;
        return Ok(Named {
            source,
            shipped: None,
        });
    };
    let found = find(catalogue, name, wanted);
    let shipped = found.ok_or_else(|| ConfigError::Unreadable {
        path: path.display().to_string(),
        reason: unknown(catalogue, name, wanted),
    })?;
    Ok(Named {
        source: shipped.source.clone(),
        shipped: Some(shipped),
    })
}

/// The name in a path that can be one: it is no path of several parts, and has no ending of a file.
fn name_of(path: &Path) -> Option<&str> {
    let is_name = path.components().count() == 1
        && matches!(path.components().next(), Some(Component::Normal(_)))
        && path.extension().is_none();
    let name = path.to_str().filter(|_| is_name)?;
    (!name.ends_with(OF_TUNED)).then_some(name)
}

/// The different names that a player can have weights by, `tuned` included.
pub fn names(catalogue: &Catalogue, wanted: Wanted) -> Vec<&'static str> {
    let known = all(catalogue, wanted);
    let mut names: Vec<&str> = Vec::new();
    for name in known.iter().map(|one| one.name) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if known.iter().any(|one| one.name != PUBLISHED) {
        names.insert(1.min(names.len()), TUNED);
    }
    names
}

fn unknown(catalogue: &Catalogue, name: &str, wanted: Wanted) -> String {
    let names = names(catalogue, wanted);
    if let (TUNED, Some(variation)) = (name, wanted.variation) {
        return format!(
            "no weights that ship with the program are tuned for {variation}: leave them out for the published ones"
        );
    }
    let near = did_you_mean(name, names.iter().copied());
    let of = match (wanted.player, wanted.game) {
        (Some(player), Some(game)) => format!(" for {player} of {game}"),
        (Some(of), None) | (None, Some(of)) => format!(" for {of}"),
        (None, None) => String::new(),
    };
    let names = match names[..] {
        [] => "none".to_owned(),
        _ => names.join(", "),
    };
    format!(
        "no file and no run of this name, and no weights that ship with the program{near} (these{of}: {names})"
    )
}
