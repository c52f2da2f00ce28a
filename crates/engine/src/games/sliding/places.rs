//! Where on a board each heuristic term gives its points: by line and by cell. It is only for display; searches use
//! [`crate::games::sliding::heuristic`].
//!
//! The points of a line are those of the terms themselves. A cell gets its share of the two lines through it, by the
//! value of Shapley (1953): put the tiles of the line on the empty line one after the other; the share of a tile is what
//! it adds, on average over all orders. What the empty line already has is divided equally among its cells. So the cells
//! of a line add up to the line, and a term that is a sum over cells gives each cell its own summand.

use crate::games::sliding::Definition;
use crate::games::sliding::board::{Board, Direction};
use crate::games::sliding::board_terms::{BoardMeasure, BoardTerm};
use crate::games::sliding::language::{Term, WholeTerm};
use crate::games::sliding::line_tables::{LinePlace, ROWS};
use crate::games::sliding::shape::Shape;
use crate::heuristic::weights::Weights;
use crate::player::{LinePoints, TermPlaces};

/// A board and its size.
#[derive(Clone, Copy)]
pub struct BoardOf {
    /// Number of rows and columns.
    pub shape: Shape,
    /// The tiles.
    pub board: Board,
}

/// Largest number of cells of a line.
const SIDE: usize = 4;

/// The places of each term that is on, in the order of the heuristic, and their board: the given one, or that after a
/// legal move by its name. `None` if the move is not legal. `moved` returns `None` for an illegal move.
pub fn of_terms(
    definition: &Definition,
    weights: &Weights,
    on: BoardOf,
    after: Option<&str>,
    moved: impl Fn(Direction) -> Option<Board>,
) -> Option<(Board, Vec<TermPlaces>)> {
    let board = match after {
        None => on.board,
        Some(name) => {
            let mut directions = Direction::ALL.into_iter();
            moved(directions.find(|direction| direction.name() == name)?)?
        }
    };
    let on = BoardOf { board, ..on };
    let lines = definition.terms.iter().filter(|term| term.is_on(weights));
    let lines = lines.map(|term| of_lines(definition, weights, term, on));
    let whole = definition.whole_terms.iter();
    let whole = whole.filter(|term| term.is_on(weights));
    let whole = whole.map(|term| of_whole(definition, weights, term, on));
    let boards = definition.boards.iter();
    let boards = boards.filter_map(|term| of_board(weights, term, on));
    Some((board, lines.chain(whole).chain(boards).collect()))
}

/// The cells of a line in reading order of the board. Each line begins at row 0 or column 0.
fn cells_of(shape: Shape, place: LinePlace) -> impl Iterator<Item = usize> {
    (0..place.length).map(move |at| {
        if place.axis == ROWS {
            shape.columns() * place.index + at
        } else {
            shape.columns() * at + place.index
        }
    })
}

fn of_lines(definition: &Definition, weights: &Weights, term: &Term, on: BoardOf) -> TermPlaces {
    let boards = [on.board, on.board.transpose()];
    let mut cells = vec![0.0; on.shape.number_of_cells()];
    let of_line = |place: LinePlace| {
        let line = boards[place.axis].row(place.index);
        let value = |line| definition.contribution(term, place, line, weights);
        let places: Vec<usize> = cells_of(on.shape, place).collect();
        for (&cell, share) in places.iter().zip(shares(value, line, place.length)) {
            cells[cell] += share;
        }
        LinePoints {
            cells: places,
            points: value(line),
        }
    };
    let lines = LinePlace::all(on.shape).map(of_line).collect();
    TermPlaces {
        term: term.name.clone(),
        lines,
        cells,
        board: 0.0,
    }
}

/// The share of each cell in the value of a line of `length` cells.
fn shares(value: impl Fn(u16) -> f64, line: u16, length: usize) -> [f64; SIDE] {
    // The value of the tiles of each set of cells; the others are empty.
    let of_set: [f64; 1 << SIDE] = std::array::from_fn(|set| {
        let kept = |cell| (set as u16 >> cell & 1) * (0xFu16 << (4 * cell));
        value(line & (0..SIDE).map(kept).sum::<u16>())
    });
    let tiles: Vec<usize> = (0..SIDE)
        .filter(|cell| line >> (4 * cell) & 0xF != 0)
        .collect();
    let mut shares = [of_set[0] / length as f64; SIDE];
    for &tile in &tiles {
        let others: Vec<usize> = tiles
            .iter()
            .copied()
            .filter(|&other| other != tile)
            .collect();
        for chosen in 0..1usize << others.len() {
            let before = others.iter().enumerate();
            let before = before.map(|(at, &other)| (chosen >> at & 1) << other);
            let before: usize = before.sum();
            let added = of_set[before | 1 << tile] - of_set[before];
            shares[tile] += added * share_of_orders(chosen.count_ones() as usize, tiles.len());
        }
    }
    shares
}

/// The share of all orders of `all` tiles in which exactly a given set of `before` tiles comes before a given tile.
fn share_of_orders(before: usize, all: usize) -> f64 {
    let factorial = |number: usize| (1..=number).product::<usize>() as f64;
    factorial(before) * factorial(all - before - 1) / factorial(all)
}

/// The places of a term of the whole board; `None` if its weight is 0. A term of the largest tile belongs to the cells
/// of this tile; others belong to no cell.
fn of_board(weights: &Weights, term: &BoardTerm, on: BoardOf) -> Option<TermPlaces> {
    let (board, inside) = (on.board, term.measure.cells(on.shape));
    let weight = weights.get(term.name).unwrap_or(term.weight.default);
    let points = weight * f64::from(term.measure.of(board, inside));
    let is_largest = |&(_, cell): &(usize, usize)| {
        inside >> (4 * cell) & 1 == 1 && board.ranks()[cell] == board.max_rank()
    };
    let places: Vec<usize> = match term.measure {
        BoardMeasure::LargestTile(_) => {
            let cells = on.shape.cells().enumerate().filter(is_largest);
            cells.map(|(at, _)| at).collect()
        }
        BoardMeasure::Other(_) => Vec::new(),
    };
    let mut cells = vec![0.0; on.shape.number_of_cells()];
    for &cell in &places {
        cells[cell] = points / places.len() as f64;
    }
    (weight != 0.0).then(|| TermPlaces {
        term: term.name.to_owned(),
        lines: Vec::new(),
        cells,
        board: points,
    })
}

/// A term of the whole board from a file: its points belong to no cell.
fn of_whole(
    definition: &Definition,
    weights: &Weights,
    term: &WholeTerm,
    on: BoardOf,
) -> TermPlaces {
    TermPlaces {
        term: term.name.clone(),
        lines: Vec::new(),
        cells: vec![0.0; on.shape.number_of_cells()],
        board: definition.whole_contribution(term, weights, on.shape, on.board),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::heuristic::{TERMS, parameters};
    use crate::games::twenty48::rules::samples::boards;
    use proptest::prelude::*;

    /// All orders of the elements.
    fn orders(of: &[usize]) -> Vec<Vec<usize>> {
        if of.is_empty() {
            return vec![Vec::new()];
        }
        let begin = |&first: &usize| {
            let rest: Vec<usize> = of.iter().copied().filter(|&other| other != first).collect();
            let rest = orders(&rest).into_iter();
            rest.map(move |rest| [vec![first], rest].concat())
        };
        of.iter().flat_map(begin).collect()
    }

    /// The definition: what each tile adds, averaged over all orders.
    fn slow_shares(value: impl Fn(u16) -> f64, line: u16) -> [f64; SIDE] {
        let tiles: Vec<usize> = (0..SIDE)
            .filter(|cell| line >> (4 * cell) & 0xF != 0)
            .collect();
        let orders = orders(&tiles);
        let mut shares = [value(0) / SIDE as f64; SIDE];
        for order in &orders {
            let mut placed = 0;
            for &tile in order {
                let with = placed | line & 0xF << (4 * tile);
                shares[tile] += (value(with) - value(placed)) / orders.len() as f64;
                placed = with;
            }
        }
        shares
    }

    proptest! {
        #[test]
        fn shares_are_means_over_all_orders(line: u16, factor in 1u64..1000) {
            // Any function of lines does.
            let value = |line: u16| (u64::from(line).wrapping_mul(factor * 7919) % 1009) as f64;
            let (fast, slow) = (shares(value, line, SIDE), slow_shares(value, line));
            for (fast, slow) in fast.into_iter().zip(slow) {
                prop_assert!((fast - slow).abs() < 1e-9, "{fast} {slow}");
            }
            prop_assert!((fast.iter().sum::<f64>() - value(line)).abs() < 1e-9);
        }
    }

    #[test]
    fn places_add_up_to_the_contributions_of_the_terms() {
        let changes = [("smoothness", 30.0), ("corner", 500.0), ("edge", 70.0)];
        let weights = Weights::default().with(changes, &parameters()).unwrap();
        for board in boards(40) {
            let shape = [Shape::STANDARD, "3x4".parse().unwrap()][usize::from(board.0 % 2 == 1)];
            let board = Board(board.0 & shape.mask());
            let on = BoardOf { shape, board };
            let (_, places) = of_terms(&TERMS, &weights, on, None, |_| None).unwrap();
            let expected = TERMS.contributions(&weights, shape, board);
            assert_eq!(places.len(), expected.len());
            for (found, (name, points)) in places.iter().zip(expected) {
                assert_eq!(found.term, name);
                let lines: f64 = found.lines.iter().map(|line| line.points).sum();
                let cells: f64 = found.cells.iter().sum();
                let slack = 1e-9 * points.abs().max(1.0);
                assert!((lines + found.board - points).abs() <= slack, "{name}");
                assert!((cells - points).abs() <= slack, "{name}");
            }
        }
    }

    #[test]
    fn a_sum_over_cells_gives_each_cell_its_own_summand() {
        let board = Board::from_ranks([3, 0, 0, 2, 0, 5, 0, 0, 0, 0, 0, 0, 1, 0, 0, 9]);
        let changes = [("rank_sum", 1.0), ("rank_sum_power", 1.0), ("empty", 10.0)];
        let weights = Weights::default().with(changes, &parameters()).unwrap();
        let shape = Shape::STANDARD;
        let on = BoardOf { shape, board };
        let (_, places) = of_terms(&TERMS, &weights, on, None, |_| None).unwrap();
        let of = |name: &str| &places.iter().find(|one| one.term == name).unwrap().cells;
        for (cell, rank) in board.ranks().into_iter().enumerate() {
            // Two lines run through each cell.
            assert!((of("rank_sum")[cell] + 2.0 * f64::from(rank)).abs() < 1e-9);
            let expected = if rank == 0 { 20.0 } else { 0.0 };
            assert!((of("empty")[cell] - expected).abs() < 1e-9);
        }
        let after = |name| of_terms(&TERMS, &weights, on, Some(name), |_| None);
        assert!(after("up").is_none() && after("sideways").is_none());
    }
}
