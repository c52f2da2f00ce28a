//! Lines in the data layout for columns: one byte for each line, by cell, tile and run.

use std::ops::Range;
use std::sync::LazyLock;

use super::domain::Domain;
use crate::games::sliding::rows::{LINES, reverse, unpack};

/// A set of lines, and the elements of each line by domain.
pub struct LineColumns {
    /// The lines, as packed indices. The position of a line in this list is its number.
    pub indices: Vec<u16>,
    /// The number of each of the 65,536 lines. A line that is not in the list has the number of its mirror
    /// image.
    pub places: Vec<u16>,
    /// By cell: its rank, for each line.
    pub cells: [Vec<u8>; 4],
    /// By index of the tile: its rank and its position. The rank is 0 if the line has fewer tiles.
    tiles: [[Vec<u8>; 2]; 4],
    /// By index of the run: its rank, length and position. All are 0 if the line has fewer runs.
    runs: [[Vec<u8>; 3]; 4],
}

impl LineColumns {
    /// All lines.
    pub fn all() -> &'static LineColumns {
        static ALL: LazyLock<LineColumns> =
            LazyLock::new(|| LineColumns::new((0..=u16::MAX).collect()));
        &ALL
    }

    /// One of each line and its mirror image: the line with the smaller index.
    pub fn canonical() -> &'static LineColumns {
        static CANONICAL: LazyLock<LineColumns> = LazyLock::new(|| {
            let indices = 0..=u16::MAX;
            LineColumns::new(indices.filter(|&index| index <= reverse(index)).collect())
        });
        &CANONICAL
    }

    /// For each cell: sixteen lines, one for each rank in this cell. The other cells are empty.
    pub fn by_cell() -> &'static [LineColumns; 4] {
        static BY_CELL: LazyLock<[LineColumns; 4]> = LazyLock::new(|| {
            let lines =
                |cell: usize| LineColumns::new((0..16).map(|rank| rank << (4 * cell)).collect());
            std::array::from_fn(lines)
        });
        &BY_CELL
    }

    fn new(indices: Vec<u16>) -> Self {
        let mut places = vec![0; LINES];
        for (place, &index) in indices.iter().enumerate() {
            places[usize::from(reverse(index))] = place as u16;
        }
        // After the mirror images, so that a line of the list gets its own number.
        for (place, &index) in indices.iter().enumerate() {
            places[usize::from(index)] = place as u16;
        }
        let count = indices.len();
        let mut lines = LineColumns {
            cells: std::array::from_fn(|_| vec![0; count]),
            tiles: std::array::from_fn(|_| std::array::from_fn(|_| vec![0; count])),
            runs: std::array::from_fn(|_| std::array::from_fn(|_| vec![0; count])),
            indices,
            places,
        };
        for place in 0..count {
            lines.fill(place);
        }
        lines
    }

    /// Fills in the elements of one line.
    fn fill(&mut self, place: usize) {
        let line = unpack(self.indices[place]);
        let (mut tiles, mut runs, mut last) = (0, 0, 0);
        for (position, rank) in line.into_iter().enumerate() {
            self.cells[position][place] = rank;
            if rank == 0 {
                continue;
            }
            self.tiles[tiles][0][place] = rank;
            self.tiles[tiles][1][place] = position as u8;
            tiles += 1;
            if rank != last {
                self.runs[runs][0][place] = rank;
                self.runs[runs][2][place] = position as u8;
                runs += 1;
                last = rank;
            }
            self.runs[runs - 1][1][place] += 1;
        }
    }

    /// The bindings of the variables of an element, in the order of the domain.
    pub fn bindings(
        &self,
        domain: Domain,
        element: usize,
        block: &Range<usize>,
    ) -> Vec<Binding<'_>> {
        let width = domain.width();
        if domain == Domain::Runs {
            let columns = self.runs[element].iter();
            return columns
                .map(|column| Binding::Each(&column[block.clone()]))
                .collect();
        }
        let ranks = (element..element + width).map(|at| {
            if domain.skips_empty() {
                Binding::Each(&self.tiles[at][0][block.clone()])
            } else {
                Binding::Each(&self.cells[at][block.clone()])
            }
        });
        let position = if domain.skips_empty() {
            Binding::Each(&self.tiles[element][1][block.clone()])
        } else {
            Binding::Same(element as u8)
        };
        ranks.chain([position]).collect()
    }

    /// For each line of the block, nonzero if it has this element; `None` if every line has it.
    pub fn existing(&self, domain: Domain, element: usize, block: &Range<usize>) -> Option<&[u8]> {
        let column = match domain {
            Domain::Runs => &self.runs[element][1],
            _ if domain.skips_empty() => &self.tiles[element + domain.width() - 1][0],
            _ => return None,
        };
        Some(&column[block.clone()])
    }
}

/// The values of a variable on the lines of a block.
#[derive(Clone, Copy)]
pub enum Binding<'a> {
    /// One value for each line.
    Each(&'a [u8]),
    /// The same value on all lines.
    Same(u8),
}
