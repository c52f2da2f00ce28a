//! Players and games in general: the entries of the catalogue, the trait of a player, and the
//! options that a user gives. A whole game is one virtual call, [`Player::play`]. This module must
//! not name a game.
//!
//! A [`Catalogue`] contains games and players. A [`PlayerConfig`] is a user's request, and a
//! [`PlayerSpec`] is the requested player of the catalogue with its [`options`]. [`depth`] defines
//! search depths. A player answers a [`position`] with an [`analysis`]. [`session`] is a game
//! played move by move, [`interactive`] one whose moves are chosen from outside. [`single_player`] has what games for one player share. [`view`] is the
//! appearance of a position, and [`mod@format`] is its JSON.
//!
//! ```
//! use tiletune_engine::games::twenty48::rules::Board;
//! use tiletune_engine::heuristic::weights::Weights;
//! use tiletune_engine::player::{Catalogue, PlayerConfig};
//! use tiletune_engine::stop::Stop;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let asked = PlayerConfig::new("expectimax", Some("2048")).with("depth", 1);
//! let spec = Catalogue::builtin().player(&asked)?;
//! let player = spec.build(&Weights::default())?;
//! // The ranks of the tiles: 1 is the tile 2, and 0 an empty cell.
//! let board = Board::from_ranks([5, 4, 3, 2, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
//! // What can take long gives `None` if it is stopped. This program never requests a stop.
//! let analysis = player.analyze(&board, 0, Stop::never())?.unwrap_or_default();
//! println!("the best move is {:?}", analysis.best);
//! if let Some(game) = player.play(7, Stop::never()) {
//!     println!("the game of seed 7 ends with {:?}", game.result);
//! }
//! # assert!(analysis.best.is_some());
//! # Ok(())
//! # }
//! ```

pub mod analysis;
pub mod below_lost;
mod catalogue;
mod config;
pub mod depth;
pub mod format;
pub mod interactive;
pub mod options;
mod pairings;
pub mod position;
pub mod session;
pub mod single_player;
mod spec;
pub mod view;

use crate::field_error::FieldError;
use crate::heuristic::Parameter;
use crate::heuristic::weights::Weights;
pub use crate::random::Players;
use crate::record::GameRecord;
use crate::stop::Stop;
use position::Position;

pub use analysis::{Analysis, Explanation, Move, MoveValue, SearchEnd, TermPoints};
pub use catalogue::Catalogue;
pub use config::{COMMAND, PlayerConfig};
pub use depth::{Depth, Depths};
pub use format::{Format, Request};
pub use interactive::{InteractiveGame, StartInteractive};
pub use options::{
    CustomHeuristic, Extension, OptionKind, OptionScope, OptionValue, Options, PlayerOption,
};
pub use pairings::{Pairing, Pairings};
pub use position::PositionError;
pub use session::{Session, Step};
pub use single_player::{Agent, SinglePlayer};
pub use spec::PlayerSpec;

/// The name of the player of every game that chooses uniformly among all moves.
pub const RANDOM: &str = "random";

/// A game of the catalogue. [`GameEntry::new`] is the base of a game.
pub struct GameEntry {
    /// Name on the command line and in files.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub about: &'static str,
    /// Number of players.
    pub players: Players,
    /// The player whose move values show by their sign whether a move wins, draws or loses.
    pub solver: Option<&'static str>,
    /// Checks that the game exists with these options. Each option has been checked by itself.
    pub check: fn(&Options) -> Result<(), FieldError>,
    /// Whether a number is a tile of the game, from 2 on.
    pub is_tile: fn(u32) -> bool,
    /// Whether scores are any real numbers. Otherwise they are whole numbers, 0 or more.
    pub has_real_scores: bool,
    /// The JSON form of its positions.
    pub format: Format,
    /// How a direct match is made, in a game for two players.
    pub direct_match: Option<DirectMatch>,
    /// How a game starts whose moves are chosen from outside, such as by a person.
    pub start_interactive: Option<StartInteractive>,
}

/// Makes the player under test, the first one, in a match against the second. The options of both have
/// been checked, and the weights fit the parameters.
///
/// # Errors
/// If one of them cannot use its weights. The message says why.
pub type DirectMatch = fn([MatchPlayer; 2]) -> Result<Box<dyn Player>, String>;

/// Makes a player; the options have been checked, and the weights fit its parameters.
///
/// # Errors
/// If the player cannot use the weights. The message says why.
pub type BuildPlayer = fn(&Options, &Weights) -> Result<Box<dyn Player>, String>;

/// One of the two players of a match.
#[derive(Clone, Copy)]
pub struct MatchPlayer<'a> {
    /// Its name in the catalogue.
    pub name: &'static str,
    /// Its options.
    pub options: &'a Options,
    /// Its weights.
    pub weights: &'a Weights,
}

impl GameEntry {
    /// A game without solver, options to check, tiles, JSON form, matches and interactive games. Set other fields by struct update:
    /// `GameEntry { format: FORMAT, ..GameEntry::new(..) }`.
    pub const fn new(name: &'static str, about: &'static str, players: Players) -> Self {
        GameEntry {
            name,
            about,
            players,
            solver: None,
            check: |_| Ok(()),
            is_tile: |_| false,
            has_real_scores: false,
            format: Format::NONE,
            direct_match: None,
            start_interactive: None,
        }
    }
}

/// A player ready to play with one set of weights. Most players are a [`SinglePlayer`] of an [`Agent`].
///
/// A request to `stop` must end a call within two seconds, inside a move if need be.
pub trait Player: Send + Sync {
    /// Plays the game that `seed` names: a pure function of player, weights and seed. `None` if the game
    /// was left unfinished because `stop` was requested.
    fn play(&self, seed: u64, stop: Stop) -> Option<GameRecord>;

    /// Plays several games: the records of [`Player::play`] for each seed. `None` if one of them was left
    /// unfinished because `stop` was requested.
    fn play_many(&self, seeds: &[u64], stop: Stop) -> Option<Vec<GameRecord>> {
        seeds.iter().map(|&seed| self.play(seed, stop)).collect()
    }

    /// Number of games for which one call of [`Player::play_many`] is fastest.
    fn batch_size(&self) -> usize {
        1
    }

    /// The same game, played move by move. It is slower, because every position is analysed.
    fn begin<'a>(&'a self, seed: u64, stop: Stop<'a>) -> Box<dyn Session + 'a>;

    /// A game from its start against a person, whose moves go to [`Session::answer`]; `None` if the
    /// game is not for two players.
    fn begin_against_person<'a>(
        &'a self,
        _seed: u64,
        _person_begins: bool,
        _stop: Stop<'a>,
    ) -> Option<Box<dyn Session + 'a>> {
        None
    }

    /// Analyses a position. `seed` is the seed of the player's random choices. `None` if the analysis was
    /// left unfinished because `stop` was requested.
    ///
    /// # Errors
    /// If the position is of another game.
    fn analyze(
        &self,
        position: &dyn Position,
        seed: u64,
        stop: Stop,
    ) -> Result<Option<Analysis>, PositionError>;

    /// What each term of its heuristic gives to the position after each legal move; `None` if it has no terms
    /// that it can tell apart.
    ///
    /// # Errors
    /// If the position is of another game.
    fn explain(&self, _position: &dyn Position) -> Result<Option<Explanation>, PositionError> {
        Ok(None)
    }
}

/// Games of the fingerprint by one setting of a player, with its published weights.
pub struct Sample {
    /// Options as in a file, such as `depth = 1`.
    pub options: &'static str,
    /// The contents of a heuristic file, if not the player's own terms.
    pub heuristic: Option<&'static str>,
    /// Number of games.
    pub games: u64,
}

impl Sample {
    /// Games with the player's own terms.
    pub const fn new(options: &'static str, games: u64) -> Self {
        Sample {
            options,
            heuristic: None,
            games,
        }
    }
}

/// An entry of the catalogue. [`PlayerEntry::without_weights`] is the base of an entry.
pub struct PlayerEntry {
    /// Name on the command line and in files.
    pub name: &'static str,
    /// The game it plays.
    pub game: &'static GameEntry,
    /// How it plays, in one sentence.
    pub about: &'static str,
    /// The options that it takes besides its weights, in the order in which they are shown.
    pub options: &'static [PlayerOption],
    /// Its tunable parameters; empty if it has none. With a heuristic of the user it has other ones: use
    /// [`PlayerSpec::parameters`].
    pub parameters: fn() -> Vec<Parameter>,
    /// Its published weights as a weights file, if it has parameters.
    pub published: Option<&'static str>,
    /// Games of the fingerprint.
    pub sample: &'static [Sample],
    /// Makes the player with its own terms, or with the program of the options. A heuristic from a file makes
    /// the player itself (see [`CustomHeuristic::build`]): use [`PlayerSpec::build`].
    pub build: BuildPlayer,
}

impl PlayerEntry {
    /// A player without options, parameters and weights, with 50 games of the fingerprint. It is the
    /// base of other players as well: `PlayerEntry { parameters, ..PlayerEntry::without_weights(..) }`.
    pub const fn without_weights(
        name: &'static str,
        game: &'static GameEntry,
        about: &'static str,
        build: BuildPlayer,
    ) -> Self {
        PlayerEntry {
            name,
            game,
            about,
            options: &[],
            parameters: Vec::new,
            published: None,
            sample: const { &[Sample::new("", 50)] },
            build,
        }
    }

    /// Whether it can be given weights: its own, or those of a heuristic or program from a file.
    pub fn has_weights(&self) -> bool {
        self.published.is_some() || self.extension_option().is_some()
    }

    /// The number of players of its game.
    pub fn players(&self) -> Players {
        self.game.players
    }

    /// The option of a key.
    pub fn option(&self, key: &str) -> Option<&'static PlayerOption> {
        self.options.iter().find(|option| option.key == key)
    }

    /// The option of a heuristic or program from a file, if it takes one.
    pub fn extension_option(&self) -> Option<&'static PlayerOption> {
        self.options
            .iter()
            .find(|option| option.kind.is_extension())
    }

    /// The option of its search depth, if it has one.
    fn depth_option(&self) -> Option<&'static PlayerOption> {
        let is_depth = |option: &&PlayerOption| {
            option.scope == OptionScope::Player && matches!(option.kind, OptionKind::Depth(_))
        };
        self.options.iter().find(is_depth)
    }

    /// The search depths that it takes, if it has any.
    pub fn depths(&self) -> Option<Depths> {
        match self.depth_option()?.kind {
            OptionKind::Depth(depths) => Some(depths),
            _ => None,
        }
    }
}
