//! A game of 2048, from the start position of its seed to its record.

use crate::games::twenty48::rules::variation::{OnBoard, Rules, Spawns, Usual};
use crate::games::twenty48::rules::{Board, Direction};
use crate::player::single_player::{Policy, SinglePlayerGame, play_out};
use crate::random::GameRng;
use crate::record::{GameRecord, GameResult};
use crate::stop::Stop;

/// A player that returns the board after its move, so that the game does not compute the move a second time.
pub trait Mover {
    /// The board after the chosen move, before a tile appears; `None` if no move is legal.
    fn next(&mut self, board: Board) -> Option<Board>;

    /// Number of boards evaluated so far by the static evaluation.
    fn leaf_evaluations(&self) -> u64 {
        0
    }
}

/// A game in progress.
#[derive(Clone)]
pub struct Game<R = Usual> {
    board: Board,
    rng: GameRng,
    rules: R,
    /// Points of the tiles that no merge has made: of a random 4, for example, 4. The tiles of a board from which
    /// a game continues are among them.
    unearned: u64,
    moves: u32,
    capped: bool,
}

impl Game {
    /// The start position of the game of `seed` on the usual board: two random tiles.
    pub fn new(seed: u64, spawns: Spawns) -> Self {
        Game::of(seed, spawns.into())
    }

    /// The generator of its random tiles, and the number of random 4s so far.
    pub fn spawns(&self) -> (&GameRng, u64) {
        (&self.rng, self.unearned / 4)
    }
}

impl<R: Rules> Game<R> {
    /// The start position of the game of `seed`, with the first random tiles.
    pub fn of(seed: u64, rules: R) -> Self {
        let mut game = Game {
            board: Board::default(),
            rng: GameRng::new(seed),
            rules,
            unearned: 0,
            moves: 0,
            capped: false,
        };
        for _ in 0..game.rules.first_tiles() {
            game.spawn();
        }
        game
    }

    /// The current board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Points so far: the sum of all tiles created by merges.
    pub fn score(&self) -> u64 {
        self.board.points_of_tiles() - self.unearned
    }

    /// Makes a move and adds a random tile. Returns `false` and changes nothing if the move is illegal.
    #[inline]
    pub fn play(&mut self, direction: Direction) -> bool {
        let moved = self.rules.moved(self.board, direction);
        let is_legal = moved != self.board;
        if is_legal {
            self.advance(moved);
        }
        is_legal
    }

    /// Sets the board to the one after a move, and adds a random tile.
    #[inline(always)]
    fn advance(&mut self, moved: Board) {
        self.capped |= self.board.is_capped();
        self.board = moved;
        self.moves += 1;
        self.spawn();
    }

    /// Replaces the position, for a published program whose search changes its board. `board` must be reachable
    /// from the current position by moves and random 2s.
    pub fn replace_board(&mut self, board: Board) {
        self.board = board;
    }

    /// The record of a game that a kernel has played. The game must never have had two tiles of the largest
    /// rank.
    pub fn record_of(
        board: Board,
        spawned_fours: u64,
        moves: u32,
        seed: u64,
        leaf_evaluations: u64,
    ) -> GameRecord {
        GameRecord {
            seed,
            result: GameResult::Score {
                score: board.points_of_tiles() - 4 * spawned_fours,
                max_tile: Some(1 << board.max_rank()),
                capped: false,
            },
            moves,
            leaf_evaluations,
        }
    }

    /// The record of the game so far.
    pub fn record(&self, seed: u64, leaf_evaluations: u64) -> GameRecord {
        GameRecord {
            seed,
            result: GameResult::Score {
                score: self.score(),
                max_tile: Some(1 << self.board.max_rank()),
                capped: self.capped || self.board.is_capped(),
            },
            moves: self.moves,
            leaf_evaluations,
        }
    }

    #[inline(always)]
    fn spawn(&mut self) {
        let (board, unearned) = self.rules.with_spawn(self.board, &mut self.rng);
        self.board = board;
        self.unearned += unearned;
    }
}

impl<R: Rules> SinglePlayerGame for Game<R> {
    type Position = R::Position;
    type Move = Direction;

    fn position(&self) -> R::Position {
        self.rules.position(self.board)
    }

    #[inline]
    fn play(&mut self, direction: Direction) -> bool {
        Game::play(self, direction)
    }

    /// The points count from the given board on.
    fn continue_from(&mut self, position: R::Position) -> bool {
        self.board = position.board();
        self.unearned = self.board.points_of_tiles();
        true
    }

    fn record(&self, seed: u64, leaf_evaluations: u64) -> GameRecord {
        Game::record(self, seed, leaf_evaluations)
    }
}

/// Plays the game of `seed` to its end. Returns `None` if `stop` is requested before the end.
///
/// # Panics
/// Like [`play_out`].
pub fn play(
    seed: u64,
    spawns: Spawns,
    policy: &mut impl Policy<Board, Direction>,
    stop: Stop,
) -> Option<GameRecord> {
    play_out(Game::new(seed, spawns), seed, policy, stop)
}

/// Number of games that [`play_many`] interleaves. It lets the processor work on one game while others wait for
/// table entries from memory.
const INTERLEAVED: usize = 6;

/// Plays the games of `seeds` and returns their records in the order of the seeds. Returns `None` if `stop` is
/// requested before all of them have ended. Games are interleaved: a few are in progress at a time, each with a
/// separate player. A game does not depend on the others.
///
/// # Panics
/// If a player returns the unchanged board, which is an error in its code.
pub fn play_many<R: Rules, M: Mover>(
    seeds: &[u64],
    rules: R,
    player: impl Fn(u64) -> M,
    stop: Stop,
) -> Option<Vec<GameRecord>> {
    let mut records = vec![None; seeds.len()];
    let mut waiting = seeds.iter().enumerate();
    let mut start = || {
        let (index, &seed) = waiting.next()?;
        Some((index, Game::of(seed, rules), player(seed)))
    };
    let mut running: Vec<_> = std::iter::from_fn(&mut start).take(INTERLEAVED).collect();
    while !running.is_empty() {
        running.retain_mut(|playing| {
            let (index, game, player) = playing;
            if let Some(moved) = player.next(game.board) {
                assert!(moved != game.board, "an illegal move on {moved:?}");
                game.advance(moved);
                return true;
            }
            records[*index] = Some(game.record(seeds[*index], player.leaf_evaluations()));
            start().map(|next| *playing = next).is_some()
        });
        // Check for a stop once for each move of all running games.
        if stop.is_requested() {
            return None;
        }
    }
    Some(records.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sliding::Geometry;
    use crate::games::sliding::rows::MAX_RANK;
    use crate::games::twenty48::rules::variation::Variation;

    #[test]
    fn the_score_is_the_sum_of_the_merges() {
        for seed in 0..200 {
            let mut game = Game::new(seed, Spawns::TwosAndFours);
            let mut rng = GameRng::new(!seed);
            let mut points = 0;
            assert_eq!(16 - game.board().empty_cells(), 2);
            while !game.board().is_over() {
                let direction = Direction::ALL[rng.below(4) as usize];
                let gained = game.board().points_of(direction);
                if game.play(direction) {
                    points += u64::from(gained);
                }
                assert_eq!(game.score(), points);
            }
        }
    }

    #[test]
    fn the_score_of_a_variation_is_the_sum_of_its_merges() {
        for (board, spawn, first) in [
            ("3x3", "2:0.9,4:0.1", 2),
            ("2x4", "4:0.5,8:0.25,32:0.25", 3),
            ("4x4", "2:1", 1),
        ] {
            let shape = board.parse().unwrap();
            let rules = Variation::new(shape, spawn.parse().unwrap(), first);
            for seed in 0..100 {
                let mut game = Game::of(seed, rules);
                let mut rng = GameRng::new(!seed);
                let mut points = 0;
                let tiles = shape.number_of_cells() as u32 - rules.empty_cells(game.board());
                assert_eq!(tiles, first);
                let is_over = |board| rules.all_moved(board).iter().all(|&moved| moved == board);
                while !is_over(game.board()) {
                    let direction = Direction::ALL[rng.below(4) as usize];
                    let gained = game.board().points_of(direction);
                    if game.play(direction) {
                        points += u64::from(gained);
                    }
                    assert_eq!(game.score(), points);
                }
                assert_eq!(game.board().0 & !shape.mask(), 0);
            }
        }
    }

    #[test]
    fn a_game_at_the_cap_is_marked_and_never_claims_another_board() {
        let start = Board::from_ranks([15, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(start.moved(Direction::Left), start, "nothing to merge");
        let mut game = Game::new(0, Spawns::TwosAndFours);
        game.board = start;
        assert!(game.play(Direction::Right));
        assert!(game.capped);
        assert_eq!(game.board().max_rank(), MAX_RANK);
        let apart = Board::from_ranks([15, 1, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert!(!apart.is_capped());
    }

    #[test]
    fn where_only_twos_appear_no_four_does() {
        for seed in 0..50 {
            let mut game = Game::new(seed, Spawns::OnlyTwos);
            for turn in 0..20 {
                game.play(Direction::ALL[turn % 4]);
            }
            assert_eq!(game.unearned, 0);
        }
    }
}
