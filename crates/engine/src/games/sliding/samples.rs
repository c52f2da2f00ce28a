//! Heuristics for tests.

use crate::games::sliding::board_terms::{BoardTerm, CORNER, EDGE, MAX_TILE};
use crate::games::sliding::heuristic::{Exact, Heuristic};
use crate::games::sliding::language::Definition;
use crate::games::sliding::line_tables::{AxisValues, LineValues};
use crate::games::sliding::rows::LINES;
use crate::games::sliding::shape::Shape;
use crate::heuristic::weights::Weights;
use crate::random::GameRng;

/// Four separate line tables with random values from -50,000 to 100,000 points.
pub(crate) fn random_lines(seed: u64) -> LineValues {
    let mut rng = GameRng::new(seed);
    let mut table = || {
        (0..LINES)
            .map(|_| f64::from(rng.below(150_001)) - 5e4)
            .collect()
    };
    LineValues::Anchored([table(), table(), table(), table()])
}

/// Separate line tables for rows and columns, with random values: eight, or fewer with equal ones.
fn random_lines_by_axis(seed: u64) -> LineValues {
    let [
        LineValues::Anchored(rows),
        LineValues::Anchored(mut columns),
    ] = [seed, seed + 100].map(random_lines)
    else {
        unreachable!("four tables each")
    };
    if seed.is_multiple_of(2) {
        columns[2] = columns[0].clone();
        columns[3] = columns[0].clone();
    }
    let axis = |tables: [Vec<f64>; 4]| AxisValues {
        tables: tables.into(),
        by_place: [0, 1, 2, 3].map(Some),
    };
    LineValues::ByAxis([axis(rows), axis(columns)])
}

/// Two heuristics with separate values for rows and columns: one without board terms, one with the three terms of
/// the largest tile.
pub(crate) fn heuristics_by_axis() -> [Heuristic; 2] {
    let largest = [(&MAX_TILE, 700.0), (&EDGE, 900.0), (&CORNER, 1500.0)];
    [vec![], largest.to_vec()].map(|board_terms| {
        Heuristic::from_exact(&Exact {
            lines: random_lines_by_axis(1 + board_terms.len() as u64),
            board_terms,
            whole: None,
            shape: Shape::STANDARD,
        })
    })
}

/// Two anchored heuristics with random line values: one without board terms, one with the three terms of the
/// largest tile.
pub(crate) fn anchored_heuristics() -> [Heuristic; 2] {
    let largest = [(&MAX_TILE, 700.0), (&EDGE, 900.0), (&CORNER, 1500.0)];
    [vec![], largest.to_vec()].map(|board_terms| {
        Heuristic::from_exact(&Exact {
            lines: random_lines(1 + board_terms.len() as u64),
            board_terms,
            whole: None,
            shape: Shape::STANDARD,
        })
    })
}

/// Heuristics with terms of the whole board: sums only; and many sums, extreme values and a board term of the game.
pub(crate) fn heuristics_of_the_board() -> [Heuristic; 2] {
    static BOARDS: &[BoardTerm] = &[CORNER];
    let penalty = "
        about = 'a test'
        [[term]]
        name = 'penalty'
        doc = 'constant'
        value = '1'
        weight = { default = 100, min = 0, max = 1000 }
        ";
    let sums = "
        [[board_term]]
        name = 'order'
        doc = 'the better direction of rows and of columns'
        value = '-min(row_rises, row_falls) - min(column_rises, column_falls) * 0.75 + ln(max(gaps, 1))'
        weight = { default = 2.5, min = 0, max = 9 }
        sums.row_rises = { lines = 'rows', value = 'sum(pairs, max(b - a, 0)^1.5)' }
        sums.row_falls = { lines = 'rows', value = 'sum(pairs, max(a - b, 0)^1.5)' }
        sums.column_rises = { lines = 'columns', value = 'sum(pairs, max(b - a, 0))' }
        sums.column_falls = { lines = 'columns', value = 'sum(pairs, max(a - b, 0))' }
        sums.gaps = { lines = 'rows', value = 'count(cells where r == 0)' }
        ";
    let many = "
        [[term]]
        name = 'snake'
        doc = 'best image'
        matrix = [[9, 8, 7, 6], [2, 3, 4, 5], [1, 0, 0, 0], [0, 0, 0, 0]]
        images = 'best'
        value = '2^r'
        weight = { default = 0.125, min = 0, max = 9 }
        [[board_term]]
        name = 'extremes'
        doc = 'largest tile and worst line'
        value = 'if(largest - worst > 3, largest * worst, largest / max(total, 1))'
        weight = { default = 7.3, min = 0, max = 9 }
        sums.total = { lines = 'inner', value = 'sum(cells, r * i)' }
        maxima.largest = 'max(cells, r)'
        minima.worst = { lines = 'columns', value = '-sum(tile_pairs, abs(a - b))' }
        ";
    let texts = [
        format!("{penalty}{sums}"),
        format!("boards = ['corner']\n{penalty}{many}"),
    ];
    texts.map(|text| {
        let definition = Definition::read(&text.parse().unwrap(), BOARDS).unwrap();
        let weights = if definition.boards.is_empty() {
            Weights::default()
        } else {
            let corner = Weights::default().with([("corner", 3.0)], definition.parameters());
            corner.unwrap()
        };
        Heuristic::new(&definition, &weights).unwrap()
    })
}
