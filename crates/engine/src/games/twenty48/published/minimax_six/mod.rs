//! The players of the six-feature minimax study: `minimax-six` without the errors of its program, and
//! `minimax-six-faithful` as published. [`features`] defines the features, [`sum`] computes their weighted sum.
//! [`search`] and [`faithful`] are the searches.

pub mod faithful;
pub mod features;
pub mod search;
pub mod sum;

use std::sync::Arc;

use crate::games::sliding::{analysis, first_best};
use crate::games::twenty48::GAME;
use crate::games::twenty48::rules::{Board, Direction, Game, Spawns};
use crate::heuristic::Form;
use crate::player::{
    Agent, Analysis, Depth, Depths, MoveValue, OptionKind, Player, PlayerEntry, PlayerOption,
    PositionError, Sample, SearchEnd, Session, SinglePlayer, Step,
    position::{Position, downcast},
};
use crate::record::GameRecord;
use crate::stop::Stop;
use faithful::{Congruential, PublishedGame, PublishedMinimax};
use features::{Forms, parameters};
use search::{LOST, MinimaxSix, WON};
use sum::SixFeatures;

const DEPTH: PlayerOption = PlayerOption::depth(Depths {
    unit: "nodes from the root to the leaves: 6 is move, 2, move, 2, move, evaluate",
    min: 2,
    adaptive: false,
    default: Depth::Fixed(6),
});

const FOURS: PlayerOption = PlayerOption::new(
    "fours",
    "Let 4s appear in the game, which has only 2s otherwise",
    OptionKind::Switch { default: false },
);

const SMOOTH_FORM: PlayerOption = PlayerOption::new(
    "smooth_form",
    "Form of the feature `smooth`",
    OptionKind::Choice(&Form::NAMES),
);

const REPEAT_FORM: PlayerOption = PlayerOption::new(
    "repeat_form",
    "Form of the feature `repeat`",
    OptionKind::Choice(&Form::NAMES),
);

/// The catalogue entry of `minimax-six`.
pub const MINIMAX_SIX: PlayerEntry = PlayerEntry {
    name: "minimax-six",
    game: &GAME,
    about: "minimax with alpha-beta over six features; only 2s appear; faults of the published program \
            corrected",
    options: &[DEPTH, FOURS, SMOOTH_FORM, REPEAT_FORM],
    parameters,
    published: Some(include_str!("../../../../../data/weights/minimax-six.toml")),
    sample: &[
        Sample::new("depth = 2", 50),
        Sample::new("depth = 4", 50),
        Sample::new("depth = 6", 10),
    ],
    build: |options, weights| {
        let forms = Forms {
            smooth: Form::ALL[options.choice(&SMOOTH_FORM)],
            repeat: Form::ALL[options.choice(&REPEAT_FORM)],
        };
        Ok(Box::new(SinglePlayer(MinimaxAgent {
            features: SixFeatures::new(weights, forms),
            depth: options.fixed_depth(&DEPTH),
            spawns: if options.switch(&FOURS) {
                Spawns::TwosAndFours
            } else {
                Spawns::OnlyTwos
            },
        })))
    },
};

/// The catalogue entry of `minimax-six-faithful`.
pub const MINIMAX_SIX_FAITHFUL: PlayerEntry = PlayerEntry {
    name: "minimax-six-faithful",
    about: "the published program of `minimax-six` with its faults: random tiles appear inside the \
            search, and the move is made on the board that the search leaves behind",
    options: &[DEPTH],
    published: Some(include_str!(
        "../../../../../data/weights/minimax-six-faithful.toml"
    )),
    build: |options, weights| {
        Ok(Box::new(PublishedAgent {
            features: SixFeatures::new(weights, Forms::default()),
            depth: options.fixed_depth(&DEPTH),
        }))
    },
    ..MINIMAX_SIX
};

struct MinimaxAgent {
    features: SixFeatures,
    depth: u8,
    spawns: Spawns,
}

impl Agent for MinimaxAgent {
    type Game = Game;
    type Search<'a> = MinimaxSix<'a>;

    fn game(&self, seed: u64) -> Game {
        Game::new(seed, self.spawns)
    }

    fn search<'a>(&'a self, _: u64, stop: Stop<'a>) -> MinimaxSix<'a> {
        MinimaxSix::new(&self.features, self.depth).until(stop)
    }

    /// Each direction is searched with a full window. The best move equals that of the search with bounds.
    fn analyze(&self, search: &mut MinimaxSix, board: Board) -> Analysis<Direction> {
        let values = search.move_values(board);
        let shown = values.map(|value| value.map(|value| points(&self.features, value)));
        let evaluation = points(&self.features, self.features.value(board));
        let shown = shown.map(|value| value.map(MoveValue::One));
        analysis(first_best(values), shown, Some(evaluation))
    }
}

struct PublishedAgent {
    features: SixFeatures,
    depth: u8,
}

impl Player for PublishedAgent {
    fn play(&self, seed: u64, stop: Stop) -> Option<GameRecord> {
        faithful::play(seed, &self.features, self.depth, stop)
    }

    fn begin<'a>(&'a self, seed: u64, stop: Stop<'a>) -> Box<dyn Session + 'a> {
        Box::new(PublishedSession {
            game: PublishedGame::new(seed, &self.features, self.depth, stop),
            features: &self.features,
        })
    }

    fn begin_from<'a>(
        &'a self,
        position: &dyn Position,
        seed: u64,
        stop: Stop<'a>,
    ) -> Result<Box<dyn Session + 'a>, PositionError> {
        let mut game = PublishedGame::new(seed, &self.features, self.depth, stop);
        game.continue_from(*downcast::<Board>(position)?);
        let features = &self.features;
        Ok(Box::new(PublishedSession { game, features }))
    }

    /// The analysis has no move values: the search explores the moves on boards with different random tiles,
    /// and with bounds from the moves before them.
    fn analyze(
        &self,
        position: &dyn Position,
        seed: u64,
        stop: Stop,
    ) -> Result<Option<Analysis>, PositionError> {
        let rng = Congruential::new(seed);
        let mut search = PublishedMinimax::new(&self.features, self.depth, rng).until(stop);
        let solved = search.solve(*downcast::<Board>(position)?);
        let end = SearchEnd {
            value: MoveValue::One(points(&self.features, solved.value)),
            position: Arc::new(solved.left),
        };
        let analysis = Analysis {
            best: solved.direction,
            search_end: Some(end),
            ..Analysis::default()
        };
        Ok(stop.complete(analysis.named()))
    }
}

/// A game of the published program, played move by move.
struct PublishedSession<'a> {
    game: PublishedGame<'a>,
    features: &'a SixFeatures,
}

impl Session for PublishedSession<'_> {
    /// The move is made on the board that the search leaves behind, so the next position can be more than one
    /// move away.
    fn step(&mut self) -> Option<Step> {
        let (board, before) = (self.game.board(), self.game.record());
        let solved = self.game.step()?;
        let value = MoveValue::One(points(self.features, solved.value));
        let evaluation = points(self.features, self.features.value(board));
        let analysis = Analysis {
            best: solved.direction,
            values: Vec::from_iter(solved.direction.map(|best| (best, Some(value)))),
            evaluation: Some(MoveValue::One(evaluation)),
            search_end: None,
        };
        Some(Step {
            analysis: analysis.named(),
            ended: solved.direction.is_none().then(|| self.game.record()),
            ..Step::new(board, before.moves, before.counts())
        })
    }
}

/// Converts a value of either search to points.
fn points(features: &SixFeatures, value: i32) -> f64 {
    match value {
        LOST => f64::NEG_INFINITY,
        WON => f64::INFINITY,
        value => features.points(value),
    }
}
