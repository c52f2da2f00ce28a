//! The players after ChuitoChan/clojure-2048ai.

use serde_json::Value;

use super::advice::{NotAPosition, Opinion, Position, Worth};
use super::depth::Depths;
use super::playing::{Playing, Stepped};
use super::{Config, Entry, Player};
use crate::game::twenty48::{self, Board, Game, Spawns};
use crate::heuristic::Form;
use crate::heuristic::snake_path::{DISCOUNT, SnakePaths, parameters, setting};
use crate::heuristic::weights::Weights;
use crate::record::GameRecord;
use crate::search::expectimax::Depth;
use crate::search::snake::{Snake, last_best};

const DEPTHS: Depths = Depths {
    unit: "further moves looked at after the first",
    min: 0,
    adaptive: false,
    default: Depth::Fixed(3),
};

const SAMPLE: &[(Option<u8>, u64)] = &[(Some(0), 50), (Some(1), 20), (Some(3), 2)];

pub(super) const SNAKE: Entry = Entry {
    name: "snake",
    game: "2048",
    about: "look-ahead along the best snake path, a 2 expected on its first empty cell; discounts \
            compound (ChuitoChan/clojure-2048ai)",
    depths: Some(DEPTHS),
    options: &[],
    parameters,
    published: Some(include_str!("../../configs/weights/snake.toml")),
    check,
    sample: SAMPLE,
    build: |config, weights| Box::new(SnakePlayer::new(config, weights, Form::Published)),
};

pub(super) const SNAKE_INTENDED: Entry = Entry {
    name: "snake-intended",
    game: "2048",
    about: "the same with one discount a level, as its author describes it",
    depths: Some(DEPTHS),
    options: &[],
    parameters,
    published: Some(include_str!("../../configs/weights/snake-intended.toml")),
    check,
    sample: SAMPLE,
    build: |config, weights| Box::new(SnakePlayer::new(config, weights, Form::Intended)),
};

/// Smallest discount: its powers divide, up to the 78th at the greatest depth.
const SMALLEST_DISCOUNT: f64 = 0.01;

fn check(weights: &Weights) -> Result<(), String> {
    let discount = setting(weights, DISCOUNT);
    if discount >= SMALLEST_DISCOUNT {
        return Ok(());
    }
    Err(format!(
        "`discount` {discount} is out of range: at least {SMALLEST_DISCOUNT}"
    ))
}

struct SnakePlayer {
    paths: SnakePaths,
    depth: u8,
    discount: f64,
    form: Form,
}

impl SnakePlayer {
    fn new(config: &Config, weights: &Weights, form: Form) -> Self {
        SnakePlayer {
            paths: SnakePaths::new(weights),
            depth: DEPTHS.fixed(config.depth),
            discount: setting(weights, DISCOUNT),
            form,
        }
    }

    fn search(&self) -> Snake<'_> {
        Snake::new(&self.paths, self.depth, self.discount, self.form)
    }

    fn opinion(&self, search: &mut Snake, board: Board) -> Opinion {
        let values = search.move_scores(board);
        Opinion {
            chosen: last_best(values),
            values: values.map(|value| value.map(Worth::One)),
            evaluation: Some(self.paths.value(board)),
        }
    }
}

impl Player for SnakePlayer {
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
