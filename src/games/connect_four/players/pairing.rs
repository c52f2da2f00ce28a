//! A player of the catalogue: an agent with its opponents.

use crate::games::connect_four::players::agent::{Agent, GameAgent};
use crate::games::connect_four::players::session::{MatchSession, Opponent};
use crate::games::connect_four::rules::{self, BoardPosition, Game, Opening, Rules, Side};
use crate::player::position::{Position, downcast};
use crate::player::{Analysis, Player, PositionError, Session};
use crate::random::{Stream, derive};
use crate::record::GameRecord;

/// An agent with its opponents. The number of the opening selects one of them.
pub(super) struct Match {
    pub(super) player: Agent,
    pub(super) opponents: Vec<Agent>,
}

impl Match {
    fn rules(&self) -> Rules {
        *self.player.rules()
    }

    /// The agents of the game of `seed`, the player under test first. Each has its own random
    /// stream.
    fn pair(&self, seed: u64) -> [Box<dyn GameAgent + '_>; 2] {
        let count = self.opponents.len() as u64;
        let met = Opening::of_seed(seed).number % count;
        let stream = |of: u64| derive(seed, Stream::Player, of, 0);
        [
            self.player.for_game(stream(0)),
            self.opponents[met as usize].for_game(stream(1)),
        ]
    }
}

impl Player for Match {
    fn play(&self, seed: u64) -> GameRecord {
        let [mut player, mut opponent] = self.pair(seed);
        rules::play(self.rules(), seed, &mut *player, &mut *opponent)
    }

    fn begin(&self, seed: u64) -> Box<dyn Session + '_> {
        let [player, opponent] = self.pair(seed);
        let game = Game::new(self.rules(), seed);
        let opponent = Opponent::Agent(opponent);
        Box::new(MatchSession::new(seed, game, player, opponent))
    }

    fn begin_against_person(
        &self,
        seed: u64,
        person_begins: bool,
    ) -> Option<Box<dyn Session + '_>> {
        let side = match person_begins {
            true => Side::Second,
            false => Side::First,
        };
        let [player, _] = self.pair(seed);
        let game = Game::from_the_start(self.rules(), side);
        let person = Opponent::Person(None);
        Some(Box::new(MatchSession::new(seed, game, player, person)))
    }

    /// The board of the position can differ from that of the player's games.
    fn analyze(&self, position: &dyn Position, seed: u64) -> Result<Analysis, PositionError> {
        let &BoardPosition { rules, turn } = downcast(position)?;
        let other;
        let player = if rules == self.rules() {
            &self.player
        } else {
            other = self.player.on(rules);
            &other
        };
        Ok(player.for_game(seed).analyze(turn).named())
    }
}
