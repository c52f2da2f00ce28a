//! nneonneo/2048-ai as it stands: its line values in `f32` ([`lines`]) and its search ([`search`]).

pub mod lines;
pub mod search;

use crate::games::sliding::{analysis, first_best};
use crate::games::twenty48::NAME;
use crate::games::twenty48::players::CHANCE_LAYERS;
use crate::games::twenty48::rules::{Board, Direction, Game, Spawns};
use crate::player::Entry;
use crate::player::analysis::{Analysis, MoveValue};
use crate::player::depth::{Depth, Depths};
use crate::player::single_player::{Agent, SinglePlayer};
use lines::OriginalLines;
use search::{CUTOFF, FaithfulExpectimax};

/// The player.
pub const EXPECTIMAX_FAITHFUL: Entry = Entry {
    name: "expectimax-faithful",
    game: NAME,
    about: "nneonneo/2048-ai as it stands: f32 values, its transposition table, its cut-off",
    depths: Some(Depths {
        unit: CHANCE_LAYERS,
        min: 1,
        adaptive: true,
        default: Depth::Adaptive,
    }),
    options: &["cutoff", "table"],
    parameters: lines::parameters,
    published: Some(include_str!(
        "../../../../../configs/weights/expectimax-faithful.toml"
    )),
    check: |_| Ok(()),
    sample: &[(Some(1), 10), (Some(2), 1)],
    build: |config, weights| {
        Box::new(SinglePlayer(FaithfulAgent {
            lines: OriginalLines::new(weights),
            depth: config.depth.unwrap_or(Depth::Adaptive),
            cutoff: config.cutoff.unwrap_or(CUTOFF),
            table: config.table.unwrap_or(true),
        }))
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

    fn search(&self, _: u64) -> FaithfulExpectimax<'_> {
        FaithfulExpectimax::new(&self.lines, self.depth, self.cutoff, self.table)
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
