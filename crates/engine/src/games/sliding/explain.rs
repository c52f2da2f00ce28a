//! The contribution of each heuristic term to the boards after the moves of a position. It is only for display;
//! searches use [`crate::games::sliding::heuristic`].

use crate::games::sliding::Definition;
use crate::games::sliding::board::{Board, Direction};
use crate::games::sliding::shape::Shape;
use crate::heuristic::weights::Weights;
use crate::player::TermPoints;

/// The [`Definition::contributions`] of the board after each legal move. `moved` returns `None` for an illegal
/// move.
pub fn of_moves(
    definition: &Definition,
    weights: &Weights,
    shape: Shape,
    moved: impl Fn(Direction) -> Option<Board>,
) -> Vec<(Direction, Vec<TermPoints>)> {
    let legal = Direction::ALL
        .into_iter()
        .filter_map(|direction| Some((direction, moved(direction)?)));
    legal
        .map(|(direction, after)| {
            let terms = definition.contributions(weights, shape, after);
            (direction, terms)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sliding::heuristic::Heuristic;
    use crate::games::twenty48::heuristic::{TERMS, parameters};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn terms_add_up_to_the_static_value(ranks: [u8; 16], values in prop::array::uniform4(0.0..500.0)) {
            let board = Board::from_ranks(ranks.map(|rank| rank % 16));
            let [outer, inner, smoothness, corner] = values;
            let changes = [
                ("empty_outer", outer),
                ("empty_inner", inner),
                ("smoothness", smoothness),
                ("corner", corner),
                ("merges", 0.0),
            ];
            let weights = Weights::default().with(changes, &parameters()).unwrap();
            let points = TERMS.contributions(&weights, Shape::STANDARD, board);
            prop_assert!(points.iter().all(|(name, _)| name != "merges"));
            let heuristic = Heuristic::new(&TERMS, &weights).unwrap();
            let value = heuristic.points(f64::from(heuristic.value(board)));
            let sum: f64 = points.iter().map(|(_, points)| points).sum();
            // The eight lines and the board term are each rounded once.
            prop_assert!((sum - value).abs() <= heuristic.points(9.0 * 0.5) + 1e-6, "{sum} {value}");
        }
    }
}
