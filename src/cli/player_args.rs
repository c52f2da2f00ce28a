//! The player of a command. All commands have the same flags for it. The flags of options follow from the declarations
//! of the players in the catalogue.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use super::run_path::{named_weights, weights_path};
use super::{Context, Failure};
use crate::Catalogue;
use crate::config::shipped::{self, Named, Shipped, Wanted, is_published};
use crate::config::weights_file::{self, ParsedWeights, WeightsFile};
use crate::config::{ConfigError, heuristic_file};
use crate::field_error::FieldError;
use crate::heuristic::weights::Weights;
use crate::player::options::{HEURISTIC, OptionKind, OptionScope, PlayerOption};
use crate::player::{Depth, Player, PlayerEntry, PlayerSpec};
use crate::report::search;

/// The group of all these flags, so that other flags can conflict with them. Each flag names it, because a derived
/// group does not contain flattened flags.
pub(super) const GROUP: &str = "PlayerArgs";

/// The search depth of the default player, if it has one.
const DEFAULT_DEPTH: Depth = Depth::Fixed(1);
const DEPTH: &str = "depth";

#[derive(Args, Clone, Default)]
pub(super) struct PlayerArgs {
    /// The player (see `tiletune list players`).
    #[arg(long, group = GROUP)]
    player: Option<String>,
    /// The game (see `tiletune list games`).
    #[arg(long, group = GROUP)]
    game: Option<String>,
    /// Weights file, run directory (its best.toml), or RUN:tuned (its tuned.toml); without it the player's published
    /// weights. A run can be named as in `results`, or `last`; weights of `tiletune list weights` by their name, such
    /// as `depth-1`, or `tuned` for those of the depth that is played.
    #[arg(long, group = GROUP, value_name = "FILE|RUN|NAME", value_parser = weights_path)]
    weights: Option<PathBuf>,
    #[command(flatten)]
    options: OptionArgs,
}

/// The chosen player with its weights.
pub(super) struct Chosen {
    pub(super) player: PlayerSpec,
    pub(super) weights: Weights,
}

impl PlayerArgs {
    /// The player of the flags. A message is shown if its weights are not the tuned ones of a run.
    pub(super) fn choose(self, context: Context) -> Result<Chosen, Failure> {
        let catalogue = context.catalogue;
        let mut options = self.options.texts;
        let path = (self.weights.as_deref()).filter(|path| !is_published(Path::new(""), path));
        if let Some(note) = path.and_then(weights_file::start_instead_of_tuned) {
            context.message(note);
        }
        let default_depth = self.player.is_none().then_some(DEFAULT_DEPTH);
        let variation = variation_of(
            catalogue,
            self.game.as_deref(),
            self.player.as_deref(),
            &options,
        );
        let depth = depth_played(&options);
        let wanted = Wanted {
            game: self.game.as_deref(),
            player: self.player.as_deref(),
            depth: depth.or(default_depth),
            variation: variation.as_deref(),
        };
        let named = path.map(|path| named_weights(context, path, wanted));
        let named = named.transpose()?;
        let is_default = self.player.is_none();
        let (name, game) = match self.player {
            Some(name) => (name, self.game),
            None => unnamed_player(catalogue, self.game, named.as_ref(), &mut options)?,
        };
        let has_depth = |entry: &PlayerEntry| entry.name == name && entry.depths().is_some();
        let takes_depth = is_default && catalogue.default_player().is_some_and(has_depth);
        if takes_depth && options.iter().all(|(key, _)| key != DEPTH) {
            options.push((DEPTH.to_owned(), DEFAULT_DEPTH.to_string()));
        }
        let game = game.unwrap_or_else(|| catalogue.default_game().name.to_owned());
        let player = catalogue.player_of_flags(&name, &game, &options);
        let player = player.map_err(|error| Failure::Usage(with_option(&error, &options)))?;
        let player = match &self.options.heuristic {
            None => player,
            Some(path) => with_heuristic(&player, path)?,
        };
        let variation = player.variation();
        let (chosen, note) = weights_of(
            catalogue,
            player,
            named,
            variation.as_deref(),
            depth.is_some(),
        )?;
        if let Some(note) = note {
            context.message(note);
        }
        Ok(chosen)
    }
}

impl PlayerArgs {
    /// Whether the flags have this option of a player.
    pub(super) fn has(&self, option: &PlayerOption) -> bool {
        let mut texts = self.options.texts.iter();
        texts.any(|(key, _)| key == option.key)
    }

    /// The same flags with this option of a player.
    pub(super) fn with(mut self, option: &PlayerOption, text: String) -> Self {
        self.options.texts.push((option.key.to_owned(), text));
        self
    }
}

/// An error of an option of a player with the option as it was typed.
pub(super) fn with_option(error: &FieldError, options: &[(String, String)]) -> String {
    let key = error.path.first();
    let typed = options.iter().find(|(given, _)| Some(given) == key);
    typed.map_or_else(
        || error.to_string(),
        |(key, value)| format!("--{} {value}: {error}", key.replace('_', "-")),
    )
}

/// The player and the game without `--player`: those of the weights, or the default ones.
fn unnamed_player(
    catalogue: &Catalogue,
    game: Option<String>,
    named: Option<&Named>,
    options: &mut Vec<(String, String)>,
) -> Result<(String, Option<String>), Failure> {
    let Some(named) = named else {
        let entry = default_player(catalogue, game.as_deref())?;
        return Ok((entry.name.to_owned(), None));
    };
    let (file, player, _) = weights_file::parse_with(catalogue, &named.source)?;
    let entry = player.entry;
    let tuned = file.tuned_by(catalogue);
    // Of the same player, unless somebody wrote another one into the file.
    let is_game = game.as_ref().is_none_or(|game| game == entry.game.name);
    if let Some(tuned) = tuned.filter(|tuned| is_game && std::ptr::eq(tuned.entry, entry)) {
        *options = with_tuned_options(catalogue, &tuned, options);
    }
    let game = game.unwrap_or_else(|| entry.game.name.to_owned());
    Ok((entry.name.to_owned(), Some(game)))
}

/// The variation of the game that the flags of its board describe, see [`PlayerSpec::variation`]. Wrong flags are
/// refused later.
pub(super) fn variation_of(
    catalogue: &Catalogue,
    game: Option<&str>,
    player: Option<&str>,
    options: &[(String, String)],
) -> Option<String> {
    let usual = catalogue.default_player()?;
    let entry = catalogue.entry(player.unwrap_or(usual.name), game).ok()?;
    let is_of_board = |key: &str| {
        let option = entry.option(key);
        option.is_some_and(|option| option.scope == OptionScope::Board)
    };
    let options = options.iter().filter(|(key, _)| is_of_board(key));
    let options: Vec<(String, String)> = options.cloned().collect();
    let player = catalogue.player_of_flags(entry.name, entry.game.name, &options);
    player.ok()?.variation()
}

/// The depth of the flags; `None` if they have none, or a wrong one.
pub(super) fn depth_played(options: &[(String, String)]) -> Option<Depth> {
    let (_, text) = options.iter().find(|(key, _)| key == DEPTH)?;
    match text.parse() {
        Ok(depth) => Some(Depth::Fixed(depth)),
        Err(_) => (text == "adaptive").then_some(Depth::Adaptive),
    }
}

/// The options of flags, completed by those with which weights were tuned: the board, and without a depth theirs and the
/// other options of the player. Some of these may not fit a board of the flags.
fn with_tuned_options(
    catalogue: &Catalogue,
    tuned: &PlayerSpec,
    options: &[(String, String)],
) -> Vec<(String, String)> {
    let is_given = |key: &str| options.iter().any(|(given, _)| given == key);
    let completed = |takes: &dyn Fn(&PlayerOption) -> bool| {
        let chosen = tuned.chosen();
        let taken = chosen.filter(|(option, _)| takes(option) && !is_given(option.key));
        let taken = taken.map(|(option, value)| (option.key.to_owned(), value.to_string()));
        options.iter().cloned().chain(taken).collect::<Vec<_>>()
    };
    let is_board = |option: &PlayerOption| option.scope == OptionScope::Board;
    let is_search = |option: &PlayerOption| {
        // How scores are computed is not how it plays.
        option.scope == OptionScope::Player && option.is_stored_at_default && !is_given(DEPTH)
    };
    let all = completed(&|option| is_board(option) || is_search(option));
    let without = || completed(&|option| is_search(option) && option.key == DEPTH);
    let fits = |options: &Vec<(String, String)>| {
        let entry = tuned.entry;
        let player = catalogue.player_of_flags(entry.name, entry.game.name, options);
        player.is_ok()
    };
    Some(all).filter(fits).unwrap_or_else(without)
}

/// The player without `--player` and `--weights`. `game` is the one of `--game`.
fn default_player(
    catalogue: &Catalogue,
    game: Option<&str>,
) -> Result<&'static PlayerEntry, Failure> {
    let default_game = catalogue.default_game().name;
    let game = game.unwrap_or(default_game);
    let entry = catalogue.default_player().filter(|_| game == default_game);
    entry.ok_or_else(|| Failure::Usage(needs_player(catalogue, game)))
}

/// The message that a game is named without a player.
fn needs_player(catalogue: &Catalogue, game: &str) -> String {
    let players = catalogue.players_of(game);
    let names: Vec<&str> = players.map(|player| player.name).collect();
    match names[..] {
        [] => format!("there is no game `{game}`; `tiletune list games` has the games"),
        _ => format!(
            "--player is missing: {game} has the players {}",
            names.join(", ")
        ),
    }
}

impl Chosen {
    pub(super) fn build(&self) -> Result<Box<dyn Player>, Failure> {
        self.player.build(&self.weights).map_err(Failure::Failed)
    }

    /// Says which weights are lost to the resolution of the values.
    pub(super) fn tell_lost_weights(&self, context: Context) {
        for line in search::lost_weights(&self.player.lost_weights(&self.weights)) {
            context.message(line);
        }
    }
}

/// A player with the heuristic of a file.
pub(super) fn with_heuristic(player: &PlayerSpec, path: &Path) -> Result<PlayerSpec, Failure> {
    let taken = player.takes_heuristic();
    taken.map_err(|error| Failure::Usage(error.message))?;
    Ok(heuristic_file::with_file(player, path)?)
}

/// A player with the weights of a file and their heuristic, or with its published weights. Also returns the note of
/// [`played_otherwise`]; `has_depth`: the flags say at which depth is played.
pub(super) fn weights_of(
    catalogue: &Catalogue,
    player: PlayerSpec,
    named: Option<Named>,
    board: Option<&str>,
    has_depth: bool,
) -> Result<(Chosen, Option<String>), Failure> {
    let Some(Named { source, shipped }) = named else {
        let weights = weights_file::published(&player);
        return Ok((Chosen { player, weights }, None));
    };
    expect_weights(player.entry)?;
    let file = ParsedWeights::parse(source)?;
    let read = file.for_player(&player);
    let (player, weights) = read.map_err(|error| match shipped {
        Some(shipped) => unfit(catalogue, &shipped, &player, &error),
        None => error.into(),
    })?;
    let depth = player.depth().filter(|_| !has_depth);
    let note = played_otherwise(catalogue, file.contents(), board, depth);
    Ok((Chosen { player, weights }, note))
}

/// A note that weights were tuned for another board than the one that is played (see [`PlayerSpec::variation`]), for other
/// random tiles, or for another depth, if `depth` says at which they are played.
pub(super) fn played_otherwise(
    catalogue: &Catalogue,
    file: &WeightsFile,
    board: Option<&str>,
    depth: Option<Depth>,
) -> Option<String> {
    let player = file.tuned_by(catalogue)?;
    let tuned = player.variation();
    let words = |board: Option<&str>| board.unwrap_or("the usual board").to_owned();
    let boards = (tuned.as_deref() != board).then(|| {
        let [tuned, played] = [tuned.as_deref(), board].map(words);
        (tuned, format!("on {played}"))
    });
    let depths = player.depth().zip(depth);
    let depths = depths.filter(|(tuned, played)| tuned != played);
    let of_depths = |(tuned, played)| {
        let played = format!("at depth {played} (`--depth` changes it)");
        (format!("depth {tuned}"), played)
    };
    let differing = boards.into_iter().chain(depths.map(of_depths));
    let (tuned, played): (Vec<String>, Vec<String>) = differing.unzip();
    (!tuned.is_empty()).then(|| {
        format!(
            "the weights were tuned for {}; they play here {}",
            tuned.join(" and "),
            played.join(" and ")
        )
    })
}

/// The message that weights with a name cannot be used, with the names of those that can.
pub(super) fn unfit(
    catalogue: &Catalogue,
    shipped: &Shipped,
    player: &PlayerSpec,
    error: &ConfigError,
) -> Failure {
    let fitting = shipped::fitting(catalogue, player).join(", ");
    let fitting = if fitting.is_empty() {
        String::new()
    } else {
        let board = player.variation().unwrap_or_else(|| "this player".into());
        format!(". Weights that fit {board}: {fitting}")
    };
    Failure::Usage(format!("the weights `{}`: {error}{fitting}", shipped.name))
}

/// Checks that a player takes weights.
pub(super) fn expect_weights(entry: &PlayerEntry) -> Result<(), Failure> {
    if entry.has_weights() {
        return Ok(());
    }
    let message = format!("player `{}` has no weights", entry.name);
    Err(Failure::Usage(message))
}

/// The given options of players. [`with_options`] declares their flags, because a derived command line does not know
/// the catalogue.
#[derive(Clone, Default)]
pub(super) struct OptionArgs {
    /// Keys and texts of the given options, without the heuristic.
    pub(super) texts: Vec<(String, String)>,
    /// The heuristic file.
    pub(super) heuristic: Option<PathBuf>,
}

/// Prefix of the id of an option's flag. The key follows.
pub(super) const OPTION: &str = "option:";

impl Args for OptionArgs {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for OptionArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = matches.ids().filter_map(|id| {
            let key = id.as_str().strip_prefix(OPTION)?;
            let text = matches.get_one::<String>(id.as_str())?;
            Some((key.to_owned(), text.clone()))
        });
        let (heuristic, texts): (Vec<_>, Vec<_>) = given.partition(|(key, _)| key == HEURISTIC);
        Ok(OptionArgs {
            texts,
            heuristic: heuristic.into_iter().map(|(_, path)| path.into()).next(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Adds what follows from the catalogue to a command that has the group: the flags of the options of all players, and the
/// default game and player.
pub(super) fn with_options(catalogue: &Catalogue, command: Command) -> Command {
    let takes_options = command.get_groups().any(|group| group.get_id() == GROUP);
    if !takes_options {
        return command;
    }
    let player = catalogue
        .default_player()
        .map(|entry| match entry.depths() {
            Some(_) => format!(
                "that of --weights, or {} at depth {DEFAULT_DEPTH}",
                entry.name
            ),
            None => format!("that of --weights, or {}", entry.name),
        });
    let defaults = [
        ("player", player),
        ("game", Some(catalogue.default_game().name.to_owned())),
    ];
    let with_default = |command: Command, (id, default): (&'static str, Option<String>)| {
        let Some(default) = default else {
            return command;
        };
        command.mut_arg(id, |arg| {
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            arg.help(format!("{help} [default: {default}]"))
        })
    };
    // A comparison has other defaults.
    let has_weights = command.get_arguments().any(|arg| arg.get_id() == "weights");
    let defaults = defaults.into_iter().filter(|_| has_weights);
    let command = defaults.fold(command, with_default);
    command.args(flags(catalogue))
}

/// The options of all players; for each key the first one.
fn options(catalogue: &Catalogue) -> Vec<&'static PlayerOption> {
    let mut options: Vec<&PlayerOption> = Vec::new();
    for option in catalogue.players().iter().flat_map(|entry| entry.options) {
        if options.iter().all(|known| known.key != option.key) {
            options.push(option);
        }
    }
    options
}

fn flags(catalogue: &Catalogue) -> Vec<Arg> {
    let flag = |option: &PlayerOption| {
        let about = match option.kind {
            OptionKind::Depth(_) => format!("{}; some players take `adaptive`", option.about),
            _ => option.about.to_owned(),
        };
        let help = format!("{about} [{}]", takers(catalogue, option.key));
        let flag = Arg::new(format!("{OPTION}{}", option.key))
            .long(option.flag())
            .help(help)
            .help_heading("Options of players")
            .group(GROUP);
        match option.kind {
            OptionKind::Depth(_) => flag.value_name("DEPTH"),
            OptionKind::Number { .. } | OptionKind::Whole { .. } => flag.value_name("NUMBER"),
            OptionKind::Names { .. } => flag.value_name("PLAYER,.."),
            OptionKind::Text { form, .. } => flag.value_name(form),
            OptionKind::Heuristic { .. } | OptionKind::Program => flag.value_name("FILE"),
            OptionKind::Choice(names) => flag
                .value_name("FORM")
                .value_parser(PossibleValuesParser::new(names)),
            OptionKind::Switch { default: true } => flag.value_name("BOOL"),
            OptionKind::Switch { default: false } => flag
                .value_name("BOOL")
                .num_args(0..=1)
                .default_missing_value("true"),
        }
    };
    options(catalogue).into_iter().map(flag).collect()
}

/// The players that take an option. If all players of a game do, the name of the game instead.
fn takers(catalogue: &Catalogue, key: &str) -> String {
    let mut takers: Vec<&str> = Vec::new();
    for game in catalogue.games() {
        let (take, take_not): (Vec<_>, Vec<_>) = catalogue
            .players_of(game.name)
            .partition(|entry| entry.option(key).is_some());
        let names = if take_not.is_empty() {
            vec![game.name]
        } else {
            take.iter().map(|entry| entry.name).collect()
        };
        for name in names {
            if !takers.contains(&name) {
                takers.push(name);
            }
        }
    }
    takers.join(", ")
}
