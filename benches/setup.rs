//! What the benchmarks share: seeds, positions, weights.

use tiletune::games::twenty48::heuristic::parameters;
use tiletune::games::twenty48::rules::{Board, Direction, Game, Spawns};
use tiletune::heuristic::weights::Weights;
use tiletune::random::{Players, Stream};

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
