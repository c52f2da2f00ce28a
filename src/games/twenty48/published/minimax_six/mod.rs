//! The players of the six-feature minimax study: as its article means it, and as published.

pub mod faithful;
pub mod features;
pub mod search;
pub mod sum;

use crate::games::twenty48::NAME;
use serde_json::{Value, json};

use crate::games::sliding::Opinion;
use crate::games::sliding::Stepped;
use crate::games::sliding::first_best;
use crate::games::twenty48::format::Position;
use crate::games::twenty48::published::minimax_six::faithful as minimax_published;
use crate::games::twenty48::published::minimax_six::faithful::{
    Congruential, PublishedGame, PublishedMinimax,
};
use crate::games::twenty48::published::minimax_six::features::{Forms, parameters};
use crate::games::twenty48::published::minimax_six::search::{LOST, MinimaxSix, WON};
use crate::games::twenty48::published::minimax_six::sum::SixFeatures;
use crate::games::twenty48::rules;
use crate::games::twenty48::rules::{Board, Direction, Game, Spawns};
use crate::player::advice::{NotAPosition, Worth, number};
use crate::player::depth::Depth;
use crate::player::depth::Depths;
use crate::player::playing::{Playing, Step};
use crate::player::{Entry, Player};
use crate::record::GameRecord;

const DEPTHS: Depths = Depths {
    unit: "nodes from the root to the leaves: 6 is move, 2, move, 2, move, evaluate",
    min: 2,
    adaptive: false,
    default: Depth::Fixed(6),
};

const SAMPLE: &[(Option<u8>, u64)] = &[(Some(2), 50), (Some(4), 50), (Some(6), 10)];

/// The player.
pub const MINIMAX_SIX: Entry = Entry {
    name: "minimax-six",
    game: NAME,
    about: "minimax with alpha-beta over six features; only 2s appear; published faults mended",
    depths: Some(DEPTHS),
    options: &["fours", "smooth_form", "repeat_form"],
    parameters,
    published: Some(include_str!(
        "../../../../../configs/weights/minimax-six.toml"
    )),
    check: |_| Ok(()),
    sample: SAMPLE,
    build: |config, weights| {
        let forms = Forms {
            smooth: config.smooth_form.unwrap_or_default(),
            repeat: config.repeat_form.unwrap_or_default(),
        };
        Box::new(Minimax {
            features: SixFeatures::new(weights, forms),
            depth: DEPTHS.fixed(config.depth),
            spawns: match config.fours {
                Some(true) => Spawns::TwosAndFours,
                _ => Spawns::OnlyTwos,
            },
        })
    },
};

/// The player.
pub const MINIMAX_SIX_FAITHFUL: Entry = Entry {
    name: "minimax-six-faithful",
    game: NAME,
    about: "the same study's program as published: tiles appear inside its search, and it moves on \
            the board that the search leaves behind",
    depths: Some(DEPTHS),
    options: &[],
    parameters,
    published: Some(include_str!(
        "../../../../../configs/weights/minimax-six-faithful.toml"
    )),
    check: |_| Ok(()),
    sample: SAMPLE,
    build: |config, weights| {
        Box::new(Published {
            features: SixFeatures::new(weights, Forms::default()),
            depth: DEPTHS.fixed(config.depth),
        })
    },
};

struct Minimax {
    features: SixFeatures,
    depth: u8,
    spawns: Spawns,
}

impl Minimax {
    fn search(&self) -> MinimaxSix<'_> {
        MinimaxSix::new(&self.features, self.depth)
    }

    /// Each direction is searched with a full window; the choice is that of the bounded search.
    fn opinion(&self, search: &mut MinimaxSix, board: Board) -> Opinion {
        let values = search.move_values(board);
        let points = |value| points(&self.features, value);
        Opinion {
            chosen: first_best(values),
            values: values.map(|value| value.map(|value| Worth::One(points(value)))),
            evaluation: Some(points(self.features.value(board))),
        }
    }
}

impl Player for Minimax {
    fn play(&self, seed: u64) -> GameRecord {
        rules::play(seed, self.spawns, &mut self.search())
    }

    fn begin(&self, seed: u64) -> Box<dyn Playing + '_> {
        let opinion = |search: &mut _, board| self.opinion(search, board);
        let game = Game::new(seed, self.spawns);
        Box::new(Stepped::new(seed, game, self.search(), opinion))
    }

    fn advise(&self, position: &str) -> Result<Value, NotAPosition> {
        let board = Position::parse(position)?.board;
        Ok(self.opinion(&mut self.search(), board).answer())
    }
}

struct Published {
    features: SixFeatures,
    depth: u8,
}

impl Player for Published {
    fn play(&self, seed: u64) -> GameRecord {
        minimax_published::play(seed, &self.features, self.depth)
    }

    fn begin(&self, seed: u64) -> Box<dyn Playing + '_> {
        Box::new(PublishedSteps {
            game: PublishedGame::new(seed, &self.features, self.depth),
            features: &self.features,
        })
    }

    /// Its search has no value for every direction: siblings are searched on boards of chance, and
    /// with the bounds of those before them.
    fn advise(&self, position: &str) -> Result<Value, NotAPosition> {
        let Position { board, seed } = Position::parse(position)?;
        let lots = Congruential::new(seed);
        let solved = PublishedMinimax::new(&self.features, self.depth, lots).solve(board);
        Ok(json!({
            "move": solved.direction.map(Direction::name),
            "value": number(points(&self.features, solved.value)),
            "left": solved.left.tiles(),
        }))
    }
}

/// A game of the published program, move by move.
struct PublishedSteps<'a> {
    game: PublishedGame<'a>,
    features: &'a SixFeatures,
}

impl Playing for PublishedSteps<'_> {
    /// The move is made on the board that the search leaves behind, so the next position may be
    /// more than a move away.
    fn step(&mut self) -> Step {
        let (board, before) = (self.game.board(), self.game.record());
        let solved = self.game.step();
        let value = points(self.features, solved.value);
        let chosen = solved.direction.map(Direction::name);
        let values = chosen.map(|chosen| (chosen.to_owned(), Some(Worth::One(value))));
        Step {
            chosen: chosen.map(str::to_owned),
            values: values.into_iter().collect(),
            evaluation: Some(Worth::One(points(
                self.features,
                self.features.value(board),
            ))),
            ended: solved.direction.is_none().then(|| self.game.record()),
            ..Step::of(board, &before)
        }
    }
}

/// A value of either search as a number.
fn points(features: &SixFeatures, value: i32) -> f64 {
    match value {
        LOST => f64::NEG_INFINITY,
        WON => f64::INFINITY,
        value => features.points(value),
    }
}
