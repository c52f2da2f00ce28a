//! The rules of a game as a type: [`Usual`] for 2048, and [`Variation`] for other boards and other random tiles.
//! Games and searches are compiled for each, so that 2048 loses nothing to the variations.

use crate::games::sliding::{AnySize, Geometry, RowTable, Shape, board::cell_by};
use crate::games::twenty48::rules::slide::{rows, slides};
use crate::games::twenty48::rules::spawn::Spawn;
use crate::games::twenty48::rules::view::SizedBoard;
use crate::games::twenty48::rules::{Board, Direction};
use crate::player::position::{Position, PositionError, downcast};
use crate::random::GameRng;

/// Probability that a random tile is a 4, in games with 4s.
pub const FOUR_PROBABILITY: f64 = 0.1;

/// The random tiles that appear in a game on the usual board.
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

/// A position of a game, which has a board.
pub trait OnBoard: Position + Copy + PartialEq {
    /// The board.
    fn board(self) -> Board;
}

impl OnBoard for Board {
    fn board(self) -> Board {
        self
    }
}

impl OnBoard for SizedBoard {
    fn board(self) -> Board {
        self.board
    }
}

/// The rules of a game: the board and its slides, and the random tiles.
pub trait Rules: Geometry {
    /// A position of a game with these rules.
    type Position: OnBoard;

    /// The random tiles in the order of their ranks, each as its rank and its weight.
    fn tiles(&self) -> impl IntoIterator<Item = (u16, i64)> + Clone;

    /// The sum of the weights of all random tiles.
    fn total(&self) -> u32;

    /// Number of random tiles at the start.
    fn first_tiles(&self) -> u32;

    /// The size of the board.
    fn shape(&self) -> Shape;

    /// True if these are the rules of 2048, for which there are vector kernels.
    fn is_usual(&self) -> bool;

    /// The board after a random tile, and the points that merges would have given for this tile. A tile uses 64
    /// random bits: the upper half chooses the empty cell, the lower half the tile. The board must not be full.
    fn with_spawn(&self, board: Board, rng: &mut GameRng) -> (Board, u64);

    /// The position of a board.
    fn position(&self, board: Board) -> Self::Position;

    /// The position of a game with these rules.
    ///
    /// # Errors
    /// If the position belongs to another game or to a board of another size.
    fn own_position(&self, position: &dyn Position) -> Result<Self::Position, PositionError> {
        let (shape, board) = match downcast::<SizedBoard>(position) {
            Ok(sized) => (sized.shape, sized.board),
            Err(_) => (Shape::STANDARD, *downcast::<Board>(position)?),
        };
        if shape == self.shape() {
            return Ok(self.position(board));
        }
        let own = self.shape();
        let message = format!("this is a board of {shape}, and the player plays on {own}");
        Err(PositionError(message))
    }

    /// The probabilities of the random tiles.
    fn probabilities(&self) -> impl Iterator<Item = f64> + Clone {
        let total = f64::from(self.total());
        let tiles: Vec<(u16, i64)> = self.tiles().into_iter().collect();
        tiles
            .into_iter()
            .map(move |(_, weight)| weight as f64 / total)
    }

    /// The board after a move, before a tile appears; it equals `board` if the move is illegal.
    #[inline(always)]
    fn moved(&self, board: Board, direction: Direction) -> Board {
        let slides = match direction {
            Direction::Left | Direction::Right => self.rows(),
            Direction::Up | Direction::Down => self.columns(),
        };
        board.moved_by(slides, direction)
    }
}

/// The rules of 2048, or the same without 4s: 4x4 cells, two tiles at the start.
#[derive(Clone, Copy)]
pub struct Usual {
    slides: &'static RowTable,
    spawns: Spawns,
}

impl From<Spawns> for Usual {
    fn from(spawns: Spawns) -> Self {
        let slides = rows();
        Usual { slides, spawns }
    }
}

impl Default for Usual {
    fn default() -> Self {
        Spawns::default().into()
    }
}

impl Usual {
    /// The random tiles.
    pub fn spawns(&self) -> Spawns {
        self.spawns
    }
}

impl Geometry for Usual {
    #[inline(always)]
    fn rows(&self) -> &'static RowTable {
        self.slides
    }

    #[inline(always)]
    fn columns(&self) -> &'static RowTable {
        self.slides
    }

    #[inline(always)]
    fn empty_mask(&self, board: Board) -> u64 {
        board.empty_mask()
    }
}

impl Rules for Usual {
    type Position = Board;

    /// Searches know the tiles of 2048 only.
    #[inline(always)]
    fn tiles(&self) -> impl IntoIterator<Item = (u16, i64)> + Clone {
        [(1, 9), (2, 1)]
    }

    #[inline(always)]
    fn total(&self) -> u32 {
        10
    }

    fn first_tiles(&self) -> u32 {
        2
    }

    fn shape(&self) -> Shape {
        Shape::STANDARD
    }

    fn is_usual(&self) -> bool {
        self.spawns == Spawns::TwosAndFours
    }

    #[inline(always)]
    fn with_spawn(&self, board: Board, rng: &mut GameRng) -> (Board, u64) {
        let (board, is_four) = board.with_spawn(rng, self.spawns.four_below());
        (board, points_of_rank(2) * u64::from(is_four))
    }

    #[inline(always)]
    fn position(&self, board: Board) -> Board {
        board
    }
}

/// The rules of a variation: a board of any size, any random tiles, any number of tiles at the start.
#[derive(Clone, Copy)]
pub struct Variation {
    shape: Shape,
    cells: AnySize,
    spawn: Spawn,
    first_tiles: u32,
}

impl Variation {
    /// Number of random tiles at the start of 2048.
    pub const USUAL_FIRST_TILES: u32 = 2;

    /// The rules of a variation. The board must have at least `first_tiles` cells.
    pub fn new(shape: Shape, spawn: Spawn, first_tiles: u32) -> Self {
        debug_assert!(first_tiles as usize <= shape.number_of_cells());
        Variation {
            shape,
            cells: AnySize::new(shape, slides),
            spawn,
            first_tiles,
        }
    }

    /// The random tiles.
    pub fn spawn(&self) -> &Spawn {
        &self.spawn
    }
}

impl Geometry for Variation {
    #[inline(always)]
    fn rows(&self) -> &'static RowTable {
        self.cells.rows()
    }

    #[inline(always)]
    fn columns(&self) -> &'static RowTable {
        self.cells.columns()
    }

    #[inline(always)]
    fn empty_mask(&self, board: Board) -> u64 {
        self.cells.empty_mask(board)
    }
}

impl Rules for Variation {
    type Position = SizedBoard;

    #[inline(always)]
    fn tiles(&self) -> impl IntoIterator<Item = (u16, i64)> + Clone {
        let tiles = self.spawn.tiles().iter();
        tiles.map(|tile| (tile.rank.into(), tile.weight.into()))
    }

    #[inline(always)]
    fn total(&self) -> u32 {
        self.spawn.total()
    }

    fn first_tiles(&self) -> u32 {
        self.first_tiles
    }

    fn shape(&self) -> Shape {
        self.shape
    }

    fn is_usual(&self) -> bool {
        self.shape == Shape::STANDARD
            && self.spawn == Spawn::USUAL
            && self.first_tiles == Self::USUAL_FIRST_TILES
    }

    #[inline(always)]
    fn with_spawn(&self, board: Board, rng: &mut GameRng) -> (Board, u64) {
        let bits = rng.bits();
        let empty = self.empty_mask(board);
        debug_assert!(empty != 0);
        let rank = self.spawn.rank(bits as u32);
        let board = Board(board.0 | (cell_by(empty, bits >> 32) * u64::from(rank)));
        (board, points_of_rank(rank))
    }

    fn position(&self, board: Board) -> SizedBoard {
        let shape = self.shape;
        SizedBoard { shape, board }
    }
}

/// The points of all merges that make a tile of this rank from 2s.
#[inline(always)]
pub(super) fn points_of_rank(rank: u8) -> u64 {
    u64::from(rank - 1) << rank
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::rules::slide;
    use crate::random::GameRng;

    /// The rule on a grid: row by row of ranks, without packing and tables.
    fn slow_moved(grid: &[Vec<u8>], direction: Direction) -> Vec<Vec<u8>> {
        let (rows, columns) = (grid.len(), grid[0].len());
        let is_horizontal = matches!(direction, Direction::Left | Direction::Right);
        let (count, length) = if is_horizontal {
            (rows, columns)
        } else {
            (columns, rows)
        };
        let mut after = vec![vec![0; columns]; rows];
        for line in 0..count {
            let cell = |step: usize| match direction {
                Direction::Left => (line, step),
                Direction::Right => (line, columns - 1 - step),
                Direction::Up => (step, line),
                Direction::Down => (rows - 1 - step, line),
            };
            let tiles: Vec<u8> = (0..length)
                .map(|step| grid[cell(step).0][cell(step).1])
                .collect();
            let mut padded = [0; 4];
            padded[..length].copy_from_slice(&tiles);
            for (step, rank) in slide(padded).line.into_iter().enumerate().take(length) {
                after[cell(step).0][cell(step).1] = rank;
            }
        }
        after
    }

    fn grid(shape: Shape, board: Board) -> Vec<Vec<u8>> {
        let ranks = board.ranks();
        let row = |row: usize| {
            (0..shape.columns())
                .map(|column| ranks[4 * row + column])
                .collect()
        };
        (0..shape.rows()).map(row).collect()
    }

    #[test]
    fn moves_on_every_board_follow_the_slow_rule() {
        let mut rng = GameRng::new(3);
        for shape in Shape::all() {
            let rules = Variation::new(shape, Spawn::USUAL, 2);
            for _ in 0..2000 {
                // Few different ranks, so that many tiles merge.
                let bits = rng.bits() & rng.bits();
                let board = Board(bits & 0x3333_3333_3333_3333 & shape.mask());
                let all = rules.all_moved(board);
                for (direction, moved) in Direction::ALL.into_iter().zip(all) {
                    assert_eq!(moved, rules.moved(board, direction));
                    assert_eq!(moved.0 & !shape.mask(), 0, "{shape} {board:?}");
                    let slow = slow_moved(&grid(shape, board), direction);
                    assert_eq!(grid(shape, moved), slow, "{shape} {direction} {board:?}");
                }
                let empty = shape
                    .cells()
                    .filter(|cell| board.0 >> (4 * cell) & 0xF == 0);
                assert_eq!(rules.empty_cells(board) as usize, empty.count());
            }
        }
    }

    #[test]
    fn the_usual_tiles_appear_as_in_2048() {
        let (usual, same) = (
            Usual::default(),
            Variation::new(Shape::STANDARD, Spawn::USUAL, 2),
        );
        assert!(same.is_usual());
        assert!(usual.tiles().into_iter().eq(same.tiles()));
        assert!(usual.probabilities().eq([0.9, 0.1]) && same.probabilities().eq([0.9, 0.1]));
        let (mut one, mut other) = (GameRng::new(5), GameRng::new(5));
        for board in crate::games::twenty48::rules::samples::boards(1000) {
            if board.empty_cells() > 0 {
                let expected = usual.with_spawn(board, &mut one);
                assert_eq!(same.with_spawn(board, &mut other), expected);
            }
        }
    }

    #[test]
    fn tiles_appear_in_all_cells_of_the_board_and_as_often_as_said() {
        let spawn: Spawn = "2:0.8,4:0.15,8:0.05".parse().unwrap();
        for text in ["2x3", "3x3", "4x2"] {
            let shape: Shape = text.parse().unwrap();
            let rules = Variation::new(shape, spawn, 2);
            let (mut rng, mut cells, mut ranks) = (GameRng::new(9), [0_u32; 16], [0_u32; 4]);
            let count = 20_000;
            for _ in 0..count {
                let (board, points) = rules.with_spawn(Board::default(), &mut rng);
                let cell = board.0.trailing_zeros() as usize / 4;
                let rank = board.ranks()[cell];
                assert_eq!(points, [0, 4, 16][usize::from(rank) - 1]);
                cells[cell] += 1;
                ranks[usize::from(rank)] += 1;
            }
            // The tolerance is five standard deviations.
            let near = |seen: u32, probability: f64| {
                let expected = f64::from(count) * probability;
                (f64::from(seen) - expected).abs() < 5.0 * expected.sqrt()
            };
            let number = shape.number_of_cells() as f64;
            assert!(
                shape.cells().all(|cell| near(cells[cell], 1.0 / number)),
                "{cells:?}"
            );
            let inside: u32 = shape.cells().map(|cell| cells[cell]).sum();
            assert_eq!(inside, count);
            assert!(near(ranks[1], 0.8) && near(ranks[2], 0.15) && near(ranks[3], 0.05));
        }
    }
}
