//! The expectimax of 3+3 over line tables and board terms.

use super::{Mind, NAME, Solo};
use crate::game::three_plus_three::{self, Position};
use crate::heuristic::table::{CompiledBoardTerm, Heuristic};
use crate::heuristic::three_plus_three::TERMS;
use crate::player::Entry;
use crate::player::advice::{Opinion, Worth};
use crate::player::depth::Depths;
use crate::record::GameRecord;
use crate::search::chance::NoBoardTerms;
use crate::search::expectimax::Depth;
use crate::search::first_best;
use crate::search::three_plus_three::expectimax::Expectimax;

const DEPTHS: Depths = Depths {
    unit: "chance layers below the root move",
    min: 0,
    adaptive: false,
    default: Depth::Fixed(2),
};

pub(in crate::player) const EXPECTIMAX: Entry = Entry {
    name: "expectimax",
    game: NAME,
    about: "expectimax over line tables and board terms; the tiles to come are known, their places \
            are not",
    depths: Some(DEPTHS),
    options: &[],
    parameters: || TERMS.parameters(),
    published: Some(include_str!(
        "../../../configs/weights/three-plus-three-expectimax.toml"
    )),
    check: |weights| Heuristic::check_of(&TERMS, weights),
    sample: &[(Some(0), 50), (Some(1), 20), (Some(2), 5), (Some(3), 1)],
    build: |config, weights| {
        Box::new(Solo(Searcher {
            heuristic: Heuristic::of(&TERMS, weights),
            depth: DEPTHS.fixed(config.depth),
        }))
    },
};

struct Searcher {
    heuristic: Heuristic,
    depth: u8,
}

impl Mind for Searcher {
    type Search<'a> = Expectimax<'a, &'a [CompiledBoardTerm]>;

    fn search(&self, _: u64) -> Self::Search<'_> {
        let terms = self.heuristic.board_terms.as_slice();
        Expectimax::new(&self.heuristic, terms, self.depth)
    }

    fn opinion(&self, search: &mut Self::Search<'_>, position: Position) -> Opinion {
        let values = search.move_values(position);
        let points = |value: i32| self.heuristic.points(f64::from(value));
        Opinion {
            chosen: first_best(values),
            values: values.map(|value| value.map(|value| Worth::One(points(value)))),
            evaluation: Some(points(self.heuristic.value(position.board))),
        }
    }

    fn play(&self, seed: u64) -> GameRecord {
        if self.heuristic.board_terms.is_empty() {
            let mut search = Expectimax::new(&self.heuristic, NoBoardTerms, self.depth);
            three_plus_three::play(seed, &mut search)
        } else {
            three_plus_three::play(seed, &mut self.search(seed))
        }
    }
}
