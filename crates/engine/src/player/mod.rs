//! Players and games in general: the catalogue entries, the trait of a player, and the options of players. A
//! whole game is one virtual call, [`Player::play`]. This module must not name a game.
//!
//! A [`Catalogue`] contains games and players. A [`PlayerConfig`] is the configuration from a user, and a
//! [`PlayerSpec`] is the resolved player with its [`options`]. [`depth`] defines search depths. A player
//! returns an [`analysis`] of a [`position`], and where that is possible its [`exact`] result. [`session`] is a game played move by move. [`interactive`] is a
//! game whose moves the caller chooses. [`single_player`] contains code shared by games for one player.
//! [`view`] is the visual form of a position, and [`mod@format`] is its JSON form.
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
//! // A call that can take long returns `None` if it is stopped. This program never requests a stop.
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
pub mod exact;
mod exact_scores;
pub mod format;
mod from_position;
pub mod interactive;
pub mod options;
mod pairings;
pub mod position;
pub mod session;
mod settings;
pub mod single_player;
mod spec;
pub mod view;

use crate::field_error::FieldError;
use crate::heuristic::Parameter;
use crate::heuristic::weights::Weights;
pub use crate::random::Players;
use crate::record::GameRecord;
use crate::stop::Stop;
use exact::{ExactResult, NoExactResult, Preparation, Work};
use position::Position;

pub use analysis::{
    Analysis, Explanation, LinePoints, Move, MoveValue, Places, SearchEnd, TermPlaces, TermPoints,
};
pub use catalogue::Catalogue;
pub use config::{COMMAND, PlayerConfig};
pub use depth::{Depth, Depths};
pub use exact_scores::EXACT;
pub use format::{Format, Request};
pub use from_position::FromPosition;
pub use interactive::{InteractiveGame, StartInteractive};
pub use options::{
    CustomHeuristic, Extension, OptionKind, OptionScope, OptionValue, Options, PlayerOption,
};
pub use pairings::{Pairing, Pairings};
pub use position::PositionError;
pub use session::{Session, Step};
pub use single_player::{Agent, SinglePlayer};
pub use spec::PlayerSpec;

/// The name of the player that chooses uniformly among all moves. Every game has one.
pub const RANDOM: &str = "random";

/// A game of the catalogue. Use [`GameEntry::new`] as the base of a new entry.
pub struct GameEntry {
    /// Name on the command line and in files.
    pub name: &'static str,
    /// One sentence: what it is.
    pub about: &'static str,
    /// Number of players.
    pub players: Players,
    /// The player whose move values tell by their sign whether a move wins, draws or loses; `None` if there is
    /// none.
    pub solver: Option<&'static str>,
    /// Checks the options as a whole. Each option has already been checked alone.
    pub check: fn(&Options) -> Result<(), FieldError>,
    /// True if a number is a tile of the game.
    pub is_tile: fn(u32) -> bool,
    /// True if scores are any real numbers. False if they are whole numbers of at least 0.
    pub has_real_scores: bool,
    /// The JSON form of its positions.
    pub format: Format,
    /// Builds a direct match, in a game for two players.
    pub direct_match: Option<DirectMatch>,
    /// The costs of moves against perfect play, where the game is solved.
    pub move_costs: exact::MoveCostsOf,
    /// Starts an interactive game, in which the caller chooses the moves.
    pub start_interactive: Option<StartInteractive>,
}

/// Builds the first player, which is the player under test, for a match against the second. The options of both
/// must be checked, and the weights must fit the parameters.
///
/// # Errors
/// If one of them cannot use its weights. The message contains the reason.
pub type DirectMatch = fn([MatchPlayer; 2]) -> Result<Box<dyn Player>, String>;

/// Builds a player. The options must be checked, and the weights must fit its parameters.
///
/// # Errors
/// If the player cannot use the weights. The message contains the reason.
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
    /// A game without solver, check of options, tiles, JSON form, direct matches, costs and interactive games. To set
    /// other fields, use struct update syntax: `GameEntry { format: FORMAT, ..GameEntry::new(..) }`.
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
            move_costs: |_, _, _| None,
            start_interactive: None,
        }
    }
}

/// A player with one set of weights. Most players are a [`SinglePlayer`] with an [`Agent`].
///
/// After a request to `stop`, a call must return within two seconds, even inside a move.
pub trait Player: Send + Sync {
    /// Plays the game of `seed`. The result is a pure function of player, weights and seed. Returns `None` if
    /// `stop` is requested before the end.
    fn play(&self, seed: u64, stop: Stop) -> Option<GameRecord>;

    /// Plays several games and returns the records of [`Player::play`] for each seed. Returns `None` if `stop`
    /// is requested before all of them have ended.
    fn play_many(&self, seeds: &[u64], stop: Stop) -> Option<Vec<GameRecord>> {
        seeds.iter().map(|&seed| self.play(seed, stop)).collect()
    }

    /// The number of games for which one call of [`Player::play_many`] is most efficient.
    fn batch_size(&self) -> usize {
        1
    }

    /// Computes what the player needs before its first game, such as the solution of the game, and says so. Without this
    /// call it is computed silently when it is needed. Returns `None` if a stop is requested.
    fn prepare(&self, _work: &Work) -> Option<()> {
        Some(())
    }

    /// What [`Player::prepare`] would compute; `None` if that takes no more than a second.
    fn preparation(&self, _work: &Work) -> Option<Preparation> {
        None
    }

    /// The exact result of the player, where it has one.
    fn exact_result(&self) -> &dyn ExactResult {
        &NoExactResult
    }

    /// Starts the same game, to be played move by move. It is slower, because every position is analysed.
    fn begin<'a>(&'a self, seed: u64, stop: Stop<'a>) -> Box<dyn Session + 'a>;

    /// Starts a game from a given position, with the random events of `seed`. In a game of two players the side to
    /// move is the player's if [`Players::moves_first`] of the seed.
    ///
    /// # Errors
    /// If the position belongs to another game or board, or if the player cannot play on from a position.
    fn begin_from<'a>(
        &'a self,
        _position: &dyn Position,
        _seed: u64,
        _stop: Stop<'a>,
    ) -> Result<Box<dyn Session + 'a>, PositionError> {
        let message = "this player cannot play on from a given position";
        Err(PositionError(message.into()))
    }

    /// Plays the same game to its end. Returns `None` if `stop` is requested before it.
    ///
    /// # Errors
    /// As [`Player::begin_from`].
    fn play_from(
        &self,
        position: &dyn Position,
        seed: u64,
        stop: Stop,
    ) -> Result<Option<GameRecord>, PositionError> {
        let mut session = self.begin_from(position, seed, stop)?;
        loop {
            let step = session.step();
            match step.map(|step| step.ended) {
                None => return Ok(None),
                Some(None) => {}
                Some(ended) => return Ok(ended),
            }
        }
    }

    /// Starts a game against a person, whose moves are passed to [`Session::answer`]. Returns `None` if the
    /// game is not for two players.
    fn begin_against_person<'a>(
        &'a self,
        _seed: u64,
        _person_begins: bool,
        _stop: Stop<'a>,
    ) -> Option<Box<dyn Session + 'a>> {
        None
    }

    /// Analyses a position. `seed` seeds the random choices of the player. Returns `None` if `stop` is
    /// requested before the analysis is complete.
    ///
    /// # Errors
    /// If the position belongs to another game.
    fn analyze(
        &self,
        position: &dyn Position,
        seed: u64,
        stop: Stop,
    ) -> Result<Option<Analysis>, PositionError>;

    /// The contribution of each heuristic term to the position after each legal move; `None` if the player has
    /// no separate terms.
    ///
    /// # Errors
    /// If the position belongs to another game.
    fn explain(&self, _position: &dyn Position) -> Result<Option<Explanation>, PositionError> {
        Ok(None)
    }

    /// The places on the board at which each heuristic term gives its points, on the position itself or after a
    /// move by its name; `None` if the player has no separate terms, or if the move is not legal.
    ///
    /// # Errors
    /// If the position belongs to another game.
    fn places(
        &self,
        _position: &dyn Position,
        _after: Option<&str>,
    ) -> Result<Option<Places>, PositionError> {
        Ok(None)
    }
}

/// Sample games of a player with one setting and its published weights. They are part of the fingerprint.
pub struct Sample {
    /// Options in the syntax of a file, such as `depth = 1`.
    pub options: &'static str,
    /// The content of a heuristic file; `None` means the player's own terms.
    pub heuristic: Option<&'static str>,
    /// Number of games.
    pub games: u64,
}

impl Sample {
    /// Sample games with the player's own terms.
    pub const fn new(options: &'static str, games: u64) -> Self {
        Sample {
            options,
            heuristic: None,
            games,
        }
    }
}

/// A player of the catalogue. Use [`PlayerEntry::new`] or [`PlayerEntry::without_weights`].
pub struct PlayerEntry {
    /// Name on the command line and in files.
    pub name: &'static str,
    /// The game it plays.
    pub game: &'static GameEntry,
    /// One sentence: how it plays.
    pub about: &'static str,
    /// Its options, in the order in which they are shown.
    pub options: &'static [PlayerOption],
    /// Its tunable parameters; empty if it has none. A heuristic from a file has other parameters: use
    /// [`PlayerSpec::parameters`].
    pub parameters: fn() -> Vec<Parameter>,
    /// The text of the weights file with its published weights; `None` if these are the defaults of its
    /// parameters.
    pub published: Option<&'static str>,
    /// Sample games for the fingerprint.
    pub sample: &'static [Sample],
    /// Builds the player with its own terms, or with the external program of the options. A heuristic from a
    /// file builds the player itself (see [`CustomHeuristic::build`]): use [`PlayerSpec::build`].
    pub build: BuildPlayer,
}

impl PlayerEntry {
    /// A player with these parameters and without options, with 50 sample games. To set other fields, use struct
    /// update syntax: `PlayerEntry { options, ..PlayerEntry::new(..) }`.
    pub const fn new(
        name: &'static str,
        game: &'static GameEntry,
        about: &'static str,
        parameters: fn() -> Vec<Parameter>,
        build: BuildPlayer,
    ) -> Self {
        PlayerEntry {
            name,
            game,
            about,
            options: &[],
            parameters,
            published: None,
            sample: const { &[Sample::new("", 50)] },
            build,
        }
    }

    /// A player without parameters and options, with 50 sample games.
    pub const fn without_weights(
        name: &'static str,
        game: &'static GameEntry,
        about: &'static str,
        build: BuildPlayer,
    ) -> Self {
        PlayerEntry::new(name, game, about, Vec::new, build)
    }

    /// True if the player has weights of its own, without a heuristic or program from a file.
    pub fn has_own_weights(&self) -> bool {
        !(self.parameters)().is_empty()
    }

    /// True if the player accepts weights: its own, or those of a heuristic or program from a file.
    pub fn has_weights(&self) -> bool {
        self.has_own_weights() || self.extension_option().is_some()
    }

    /// The number of players of its game.
    pub fn players(&self) -> Players {
        self.game.players
    }

    /// The option with this key.
    pub fn option(&self, key: &str) -> Option<&'static PlayerOption> {
        self.options.iter().find(|option| option.key == key)
    }

    /// The option for a heuristic or program from a file; `None` if it has none.
    pub fn extension_option(&self) -> Option<&'static PlayerOption> {
        self.options
            .iter()
            .find(|option| option.kind.is_extension())
    }

    /// The option of its own search depth; `None` if it has none.
    fn depth_option(&self) -> Option<&'static PlayerOption> {
        let is_depth = |option: &&PlayerOption| {
            option.scope == OptionScope::Player && matches!(option.kind, OptionKind::Depth(_))
        };
        self.options.iter().find(is_depth)
    }

    /// The search depths that it accepts; `None` if it has no depth.
    pub fn depths(&self) -> Option<Depths> {
        match self.depth_option()?.kind {
            OptionKind::Depth(depths) => Some(depths),
            _ => None,
        }
    }
}
