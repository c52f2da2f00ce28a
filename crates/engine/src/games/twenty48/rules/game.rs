//! A game of 2048, from the start position of its seed to its record.

use crate::games::twenty48::rules::{Board, Direction};
use crate::player::single_player::{Policy, SinglePlayerGame, play_out};
use crate::random::GameRng;
use crate::record::{GameRecord, GameResult};
use crate::stop::Stop;

/// Probability that a random tile is a 4, in games with 4s.
pub const FOUR_PROBABILITY: f64 = 0.1;

/// The random tiles that appear in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spawns {
    /// A 2, or a 4 with probability [`FOUR_PROBABILITY`]: the rule of 2048.
    #[default]
    TwosAndFours,
    /// Always a 2.
    OnlyTwos,
}

impl Spawns {
    /// A random tile is a 4 if its 32 random bits are below this number.
    pub fn four_below(self) -> u64 {
        match self {
            Spawns::TwosAndFours => (FOUR_PROBABILITY * 4_294_967_296.0) as u64,
            Spawns::OnlyTwos => 0,
        }
    }
}

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
#[derive(Clone, Debug)]
pub struct Game {
    board: Board,
    rng: GameRng,
    spawns: Spawns,
    /// Number of random 4s. The tiles of a board from which a game continues count as made of random 4s, so that
    /// they give no points.
    spawned_fours: u64,
    moves: u32,
    capped: bool,
}

impl Game {
    /// The start position of the game of `seed`: two random tiles.
    pub fn new(seed: u64, spawns: Spawns) -> Self {
        let mut game = Game {
            board: Board::default(),
            rng: GameRng::new(seed),
            spawns,
            spawned_fours: 0,
            moves: 0,
            capped: false,
        };
        game.spawn();
        game.spawn();
        game
    }

    /// The current board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Points so far: the sum of all tiles created by merges.
    pub fn score(&self) -> u64 {
        self.board.points_of_tiles() - 4 * self.spawned_fours
    }

    /// Makes a move and adds a random tile. Returns `false` and changes nothing if the move is illegal.
    #[inline]
    pub fn play(&mut self, direction: Direction) -> bool {
        let moved = self.board.moved(direction);
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

    /// The generator of its random tiles, and the number of random 4s so far.
    pub fn spawns(&self) -> (&GameRng, u64) {
        (&self.rng, self.spawned_fours)
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
        let (board, is_four) = self
            .board
            .with_spawn(&mut self.rng, self.spawns.four_below());
        self.board = board;
        self.spawned_fours += u64::from(is_four);
    }
}

impl SinglePlayerGame for Game {
    type Position = Board;
    type Move = Direction;

    fn position(&self) -> Board {
        self.board
    }

    #[inline]
    fn play(&mut self, direction: Direction) -> bool {
        Game::play(self, direction)
    }

    /// The points count from the given board on.
    fn continue_from(&mut self, board: Board) -> bool {
        self.board = board;
        self.spawned_fours = board.points_of_tiles() / 4;
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
pub fn play_many<M: Mover>(
    seeds: &[u64],
    spawns: Spawns,
    player: impl Fn(u64) -> M,
    stop: Stop,
) -> Option<Vec<GameRecord>> {
    let mut records = vec![None; seeds.len()];
    let mut waiting = seeds.iter().enumerate();
    let mut start = || {
        let (index, &seed) = waiting.next()?;
        Some((index, Game::new(seed, spawns), player(seed)))
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
    use crate::games::sliding::rows::MAX_RANK;

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
            assert_eq!(game.spawned_fours, 0);
        }
    }
}
