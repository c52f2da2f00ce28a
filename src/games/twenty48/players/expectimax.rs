//! Expectimax over line tables and board terms, after nneonneo/2048-ai.

use crate::games::twenty48::NAME;
use crate::games::twenty48::heuristic::TERMS;
use serde_json::Value;

use crate::games::sliding::Opinion;
use crate::games::sliding::Stepped;
use crate::games::sliding::chance::{BoardTerms, NoBoardTerms};
use crate::games::sliding::first_best;
use crate::games::sliding::table::Heuristic;
use crate::games::twenty48::format::Position;
use crate::games::twenty48::rules;
use crate::games::twenty48::rules::{Board, Game, Spawns};
use crate::games::twenty48::search::batch;
use crate::games::twenty48::search::compiled::Prepared;
use crate::games::twenty48::search::expectimax::Expectimax;
use crate::player::advice::{NotAPosition, Worth};
use crate::player::depth::Depth;
use crate::player::depth::Depths;
use crate::player::playing::Playing;
use crate::player::{Entry, Player};
use crate::record::GameRecord;
use crate::simd::InstructionSet;

/// The unit of depth of the expectimax players.
pub const CHANCE_LAYERS: &str = "chance layers below the root move";

/// The player.
pub const EXPECTIMAX: Entry = Entry {
    name: "expectimax",
    game: NAME,
    about: "expectimax over line tables and board terms (after nneonneo/2048-ai)",
    depths: Some(Depths {
        unit: CHANCE_LAYERS,
        min: 0,
        adaptive: true,
        default: Depth::Fixed(1),
    }),
    options: &["cutoff"],
    parameters: crate::games::twenty48::heuristic::parameters,
    published: Some(include_str!("../../../../configs/weights/expectimax.toml")),
    check: |weights| Heuristic::check(&TERMS, weights),
    sample: &[(Some(0), 50), (Some(1), 20), (Some(2), 2)],
    build: |config, weights| {
        let depth = config.depth.unwrap_or(Depth::Fixed(1));
        Box::new(ExpectimaxPlayer {
            prepared: Prepared::new(
                Heuristic::new(&TERMS, weights),
                depth,
                InstructionSet::chosen(),
            ),
            depth,
            cutoff: config.cutoff.unwrap_or(0.0),
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
            return batch::best_moves(seeds, &self.prepared);
        }
        let terms = self.prepared.heuristic().board_terms.as_slice();
        if terms.is_empty() {
            rules::play_many(seeds, Spawns::TwosAndFours, |_| self.search(NoBoardTerms))
        } else {
            rules::play_many(seeds, Spawns::TwosAndFours, |_| self.search(terms))
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
