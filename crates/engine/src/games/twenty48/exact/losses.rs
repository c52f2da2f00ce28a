//! Where a player loses against perfect play: by situation and by position.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::grid::Grid;
use super::moves::Shares;
use super::problem::Problem;
use super::solution::{Above, values_of_moves};
use crate::games::sliding::{Board, Direction, Shape, first_best};
use crate::games::twenty48::rules::SizedBoard;
use crate::player::exact::{Losses, PositionLoss, SituationLoss};

/// Number of positions that are listed.
const LISTED: usize = 20;

/// A smaller loss comes from rounding: values are sums of numbers of 53 bits.
const ROUNDING: f64 = 1e-9;

/// Number of empty cells, and whether a largest tile is in a corner.
type Situation = (u32, bool);

#[derive(Clone, Copy, Default)]
struct Sum {
    moves: f64,
    points: f64,
}

/// The loss in a position, or in all images of it.
#[derive(Clone, Copy)]
struct Found {
    canonical: u64,
    board: Board,
    visits: f64,
    chosen: Direction,
    best: Direction,
    points: f64,
}

/// The losses in a part of a layer.
#[derive(Default)]
pub(super) struct LossesOfPart {
    situations: BTreeMap<Situation, Sum>,
    found: Vec<Found>,
}

impl LossesOfPart {
    /// Adds a position to which a game comes `visits` times on average.
    pub(super) fn add<const ROWS: usize, const COLUMNS: usize>(
        &mut self,
        problem: &Problem,
        board: Board,
        visits: f64,
        shares: Shares,
        above: &Above,
    ) {
        let values = values_of_moves::<ROWS, COLUMNS>(problem, board, above);
        let (Some(best), Some(chosen)) = (first_best(values), most_likely(shares)) else {
            return;
        };
        let value = |of: Direction| values[of as usize].unwrap_or_default();
        let mean: f64 = (shares.iter().zip(values))
            .map(|(share, value)| share * value.unwrap_or_default())
            .sum();
        let loss = value(best) - mean;
        let empty = Grid::<ROWS, COLUMNS>::empty_mask(board.0).count_ones();
        let in_corner = board.largest().1 & problem.shape.corners() != 0;
        let situation = self.situations.entry((empty, in_corner)).or_default();
        situation.moves += visits;
        situation.points += visits * loss;
        if loss > ROUNDING {
            self.found.push(Found {
                canonical: Grid::<ROWS, COLUMNS>::canonical(board.0),
                board,
                visits,
                chosen,
                best,
                points: visits * loss,
            });
        }
    }
}

/// The move with the largest share; of equal ones the first.
fn most_likely(shares: Shares) -> Option<Direction> {
    first_best(shares.map(|share| Some(share).filter(|share| *share > 0.0)))
}

/// The losses of the layers so far.
#[derive(Default)]
pub(super) struct Collected {
    situations: BTreeMap<Situation, Sum>,
    layer: Vec<Found>,
    largest: Vec<Found>,
}

impl Collected {
    pub(super) fn add(&mut self, part: LossesOfPart) {
        for (situation, sum) in part.situations {
            let all = self.situations.entry(situation).or_default();
            all.moves += sum.moves;
            all.points += sum.points;
        }
        self.layer.extend(part.found);
    }

    /// Adds up the images of the positions of a layer; keeps those with the largest losses of all layers.
    pub(super) fn end_layer(&mut self) {
        let mut layer = std::mem::take(&mut self.layer);
        layer.sort_by_key(|found| found.canonical);
        for images in layer.chunk_by(|one, other| one.canonical == other.canonical) {
            let more = |one: &&Found, other: &&Found| one.points.total_cmp(&other.points);
            let Some(mut all) = images.iter().max_by(more).copied() else {
                continue;
            };
            all.visits = images.iter().map(|image| image.visits).sum();
            all.points = images.iter().map(|image| image.points).sum();
            self.largest.push(all);
        }
        self.largest
            .sort_by(|one, other| other.points.total_cmp(&one.points));
        self.largest.truncate(LISTED);
    }

    pub(super) fn result(self, shape: Shape) -> Losses {
        let situations = self.situations.into_iter();
        let situation = |((empty_cells, largest_in_corner), sum): (Situation, Sum)| SituationLoss {
            empty_cells,
            largest_in_corner,
            moves: sum.moves,
            points: sum.points,
        };
        let mut situations: Vec<SituationLoss> = situations.map(situation).collect();
        situations.sort_by(|one, other| other.points.total_cmp(&one.points));
        let position = |found: Found| PositionLoss {
            position: Arc::new(SizedBoard {
                shape,
                board: found.board,
            }),
            visits: found.visits,
            chosen: found.chosen.to_string(),
            best: found.best.to_string(),
            loss: found.points / found.visits,
            points: found.points,
        };
        Losses {
            points: situations.iter().map(|of| of.points).sum(),
            situations,
            positions: self.largest.into_iter().map(position).collect(),
        }
    }
}
