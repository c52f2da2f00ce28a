//! The exact result of a player whose moves depend on the position alone. No game is played: the probability of every
//! position that the player reaches follows from those with smaller sums of tiles.
//!
//! Positions are not merged with their images here, because equal moves are chosen by their direction. The result does
//! not depend on the number of threads: the parts of a layer and the order of all sums are fixed.

use std::collections::BTreeMap;

use super::grid::{Grid, sum_of_tiles};
use super::layers::{each_empty, in_fixed_parts};
use super::losses::{Collected, LossesOfPart};
use super::moves::{Shares, best_move, only};
use super::on_grid;
use super::problem::Problem;
use super::solution::{Above, Solution, Walk, values_of_moves};
use crate::games::sliding::{Board, Direction};
use crate::player::exact::{Losses, Phase, Progress, Work};

/// The exact result of a player.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The expected score.
    pub score: f64,
    /// The expected number of moves.
    pub moves: f64,
    /// Rank of the largest tile at the end -> its probability.
    pub largest: BTreeMap<u8, f64>,
    /// Number of positions that the player can reach, images counted separately.
    pub positions: u64,
    /// Where it loses against perfect play, if that was asked for.
    pub losses: Option<Losses>,
}

/// Positions with their probabilities, or boards after a move: sorted by key, each key once.
type Masses = Vec<(u32, f64)>;

/// What a part of a layer contributes.
#[derive(Default)]
struct OfPart {
    afters: Masses,
    score: f64,
    moves: f64,
    largest: [f64; 16],
    losses: LossesOfPart,
}

/// The exact result of a player on the board of a problem, whose goal does not matter. With a solution, the losses
/// against its perfect play are returned too. Returns `None` if a stop is requested, or if the file of the solution
/// cannot be read any more.
pub fn outcome(
    problem: &Problem,
    player: Player<'_>,
    against: Option<&Solution>,
    work: &Work,
) -> Option<Outcome> {
    on_grid!(problem, outcome_on(problem, player, against, work))
}

/// The shares of the moves of a player on a position.
pub type OnPosition<'a> = Box<dyn FnMut(Board) -> Shares + 'a>;

/// Who moves.
#[derive(Clone, Copy)]
pub enum Player<'a> {
    /// A function that makes the player for a part of the work.
    Moves(&'a (dyn Fn() -> OnPosition<'a> + Sync + 'a)),
    /// Perfect play of a solution: the first of the best moves. It stops when the goal is reached.
    Perfect(&'a Solution),
}

fn outcome_on<const ROWS: usize, const COLUMNS: usize>(
    problem: &Problem,
    player: Player<'_>,
    against: Option<&Solution>,
    work: &Work,
) -> Option<Outcome> {
    let mut walk = against.map(Walk::new);
    let mut perfect = match player {
        Player::Moves(_) => None,
        Player::Perfect(solution) => Some(Walk::new(solution)),
    };
    let mut found: BTreeMap<u32, Vec<Masses>> = BTreeMap::new();
    for (start, of) in problem.starts() {
        let key = Grid::<ROWS, COLUMNS>::key(start);
        let lists = found.entry(sum_of_tiles(start)).or_default();
        lists.push(vec![(key, of)]);
    }
    let mut all = OfPart::default();
    let mut losses = Collected::default();
    let mut positions = 0;
    while let Some((sum, lists)) = found.pop_first() {
        if work.stop.is_requested() {
            return None;
        }
        let layer = merged(lists);
        let above_of = |walk: &mut Option<Walk>| {
            let above = walk.as_mut().map(|walk| walk.above(sum));
            above.transpose().ok()
        };
        let (above, perfect) = (above_of(&mut walk)?, above_of(&mut perfect)?);
        let parts = in_fixed_parts(&layer, work.threads, |part| {
            let mut shares = shares::<ROWS, COLUMNS>(player, perfect.as_ref());
            of_part::<ROWS, COLUMNS>(problem, (part, sum), &mut *shares, above.as_ref(), work)
        });
        let mut afters = Vec::with_capacity(parts.len());
        for part in parts {
            all.score += part.score;
            all.moves += part.moves;
            for (all, part) in all.largest.iter_mut().zip(part.largest) {
                *all += part;
            }
            losses.add(part.losses);
            afters.push(part.afters);
        }
        losses.end_layer();
        let afters = merged(afters);
        for (rank, of) in problem.tiles() {
            let lists = in_fixed_parts(&afters, work.threads, |part| {
                after_tile::<ROWS, COLUMNS>(part, sum, rank, of)
            });
            found.entry(sum + (1 << rank)).or_default().extend(lists);
        }
        found.retain(|_, lists| lists.iter().any(|list| !list.is_empty()));
        positions += layer.len() as u64;
        (work.progress)(Progress {
            phase: Phase::Player,
            states: positions,
        });
    }
    let largest = (0..).zip(all.largest).filter(|(_, of)| *of > 0.0);
    work.stop.complete(Outcome {
        score: all.score,
        moves: all.moves,
        largest: largest.collect(),
        positions,
        losses: against.map(|_| losses.result(problem.shape)),
    })
}

/// The shares of the moves of a player; `above` has the layers of perfect play.
fn shares<'s, 'a: 's, const ROWS: usize, const COLUMNS: usize>(
    player: Player<'a>,
    above: Option<&'s Above>,
) -> OnPosition<'s> {
    match (player, above) {
        (Player::Moves(begin), _) => begin(),
        (Player::Perfect(solution), Some(above)) => {
            let problem = solution.problem();
            Box::new(move |board| {
                if problem.goal.is_reached(board.0) {
                    return [0.0; 4];
                }
                only(best_move(values_of_moves::<ROWS, COLUMNS>(
                    problem, board, above,
                )))
            })
        }
        (Player::Perfect(_), None) => unreachable!("perfect play has a walk of its own"),
    }
}

/// The moves of the player on a part of a layer, which has this sum of tiles.
fn of_part<const ROWS: usize, const COLUMNS: usize>(
    problem: &Problem,
    (part, sum): (&[(u32, f64)], u32),
    player: &mut dyn FnMut(Board) -> Shares,
    above: Option<&Above>,
    work: &Work,
) -> OfPart {
    let grid = Grid::<ROWS, COLUMNS>::new();
    let mut result = OfPart::default();
    let mut afters = Vec::with_capacity(part.len());
    for &(key, mass) in part {
        if work.stop.is_requested() {
            break;
        }
        let board = Board(Grid::<ROWS, COLUMNS>::board(key, sum));
        let shares = player(board);
        if shares == [0.0; 4] {
            result.largest[usize::from(board.max_rank())] += mass;
            continue;
        }
        if let Some(above) = above {
            result
                .losses
                .add::<ROWS, COLUMNS>(problem, board, mass, shares, above);
        }
        for (direction, share) in Direction::ALL.into_iter().zip(shares) {
            let after = grid.moved(board.0, direction).filter(|_| share > 0.0);
            let Some(after) = after else {
                // After a request to stop a player may return any move.
                debug_assert!(share == 0.0 || work.stop.is_requested());
                continue;
            };
            result.score += mass * share * f64::from(after.points);
            result.moves += mass * share;
            afters.push((Grid::<ROWS, COLUMNS>::key(after.board), mass * share));
        }
    }
    result.afters = sorted(afters);
    result
}

/// The positions after a random tile of one rank, which has the probability `of`.
fn after_tile<const ROWS: usize, const COLUMNS: usize>(
    afters: &[(u32, f64)],
    sum: u32,
    rank: u8,
    of: f64,
) -> Masses {
    let mut spawned = Vec::with_capacity(4 * afters.len());
    for &(key, mass) in afters {
        let after = Grid::<ROWS, COLUMNS>::board(key, sum);
        let empty = Grid::<ROWS, COLUMNS>::empty_mask(after).count_ones();
        let mass = mass * of / f64::from(empty);
        each_empty::<ROWS, COLUMNS>(after, |cell| {
            let board = after | (cell * u64::from(rank));
            spawned.push((Grid::<ROWS, COLUMNS>::key(board), mass));
        });
    }
    sorted(spawned)
}

/// Sorts by key and adds up what has the same key.
fn sorted(mut list: Masses) -> Masses {
    list.sort_by_key(|(key, _)| *key);
    list.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 += next.1;
        }
        is_same
    });
    list
}

/// Joins sorted lists, in pairs of neighbours, and adds up what has the same key.
fn merged(mut lists: Vec<Masses>) -> Masses {
    while lists.len() > 1 {
        let mut lists_of_pairs = Vec::with_capacity(lists.len().div_ceil(2));
        let mut rest = lists.into_iter();
        while let Some(one) = rest.next() {
            lists_of_pairs.push(match rest.next() {
                Some(other) => merged_pair(&one, &other),
                None => one,
            });
        }
        lists = lists_of_pairs;
    }
    lists.pop().unwrap_or_default()
}

fn merged_pair(one: &[(u32, f64)], other: &[(u32, f64)]) -> Masses {
    let mut all = Vec::with_capacity(one.len() + other.len());
    let (mut one, mut other) = (one, other);
    while let ([(a, of_a), rest_a @ ..], [(b, of_b), rest_b @ ..]) = (one, other) {
        let (from_one, from_other) = (a <= b, b <= a);
        let mass = f64::from(u8::from(from_one)) * of_a + f64::from(u8::from(from_other)) * of_b;
        all.push((*a.min(b), mass));
        one = if from_one { rest_a } else { one };
        other = if from_other { rest_b } else { other };
    }
    all.extend_from_slice(one);
    all.extend_from_slice(other);
    all
}
