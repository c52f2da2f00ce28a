//! Lines in the data layout for columns: one byte for each line, by cell, tile and run.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use super::domain::Domain;
use crate::games::sliding::rows::{LINES, reversed, unpack};

/// A set of lines of the same length, and the elements of each line by domain.
pub struct LineColumns {
    /// Number of cells of a line.
    pub length: usize,
    /// The lines, as packed indices. The position of a line in this list is its number.
    pub indices: Vec<u16>,
    /// The number of each of the 65,536 lines. A line that is not in the list has the number of its mirror
    /// image, and a longer line the number 0.
    pub places: Vec<u16>,
    /// By cell: its rank, for each line.
    pub cells: [Vec<u8>; 4],
    /// By index of the tile: its rank and its position. The rank is 0 if the line has fewer tiles.
    tiles: [[Vec<u8>; 2]; 4],
    /// By index of the run: its rank, length and position. All are 0 if the line has fewer runs.
    runs: [[Vec<u8>; 3]; 4],
}

impl LineColumns {
    /// All lines of a length.
    pub fn all(length: usize) -> &'static LineColumns {
        static ALL: [LazyLock<LineColumns>; 3] = [
            LazyLock::new(|| LineColumns::new(2, indices(2).collect())),
            LazyLock::new(|| LineColumns::new(3, indices(3).collect())),
            LazyLock::new(|| LineColumns::new(4, indices(4).collect())),
        ];
        &ALL[by_length(length)]
    }

    /// One of each line of a length and its mirror image: the line with the smaller index.
    pub fn canonical(length: usize) -> &'static LineColumns {
        fn canonical(length: usize) -> LineColumns {
            let lines = indices(length).filter(|&index| index <= reversed(index, length));
            LineColumns::new(length, lines.collect())
        }
        static CANONICAL: [LazyLock<LineColumns>; 3] = [
            LazyLock::new(|| canonical(2)),
            LazyLock::new(|| canonical(3)),
            LazyLock::new(|| canonical(4)),
        ];
        &CANONICAL[by_length(length)]
    }

    /// For each cell of a line: sixteen lines, one for each rank in this cell. The other cells are empty.
    pub fn by_cell(length: usize) -> &'static [LineColumns] {
        fn by_cell(length: usize) -> Vec<LineColumns> {
            let lines = |cell: usize| (0..16).map(|rank| rank << (4 * cell)).collect();
            let cells = 0..length;
            cells
                .map(|cell| LineColumns::new(length, lines(cell)))
                .collect()
        }
        static BY_CELL: [LazyLock<Vec<LineColumns>>; 3] = [
            LazyLock::new(|| by_cell(2)),
            LazyLock::new(|| by_cell(3)),
            LazyLock::new(|| by_cell(4)),
        ];
        &BY_CELL[by_length(length)]
    }

    /// Number of all lines of this length.
    pub fn number_of_all(&self) -> usize {
        1 << (4 * self.length)
    }

    fn new(length: usize, indices: Vec<u16>) -> Self {
        let mut places = vec![0; LINES];
        for (place, &index) in indices.iter().enumerate() {
            places[usize::from(reversed(index, length))] = place as u16;
        }
        // After the mirror images, so that a line of the list gets its own number.
        for (place, &index) in indices.iter().enumerate() {
            places[usize::from(index)] = place as u16;
        }
        let count = indices.len();
        let mut lines = LineColumns {
            length,
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

/// Something for each length of lines, 2 to 4 cells, that is computed at its first use.
pub type ByLength<T> = [OnceLock<T>; 3];

/// The index of a length of lines in [`ByLength`].
pub fn by_length(length: usize) -> usize {
    length - 2
}

/// The indices of all lines of a length.
fn indices(length: usize) -> impl Iterator<Item = u16> {
    (0..1_u32 << (4 * length)).map(|index| index as u16)
}

/// The values of a variable on the lines of a block.
#[derive(Clone, Copy)]
pub enum Binding<'a> {
    /// One value for each line.
    Each(&'a [u8]),
    /// The same value on all lines.
    Same(u8),
}
