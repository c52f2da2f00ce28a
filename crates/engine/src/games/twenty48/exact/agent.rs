//! Exact results for the players of the game.

use super::known;
use super::moves::EQUAL;
use super::policy::{Player, outcome};
use super::problem::{Goal, Problem};
use crate::games::sliding::Direction;
use crate::games::twenty48::rules::{OnBoard, Rules, Spawn};
use crate::games::twenty48::setup::variation;
use crate::player::exact::{Exact, MoveCosts, Work};
use crate::player::options::Options;
use crate::player::position::Position;

impl Problem {
    /// The problem of a game with these rules.
    ///
    /// # Errors
    /// As [`Problem::check`].
    pub fn of(rules: &impl Rules, goal: Goal) -> Result<Self, String> {
        let total = f64::from(rules.total());
        let tiles = rules.tiles().into_iter();
        let tiles = tiles.map(|(rank, weight)| (1 << rank, weight as f64 / total));
        let problem = Problem {
            shape: rules.shape(),
            spawn: Spawn::new(tiles).map_err(|error| error.to_string())?,
            first_tiles: rules.first_tiles(),
            goal,
        };
        problem.check().map(|()| problem)
    }
}

/// Estimate of the processor time of the exact result of a search with this number of chance layers, in seconds; `None`
/// if there is none. It is meant to be too large rather than too small. `random` reaches four positions, images counted, for
/// each one up to symmetry, other players two at most. On 2x4 a position took 0.18, 0.35 and 0.83 microseconds with 0, 1 and 2
/// layers.
pub fn seconds(rules: &impl Rules, layers: u32) -> Option<f64> {
    let problem = Problem::of(rules, Goal::Score).ok()?;
    let estimate = known::Estimate::of(&problem);
    let positions = 4.0 * estimate.states;
    let of_position = 3e-7 * 3f64.powi(layers.min(20) as i32);
    Some(estimate.seconds + positions * of_position)
}

/// Estimate of the memory and of the file of perfect play, together in bytes; `None` if there is none.
pub fn bytes(rules: &impl Rules) -> Option<f64> {
    let problem = Problem::of(rules, Goal::Score).ok()?;
    Some(known::Estimate::of(&problem).bytes())
}

/// Computes the perfect play that the exact result of a player is compared with. Returns `None` if a stop is requested.
pub fn prepare(rules: &impl Rules, work: &Work) -> Option<()> {
    match Problem::of(rules, Goal::Score) {
        Ok(problem) => known::solution(&problem, work).map(|_| ()),
        // The exact result gives the reason why there is none.
        Err(_) => Some(()),
    }
}

/// The exact result of a player of a game with these rules. Returns `None` if a stop is requested.
///
/// # Errors
/// As [`Problem::check`].
pub fn exact(
    rules: &impl Rules,
    player: Player<'_>,
    losses: bool,
    work: &Work,
) -> Result<Option<Exact>, String> {
    let problem = Problem::of(rules, Goal::Score)?;
    let Some(perfect) = known::solution(&problem, work) else {
        return Ok(None);
    };
    let against = losses.then_some(&*perfect);
    let outcome = outcome(&problem, player, against, work);
    Ok(outcome.map(|outcome| Exact {
        mean: outcome.score,
        moves: outcome.moves,
        largest: (outcome.largest.into_iter())
            .map(|(rank, of)| (1 << rank, of))
            .collect(),
        positions: outcome.positions,
        perfect: perfect.value(),
        losses: outcome.losses,
    }))
}

/// What each legal move of a position loses against perfect play, if the solution is at hand.
pub(in crate::games::twenty48) fn move_costs(
    options: &Options,
    position: &dyn Position,
    work: &Work,
) -> Option<MoveCosts> {
    let rules = variation(options);
    let problem = Problem::of(&rules, Goal::Score).ok()?;
    let board = rules.own_position(position).ok()?.board();
    let solution = known::at_hand(&problem, work)?;
    let values = solution.move_values(board, work).ok()?;
    let best = values.into_iter().flatten().fold(0.0, f64::max);
    let moves = Direction::ALL.into_iter().zip(values);
    // A smaller loss is a difference of rounding.
    let cost = |value: f64| {
        if best - value < EQUAL {
            0.0
        } else {
            best - value
        }
    };
    let costs = moves.filter_map(|(of, value)| Some((of.to_string(), cost(value?))));
    work.stop.complete(costs.collect())
}
