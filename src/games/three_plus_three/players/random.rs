//! The player without a mind of its own.

use crate::games::sliding::Opinion;
use crate::games::sliding::board::Direction;
use crate::games::sliding::random_moves::Random;
use crate::games::three_plus_three::NAME;
use crate::games::three_plus_three::players::{Mind, Solo};
use crate::games::three_plus_three::rules::Position;
use crate::player::Entry;
use crate::player::advice::Worth;

/// The player.
pub const RANDOM: Entry = Entry {
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
        use crate::games::sliding::solitaire::Policy;
        Opinion {
            chosen: search.choose(position),
            values: Direction::ALL
                .map(|direction| position.moved(direction).map(|_| Worth::One(0.0))),
            evaluation: None,
        }
    }
}
