//! The player `expectimax`, modelled on nneonneo/2048-ai.

use std::sync::Arc;

use crate::games::sliding::heuristic::Heuristic;
use crate::games::sliding::{
    AllBoardTerms, BoardTerms, Definition, NoBoardTerms, analysis, custom, explain, first_best,
    places,
};
use crate::games::twenty48::exact::agent::{bytes, exact, prepare, seconds};
use crate::games::twenty48::exact::moves::{Shares, only};
use crate::games::twenty48::exact::policy;
use crate::games::twenty48::heuristic::{BOARDS, TERMS, parameters};
use crate::games::twenty48::rules::{
    Board, Direction, Game, Mover, OnBoard, Policy, Rules, Usual, Variation, play_many,
};
use crate::games::twenty48::setup::{BOARD, FIRST_TILES, SPAWN, shape, variation};
use crate::games::twenty48::{
    GAME, search::batch, search::compiled::CompiledSearch, search::endgame::Endgames,
    search::expectimax::Expectimax, search::expectimax::Settings, search::expectimax::table_bits,
};
use crate::heuristic::weights::Weights;
use crate::player::exact::{Exact, ExactResult, Work};
use crate::player::{
    Agent, Analysis, Depth, Depths, EXACT, Explanation, MoveValue, OptionKind, OptionValue,
    Options, Places, Player, PlayerEntry, PlayerOption, PositionError, Sample, SinglePlayer,
    position::Position,
};
use crate::record::GameRecord;
use crate::simd::InstructionSet;
use crate::stop::Stop;

/// The unit of depth of the expectimax players.
pub const CHANCE_LAYERS: &str = "chance layers below the root move";

const HEURISTIC: PlayerOption =
    PlayerOption::heuristic(|table| custom(table, BOARDS, shape, build));

const DEPTH: PlayerOption = PlayerOption::depth(Depths {
    unit: CHANCE_LAYERS,
    min: 0,
    adaptive: true,
    default: Depth::Fixed(1),
});

const CUTOFF: PlayerOption = cutoff(0.0).with_default_at(|depth| match depth {
    Depth::Fixed(_) => OptionValue::Number(0.0),
    Depth::Adaptive => OptionValue::Number(ADAPTIVE_CUTOFF),
});

/// The cut-off at adaptive depth; it is that of nneonneo/2048-ai.
const ADAPTIVE_CUTOFF: f64 = 1e-4;

const REUSE: PlayerOption = PlayerOption::new(
    "reuse",
    "Whether the value of a position also serves less likely ways to it; the default is true for \
     adaptive depth",
    OptionKind::Switch { default: false },
)
.with_default_at(|depth| OptionValue::Switch(depth == Depth::Adaptive));

const REDUCTION: PlayerOption = PlayerOption::new(
    "reduction",
    "With a cut-off: moves below the root are first searched as if their path were so many times less \
     likely, then the best one in full; 1 for all in full; the default is 10 for adaptive depth",
    OptionKind::Number {
        default: 1.0,
        holds: |reduction| (1.0..=1e6).contains(&reduction),
        allowed: "from 1 (all moves are searched in full) to 1000000",
    },
)
.with_default_at(|depth| match depth {
    Depth::Fixed(_) => OptionValue::Number(1.0),
    Depth::Adaptive => OptionValue::Number(ADAPTIVE_REDUCTION),
});

/// The reduction at adaptive depth.
const ADAPTIVE_REDUCTION: f64 = 10.0;

const TABLE_BITS: PlayerOption = PlayerOption::new(
    "table_bits",
    "The transposition table of a game has 2^N entries of 16 bytes; 0 for none; the default is 0 \
     to 18 by depth",
    OptionKind::Whole {
        default: 0,
        most: 24,
    },
)
.with_default_at(|depth| OptionValue::Whole(table_bits(depth).into()));

pub(super) const ENDGAMES: PlayerOption = PlayerOption::new(
    "endgames",
    "Whether the search chooses among the moves with the best chances in the last moves before 32768: with \
     eight different tiles from 128 up that stay in place, the chance of a second 128 is computed exactly",
    OptionKind::Switch { default: false },
);

const OPTIONS: &[PlayerOption] = &[
    DEPTH,
    CUTOFF,
    REUSE,
    REDUCTION,
    TABLE_BITS,
    ENDGAMES,
    BOARD,
    SPAWN,
    FIRST_TILES,
    EXACT,
    HEURISTIC,
];

/// The option `cutoff` of the expectimax players.
pub const fn cutoff(default: f64) -> PlayerOption {
    let kind = OptionKind::Number {
        default,
        holds: |cutoff| cutoff == 0.0 || (1e-12..1.0).contains(&cutoff),
        allowed: "0 (nothing is cut), or from 1e-12 to below 1",
    };
    let about = "Path probability below which the search stops; 0 for none";
    PlayerOption::new("cutoff", about, kind).in_lists("cutoffs")
}

/// The catalogue entry of `expectimax`.
pub const EXPECTIMAX: PlayerEntry = PlayerEntry {
    name: "expectimax",
    game: &GAME,
    about: "expectimax over line tables and board terms (after nneonneo/2048-ai)",
    options: OPTIONS,
    parameters,
    published: Some(include_str!("../../../../data/weights/expectimax.toml")),
    sample: &[
        Sample::new("depth = 0", 50),
        Sample::new("depth = 1", 20),
        Sample::new("depth = 2", 2),
        Sample::new("depth = 'adaptive'\ncutoff = 0.05", 1),
        Sample {
            heuristic: Some(include_str!(
                "../../../../data/heuristics/2048-anchored.toml"
            )),
            ..Sample::new("depth = 1", 4)
        },
    ],
    build: |options, weights| build(&TERMS, options, weights),
};

fn build(
    definition: &Arc<Definition>,
    options: &Options,
    weights: &Weights,
) -> Result<Box<dyn Player>, String> {
    let variation = variation(options);
    if variation.is_usual() {
        let agent = ExpectimaxAgent::new(definition, options, weights)?;
        return Ok(Box::new(SinglePlayer(agent)));
    }
    let agent = ExpectimaxAgent::of_variation(variation, definition, options, weights)?;
    Ok(Box::new(SinglePlayer(agent)))
}

fn settings(options: &Options) -> Settings {
    let options = options.full(OPTIONS);
    Settings {
        depth: options.depth(&DEPTH),
        cutoff: options.number(&CUTOFF),
        table_bits: options.whole(&TABLE_BITS),
        reuse: options.switch(&REUSE),
        reduction: options.number(&REDUCTION),
    }
}

/// Chance layers of adaptive depth on a board with few different tiles.
const ADAPTIVE_LAYERS: u32 = 4;

struct ExpectimaxAgent<R = Usual> {
    rules: R,
    compiled: CompiledSearch,
    definition: Arc<Definition>,
    weights: Weights,
    settings: Settings,
    endgames: bool,
}

impl ExpectimaxAgent {
    fn new(
        definition: &Arc<Definition>,
        options: &Options,
        weights: &Weights,
    ) -> Result<Self, String> {
        let settings = settings(options);
        let heuristic = Heuristic::new(definition, weights)?;
        let instructions = InstructionSet::chosen();
        Ok(ExpectimaxAgent {
            rules: Usual::default(),
            compiled: CompiledSearch::new(heuristic, settings.depth, instructions),
            definition: Arc::clone(definition),
            weights: weights.clone(),
            settings,
            endgames: options.full(OPTIONS).switch(&ENDGAMES),
        })
    }
}

impl ExpectimaxAgent<Variation> {
    fn of_variation(
        rules: Variation,
        definition: &Arc<Definition>,
        options: &Options,
        weights: &Weights,
    ) -> Result<Self, String> {
        Ok(ExpectimaxAgent {
            rules,
            compiled: CompiledSearch::portable(Heuristic::on(rules.shape(), definition, weights)?),
            definition: Arc::clone(definition),
            weights: weights.clone(),
            settings: settings(options),
            endgames: false,
        })
    }
}

impl<R: Rules> ExpectimaxAgent<R> {
    /// True if games are played in batches, without look-ahead.
    fn is_batched(&self) -> bool {
        self.settings.depth == Depth::Fixed(0) && !self.endgames
    }

    fn chooser<'a, T: BoardTerms>(&'a self, terms: T, stop: Stop<'a>) -> Chooser<'a, T, R> {
        Chooser {
            rules: self.rules,
            search: Expectimax::of(self.rules, &self.compiled, terms, self.settings).until(stop),
            endgames: self.endgames.then(Endgames::default),
        }
    }
}

/// The search of one game, and the exact solution of endgames if the option is on.
struct Chooser<'a, T, R> {
    rules: R,
    search: Expectimax<'a, T, R>,
    endgames: Option<Endgames>,
}

impl<T: BoardTerms, R: Rules> Chooser<'_, T, R> {
    /// The move with the largest value among the moves that [`Endgames`] allows.
    fn best(&mut self, board: Board, values: [Option<i32>; 4]) -> Option<Direction> {
        let allowed = match &mut self.endgames {
            Some(endgames) => endgames.allowed(board),
            None => [true; 4],
        };
        first_best(std::array::from_fn(|at| values[at].filter(|_| allowed[at])))
    }
}

impl<T: BoardTerms, R: Rules> Policy<R::Position, Direction> for Chooser<'_, T, R> {
    fn choose(&mut self, position: R::Position) -> Option<Direction> {
        let board = position.board();
        let values = self.search.move_values(board);
        self.best(board, values)
    }

    fn leaf_evaluations(&self) -> u64 {
        Policy::leaf_evaluations(&self.search)
    }
}

impl<T: BoardTerms, R: Rules> Mover for Chooser<'_, T, R> {
    #[inline(always)]
    fn next(&mut self, board: Board) -> Option<Board> {
        if self.endgames.is_none() {
            return self.search.next(board);
        }
        let best = self.choose(self.rules.position(board))?;
        Some(self.rules.moved(board, best))
    }

    fn leaf_evaluations(&self) -> u64 {
        Policy::leaf_evaluations(&self.search)
    }
}

impl<R: Rules> Agent for ExpectimaxAgent<R> {
    type Game = Game<R>;
    type Search<'a> = Chooser<'a, AllBoardTerms<'a>, R>;

    fn game(&self, seed: u64) -> Game<R> {
        Game::of(seed, self.rules)
    }

    fn position(&self, position: &dyn Position) -> Result<R::Position, PositionError> {
        self.rules.own_position(position)
    }

    fn search<'a>(&'a self, _: u64, stop: Stop<'a>) -> Self::Search<'a> {
        self.chooser(AllBoardTerms::of(self.compiled.heuristic()), stop)
    }

    fn analyze(&self, search: &mut Self::Search<'_>, position: R::Position) -> Analysis<Direction> {
        let board = position.board();
        let heuristic = self.compiled.heuristic();
        let points = |value: i32| heuristic.points(f64::from(value));
        let values = search.search.move_values(board);
        let shown = values.map(|value| value.map(|value| MoveValue::One(points(value))));
        analysis(
            search.best(board, values),
            shown,
            Some(points(heuristic.value(board))),
        )
    }

    fn explain(&self, position: R::Position) -> Option<Explanation<Direction>> {
        let (board, shape) = (position.board(), self.rules.shape());
        let moved = |direction| self.rules.moved(board, direction);
        let legal = |direction| Some(moved(direction)).filter(|after| *after != board);
        let (definition, weights) = (&self.definition, &self.weights);
        Some(explain::of_moves(definition, weights, shape, legal))
    }

    fn exact_result(&self) -> &dyn ExactResult {
        self
    }

    fn places(&self, position: R::Position, after: Option<&str>) -> Option<Places> {
        let (board, shape) = (position.board(), self.rules.shape());
        let moved = |direction| self.rules.moved(board, direction);
        let legal = |direction| Some(moved(direction)).filter(|after| *after != board);
        let of_board = places::BoardOf { shape, board };
        let (definition, weights) = (&self.definition, &self.weights);
        let (board, terms) = places::of_terms(definition, weights, of_board, after, legal)?;
        Some(Places {
            grid: self.rules.position(board).grid(),
            terms,
        })
    }

    fn play_many(&self, seeds: &[u64], stop: Stop) -> Option<Vec<GameRecord>> {
        let rules = self.rules;
        if rules.is_usual() && self.is_batched() {
            return batch::best_moves(seeds, &self.compiled, stop);
        }
        let heuristic = self.compiled.heuristic();
        if heuristic.whole.is_some() {
            let terms = AllBoardTerms::of(heuristic);
            return play_many(seeds, rules, |_| self.chooser(terms, stop), stop);
        }
        match heuristic.board_terms.as_slice() {
            [] => play_many(seeds, rules, |_| self.chooser(NoBoardTerms, stop), stop),
            terms => play_many(seeds, rules, |_| self.chooser(terms, stop), stop),
        }
    }

    fn batch_size(&self) -> usize {
        if self.is_batched() { 512 } else { 1 }
    }
}

impl<R: Rules> ExactResult for ExpectimaxAgent<R> {
    /// A search is a pure function of the position: its table never changes a move, or is cleared before each.
    fn compute(&self, losses: bool, work: &Work) -> Result<Option<Exact>, String> {
        let shares = || -> Box<dyn FnMut(Board) -> Shares + '_> {
            let mut search = self.search(0, work.stop);
            Box::new(move |board| only(search.choose(self.rules.position(board))))
        };
        exact(&self.rules, policy::Player::Moves(&shares), losses, work)
    }

    fn prepare(&self, work: &Work) -> Option<()> {
        prepare(&self.rules, work)
    }

    fn bytes(&self) -> Option<f64> {
        bytes(&self.rules)
    }

    fn seconds(&self) -> Option<f64> {
        let layers = match self.settings.depth {
            Depth::Fixed(depth) => depth.into(),
            Depth::Adaptive => ADAPTIVE_LAYERS,
        };
        seconds(&self.rules, layers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::search::endgame::MARGIN;
    use crate::heuristic::weights::Weights;
    use crate::reference::twenty48;

    /// Boards with seven large tiles and two 64s, so that an endgame is near.
    const STARTS: [[u8; 16]; 2] = [
        [14, 13, 10, 0, 12, 11, 9, 0, 8, 6, 0, 0, 6, 1, 0, 0],
        [15, 13, 0, 0, 12, 11, 0, 0, 10, 9, 1, 0, 8, 6, 6, 1],
    ];

    fn tile_sum(board: Board) -> u32 {
        board.tiles().iter().sum()
    }

    /// The moves of the definition of the search, without and with endgames. (The values of endgames have
    /// separate tests that compare them with their definition.)
    fn defined(
        heuristic: &Heuristic,
        endgames: &mut Endgames,
        board: Board,
    ) -> [Option<Direction>; 2] {
        let mut values = twenty48::move_values(heuristic, board, 1, 0.0).values;
        let without = first_best(values);
        let chances = endgames.move_values(board);
        let best = chances.into_iter().flatten().flatten().max().unwrap_or(0);
        if best > 0 {
            for (value, chance) in values.iter_mut().zip(chances.unwrap()) {
                if chance.is_none_or(|chance| best.abs_diff(chance) > MARGIN) {
                    *value = None;
                }
            }
        }
        [without, first_best(values)]
    }

    #[test]
    fn games_go_into_endgames_and_on_as_defined() {
        let mut other_moves = 0;
        for changes in [&[][..], &[("corner", 1500.0)]] {
            let weights = Weights::default().with(changes.iter().copied(), &parameters());
            let agent = ExpectimaxAgent::new(&TERMS, &Options::default(), &weights.unwrap());
            let mut agent = agent.unwrap();
            agent.endgames = true;
            let heuristic = agent.compiled.heuristic().clone();
            for (seed, start) in (0..8).zip(STARTS.into_iter().cycle()) {
                let mut search = agent.search(seed, Stop::never());
                let mut batch = agent.chooser(NoBoardTerms, Stop::never());
                let mut endgames = Endgames::default();
                let mut game = agent.game(seed);
                game.replace_board(Board::from_ranks(start));
                while !game.board().is_over() && tile_sum(game.board()) < 33_000 {
                    let board = game.board();
                    let [without, expected] = defined(&heuristic, &mut endgames, board);
                    other_moves += u32::from(without != expected);
                    assert_eq!(search.choose(board), expected, "{board:?}");
                    let moved = expected.map(|direction| board.moved(direction));
                    assert_eq!(search.next(board), moved, "{board:?}");
                    if changes.is_empty() {
                        assert_eq!(batch.next(board), moved, "{board:?}");
                    }
                    game.play(expected.unwrap());
                }
            }
        }
        assert!(other_moves >= 10, "{other_moves} moves by endgames");
    }
}
