//! The player `expectimax-faithful`: nneonneo/2048-ai, reproduced without changes. [`lines`] computes its line
//! values in `f32`, [`search`] is its search.

pub mod lines;
pub mod search;

use crate::games::sliding::{analysis, first_best};
use crate::games::twenty48::GAME;
use crate::games::twenty48::players::{CHANCE_LAYERS, cutoff};
use crate::games::twenty48::rules::{Board, Direction, Game, Spawns};
use crate::player::{
    Agent, Analysis, Depth, Depths, MoveValue, OptionKind, PlayerEntry, PlayerOption, Sample,
    SinglePlayer,
};
use crate::stop::Stop;
use lines::OriginalLines;
use search::FaithfulExpectimax;

const DEPTH: PlayerOption = PlayerOption::depth(Depths {
    unit: CHANCE_LAYERS,
    min: 1,
    adaptive: true,
    default: Depth::Adaptive,
});

const CUTOFF: PlayerOption = cutoff(search::CUTOFF);

const TABLE: PlayerOption = PlayerOption::new(
    "table",
    "Whether the original's transposition table is used",
    OptionKind::Switch { default: true },
);

/// The catalogue entry of `expectimax-faithful`.
pub const EXPECTIMAX_FAITHFUL: PlayerEntry = PlayerEntry {
    name: "expectimax-faithful",
    game: &GAME,
    about: "nneonneo/2048-ai unchanged: its f32 values, transposition table and cut-off",
    options: &[DEPTH, CUTOFF, TABLE],
    parameters: lines::parameters,
    published: Some(include_str!(
        "../../../../../data/weights/expectimax-faithful.toml"
    )),
    sample: &[Sample::new("depth = 1", 10), Sample::new("depth = 2", 1)],
    build: |options, weights| {
        Ok(Box::new(SinglePlayer(FaithfulAgent {
            lines: OriginalLines::new(weights),
            depth: options.depth(&DEPTH),
            cutoff: options.number(&CUTOFF),
            table: options.switch(&TABLE),
        })))
    },
};

struct FaithfulAgent {
    lines: OriginalLines,
    depth: Depth,
    cutoff: f64,
    table: bool,
}

impl Agent for FaithfulAgent {
    type Game = Game;
    type Search<'a> = FaithfulExpectimax<'a>;

    fn game(&self, seed: u64) -> Game {
        Game::new(seed, Spawns::TwosAndFours)
    }

    fn search<'a>(&'a self, _: u64, stop: Stop<'a>) -> FaithfulExpectimax<'a> {
        FaithfulExpectimax::new(&self.lines, self.depth, self.cutoff, self.table).until(stop)
    }

    fn analyze(&self, search: &mut FaithfulExpectimax, board: Board) -> Analysis<Direction> {
        let values = search.move_values(board).map(|value| value.map(f64::from));
        analysis(
            first_best(values),
            values.map(|value| value.map(MoveValue::One)),
            Some(f64::from(self.lines.value(board))),
        )
    }
}
