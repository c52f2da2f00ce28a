//! The players after nneonneo/2048-ai: ours, and the original as it stands.

use serde_json::Value;

use super::advice::{NotAPosition, Position, answer};
use super::depth::Depths;
use super::{Entry, Player};
use crate::game::twenty48::{self, Spawns};
use crate::heuristic::original_lines::{self, OriginalLines};
use crate::heuristic::table::Heuristic;
use crate::record::GameRecord;
use crate::search::chance::{BoardTerms, NoBoardTerms};
use crate::search::expectimax::{Depth, Expectimax};
use crate::search::expectimax_faithful::{CUTOFF, FaithfulExpectimax};
use crate::search::first_best;

const UNIT: &str = "chance layers below the root move";

pub(super) const EXPECTIMAX: Entry = Entry {
    name: "expectimax",
    game: "2048",
    about: "expectimax over line tables and board terms (after nneonneo/2048-ai)",
    depths: Some(Depths {
        unit: UNIT,
        min: 0,
        adaptive: true,
        default: Depth::Fixed(1),
    }),
    options: &["cutoff"],
    parameters: crate::heuristic::parameters,
    published: Some(include_str!("../../configs/weights/expectimax.toml")),
    check: Heuristic::check,
    sample: &[(Some(0), 50), (Some(1), 20), (Some(2), 2)],
    build: |config, weights| {
        Box::new(ExpectimaxPlayer {
            heuristic: Heuristic::new(weights),
            depth: config.depth.unwrap_or(Depth::Fixed(1)),
            cutoff: config.cutoff.unwrap_or(0.0),
        })
    },
};

pub(super) const EXPECTIMAX_FAITHFUL: Entry = Entry {
    name: "expectimax-faithful",
    game: "2048",
    about: "nneonneo/2048-ai as it stands: f32 values, its transposition table, its cut-off",
    depths: Some(Depths {
        unit: UNIT,
        min: 1,
        adaptive: true,
        default: Depth::Adaptive,
    }),
    options: &["cutoff", "table"],
    parameters: original_lines::parameters,
    published: Some(include_str!(
        "../../configs/weights/expectimax-faithful.toml"
    )),
    check: |_| Ok(()),
    sample: &[(Some(1), 10), (Some(2), 1)],
    build: |config, weights| {
        Box::new(FaithfulPlayer {
            lines: OriginalLines::new(weights),
            depth: config.depth.unwrap_or(Depth::Adaptive),
            cutoff: config.cutoff.unwrap_or(CUTOFF),
            table: config.table.unwrap_or(true),
        })
    },
};

struct ExpectimaxPlayer {
    heuristic: Heuristic,
    depth: Depth,
    cutoff: f64,
}

impl ExpectimaxPlayer {
    fn search<T: BoardTerms>(&self, terms: T) -> Expectimax<'_, T> {
        Expectimax::new(&self.heuristic, terms, self.depth, self.cutoff)
    }
}

impl Player for ExpectimaxPlayer {
    fn play(&self, seed: u64) -> GameRecord {
        let terms = self.heuristic.board_terms.as_slice();
        if terms.is_empty() {
            twenty48::play(seed, Spawns::TwosAndFours, &mut self.search(NoBoardTerms))
        } else {
            twenty48::play(seed, Spawns::TwosAndFours, &mut self.search(terms))
        }
    }

    fn advise(&self, position: &str) -> Result<Value, NotAPosition> {
        let board = Position::parse(position)?.board;
        let terms = self.heuristic.board_terms.as_slice();
        let values = self.search(terms).move_values(board);
        let points = |value: i32| self.heuristic.points(f64::from(value));
        let shown = values.map(|value| value.map(points));
        let evaluation = points(self.heuristic.value(board));
        Ok(answer(first_best(values), shown, Some(evaluation)))
    }
}

struct FaithfulPlayer {
    lines: OriginalLines,
    depth: Depth,
    cutoff: f64,
    table: bool,
}

impl FaithfulPlayer {
    fn search(&self) -> FaithfulExpectimax<'_> {
        FaithfulExpectimax::new(&self.lines, self.depth, self.cutoff, self.table)
    }
}

impl Player for FaithfulPlayer {
    fn play(&self, seed: u64) -> GameRecord {
        twenty48::play(seed, Spawns::TwosAndFours, &mut self.search())
    }

    fn advise(&self, position: &str) -> Result<Value, NotAPosition> {
        let board = Position::parse(position)?.board;
        let values = self.search().move_values(board);
        let values = values.map(|value| value.map(f64::from));
        let evaluation = f64::from(self.lines.value(board));
        Ok(answer(first_best(values), values, Some(evaluation)))
    }
}
