//! The program neoatlantis/saechsli ([`search`]), as two players: `freedom` has a fixed depth, and
//! `freedom-server` uses the depth rule of the original server.

pub mod search;

use crate::games::sliding::analysis;
use crate::games::three_plus_three::GAME;
use crate::games::three_plus_three::rules::{Direction, Game, Position, tile_of};
use crate::player::{
    Agent, Analysis, Depth, Depths, MoveValue, OptionKind, PlayerEntry, PlayerOption, Sample,
    SinglePlayer,
};
use crate::stop::Stop;
use search::{Freedom, Outlook, Reach, chosen};

const DEPTH: PlayerOption = PlayerOption::depth(Depths {
    unit: "moves",
    min: 1,
    adaptive: false,
    default: Depth::Fixed(3),
});

const COUNT_FROM_ONE: PlayerOption = PlayerOption::new(
    "count_from_one",
    "Assume that the next tile is a 1",
    OptionKind::Switch { default: false },
);

/// The catalogue entry of `freedom`.
pub const FREEDOM: PlayerEntry = PlayerEntry {
    options: &[DEPTH, COUNT_FROM_ONE],
    sample: &[
        Sample::new("depth = 1", 50),
        Sample::new("depth = 2", 20),
        Sample::new("depth = 3", 10),
        Sample::new("depth = 4", 1),
    ],
    ..PlayerEntry::without_weights(
        "freedom",
        &GAME,
        "prefers the direction with the largest reachable tile, then with the most sequences of \
            moves (neoatlantis/saechsli)",
        |options, _| {
            Ok(Box::new(SinglePlayer(Automaton {
                reach: Reach::Moves(options.fixed_depth(&DEPTH)),
                count_from_one: options.switch(&COUNT_FROM_ONE),
            })))
        },
    )
};

/// The catalogue entry of `freedom-server`.
pub const FREEDOM_SERVER: PlayerEntry = PlayerEntry {
    sample: &[Sample::new("", 2)],
    ..PlayerEntry::without_weights(
        "freedom-server",
        &GAME,
        "`freedom` with the depth rule of the original's server: 3 to 6 moves, more with fewer \
            empty cells",
        |_, _| {
            Ok(Box::new(SinglePlayer(Automaton {
                reach: Reach::Server,
                count_from_one: false,
            })))
        },
    )
};

struct Automaton {
    reach: Reach,
    count_from_one: bool,
}

impl Agent for Automaton {
    type Game = Game;
    type Search<'a> = Freedom<'a>;

    fn game(&self, seed: u64) -> Game {
        Game::new(seed)
    }

    fn search<'a>(&'a self, _: u64, stop: Stop<'a>) -> Freedom<'a> {
        Freedom::new(self.reach, self.count_from_one).until(stop)
    }

    fn analyze(&self, search: &mut Freedom, position: Position) -> Analysis<Direction> {
        let outlooks = search.outlooks(position);
        // The conversion to f64 is exact: even at the largest depth there are fewer than 2^53 sequences.
        let value = |Outlook { largest, freedom }| {
            MoveValue::Two([f64::from(tile_of(largest)), freedom as f64])
        };
        let values = outlooks.map(|outlook| outlook.map(value));
        analysis(chosen(outlooks), values, None)
    }
}
