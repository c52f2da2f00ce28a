//! The operands of `tiletune compare`: weights files, run directories and players.

use std::path::Path;

use super::player_args::{Chosen, expect_weights, played_otherwise, weights_of, with_heuristic};
use super::run_path::{named_weights, weights_name};
use super::{Context, Failure};
use crate::Catalogue;
use crate::config::shipped::{self, PUBLISHED, Shipped, TUNED, Wanted};
use crate::config::weights_file::{self, ParsedWeights, run_of_tuned, start_instead_of_tuned};
use crate::heuristic::weights::Weights;
use crate::player::{self, Depth, PlayerEntry, PlayerSpec};
use crate::suggestion::did_you_mean;

/// A player with its weights.
pub(super) struct Operand {
    /// The operand as given.
    pub(super) text: String,
    /// The player, with the heuristic of the weights and default values of other options.
    pub(super) player: PlayerSpec,
    pub(super) weights: Weights,
    /// The weights, if they have a name.
    pub(super) shipped: Option<Shipped>,
}

/// The flags for operands that do not name game or player.
pub(super) struct Defaults<'a> {
    pub(super) game: Option<&'a str>,
    pub(super) player: Option<&'a str>,
    /// The depth that is played; `None` means the default of the player.
    pub(super) depth: Option<Depth>,
    /// The board and the other rules that are played, see [`PlayerSpec::variation`].
    pub(super) variation: Option<&'a str>,
    /// The heuristic file of all players that take one.
    pub(super) heuristic: Option<&'a Path>,
}

/// An operand before its game is known.
enum OperandKind<'a> {
    /// A weights file, a run directory or weights with a name, with the player that they name.
    Weights(Box<(ParsedWeights, Chosen, Option<Shipped>)>),
    /// A player with a weights file or run directory, or with its published weights.
    Player(&'a str, Option<&'a str>),
    /// The published weights of the player of `--player`, or of the other operands.
    Published,
}

/// A note about the weights of an operand.
pub(super) fn note(text: &str) -> Option<String> {
    let of_player = || start_instead_of_tuned(Path::new(text.split_once(':')?.1));
    start_instead_of_tuned(Path::new(text)).or_else(of_player)
}

impl OperandKind<'_> {
    /// The name of its player, if it has one.
    fn player(&self) -> Option<&str> {
        match self {
            OperandKind::Player(name, _) => Some(name),
            _ => None,
        }
    }
}

/// Reads the operands.
pub(super) fn read(
    context: Context,
    texts: &[String],
    defaults: &Defaults,
) -> Result<Vec<Operand>, Failure> {
    let catalogue = context.catalogue;
    // The game decides which weights a name stands for.
    let of_file = match defaults.game {
        Some(_) => None,
        None => texts.iter().find_map(|text| game_of(Path::new(text))),
    };
    let wanted = Wanted {
        game: defaults.game.or(of_file.as_deref()),
        player: defaults.player,
        depth: defaults.depth,
        variation: defaults.variation,
    };
    let parsed = texts.iter().map(|text| parse(context, text, wanted));
    let parsed = parsed.collect::<Result<Vec<OperandKind>, Failure>>()?;
    let of_file = parsed.iter().find_map(|operand| match operand {
        OperandKind::Weights(file) => Some(file.1.player.clone()),
        _ => None,
    });
    let of_files = of_file.as_ref().map(|player| player.entry);
    let names: Vec<&str> = parsed.iter().filter_map(OperandKind::player).collect();
    let has_all = |game: &&str| {
        let has = |name: &&str| catalogue.players_of(game).any(|entry| entry.name == *name);
        names.iter().all(has)
    };
    let games = catalogue.games().iter().map(|game| game.name);
    let of_names = || games.clone().find(has_all);
    let of_files_or_names = of_files.map(|entry| entry.game.name).or_else(of_names);
    let game = defaults.game.or(of_files_or_names);
    let player = defaults.player.or(of_files.map(|entry| entry.name));
    let player = player.or(names.first().copied());
    let player = player.map(str::to_owned);
    // A program is known only from its weights file.
    let program = of_file.filter(|player| player.program().is_some());
    let operands = texts.iter().zip(parsed);
    let operands = operands.map(|(text, parsed)| {
        let operand = |Chosen { player, weights }, shipped| Operand {
            text: text.clone(),
            player,
            weights,
            shipped,
        };
        if let (OperandKind::Published, None, Some(player)) = (&parsed, defaults.player, &program) {
            let weights = weights_file::published(player);
            let player = player.clone();
            return Ok(operand(Chosen { player, weights }, None));
        }
        let (entry, weights) = match parsed {
            OperandKind::Weights(parsed) => {
                let (file, chosen, shipped) = *parsed;
                if defaults.heuristic.is_none() {
                    return Ok(operand(chosen, shipped));
                }
                let player = player_of(catalogue, chosen.player.entry, defaults)?;
                let (player, weights) = file.for_player(&player)?;
                return Ok(operand(Chosen { player, weights }, shipped));
            }
            OperandKind::Player(name, weights) => {
                let entry = entry(catalogue, name, game, text)?;
                let wanted = Wanted {
                    game: Some(entry.game.name),
                    player: Some(name),
                    ..wanted
                };
                if weights.is_some() {
                    expect_weights(entry)?;
                }
                let weights = weights.filter(|name| *name != PUBLISHED);
                let named = weights.map(|name| {
                    let path = weights_name(name).map_err(Failure::Usage)?;
                    named_weights(context, Path::new(&path), wanted)
                });
                (entry, named.transpose()?)
            }
            OperandKind::Published => {
                let name = player.as_deref().ok_or_else(|| {
                    Failure::Usage(format!("`{PUBLISHED}`: name the player with --player"))
                })?;
                (entry(catalogue, name, game, text)?, None)
            }
        };
        let player = player_of(catalogue, entry, defaults)?;
        let shipped = weights.as_ref().and_then(|named| named.shipped.clone());
        let (chosen, note) = weights_of(
            catalogue,
            player,
            weights,
            wanted.variation,
            wanted.depth.is_some(),
        )?;
        if let Some(note) = note {
            context.message(format!("{text}: {note}"));
        }
        Ok(operand(chosen, shipped))
    });
    operands.collect()
}

/// The game of a weights file or run; `None` if the path is none.
fn game_of(path: &Path) -> Option<String> {
    let source = weights_file::source(path).ok()?;
    Some(weights_file::unchecked(&source).ok()??.game)
}

fn parse<'a>(context: Context, text: &'a str, wanted: Wanted) -> Result<OperandKind<'a>, Failure> {
    let catalogue = context.catalogue;
    if shipped::is_published(Path::new(""), Path::new(text)) {
        return Ok(OperandKind::Published);
    }
    let is_player = |name: &str| catalogue.players().iter().any(|entry| entry.name == name);
    if is_player(text) {
        return Ok(OperandKind::Player(text, None));
    }
    let path = Path::new(text);
    // Without weights that are tuned for the board, `tuned` is an error there.
    if path.exists()
        || run_of_tuned(path).is_some()
        || text == TUNED
        || shipped::find(catalogue, text, wanted).is_some()
    {
        let named = named_weights(context, path, wanted)?;
        let file = ParsedWeights::parse(named.source)?;
        let (player, weights) = file.in_catalogue(catalogue)?;
        let depth = player.depth().filter(|_| wanted.depth.is_none());
        let note = played_otherwise(catalogue, file.contents(), wanted.variation, depth);
        if let Some(note) = note {
            context.message(format!("{text}: {note}"));
        }
        let chosen = Chosen { player, weights };
        let parsed = (file, chosen, named.shipped);
        return Ok(OperandKind::Weights(Box::new(parsed)));
    }
    if let Some((name, weights)) = text.split_once(':')
        && is_player(name)
    {
        return Ok(OperandKind::Player(name, Some(weights)));
    }
    let name = text.split_once(':').map_or(text, |(name, _)| name);
    let weights = shipped::names(catalogue, wanted);
    let names = catalogue.players().iter().map(|entry| entry.name);
    let near = did_you_mean(name, names.chain(weights.iter().copied()));
    Err(Failure::Usage(format!(
        "`{text}`: no such weights file or run directory, no weights of this name (these: {}), and no player, which is \
         written as PLAYER or PLAYER:WEIGHTS (see `tiletune list players`){near}",
        weights.join(", ")
    )))
}

/// The player with this name: in `game` if it is given, otherwise in the first game that has such a player.
fn entry(
    catalogue: &Catalogue,
    name: &str,
    game: Option<&str>,
    operand: &str,
) -> Result<&'static PlayerEntry, Failure> {
    let games = catalogue.games().iter().map(|game| game.name);
    let has = |game: &&str| catalogue.players_of(game).any(|entry| entry.name == name);
    let game = game.or_else(|| games.clone().find(has));
    let entry = catalogue.entry(name, game);
    entry.map_err(|error| Failure::Usage(format!("`{operand}`: {error}")))
}

/// The player of an entry with default options, and with the heuristic of the flags if it takes one.
fn player_of(
    catalogue: &Catalogue,
    entry: &'static PlayerEntry,
    defaults: &Defaults,
) -> Result<PlayerSpec, Failure> {
    let asked = player::PlayerConfig::new(entry.name, Some(entry.game.name));
    let player = catalogue.player(&asked);
    let player = player.map_err(Failure::usage)?;
    match defaults.heuristic {
        Some(path) if entry.extension_option().is_some() => with_heuristic(&player, path),
        _ => Ok(player),
    }
}
