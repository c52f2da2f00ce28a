//! The terms of one sliding game, and the parameters that follow from them.

#[cfg(test)]
use crate::games::sliding::rows::{reverse, unpack};
#[cfg(test)]
use crate::games::sliding::table::powers;
use crate::games::sliding::{board_terms::BoardTerm, line_terms::LineTerm};
use crate::heuristic::{Declared, INNER, OUTER, Parameter};

/// The terms of the static evaluation of a game.
pub struct Terms {
    /// Terms over one line.
    pub lines: &'static [LineTerm],
    /// Terms over the whole board.
    pub boards: &'static [BoardTerm],
}

impl Terms {
    /// All parameters in the order of the terms: weight and power of each term. Line terms have
    /// each parameter also for outer and for inner lines.
    pub fn parameters(&self) -> Vec<Parameter> {
        let of = |name: &str, lines: &str, doc, declared: &Declared| {
            declared.parameter(format!("{name}{}{lines}", declared.role.suffix()), doc)
        };
        let mut parameters = Vec::new();
        for term in self.lines {
            for declared in std::iter::once(&term.weight).chain(&term.power) {
                for lines in ["", OUTER, INNER] {
                    parameters.push(of(term.name, lines, term.doc, declared));
                }
            }
        }
        for term in self.boards {
            parameters.push(of(term.name, "", term.doc, &term.weight));
        }
        parameters
    }

    /// Panics if a line and its mirror image differ in the value of a line term.
    #[cfg(test)]
    pub(in crate::games) fn check_mirror_images(&self) {
        // Powers of small integers are exact, so that the order of a sum does not matter.
        let powers = powers(3.0);
        for term in self.lines {
            for index in 0..=u16::MAX {
                let value = (term.value)(unpack(index), &powers);
                let mirrored = (term.value)(unpack(reverse(index)), &powers);
                assert_eq!(value, mirrored, "{} of {:?}", term.name, unpack(index));
            }
        }
    }
}
