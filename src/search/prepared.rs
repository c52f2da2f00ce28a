//! A heuristic of 2048 made ready for searches: beside its tables those that the kernels of
//! [`crate::simd`] read, if the instruction set has any.

use std::sync::{Arc, LazyLock};

use super::expectimax::Depth;
use crate::game::rows::RowTable;
use crate::game::twenty48::Board;
use crate::heuristic::table::Heuristic;
use crate::simd::InstructionSet;
use crate::simd::last_layer::{Kernel, Lines, Sum, Tables, kernel};

/// A heuristic, ready for searches with an instruction set.
pub struct Prepared {
    heuristic: Heuristic,
    last_layer: Option<LastLayerKernel>,
}

impl Prepared {
    /// Makes the tables that searches to `depth` read. The set changes no value.
    pub fn new(heuristic: Heuristic, depth: Depth, set: InstructionSet) -> Self {
        let last_layer = match depth {
            Depth::Fixed(0) => None,
            _ => LastLayerKernel::new(&heuristic, set),
        };
        Prepared {
            heuristic,
            last_layer,
        }
    }

    /// The heuristic.
    pub fn heuristic(&self) -> &Heuristic {
        &self.heuristic
    }

    /// What values chance nodes one layer above the leaves, if it is not
    /// [`super::last_layer::LastLayer`].
    pub(super) fn last_layer(&self) -> Option<&LastLayerKernel> {
        self.last_layer.as_ref()
    }
}

/// A kernel for the last chance layer with its tables.
pub(super) struct LastLayerKernel {
    kernel: Kernel,
    tables: Tables,
}

impl LastLayerKernel {
    fn new(heuristic: &Heuristic, set: InstructionSet) -> Option<Self> {
        static LINES: LazyLock<Lines> = LazyLock::new(|| {
            Lines::new(|line| {
                let slides = RowTable::get().slides(line);
                [slides.to_first, slides.to_last]
            })
        });
        let (outer, inner) = (&heuristic.outer, &heuristic.inner);
        let inner = (!Arc::ptr_eq(outer, inner)).then_some(&**inner);
        let has_terms = !heuristic.board_terms.is_empty();
        let kernel = kernel(set).filter(|_| !has_terms)?;
        Some(LastLayerKernel {
            kernel,
            tables: Tables::new(&LINES, outer, inner),
        })
    }

    /// See [`Sum`].
    #[inline(always)]
    pub(super) fn sum(&self, board: Board) -> Sum {
        (self.kernel)(&self.tables, board.0, board.transpose().0)
    }
}
