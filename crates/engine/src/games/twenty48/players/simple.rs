//! The players without weights: `greedy` and `random`.

use crate::games::sliding::analysis;
use crate::games::twenty48::exact::agent::{bytes, exact, prepare, seconds};
use crate::games::twenty48::exact::moves::{Shares, only, uniform};
use crate::games::twenty48::exact::policy;
use crate::games::twenty48::rules::{
    Board, Direction, Game, OnBoard, Policy, Rules, Usual, play_many,
};
use crate::games::twenty48::search::simple::{Greedy, RandomMoves};
use crate::games::twenty48::setup::{BOARD, FIRST_TILES, SPAWN, variation};
use crate::games::twenty48::{GAME, search::batch};
use crate::player::exact::{Exact, ExactResult, Work};
use crate::player::{
    Agent, Analysis, MoveValue, Options, Player, PlayerEntry, PlayerOption, PositionError,
    SinglePlayer, position::Position,
};
use crate::record::GameRecord;
use crate::simd::InstructionSet;
use crate::stop::Stop;

const OPTIONS: &[PlayerOption] = &[BOARD, SPAWN, FIRST_TILES];

/// The catalogue entry of `greedy`.
pub const GREEDY: PlayerEntry = PlayerEntry {
    options: OPTIONS,
    ..PlayerEntry::without_weights(
        "greedy",
        &GAME,
        "the move that scores the most points at once",
        |options, _| Ok(player(Kind::Greedy, options)),
    )
};

/// The catalogue entry of `random`.
pub const RANDOM: PlayerEntry = PlayerEntry {
    options: OPTIONS,
    ..PlayerEntry::without_weights(
        "random",
        &GAME,
        "a uniformly chosen legal move",
        |options, _| Ok(player(Kind::Random, options)),
    )
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Greedy,
    Random,
}

fn player(kind: Kind, options: &Options) -> Box<dyn Player> {
    let variation = variation(options);
    if variation.is_usual() {
        let rules = Usual::default();
        Box::new(SinglePlayer(SimpleAgent { kind, rules }))
    } else {
        let rules = variation;
        Box::new(SinglePlayer(SimpleAgent { kind, rules }))
    }
}

/// A player without weights.
struct SimpleAgent<R> {
    kind: Kind,
    rules: R,
}

/// The moves of one game.
enum SimpleMoves<R> {
    Greedy(Greedy<R>),
    Random(RandomMoves<R>),
}

impl<R: Rules> Policy<R::Position, Direction> for SimpleMoves<R> {
    fn choose(&mut self, position: R::Position) -> Option<Direction> {
        match self {
            SimpleMoves::Greedy(greedy) => greedy.choose(position),
            SimpleMoves::Random(random) => random.choose(position),
        }
    }
}

impl<R: Rules> SimpleAgent<R> {
    fn is_legal(&self, board: Board, direction: Direction) -> bool {
        self.rules.moved(board, direction) != board
    }
}

impl<R: Rules> Agent for SimpleAgent<R> {
    type Game = Game<R>;
    type Search<'a> = SimpleMoves<R>;

    fn game(&self, seed: u64) -> Game<R> {
        Game::of(seed, self.rules)
    }

    fn search(&self, seed: u64, _: Stop) -> SimpleMoves<R> {
        match self.kind {
            Kind::Greedy => SimpleMoves::Greedy(Greedy(self.rules)),
            Kind::Random => SimpleMoves::Random(RandomMoves::new(self.rules, seed)),
        }
    }

    fn position(&self, position: &dyn Position) -> Result<R::Position, PositionError> {
        self.rules.own_position(position)
    }

    fn analyze(&self, moves: &mut SimpleMoves<R>, position: R::Position) -> Analysis<Direction> {
        let board = position.board();
        let value = |direction| {
            let points = match self.kind {
                Kind::Greedy => f64::from(board.points_of(direction)),
                Kind::Random => 0.0,
            };
            self.is_legal(board, direction)
                .then_some(MoveValue::One(points))
        };
        analysis(moves.choose(position), Direction::ALL.map(value), None)
    }

    fn exact_result(&self) -> &dyn ExactResult {
        self
    }

    fn play_many(&self, seeds: &[u64], stop: Stop) -> Option<Vec<GameRecord>> {
        let rules = self.rules;
        match self.kind {
            Kind::Greedy => play_many(seeds, rules, |_| Greedy(rules), stop),
            Kind::Random if rules.is_usual() => {
                batch::random(seeds, InstructionSet::chosen(), stop)
            }
            Kind::Random => play_many(seeds, rules, |seed| RandomMoves::new(rules, seed), stop),
        }
    }

    fn batch_size(&self) -> usize {
        batch::BATCH_SIZE
    }
}

impl<R: Rules> ExactResult for SimpleAgent<R> {
    fn compute(&self, losses: bool, work: &Work) -> Result<Option<Exact>, String> {
        let shares = || -> Box<dyn FnMut(Board) -> Shares> {
            match self.kind {
                Kind::Greedy => {
                    let mut greedy = Greedy(self.rules);
                    Box::new(move |board| only(greedy.choose(self.rules.position(board))))
                }
                Kind::Random => {
                    let is_legal = |board, direction| self.is_legal(board, direction);
                    Box::new(move |board| uniform(Direction::ALL.map(|of| is_legal(board, of))))
                }
            }
        };
        exact(&self.rules, policy::Player::Moves(&shares), losses, work)
    }

    fn prepare(&self, work: &Work) -> Option<()> {
        prepare(&self.rules, work)
    }

    fn bytes(&self) -> Option<f64> {
        bytes(&self.rules)
    }

    fn seconds(&self) -> Option<f64> {
        seconds(&self.rules, 0)
    }
}
