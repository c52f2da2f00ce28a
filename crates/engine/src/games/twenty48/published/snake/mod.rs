//! The players of ChuitoChan/clojure-2048ai: `snake` as published, and `snake-intended` as its
//! author describes it. [`path`] is the evaluation, [`search`] the search.

pub mod path;
pub mod search;

use crate::games::sliding::analysis;
use crate::games::twenty48::GAME;
use crate::games::twenty48::rules::{Board, Direction, Game, Spawns};
use crate::heuristic::{Form, weights::Weights};
use crate::player::{
    Agent, Analysis, Depth, Depths, MoveValue, Options, Player, PlayerEntry, PlayerOption, Sample,
    SinglePlayer,
};
use crate::stop::Stop;
use path::{DISCOUNT, SnakePaths, parameters, setting};
use search::{Snake, last_best};

const DEPTH: PlayerOption = PlayerOption::depth(Depths {
    unit: "moves searched after the first",
    min: 0,
    adaptive: false,
    default: Depth::Fixed(3),
});

/// The catalogue entry of `snake`.
pub const SNAKE: PlayerEntry = PlayerEntry {
    name: "snake",
    game: &GAME,
    about: "search by the best snake path that assumes a 2 in its first empty cell; discounts compound \
            (ChuitoChan/clojure-2048ai)",
    options: &[DEPTH],
    parameters,
    published: Some(include_str!("../../../../../data/weights/snake.toml")),
    sample: &[
        Sample::new("depth = 0", 50),
        Sample::new("depth = 1", 20),
        Sample::new("depth = 3", 2),
    ],
    build: |options, weights| SnakeAgent::player(options, weights, Form::Published),
};

/// The catalogue entry of `snake-intended`.
pub const SNAKE_INTENDED: PlayerEntry = PlayerEntry {
    name: "snake-intended",
    about: "`snake` with one discount per level, as its author describes it",
    published: Some(include_str!(
        "../../../../../data/weights/snake-intended.toml"
    )),
    build: |options, weights| SnakeAgent::player(options, weights, Form::Intended),
    ..SNAKE
};

/// Smallest allowed discount. The search divides by its powers, up to the 78th at the largest depth.
const SMALLEST_DISCOUNT: f64 = 0.01;

struct SnakeAgent {
    paths: SnakePaths,
    depth: u8,
    discount: f64,
    form: Form,
}

impl SnakeAgent {
    fn player(options: &Options, weights: &Weights, form: Form) -> Result<Box<dyn Player>, String> {
        let discount = setting(weights, DISCOUNT);
        if discount < SMALLEST_DISCOUNT {
            return Err(format!(
                "`discount` {discount} is out of range: at least {SMALLEST_DISCOUNT}"
            ));
        }
        Ok(Box::new(SinglePlayer(SnakeAgent {
            paths: SnakePaths::new(weights),
            depth: options.fixed_depth(&DEPTH),
            discount,
            form,
        })))
    }
}

impl Agent for SnakeAgent {
    type Game = Game;
    type Search<'a> = Snake<'a>;

    fn game(&self, seed: u64) -> Game {
        Game::new(seed, Spawns::TwosAndFours)
    }

    fn search<'a>(&'a self, _: u64, stop: Stop<'a>) -> Snake<'a> {
        Snake::new(&self.paths, self.depth, self.discount, self.form).until(stop)
    }

    fn analyze(&self, search: &mut Snake, board: Board) -> Analysis<Direction> {
        let values = search.move_scores(board);
        let shown = values.map(|value| value.map(MoveValue::One));
        analysis(last_best(values), shown, Some(self.paths.value(board)))
    }
}
