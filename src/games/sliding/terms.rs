//! The terms of one sliding game: its line terms and its board terms, and the parameters that follow
//! from them.

use crate::games::sliding::board_terms::BoardTerm;
use crate::games::sliding::line_terms::LineTerm;
use crate::heuristic::{Declared, INNER, OUTER, Parameter};
use crate::record::Scale;

/// The terms over which the expectimax of a game searches.
pub struct Terms {
    /// Terms over one line.
    pub lines: &'static [LineTerm],
    /// Terms over the whole board.
    pub boards: &'static [BoardTerm],
}

impl Terms {
    /// Every parameter in order: each term's weight and power, each line term's also for outer and
    /// inner lines apart.
    pub fn parameters(&self) -> Vec<Parameter> {
        let of = |name: &str, suffix: &str, doc, declared: &Declared| Parameter {
            key: format!("{name}{}{suffix}", declared.suffix),
            doc,
            role: declared.role,
            default: declared.default,
            min: declared.min,
            max: declared.max,
            scale: Scale::Linear,
        };
        let mut parameters = Vec::new();
        for term in self.lines {
            for declared in std::iter::once(&term.weight).chain(&term.power) {
                for suffix in ["", OUTER, INNER] {
                    parameters.push(of(term.name, suffix, term.doc, declared));
                }
            }
        }
        for term in self.boards {
            parameters.push(of(term.name, "", term.doc, &term.weight));
        }
        parameters
    }
}
