//! A heuristic of 2048, compiled for searches with one instruction set: its line tables and, if the instruction
//! set has a kernel for the last chance layer, the tables of the kernel.
//!
//! The vector kernel supports only the board terms of the largest tile. With any other board term of the game
//! ([`BoardMeasure::Other`]) the search uses the portable code. Terms of the whole board from a file have a last layer
//! of their own, [`WholeBoard::chance`].

use std::sync::{Arc, LazyLock};

use crate::games::sliding::BoardTerms;
use crate::games::sliding::board_terms::{BoardMeasure, CellSet};
use crate::games::sliding::heuristic::{CompiledBoardTerm, Heuristic};
use crate::games::sliding::kernels::words::WordTables;
use crate::games::sliding::kernels::{Kernel, LargestTile, SpawnSlides, Sum, Tables};
use crate::games::sliding::whole_board::{ChanceNode, WholeBoard};
use crate::games::twenty48::rules::{Board, rows};
use crate::player::depth::Depth;
use crate::simd::InstructionSet;

/// A heuristic compiled for searches with an instruction set.
pub struct CompiledSearch {
    heuristic: Heuristic,
    last_layer: Option<LastLayerKernel>,
    set: InstructionSet,
}

impl CompiledSearch {
    /// Builds the tables for searches to `depth`. Values do not depend on the instruction set. With a board
    /// term other than those of the largest tile, the search uses the portable code.
    pub fn new(heuristic: Heuristic, depth: Depth, set: InstructionSet) -> Self {
        let last_layer = match depth {
            Depth::Fixed(0) => None,
            _ => LastLayerKernel::new(&heuristic, set),
        };
        CompiledSearch {
            heuristic,
            last_layer,
            set,
        }
    }

    /// A heuristic for searches of a variation, which have no kernels.
    pub fn portable(heuristic: Heuristic) -> Self {
        CompiledSearch {
            heuristic,
            last_layer: None,
            set: InstructionSet::Portable,
        }
    }

    /// The compiled heuristic.
    pub fn heuristic(&self) -> &Heuristic {
        &self.heuristic
    }

    /// The instruction set of the searches.
    pub(super) fn set(&self) -> InstructionSet {
        self.set
    }

    /// The kernel for chance nodes directly above the leaves. Without a kernel, searches use
    /// [`crate::games::sliding::last_layer::LastLayer`].
    pub(super) fn last_layer(&self) -> Option<&LastLayerKernel> {
        self.last_layer.as_ref()
    }
}

/// A kernel for the last chance layer, and its tables.
// There is one for each player, and it is never moved.
#[expect(clippy::large_enum_variant)]
pub(super) enum LastLayerKernel {
    /// Line terms, and those of the largest tile, in vector instructions.
    Lines(Kernel),
    /// Terms of the whole board from a file.
    Whole(WholeLayer),
}

/// The last chance layer of a heuristic with terms of the whole board from a file.
pub(super) struct WholeLayer {
    whole: Arc<dyn WholeBoard>,
    /// The tables of its kernel, if there is one.
    words: Option<WordTables>,
    /// The board terms of the game.
    terms: Vec<CompiledBoardTerm>,
    set: InstructionSet,
}

impl WholeLayer {
    fn sum(&self, board: Board, spawns: &[(u16, i64)]) -> Sum {
        let others = |board: Board| self.terms.as_slice().value(board);
        let node = ChanceNode {
            board,
            rows: rows(),
            spawns,
            words: self.words.as_ref(),
            others: if self.terms.is_empty() {
                None
            } else {
                Some(&others)
            },
        };
        self.whole.chance(&node, self.set)
    }
}

impl LastLayerKernel {
    fn new(heuristic: &Heuristic, set: InstructionSet) -> Option<Self> {
        static LINES: LazyLock<SpawnSlides> = LazyLock::new(|| {
            SpawnSlides::new(|line| {
                let slides = rows().slides(line);
                [slides.to_first, slides.to_last]
            })
        });
        if let Some(whole) = &heuristic.whole {
            let has_kernel = set != InstructionSet::Portable && heuristic.board_terms.is_empty();
            return Some(LastLayerKernel::Whole(WholeLayer {
                whole: Arc::clone(whole),
                words: has_kernel.then(|| whole.words(&LINES)).flatten(),
                terms: heuristic.board_terms.clone(),
                set,
            }));
        }
        let largest = largest_tile(&heuristic.board_terms)?;
        if set == InstructionSet::Portable {
            return None;
        }
        let tables = Tables::new(&LINES, &heuristic.lines, largest);
        Kernel::new(set, tables).map(LastLayerKernel::Lines)
    }

    /// Computes a chance node from its board; see [`Sum`].
    #[inline(always)]
    pub(super) fn sum(&self, board: Board) -> Sum {
        match self {
            LastLayerKernel::Lines(kernel) => kernel.sum(board.0, board.transpose().0),
            LastLayerKernel::Whole(layer) => layer.sum(board, &[(1, 9), (2, 1)]),
        }
    }

    /// The same without the random 2s.
    #[inline(always)]
    pub(super) fn fours(&self, board: Board) -> Sum {
        match self {
            LastLayerKernel::Lines(kernel) => kernel.fours(board.0, board.transpose().0),
            LastLayerKernel::Whole(layer) => layer.sum(board, &[(2, 1)]),
        }
    }
}

/// The board terms in the form of the kernels; `Some(None)` if there are no board terms, `None` if the kernels
/// do not support one of them.
fn largest_tile(terms: &[CompiledBoardTerm]) -> Option<Option<LargestTile>> {
    let mut largest = LargestTile::default();
    for term in terms {
        let BoardMeasure::LargestTile(place) = term.measure else {
            return None;
        };
        let values = match place {
            CellSet::Anywhere => &mut largest.anywhere,
            CellSet::Edge => &mut largest.edge,
            CellSet::Corner => &mut largest.corner,
        };
        *values = std::array::from_fn(|rank| term.contribution[rank]);
    }
    Some((!terms.is_empty()).then_some(largest))
}
