//! A player of the catalogue: an agent together with its opponents.

use crate::games::connect_four::players::agent::{Agent, GameAgent};
use crate::games::connect_four::players::session::{MatchSession, Opponent};
use crate::games::connect_four::rules::{self, BoardPosition, Match, Rules, Side};
use crate::player::position::{Position, downcast};
use crate::player::{Analysis, Player, PositionError, Session};
use crate::random::{Players, Stream, derive};
use crate::record::GameRecord;
use crate::stop::Stop;

/// An agent and its opponents. The opening number of a game selects the opponent.
pub(super) struct AgentPlayer {
    pub(super) player: Agent,
    pub(super) opponents: Vec<Agent>,
}

impl AgentPlayer {
    fn rules(&self) -> Rules {
        *self.player.rules()
    }

    /// The two agents of the game of `seed`: first the player under test, then its opponent. Each has a
    /// separate random stream.
    fn pair<'a>(&'a self, seed: u64, stop: Stop<'a>) -> [Box<dyn GameAgent + 'a>; 2] {
        let met = Players::opponent(seed, self.opponents.len());
        let stream = |of: u64| derive(seed, Stream::Player, of, 0);
        [
            self.player.for_game(stream(0), stop),
            self.opponents[met].for_game(stream(1), stop),
        ]
    }
}

impl Player for AgentPlayer {
    fn play(&self, seed: u64, stop: Stop) -> Option<GameRecord> {
        let [mut player, mut opponent] = self.pair(seed, stop);
        rules::play(self.rules(), seed, &mut *player, &mut *opponent, stop)
    }

    fn begin<'a>(&'a self, seed: u64, stop: Stop<'a>) -> Box<dyn Session + 'a> {
        let [player, opponent] = self.pair(seed, stop);
        let game = Match::new(self.rules(), seed);
        let opponent = Opponent::Agent(opponent);
        Box::new(MatchSession::new(seed, game, player, opponent, stop))
    }

    fn begin_from<'a>(
        &'a self,
        position: &dyn Position,
        seed: u64,
        stop: Stop<'a>,
    ) -> Result<Box<dyn Session + 'a>, PositionError> {
        let &BoardPosition { rules, turn } = downcast(position)?;
        if rules != self.rules() {
            let message = "the position has another board than the player; give the player its rows, columns \
                           and connect";
            return Err(PositionError(message.into()));
        }
        if rules.is_won(turn.position.own) {
            return Err(PositionError("the side to move has already won".into()));
        }
        let side = if Players::moves_first(seed) {
            turn.to_move
        } else {
            turn.to_move.opponent()
        };
        let [player, opponent] = self.pair(seed, stop);
        let game = Match::from_turn(rules, turn, side);
        let opponent = Opponent::Agent(opponent);
        Ok(Box::new(MatchSession::new(
            seed, game, player, opponent, stop,
        )))
    }

    fn begin_against_person<'a>(
        &'a self,
        seed: u64,
        person_begins: bool,
        stop: Stop<'a>,
    ) -> Option<Box<dyn Session + 'a>> {
        let side = if person_begins {
            Side::Second
        } else {
            Side::First
        };
        let [player, _] = self.pair(seed, stop);
        let game = Match::from_the_start(self.rules(), side);
        let person = Opponent::Person(None);
        Some(Box::new(MatchSession::new(
            seed, game, player, person, stop,
        )))
    }

    /// The board of the position may differ from the board of the player's games.
    fn analyze(
        &self,
        position: &dyn Position,
        seed: u64,
        stop: Stop,
    ) -> Result<Option<Analysis>, PositionError> {
        let &BoardPosition { rules, turn } = downcast(position)?;
        let other;
        let player = if rules == self.rules() {
            &self.player
        } else {
            other = self.player.on(rules);
            &other
        };
        let analysis = player.for_game(seed, stop).analyze(turn);
        Ok(stop.complete(analysis.named()))
    }
}
