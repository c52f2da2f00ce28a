//! The players after ChuitoChan/clojure-2048ai.

pub mod path;
pub mod search;

use crate::games::twenty48::NAME;
use serde_json::Value;

use crate::games::sliding::Opinion;
use crate::games::sliding::Stepped;
use crate::games::twenty48::format::Position;
use crate::games::twenty48::published::snake::path::{DISCOUNT, SnakePaths, parameters, setting};
use crate::games::twenty48::published::snake::search::{Snake, last_best};
use crate::games::twenty48::rules;
use crate::games::twenty48::rules::{Board, Game, Spawns};
use crate::heuristic::Form;
use crate::heuristic::weights::Weights;
use crate::player::advice::{NotAPosition, Worth};
use crate::player::depth::Depth;
use crate::player::depth::Depths;
use crate::player::playing::Playing;
use crate::player::{Config, Entry, Player};
use crate::record::GameRecord;

const DEPTHS: Depths = Depths {
    unit: "further moves looked at after the first",
    min: 0,
    adaptive: false,
    default: Depth::Fixed(3),
};

const SAMPLE: &[(Option<u8>, u64)] = &[(Some(0), 50), (Some(1), 20), (Some(3), 2)];

/// The player.
pub const SNAKE: Entry = Entry {
    name: "snake",
    game: NAME,
    about: "look-ahead along the best snake path, a 2 expected on its first empty cell; discounts \
            compound (ChuitoChan/clojure-2048ai)",
    depths: Some(DEPTHS),
    options: &[],
    parameters,
    published: Some(include_str!("../../../../../configs/weights/snake.toml")),
    check,
    sample: SAMPLE,
    build: |config, weights| Box::new(SnakePlayer::new(config, weights, Form::Published)),
};

/// The player.
pub const SNAKE_INTENDED: Entry = Entry {
    name: "snake-intended",
    game: NAME,
    about: "the same with one discount a level, as its author describes it",
    depths: Some(DEPTHS),
    options: &[],
    parameters,
    published: Some(include_str!(
        "../../../../../configs/weights/snake-intended.toml"
    )),
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
