//! What the benchmarks share: seeds, positions, weights, a heuristic.

use tiletune::games::sliding::chance::NoBoardTerms;
use tiletune::games::sliding::heuristic::{Exact, Heuristic};
use tiletune::games::sliding::line_tables::LineValues;
use tiletune::games::sliding::{Definition, Shape};
use tiletune::games::twenty48::heuristic::{BOARDS, TERMS, parameters};
use tiletune::games::twenty48::rules::{Board, Direction, Game, Policy, Spawns};
use tiletune::games::twenty48::search::compiled::CompiledSearch;
use tiletune::games::twenty48::search::expectimax::{Expectimax, Settings};
use tiletune::heuristic::weights::Weights;
use tiletune::player::depth::Depth;
use tiletune::random::{Players, Stream};
use tiletune::simd::InstructionSet;

/// Seeds of games for one player.
pub fn seeds(count: u64) -> Vec<u64> {
    Players::One.game_seeds(1, Stream::Evaluate, 0, count)
}

/// Every eighth position of games of 2048 that try the directions in turn.
pub fn positions() -> Vec<Board> {
    let mut boards = Vec::new();
    for seed in seeds(20) {
        let mut game = Game::new(seed, Spawns::TwosAndFours);
        for turn in 0usize.. {
            let in_turn = Direction::ALL.iter().cycle().skip(turn % 4).take(4);
            let is_legal = |direction| game.board().moved(direction) != game.board();
            let Some(direction) = in_turn.copied().find(|&direction| is_legal(direction)) else {
                break;
            };
            game.play(direction);
            if turn.is_multiple_of(8) {
                boards.push(game.board());
            }
        }
    }
    boards
}

/// Every line term, outer and inner lines apart.
pub fn all_line_terms() -> Weights {
    let registry = parameters();
    let apart = registry.iter().filter(|parameter| {
        ["_outer", "_inner"]
            .iter()
            .any(|lines| parameter.key.ends_with(lines))
            && !parameter.key.contains("_power")
    });
    let changes = apart.map(|parameter| (parameter.key.as_str(), parameter.max / 3.0));
    Weights::default()
        .with(changes, &registry)
        .expect("keys of the registry")
}

/// All positions of games that the published weights play with one chance layer.
pub fn positions_of_games() -> Vec<Board> {
    let heuristic = Heuristic::new(&TERMS, &Weights::default()).unwrap();
    let depth = Depth::Fixed(1);
    let compiled = CompiledSearch::new(heuristic, depth, InstructionSet::chosen());
    let mut boards = Vec::new();
    for seed in seeds(3) {
        let mut search = Expectimax::new(&compiled, NoBoardTerms, Settings::new(depth, 0.0));
        let mut game = Game::new(seed, Spawns::TwosAndFours);
        while let Some(direction) = search.choose(game.board()) {
            boards.push(game.board());
            game.play(direction);
        }
    }
    boards
}

/// An anchored heuristic: the published weights and a term that prefers large tiles near one corner.
pub fn anchored() -> Heuristic {
    let published =
        Exact::new(&TERMS, Shape::STANDARD, &Weights::default()).expect("finite values");
    let LineValues::Symmetric { outer, .. } = published.lines else {
        unreachable!("the terms are symmetric");
    };
    let distance = |place: usize, line: usize| -> f64 {
        let of_cell = |cell: usize| ((place + cell) * (line >> (4 * cell) & 0xF).pow(3)) as f64;
        (0..4).map(of_cell).sum()
    };
    let table = |place: usize| {
        let values = outer.iter().enumerate();
        values
            .map(|(line, value)| value - 20.0 * distance(place, line))
            .collect()
    };
    let lines = LineValues::Anchored([0, 1, 2, 3].map(table));
    Heuristic::from_exact(&Exact::of_lines(lines))
}

/// The heuristic of a file in `configs/heuristics`, with these weights changed.
pub fn of_file(name: &str, changes: &[(&str, f64)]) -> Heuristic {
    let path = format!("{}/configs/heuristics/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a file of the project");
    let definition = Definition::read(&text.parse().expect("TOML"), BOARDS).expect("a heuristic");
    let weights = Weights::default().with(changes.iter().copied(), definition.parameters());
    Heuristic::new(&definition, &weights.expect("keys of the file")).expect("finite values")
}
