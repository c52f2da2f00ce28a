//! The player without a mind of its own.

use super::{Mind, NAME, Solo};
use crate::game::board::Direction;
use crate::game::three_plus_three::Position;
use crate::player::Entry;
use crate::player::advice::{Opinion, Worth};
use crate::search::simple::Random;

pub(in crate::player) const RANDOM: Entry = Entry {
    name: "random",
    game: NAME,
    about: "a uniformly chosen legal move",
    depths: None,
    options: &[],
    parameters: Vec::new,
    published: None,
    check: |_| Ok(()),
    sample: &[(None, 50)],
    build: |_, _| Box::new(Solo(Lots)),
};

struct Lots;

impl Mind for Lots {
    type Search<'a> = Random;

    fn search(&self, seed: u64) -> Random {
        Random::new(seed)
    }

    fn opinion(&self, search: &mut Random, position: Position) -> Opinion {
        use crate::game::solitaire::Policy;
        Opinion {
            chosen: search.choose(position),
            values: Direction::ALL
                .map(|direction| position.moved(direction).map(|_| Worth::One(0.0))),
            evaluation: None,
        }
    }
}
