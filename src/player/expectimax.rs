//! The players after nneonneo/2048-ai: ours, and the original as it stands.

use serde_json::Value;

use super::advice::{NotAPosition, Opinion, Position, Worth};
use super::depth::Depths;
use super::playing::{Playing, Stepped};
use super::{Entry, Player};
use crate::game::twenty48::{self, Board, Game, Spawns};
use crate::heuristic::original_lines::{self, OriginalLines};
use crate::heuristic::table::Heuristic;
use crate::record::GameRecord;
use crate::search::chance::{BoardTerms, NoBoardTerms};
use crate::search::expectimax::{Depth, Expectimax};
use crate::search::expectimax_faithful::{CUTOFF, FaithfulExpectimax};
use crate::search::first_best;
use crate::search::prepared::Prepared;
use crate::search::whole_games;
use crate::simd::InstructionSet;

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
        let depth = config.depth.unwrap_or(Depth::Fixed(1));
        Box::new(ExpectimaxPlayer {
            prepared: Prepared::new(Heuristic::new(weights), depth, InstructionSet::chosen()),
            depth,
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
    prepared: Prepared,
    depth: Depth,
    cutoff: f64,
}

impl ExpectimaxPlayer {
    fn search<T: BoardTerms>(&self, terms: T) -> Expectimax<'_, T> {
        Expectimax::new(&self.prepared, terms, self.depth, self.cutoff)
    }

    fn opinion<T: BoardTerms>(&self, search: &mut Expectimax<T>, board: Board) -> Opinion {
        let values = search.move_values(board);
        let points = |value: i32| self.prepared.heuristic().points(f64::from(value));
        Opinion {
            chosen: first_best(values),
            values: values.map(|value| value.map(|value| Worth::One(points(value)))),
            evaluation: Some(points(self.prepared.heuristic().value(board))),
        }
    }
}

impl Player for ExpectimaxPlayer {
    fn play(&self, seed: u64) -> GameRecord {
        self.play_many(&[seed])[0]
    }

    fn play_many(&self, seeds: &[u64]) -> Vec<GameRecord> {
        if self.depth == Depth::Fixed(0) {
            return whole_games::best_moves(seeds, &self.prepared);
        }
        let terms = self.prepared.heuristic().board_terms.as_slice();
        if terms.is_empty() {
            twenty48::play_many(seeds, Spawns::TwosAndFours, |_| self.search(NoBoardTerms))
        } else {
            twenty48::play_many(seeds, Spawns::TwosAndFours, |_| self.search(terms))
        }
    }

    fn games_at_a_time(&self) -> usize {
        if self.depth == Depth::Fixed(0) {
            512
        } else {
            1
        }
    }

    fn begin(&self, seed: u64) -> Box<dyn Playing + '_> {
        let search = self.search(self.prepared.heuristic().board_terms.as_slice());
        let opinion = |search: &mut _, board| self.opinion(search, board);
        let game = Game::new(seed, Spawns::TwosAndFours);
        Box::new(Stepped::new(seed, game, search, opinion))
    }

    fn advise(&self, position: &str) -> Result<Value, NotAPosition> {
        let board = Position::parse(position)?.board;
        let mut search = self.search(self.prepared.heuristic().board_terms.as_slice());
        Ok(self.opinion(&mut search, board).answer())
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

    fn opinion(&self, search: &mut FaithfulExpectimax, board: Board) -> Opinion {
        let values = search.move_values(board).map(|value| value.map(f64::from));
        Opinion {
            chosen: first_best(values),
            values: values.map(|value| value.map(Worth::One)),
            evaluation: Some(f64::from(self.lines.value(board))),
        }
    }
}

impl Player for FaithfulPlayer {
    fn play(&self, seed: u64) -> GameRecord {
        twenty48::play(seed, Spawns::TwosAndFours, &mut self.search())
    }

    fn begin(&self, seed: u64) -> Box<dyn Playing + '_> {
        let opinion = |search: &mut _, board| self.opinion(search, board);
        let search = self.search();
        let game = Game::new(seed, Spawns::TwosAndFours);
        Box::new(Stepped::new(seed, game, search, opinion))
    }

    fn advise(&self, position: &str) -> Result<Value, NotAPosition> {
        let board = Position::parse(position)?.board;
        Ok(self.opinion(&mut self.search(), board).answer())
    }
}
