//! How much each weight can add to the value of a board.

use super::definition::{Definition, Term};
use crate::games::sliding::board_terms::LARGEST;
use crate::games::sliding::line_tables::LinePlace;
use crate::games::sliding::shape::Shape;
use crate::heuristic::weights::Weights;

/// How much a weight, or a term of the whole board, can add to the value of a board, in points.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// The name of its term.
    pub term: String,
    /// The key of the weight; of a term of the whole board the name.
    pub key: String,
    /// The largest absolute number of points that are rounded together: those of a line, or of the board.
    pub at_once: f64,
    /// An upper bound on the absolute number of points of a board.
    pub on_board: f64,
    /// True if it adds the same points to every board.
    pub is_constant: bool,
}

impl Definition {
    /// How much each weight that is not 0 can add, in the order of the terms. A missing parameter has its default.
    pub fn reaches(&self, shape: Shape, weights: &Weights) -> Vec<Reach> {
        let of_lines = self.terms.iter();
        let of_lines = of_lines.flat_map(|term| self.line_reaches(term, shape, weights));
        let of_board = |term: &str, points: f64| Reach {
            term: term.to_owned(),
            key: term.to_owned(),
            at_once: points,
            on_board: points,
            is_constant: false,
        };
        let whole = self.whole_terms.iter().filter_map(|term| {
            let values = self.whole_values_of([term], shape, weights).ok()?;
            Some(of_board(&term.name, values.largest()))
        });
        let boards = self.boards.iter().map(|term| {
            let weight = weights.get(term.name).unwrap_or(term.weight.default);
            of_board(term.name, weight.abs() * f64::from(LARGEST))
        });
        let all = of_lines.chain(whole).chain(boards);
        all.filter(|reach| reach.at_once > 0.0).collect()
    }

    fn line_reaches(&self, term: &Term, shape: Shape, weights: &Weights) -> Vec<Reach> {
        let mut reaches: Vec<Reach> = Vec::new();
        for place in LinePlace::all(shape) {
            let parameters = self.parameter_values(term, place, weights);
            for number in 0..term.selector.count() {
                let weight = term.weight(number, place, weights);
                if weight == 0.0 {
                    continue;
                }
                let parameters = [parameters.clone()];
                let [column] = self.columns(term, number, [place], [weight], &parameters);
                let ends = column.ends().map(|end| end * weight);
                let points = ends[0].abs().max(ends[1].abs());
                let key = term.key(number, place);
                let known = reaches.iter().position(|known| known.key == key);
                let known = known.unwrap_or_else(|| {
                    reaches.push(Reach {
                        term: term.name.clone(),
                        key: key.to_owned(),
                        at_once: 0.0,
                        on_board: 0.0,
                        is_constant: true,
                    });
                    reaches.len() - 1
                });
                let reach = &mut reaches[known];
                reach.at_once = reach.at_once.max(points);
                reach.on_board += points;
                reach.is_constant &= ends[0] == ends[1];
            }
        }
        reaches
    }
}
