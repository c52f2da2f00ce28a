//! Policies without look-ahead: random moves, and the move that scores the most points.

use crate::games::sliding::random_moves::Random;
use crate::games::twenty48::rules::{Board, Direction, Mover, OnBoard, Policy, Rules};

/// Plays uniformly random legal moves.
pub struct RandomMoves<R> {
    rules: R,
    random: Random,
}

impl<R: Rules> RandomMoves<R> {
    /// The random choices in the game of `seed`.
    pub fn new(rules: R, seed: u64) -> Self {
        let random = Random::new(seed);
        RandomMoves { rules, random }
    }
}

impl<R: Rules> Policy<R::Position, Direction> for RandomMoves<R> {
    fn choose(&mut self, position: R::Position) -> Option<Direction> {
        let board = position.board();
        let rules = self.rules;
        self.random
            .pick(|direction| rules.moved(board, direction) != board)
    }
}

impl<R: Rules> Mover for RandomMoves<R> {
    /// Slides the board in all directions at once, because the random direction cannot be predicted.
    #[inline(always)]
    fn next(&mut self, board: Board) -> Option<Board> {
        let mut untried = self.rules.all_moved(board);
        for count in (1..=4).rev() {
            let pick = self.random.below(count) as usize;
            if untried[pick] != board {
                return Some(untried[pick]);
            }
            untried[pick] = untried[count as usize - 1];
        }
        None
    }
}

/// Plays the move that scores the most points immediately; among equal moves, the first.
pub struct Greedy<R>(pub R);

impl<R: Rules> Greedy<R> {
    fn best(&self, board: Board) -> Option<Direction> {
        let legal = Direction::ALL
            .into_iter()
            .filter(|&direction| self.0.moved(board, direction) != board);
        // `max_by_key` would return the last of equal moves.
        legal.min_by_key(|&direction| std::cmp::Reverse(board.points_of(direction)))
    }
}

impl<R: Rules> Policy<R::Position, Direction> for Greedy<R> {
    fn choose(&mut self, position: R::Position) -> Option<Direction> {
        self.best(position.board())
    }
}

impl<R: Rules> Mover for Greedy<R> {
    fn next(&mut self, board: Board) -> Option<Board> {
        let best = self.best(board)?;
        Some(self.0.moved(board, best))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::rules::{Spawns, Usual, play};
    use crate::stop::Stop;

    #[test]
    fn random_chooses_every_legal_move_equally_often() {
        // Left is illegal here; the other three moves are legal.
        let board = Board::from_ranks([1, 2, 1, 0, 2, 1, 2, 0, 1, 2, 1, 0, 0, 0, 0, 0]);
        let mut random = RandomMoves::new(Usual::default(), 5);
        let mut counts = [0u32; 4];
        for _ in 0..30_000 {
            counts[random.choose(board).unwrap() as usize] += 1;
        }
        let legal: Vec<bool> = Direction::ALL.map(|d| board.moved(d) != board).into();
        for (count, legal) in counts.into_iter().zip(legal) {
            let expected = if legal { 30_000 / 2 } else { 0 };
            assert!(count.abs_diff(expected) < 450, "{counts:?}");
        }
        let dead = Board::from_ranks([1, 2, 1, 2, 2, 1, 2, 1, 1, 2, 1, 2, 2, 1, 2, 1]);
        assert_eq!(random.choose(dead), None);
    }

    #[test]
    fn greedy_takes_the_most_points_and_the_first_of_equals() {
        let board = Board::from_ranks([1, 1, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(Greedy(Usual::default()).choose(board), Some(Direction::Up));
        let board = Board::from_ranks([3, 3, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(
            Greedy(Usual::default()).choose(board),
            Some(Direction::Left)
        );
    }

    #[test]
    fn random_games_are_as_long_as_is_known() {
        // A game has about 118 moves; the mean of 2,000 games has a standard error of about 1.
        let moves: u32 = (0..2000)
            .map(|seed| {
                let mut random = RandomMoves::new(Usual::default(), seed);
                let game = play(seed, Spawns::TwosAndFours, &mut random, Stop::never());
                game.unwrap().moves
            })
            .sum();
        let mean = f64::from(moves) / 2000.0;
        assert!((113.0..123.0).contains(&mean), "{mean}");
    }
}
