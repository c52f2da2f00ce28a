//! The player `perfect`: the best move on boards of up to nine cells, from the exact solution of the game.

use std::sync::Arc;

use crate::games::sliding::analysis;
use crate::games::twenty48::GAME;
use crate::games::twenty48::exact::agent::{bytes, exact, prepare, seconds};
use crate::games::twenty48::exact::moves::best_move;
use crate::games::twenty48::exact::{Goal, Problem, Solution, known, policy};
use crate::games::twenty48::rules::{
    Board, Direction, Game, OnBoard, Policy, Rules, SizedBoard, Variation,
};
use crate::games::twenty48::setup::{BOARD, FIRST_TILES, SPAWN, variation};
use crate::player::exact::{Exact, ExactResult, Preparation, Work};
use crate::player::{
    Agent, Analysis, MoveValue, OptionKind, Options, PlayerEntry, PlayerOption, PositionError,
    SinglePlayer, position::Position,
};
use crate::stop::Stop;

/// What the player maximises. A tile of `reach` has at least rank 3, so that no usual random tile reaches it.
const GOALS: &[&str] = &[
    "score",
    "reach:8",
    "reach:16",
    "reach:32",
    "reach:64",
    "reach:128",
    "reach:256",
    "reach:512",
    "reach:1024",
    "reach:2048",
    "reach:4096",
    "reach:8192",
    "reach:16384",
    "reach:32768",
];

const MAXIMISE: PlayerOption = PlayerOption::new(
    "maximise",
    "What perfect play maximises: the expected score, or the probability of a tile, with which the game ends",
    OptionKind::Choice(GOALS),
);

const OPTIONS: &[PlayerOption] = &[MAXIMISE, BOARD, SPAWN, FIRST_TILES];

/// The catalogue entry of `perfect`.
pub const PERFECT: PlayerEntry = PlayerEntry {
    options: OPTIONS,
    sample: &[],
    ..PlayerEntry::without_weights(
        "perfect",
        &GAME,
        "perfect play on boards of up to nine cells, such as 3x3, by an exact solution",
        |options, _| {
            let rules = variation(options);
            let problem = Problem::of(&rules, goal(options))?;
            Ok(Box::new(SinglePlayer(PerfectAgent { rules, problem })))
        },
    )
};

/// The rank of the first tile of [`GOALS`].
const FIRST_RANK: usize = 3;

fn goal(options: &Options) -> Goal {
    match options.choice(&MAXIMISE) {
        0 => Goal::Score,
        at => Goal::Reach((at - 1 + FIRST_RANK) as u8),
    }
}

struct PerfectAgent {
    rules: Variation,
    problem: Problem,
}

/// The moves of one game.
struct PerfectMoves<'a> {
    problem: &'a Problem,
    solution: Option<Arc<Solution>>,
    stop: Stop<'a>,
}

impl PerfectMoves<'_> {
    /// The values of the moves; all `None` after a request to stop.
    fn values(&mut self, board: Board) -> [Option<f64>; 4] {
        let threads = std::thread::available_parallelism().map_or(1, Into::into);
        let work = Work::quiet(threads, self.stop);
        if self.solution.is_none() {
            self.solution = known::solution(self.problem, &work);
        }
        let values = self
            .solution
            .as_ref()
            .map(|solution| solution.move_values(board, &work));
        // The file was checked when it was opened, so an error means that it was changed or lost since.
        let read =
            |values: std::io::Result<_>| values.expect("the file of the solution can be read");
        values.map_or([None; 4], read)
    }
}

impl Policy<SizedBoard, Direction> for PerfectMoves<'_> {
    fn choose(&mut self, position: SizedBoard) -> Option<Direction> {
        best_move(self.values(position.board()))
    }
}

impl Agent for PerfectAgent {
    type Game = Game<Variation>;
    type Search<'a> = PerfectMoves<'a>;

    fn game(&self, seed: u64) -> Game<Variation> {
        Game::of(seed, self.rules)
    }

    fn search<'a>(&'a self, _: u64, stop: Stop<'a>) -> PerfectMoves<'a> {
        PerfectMoves {
            problem: &self.problem,
            solution: None,
            stop,
        }
    }

    fn position(&self, position: &dyn Position) -> Result<SizedBoard, PositionError> {
        self.rules.own_position(position)
    }

    fn analyze(&self, moves: &mut PerfectMoves, position: SizedBoard) -> Analysis<Direction> {
        let values = moves.values(position.board());
        let best = best_move(values);
        let value = best.and_then(|best| values[best as usize]);
        analysis(best, values.map(|value| value.map(MoveValue::One)), value)
    }

    fn prepare(&self, work: &Work) -> Option<()> {
        known::solution(&self.problem, work).map(|_| ())
    }

    fn preparation(&self, work: &Work) -> Option<Preparation> {
        known::needs(&self.problem, work)
    }

    fn exact_result(&self) -> &dyn ExactResult {
        self
    }
}

impl ExactResult for PerfectAgent {
    fn compute(&self, losses: bool, work: &Work) -> Result<Option<Exact>, String> {
        let Some(solution) = known::solution(&self.problem, work) else {
            return Ok(None);
        };
        exact(
            &self.rules,
            policy::Player::Perfect(&solution),
            losses,
            work,
        )
    }

    fn prepare(&self, work: &Work) -> Option<()> {
        prepare(&self.rules, work)
    }

    fn bytes(&self) -> Option<f64> {
        bytes(&self.rules)
    }

    fn seconds(&self) -> Option<f64> {
        seconds(&self.rules, 1)
    }
}
