//! Weights that are lost to the resolution of the values of boards.

use crate::games::sliding::heuristic::Heuristic;
use crate::games::sliding::language::Definition;
use crate::games::sliding::shape::Shape;
use crate::heuristic::LostWeight;
use crate::heuristic::weights::Weights;

/// The weights whose points are less than half of the smallest step, because other weights give boards much larger values. Empty if the
/// weights cannot be used.
pub fn lost_weights(definition: &Definition, shape: Shape, weights: &Weights) -> Vec<LostWeight> {
    let Ok(heuristic) = Heuristic::on(shape, definition, weights) else {
        return Vec::new();
    };
    let step = heuristic.points(1.0);
    let reaches = definition.reaches(shape, weights);
    let largest = reaches
        .iter()
        .max_by(|one, other| one.on_board.total_cmp(&other.on_board));
    let largest = largest.map_or(String::new(), |reach| reach.term.clone());
    let lost = reaches
        .into_iter()
        .filter(|reach| reach.at_once < step / 2.0);
    lost.map(|reach| LostWeight {
        key: reach.key,
        points: reach.on_board,
        is_constant: reach.is_constant,
        step,
        largest: largest.clone(),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sliding::board::Board;
    use crate::games::twenty48::heuristic::BOARDS;

    fn definition(number: &str) -> Definition {
        let text = format!(
            "about = 'x'\n[[term]]\nname = 'snake'\ndoc = 'x'\n\
             matrix = [[{number}, 3, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]\nvalue = '2^r'\n\
             weight = {{ default = 1.0, min = 0.0, max = 9.0 }}\n\
             [[term]]\nname = 'lost_penalty'\ndoc = 'x'\nvalue = '1'\nconstant = true\n\
             weight = {{ default = 1.0, min = 0.0, max = 9.0 }}\n\
             [[board_term]]\nname = 'gaps'\ndoc = 'x'\nvalue = 'empty'\n\
             sums.empty = {{ lines = 'rows', value = 'count(cells where r == 0)' }}\n\
             weight = {{ default = 0.5, min = 0.0, max = 9.0 }}\n"
        );
        Definition::read(&text.parse().unwrap(), BOARDS).unwrap()
    }

    #[test]
    fn a_weight_below_the_step_is_told_and_has_no_effect() {
        let weights = Weights::default();
        let lost = |number| lost_weights(&definition(number), Shape::STANDARD, &weights);
        assert_eq!(lost("4"), []);
        let lost = lost("1e12");
        let said: Vec<_> = lost
            .iter()
            .map(|lost| {
                (
                    lost.key.as_str(),
                    lost.points,
                    lost.is_constant,
                    lost.largest.as_str(),
                )
            })
            .collect();
        let expected = [
            ("lost_penalty", 8.0, true, "snake"),
            ("gaps", 8.0, false, "snake"),
        ];
        assert_eq!(said, expected);
        let definition = definition("1e12");
        let without = [("lost_penalty", 0.0), ("gaps", 0.0)];
        let without = weights.with(without, definition.parameters()).unwrap();
        let [with, without] =
            [weights, without].map(|weights| Heuristic::new(&definition, &weights).unwrap());
        for board in [0, 0x1234_0000_5678_0000, 0xfedc_ba98_7654_3210].map(Board) {
            let [with, without] = [&with, &without].map(|heuristic| heuristic.value(board));
            assert_eq!(with, without, "{board:?}");
        }
    }
}
