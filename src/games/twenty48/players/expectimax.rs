//! The player `expectimax`, after nneonneo/2048-ai.

use std::sync::Arc;

use crate::games::sliding::chance::{BoardTerms, NoBoardTerms};
use crate::games::sliding::table::{CompiledBoardTerm, Heuristic};
use crate::games::sliding::{Definition, analysis, chosen, explain, first_best};
use crate::games::twenty48::heuristic::{TERMS, parameters, written};
use crate::games::twenty48::rules::{Board, Direction, Game, Spawns, play_many};
use crate::games::twenty48::{
    GAME, search::batch, search::compiled::CompiledSearch, search::expectimax::Expectimax,
    search::expectimax::Settings,
};
use crate::heuristic::weights::Weights;
use crate::player::{
    Agent, Analysis, Depth, Depths, Entry, Explanation, Kind, MoveValue, Options, PlayerOption,
    SinglePlayer,
};
use crate::record::GameRecord;
use crate::simd::InstructionSet;
use crate::stop::Stop;

/// The unit of depth of the expectimax players.
pub const CHANCE_LAYERS: &str = "chance layers below the root move";

const HEURISTIC: PlayerOption = PlayerOption::heuristic(written);

const DEPTH: PlayerOption = PlayerOption::depth(Depths {
    unit: CHANCE_LAYERS,
    min: 0,
    adaptive: true,
    default: Depth::Fixed(1),
});

const CUTOFF: PlayerOption = cutoff(0.0);

/// The cut-off of the adaptive depth, that of nneonneo/2048-ai.
const ADAPTIVE_CUTOFF: f64 = 1e-4;

const REUSE: PlayerOption = PlayerOption::new(
    "reuse",
    "Whether a searched position also serves less likely paths to it; on for adaptive depth",
    Kind::Switch { default: false },
);

const TABLE_BITS: PlayerOption = PlayerOption::new(
    "table_bits",
    "The transposition table has 2^N entries of 16 bytes, none with 0; 0 to 18 by depth",
    Kind::Whole {
        default: 0,
        most: 24,
    },
);

/// The option `cutoff` of the expectimax players, with its default.
pub const fn cutoff(default: f64) -> PlayerOption {
    let kind = Kind::Number {
        default,
        holds: |cutoff| cutoff == 0.0 || (1e-12..1.0).contains(&cutoff),
        allowed: "0 (nothing is cut), or from 1e-12 to below 1",
    };
    let about = "Path probability below which the search stops; 0 for none";
    PlayerOption::new("cutoff", about, kind)
}

/// The player `expectimax`.
pub const EXPECTIMAX: Entry = Entry {
    name: "expectimax",
    game: &GAME,
    about: "expectimax over line tables and board terms (after nneonneo/2048-ai)",
    options: &[DEPTH, CUTOFF, REUSE, TABLE_BITS, HEURISTIC],
    parameters,
    published: Some(include_str!("../../../../configs/weights/expectimax.toml")),
    check: |weights| Heuristic::check(&TERMS, weights),
    sample: &[(Some(0), 50), (Some(1), 20), (Some(2), 2)],
    build: |options, weights| {
        let settings = settings(options);
        let definition = chosen(options, &TERMS);
        Box::new(SinglePlayer(ExpectimaxAgent {
            compiled: CompiledSearch::new(
                Heuristic::new(&definition, weights),
                settings.depth,
                InstructionSet::chosen(),
            ),
            definition,
            weights: weights.clone(),
            settings,
        }))
    },
};

/// The settings of the search. Those that are not given depend on the depth.
fn settings(options: &Options) -> Settings {
    let depth = options.depth(&DEPTH);
    let is_adaptive = depth == Depth::Adaptive;
    let given = |option: &PlayerOption| options.given(option).is_some();
    let cutoff = match is_adaptive && !given(&CUTOFF) {
        true => ADAPTIVE_CUTOFF,
        false => options.number(&CUTOFF),
    };
    let mut settings = Settings::new(depth, cutoff);
    settings.reuse = match given(&REUSE) {
        true => options.switch(&REUSE),
        false => is_adaptive,
    };
    if given(&TABLE_BITS) {
        settings.table_bits = options.whole(&TABLE_BITS);
    }
    settings
}

struct ExpectimaxAgent {
    compiled: CompiledSearch,
    definition: Arc<Definition>,
    weights: Weights,
    settings: Settings,
}

impl ExpectimaxAgent {
    fn search_with<'a, T: BoardTerms>(&'a self, terms: T, stop: Stop<'a>) -> Expectimax<'a, T> {
        Expectimax::new(&self.compiled, terms, self.settings).until(stop)
    }
}

impl Agent for ExpectimaxAgent {
    type Game = Game;
    type Search<'a> = Expectimax<'a, &'a [CompiledBoardTerm]>;

    fn game(&self, seed: u64) -> Game {
        Game::new(seed, Spawns::TwosAndFours)
    }

    fn search<'a>(&'a self, _: u64, stop: Stop<'a>) -> Self::Search<'a> {
        self.search_with(self.compiled.heuristic().board_terms.as_slice(), stop)
    }

    fn analyze(&self, search: &mut Self::Search<'_>, board: Board) -> Analysis<Direction> {
        let heuristic = self.compiled.heuristic();
        let points = |value: i32| heuristic.points(f64::from(value));
        let values = search.move_values(board);
        let shown = values.map(|value| value.map(|value| MoveValue::One(points(value))));
        analysis(
            first_best(values),
            shown,
            Some(points(heuristic.value(board))),
        )
    }

    fn explain(&self, board: Board) -> Option<Explanation<Direction>> {
        let moved = |direction| Some(board.moved(direction)).filter(|after| *after != board);
        Some(explain::of_moves(&self.definition, &self.weights, moved))
    }

    fn play_many(&self, seeds: &[u64], stop: Stop) -> Option<Vec<GameRecord>> {
        if self.settings.depth == Depth::Fixed(0) {
            return batch::best_moves(seeds, &self.compiled, stop);
        }
        let spawns = Spawns::TwosAndFours;
        let terms = self.compiled.heuristic().board_terms.as_slice();
        if terms.is_empty() {
            let search = |_| self.search_with(NoBoardTerms, stop);
            play_many(seeds, spawns, search, stop)
        } else {
            let search = |_| self.search_with(terms, stop);
            play_many(seeds, spawns, search, stop)
        }
    }

    fn batch_size(&self) -> usize {
        if self.settings.depth == Depth::Fixed(0) {
            512
        } else {
            1
        }
    }
}
