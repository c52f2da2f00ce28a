//! The player `expectimax`.

use std::sync::Arc;

use crate::games::sliding::{
    AllBoardTerms, Definition, Heuristic, NoBoardTerms, Shape, analysis, custom, explain,
    first_best, places,
};
use crate::games::three_plus_three::rules::{Direction, Game, Position, play};
use crate::games::three_plus_three::{
    GAME, heuristic::BOARDS, heuristic::TERMS, search::expectimax::Expectimax,
};
use crate::heuristic::weights::Weights;
use crate::player::position::Position as _;
use crate::player::{
    Agent, Analysis, Depth, Depths, Explanation, MoveValue, Options, Places, Player, PlayerEntry,
    PlayerOption, Sample, SinglePlayer,
};
use crate::record::GameRecord;
use crate::stop::Stop;

const HEURISTIC: PlayerOption =
    PlayerOption::heuristic(|table| custom(table, BOARDS, |_| Shape::STANDARD, build));

const DEPTH: PlayerOption = PlayerOption::depth(Depths {
    unit: "chance layers below the root move",
    min: 0,
    adaptive: false,
    default: Depth::Fixed(2),
});

/// The catalogue entry of `expectimax`.
pub const EXPECTIMAX: PlayerEntry = PlayerEntry {
    name: "expectimax",
    game: &GAME,
    about: "expectimax over line tables and board terms; the next tiles are known, their cells are \
            random",
    options: &[DEPTH, HEURISTIC],
    parameters: || TERMS.parameters().to_vec(),
    published: Some(include_str!(
        "../../../../data/weights/three-plus-three-expectimax.toml"
    )),
    sample: &[
        Sample::new("depth = 0", 50),
        Sample::new("depth = 1", 20),
        Sample::new("depth = 2", 5),
        Sample::new("depth = 3", 1),
    ],
    build: |options, weights| build(&TERMS, options, weights),
};

fn build(
    definition: &Arc<Definition>,
    options: &Options,
    weights: &Weights,
) -> Result<Box<dyn Player>, String> {
    Ok(Box::new(SinglePlayer(ExpectimaxAgent {
        heuristic: Heuristic::new(definition, weights)?,
        definition: Arc::clone(definition),
        weights: weights.clone(),
        depth: options.fixed_depth(&DEPTH),
    })))
}

struct ExpectimaxAgent {
    heuristic: Heuristic,
    definition: Arc<Definition>,
    weights: Weights,
    depth: u8,
}

impl Agent for ExpectimaxAgent {
    type Game = Game;
    type Search<'a> = Expectimax<'a, AllBoardTerms<'a>>;

    fn game(&self, seed: u64) -> Game {
        Game::new(seed)
    }

    fn search<'a>(&'a self, _: u64, stop: Stop<'a>) -> Self::Search<'a> {
        let terms = AllBoardTerms::of(&self.heuristic);
        Expectimax::new(&self.heuristic, terms, self.depth).until(stop)
    }

    fn analyze(&self, search: &mut Self::Search<'_>, position: Position) -> Analysis<Direction> {
        let points = |value: i32| self.heuristic.points(f64::from(value));
        let values = search.move_values(position);
        analysis(
            first_best(values),
            values.map(|value| value.map(|value| MoveValue::One(points(value)))),
            Some(points(self.heuristic.value(position.board))),
        )
    }

    fn explain(&self, position: Position) -> Option<Explanation<Direction>> {
        let moved = |direction| position.moved(direction);
        Some(explain::of_moves(
            &self.definition,
            &self.weights,
            Shape::STANDARD,
            moved,
        ))
    }

    fn places(&self, position: Position, after: Option<&str>) -> Option<Places> {
        let moved = |direction| position.moved(direction);
        let (definition, weights) = (&self.definition, &self.weights);
        let of_board = places::BoardOf {
            shape: Shape::STANDARD,
            board: position.board,
        };
        let (board, terms) = places::of_terms(definition, weights, of_board, after, moved)?;
        Some(Places {
            grid: Position { board, ..position }.grid(),
            terms,
        })
    }

    fn play_many(&self, seeds: &[u64], stop: Stop) -> Option<Vec<GameRecord>> {
        let play = |&seed: &u64| {
            if self.heuristic.has_only_lines() {
                let search = Expectimax::new(&self.heuristic, NoBoardTerms, self.depth);
                play(seed, &mut search.until(stop), stop)
            } else {
                play(seed, &mut self.search(seed, stop), stop)
            }
        };
        seeds.iter().map(play).collect()
    }
}
