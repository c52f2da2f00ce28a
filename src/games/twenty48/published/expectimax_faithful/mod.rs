//! nneonneo/2048-ai as it stands: its line values in `f32` ([`lines`]) and its search ([`search`]).

pub mod lines;
pub mod search;

use serde_json::Value;

use crate::games::sliding::{Opinion, Stepped, first_best};
use crate::games::twenty48::NAME;
use crate::games::twenty48::format::Position;
use crate::games::twenty48::players::CHANCE_LAYERS;
use crate::games::twenty48::rules::{self, Board, Game, Spawns};
use crate::player::advice::{NotAPosition, Worth};
use crate::player::depth::{Depth, Depths};
use crate::player::playing::Playing;
use crate::player::{Entry, Player};
use crate::record::GameRecord;
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
        Box::new(FaithfulPlayer {
            lines: OriginalLines::new(weights),
            depth: config.depth.unwrap_or(Depth::Adaptive),
            cutoff: config.cutoff.unwrap_or(CUTOFF),
            table: config.table.unwrap_or(true),
        })
    },
};

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
        rules::play(seed, Spawns::TwosAndFours, &mut self.search())
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
