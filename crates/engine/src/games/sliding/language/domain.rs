//! Domains of folds: the elements of a line over which a fold runs.

use crate::games::sliding::rows::Line;

/// A kind of elements of a line, in the order of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// The cells.
    Cells,
    /// The cells that are not empty.
    Tiles,
    /// The pairs of neighbouring cells.
    Pairs,
    /// The pairs of consecutive tiles; empty cells are skipped.
    TilePairs,
    /// The triples of neighbouring cells.
    Triples,
    /// The triples of consecutive tiles; empty cells are skipped.
    TileTriples,
    /// The longest runs of equal tiles; empty cells are skipped.
    Runs,
}

impl Domain {
    /// All domains with their names and the names of their variables.
    pub const ALL: [(&'static str, Domain, &'static [&'static str]); 7] = [
        ("cells", Domain::Cells, &["r", "j"]),
        ("tiles", Domain::Tiles, &["r", "j"]),
        ("pairs", Domain::Pairs, &["a", "b", "j"]),
        ("tile_pairs", Domain::TilePairs, &["a", "b", "j"]),
        ("triples", Domain::Triples, &["a", "b", "c", "j"]),
        ("tile_triples", Domain::TileTriples, &["a", "b", "c", "j"]),
        ("runs", Domain::Runs, &["r", "n", "j"]),
    ];

    /// The domain with a name, and the names of its variables.
    pub fn named(name: &str) -> Option<(Domain, &'static [&'static str])> {
        let found = Self::ALL.iter().find(|(known, ..)| *known == name);
        found.map(|(_, domain, variables)| (*domain, *variables))
    }

    /// True if empty cells are skipped.
    pub fn skips_empty(self) -> bool {
        !matches!(self, Domain::Cells | Domain::Pairs | Domain::Triples)
    }

    /// Number of cells or tiles in an element; 1 for cells, tiles and runs.
    pub fn width(self) -> usize {
        match self {
            Domain::Cells | Domain::Tiles | Domain::Runs => 1,
            Domain::Pairs | Domain::TilePairs => 2,
            Domain::Triples | Domain::TileTriples => 3,
        }
    }

    /// Largest number of elements in a line of four cells.
    pub fn most(self) -> usize {
        self.most_in(4)
    }

    /// Largest number of elements in a line of `length` cells.
    pub fn most_in(self, length: usize) -> usize {
        (length + 1).saturating_sub(self.width())
    }

    /// Number of possible values of each variable of an element: ranks, length of a run, position.
    pub fn ranges(self) -> &'static [usize] {
        match self {
            Domain::Cells | Domain::Tiles => &[16, 4],
            Domain::Pairs | Domain::TilePairs => &[16, 16, 4],
            Domain::Triples | Domain::TileTriples => &[16, 16, 16, 4],
            Domain::Runs => &[16, 5, 4],
        }
    }
}

/// The elements of a line of `length` cells, each as the values of its variables. The position of an element is
/// the position of its first cell.
pub fn elements(domain: Domain, line: Line, length: usize) -> Vec<Vec<u8>> {
    let cells = (0..length as u8).map(|position| (line[usize::from(position)], position));
    let cells: Vec<(u8, u8)> = if domain.skips_empty() {
        cells.filter(|(rank, _)| *rank > 0).collect()
    } else {
        cells.collect()
    };
    if domain == Domain::Runs {
        let runs = cells.chunk_by(|one, other| one.0 == other.0);
        return runs
            .map(|run| vec![run[0].0, run.len() as u8, run[0].1])
            .collect();
    }
    let neighbours = cells.windows(domain.width());
    let element = |cells: &[(u8, u8)]| {
        let ranks = cells.iter().map(|(rank, _)| *rank);
        ranks.chain([cells[0].1]).collect()
    };
    neighbours.map(element).collect()
}
