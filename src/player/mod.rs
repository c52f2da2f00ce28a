//! Players and games in general: what a game of the catalogue is, what a player is, how a user asks
//! for one. Where static code meets the one virtual call of a game. Names no game.
//!
//! [`config`] checks which player and options a user asks for, [`depth`] says how deep a player
//! can look. A player answers a [`position`] with an [`analysis`]; [`session`] is a game move by move,
//! [`single_player`] what games of one player have in common. [`view`] is what a position looks like,
//! [`format`] its JSON.

pub mod analysis;
pub mod config;
pub mod depth;
pub mod format;
pub mod position;
pub mod session;
pub mod single_player;
pub mod view;

use crate::field_error::FieldError;
use crate::games::GAMES;
use crate::heuristic::Parameter;
use crate::heuristic::weights::Weights;
pub use crate::random::Players;
use crate::record::GameRecord;
use analysis::Analysis;
use depth::Depths;
use format::Format;
use position::{Position, PositionError};
use session::Session;

pub use config::{Config, default_game};

/// A game of the catalogue.
pub struct Game {
    /// Name on the command line and in files.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub about: &'static str,
    /// How many play it.
    pub players: Players,
    /// The player whose values of moves tell by their sign what they lead to: win, draw or loss.
    pub solver: Option<&'static str>,
    /// The opponent where none is named, in a game for two.
    pub usual_opponent: Option<&'static str>,
    /// Whether there is a game with the options that a configuration asks for.
    pub check: fn(&Config) -> Result<(), FieldError>,
    /// How its positions are written as JSON.
    pub format: Format,
}

/// A player ready to play with one set of weights.
pub trait Player: Send + Sync {
    /// Plays the game that `seed` names: a pure function of player, weights and seed.
    fn play(&self, seed: u64) -> GameRecord;

    /// Plays several games: the records of [`Player::play`] for each seed.
    fn play_many(&self, seeds: &[u64]) -> Vec<GameRecord> {
        seeds.iter().map(|&seed| self.play(seed)).collect()
    }

    /// Number of games that are best handed to [`Player::play_many`] at a time.
    fn batch_size(&self) -> usize {
        1
    }

    /// The same game, to be played move by move: slower, for it tells what the player thinks of
    /// every position.
    fn begin(&self, seed: u64) -> Box<dyn Session + '_>;

    /// A game from its start against a person, who makes the other side's moves when asked (see
    /// [`Session::answer`]); `None` if the game is not for two.
    fn begin_against_person(
        &self,
        _seed: u64,
        _person_begins: bool,
    ) -> Option<Box<dyn Session + '_>> {
        None
    }

    /// What the player thinks of a position; `seed` is the seed of what it chooses at random.
    ///
    /// # Errors
    /// If the position is of another game.
    fn analyze(&self, position: &dyn Position, seed: u64) -> Result<Analysis, PositionError>;
}

/// An entry of the catalogue.
pub struct Entry {
    /// Name on the command line and in files.
    pub name: &'static str,
    /// The game it plays.
    pub game: &'static str,
    /// How it plays, in one sentence.
    pub about: &'static str,
    /// How deep it can look, if that can be chosen (the option `depth`).
    pub depths: Option<Depths>,
    /// Keys of the options that it takes besides its weights and its depth.
    pub options: &'static [&'static str],
    /// Its tunable parameters; empty if it has none.
    pub parameters: fn() -> Vec<Parameter>,
    /// Its published weights as a weights file, if it has parameters.
    pub published: Option<&'static str>,
    /// Games by which a change of its play is noticed: depth, if it has one, and number. Enough to
    /// see a change, few enough for a habit.
    pub sample: &'static [(Option<u8>, u64)],
    /// Whether weights can be played with, beyond having the right keys; if not, why.
    pub check: fn(&Weights) -> Result<(), String>,
    /// Makes the player; see [`Entry::build`].
    pub build: fn(&Config, &Weights) -> Box<dyn Player>,
}

impl Entry {
    /// How many play its game.
    pub fn players(&self) -> Players {
        self.of_game().players
    }

    /// The game it plays.
    ///
    /// # Panics
    /// If its game is not in the catalogue, which a test excludes.
    pub fn of_game(&self) -> &'static Game {
        let game = GAMES.iter().find(|game| game.name == self.game);
        game.expect("every player has a game")
    }

    /// Makes the player; `config` is sound (see [`Config::entry`]) and `weights` fit its parameters
    /// (see [`Weights::new`]).
    pub fn build(&self, config: &Config, weights: &Weights) -> Box<dyn Player> {
        (self.build)(config, weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::PLAYERS;

    #[test]
    fn names_are_unique_and_published_weights_fit() {
        for (index, entry) in PLAYERS.iter().enumerate() {
            assert!(GAMES.iter().any(|game| game.name == entry.game));
            let before = &PLAYERS[..index];
            assert!(
                !before
                    .iter()
                    .any(|other| (other.name, other.game) == (entry.name, entry.game))
            );
            assert_eq!(entry.published.is_some(), !(entry.parameters)().is_empty());
            for (depth, games) in entry.sample {
                assert_eq!(depth.is_some(), entry.depths.is_some());
                assert!(*games > 0);
            }
        }
    }

    #[test]
    fn games_for_two_have_a_usual_opponent_that_plays_them() {
        for game in GAMES {
            let plays_it = |name| {
                let mut entries = PLAYERS.iter();
                entries.any(|entry| (entry.name, entry.game) == (name, game.name))
            };
            assert_eq!(game.usual_opponent.is_some(), game.players == Players::Two);
            assert!(game.usual_opponent.is_none_or(plays_it), "{}", game.name);
        }
    }

    #[test]
    fn a_game_is_the_same_whenever_it_is_played() {
        for text in [
            "name = 'expectimax'\ndepth = 2\ncutoff = 1e-4",
            "name = 'expectimax-faithful'\ndepth = 1",
            "name = 'minimax-six'\ndepth = 4",
            "name = 'minimax-six-faithful'\ndepth = 4",
            "name = 'snake'\ndepth = 1",
            "name = 'snake-intended'\ndepth = 2",
            "name = 'random'",
            "name = 'greedy'",
            "name = 'expectimax'\ngame = 'three-plus-three'\ndepth = 2",
            "name = 'freedom'\ngame = 'three-plus-three'\ndepth = 2\ncount_from_one = true",
            "name = 'freedom-server'\ngame = 'three-plus-three'",
            "name = 'random'\ngame = 'three-plus-three'",
        ] {
            let config: Config = toml::from_str(text).unwrap();
            let player = config.entry().unwrap().build(&config, &Weights::default());
            let first = player.play(1);
            player.play(2);
            assert_eq!(player.play(1), first);

            let mut playing = player.begin(1);
            let stepped = std::iter::repeat_with(|| playing.step()).find_map(|step| step.ended);
            let without_work = |record| GameRecord {
                leaf_evaluations: 0,
                ..record
            };
            assert_eq!(stepped.map(without_work), Some(without_work(first)));
        }
    }
}
