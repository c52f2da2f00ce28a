//! Where the numbers of a line are stored in its [`Parts`](super::parts::Parts). A sum needs few bits if its values are
//! few, so several sums share a word of 32 bits and are added by one instruction. Small extreme values have a byte each.

use std::sync::Arc;

use crate::games::sliding::language::Lane;
use crate::games::sliding::line_tables::{ByAxis, COLUMNS, LineTable, ROWS};

/// Numbers in the bytes of a word.
pub(super) const BYTES: usize = 8;

/// The bits of a sum in the words of an axis, 32 bits each. It has no bits if all lines of the axis have the same value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Field {
    /// The index of the word.
    pub word: usize,
    /// The lowest bit.
    pub shift: u32,
    /// The largest number.
    pub mask: u32,
}

/// Where numbers of a line are stored, and their values.
pub(super) type PlaceKey<'a> = Vec<([usize; 3], Option<&'a [i32]>)>;

/// How a number of a board is stored.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot {
    /// The fields of rows and columns and this number are added. If words are joint, rows and columns have the same field.
    Sum { fields: [Field; 2], lowest: i32 },
    /// A byte and this number are added.
    Byte { shift: u32, lowest: i32 },
    /// A number of 32 bits.
    Wide { index: usize },
}

/// What a slot stores: the values of a sum, or those of an extreme value.
struct SlotSource<'a> {
    tables: ByAxis<Option<&'a [i32]>>,
    /// The smallest and the largest of the values at each place.
    ends: ByAxis<[i64; 2]>,
    /// The smallest and the largest number, if it is an extreme value.
    extreme: Option<[i32; 2]>,
}

/// The slots of a heuristic: slot 0 is the value of the lines, and slot i + 1 is lane i.
pub(super) struct Layout<'a> {
    sources: Vec<SlotSource<'a>>,
    /// For each slot.
    pub slots: Vec<Slot>,
    /// Number of words of sums, of 32 bits each.
    pub words: usize,
    /// True if the words of rows and of columns are added. Otherwise a word can have some sums of rows and others of columns.
    pub joint: bool,
    /// Number of extreme values in bytes.
    pub bytes: usize,
    /// Number of extreme values of 32 bits.
    pub wide: usize,
}

impl<'a> Layout<'a> {
    /// The layout of the values of lines and of lanes.
    pub fn new(lines: ByAxis<&'a LineTable>, lanes: &'a [Arc<Lane>]) -> Self {
        let own = lines.map(|axis| axis.map(|table| Some(table.as_slice())));
        let of_lane = |lane: &'a Arc<Lane>| {
            let tables = (lane.tables.each_ref()).map(|axis| {
                axis.each_ref()
                    .map(|table| table.as_ref().map(|table| table.as_slice()))
            });
            SlotSource::new(tables, lane.extreme())
        };
        let own = [SlotSource::new(own, None)].into_iter();
        let sources: Vec<_> = own.chain(lanes.iter().map(of_lane)).collect();
        let (joint, apart) = (Layout::of(&sources, true), Layout::of(&sources, false));
        // Rows and columns with sums of their own can share tables if these are apart.
        let of_one_axis = |slot: &Slot| match slot {
            Slot::Sum { fields, .. } => (fields[ROWS].mask == 0) != (fields[COLUMNS].mask == 0),
            _ => false,
        };
        let is_apart = joint.words > apart.words || apart.slots.iter().any(of_one_axis);
        let best = if is_apart { apart } else { joint };
        Layout { sources, ..best }
    }

    /// The layout without the sources.
    fn of(sources: &[SlotSource], joint: bool) -> Self {
        let mut layout = Layout {
            sources: Vec::new(),
            slots: Vec::new(),
            words: 0,
            joint,
            bytes: 0,
            wide: 0,
        };
        let mut used: [Vec<u32>; 2] = Default::default();
        let mut bytes = 0;
        for source in sources {
            let slot = match source.extreme {
                None => sum(source, joint, &mut used),
                Some([first, last]) if last.abs_diff(first) <= 0xFF && bytes < BYTES => {
                    bytes += 1;
                    Slot::Byte {
                        shift: 8 * (bytes as u32 - 1),
                        lowest: first,
                    }
                }
                Some(_) => {
                    layout.wide += 1;
                    Slot::Wide {
                        index: layout.wide - 1,
                    }
                }
            };
            layout.slots.push(slot);
        }
        layout.words = used.iter().map(Vec::len).max().unwrap_or(0);
        layout.bytes = bytes;
        layout
    }

    /// Places that store the same values at the same bits have the same key.
    pub fn key(&self, axis: usize, index: usize) -> PlaceKey<'a> {
        let slots = self.slots.iter().zip(&self.sources);
        let stored = slots.filter_map(|(slot, source)| {
            let bits = match slot {
                Slot::Sum { fields, .. } if fields[axis].mask == 0 => return None,
                Slot::Sum { fields, .. } => [0, fields[axis].word, fields[axis].shift as usize],
                Slot::Byte { shift, .. } => [1, *shift as usize, 0],
                Slot::Wide { index } => [2, *index, 0],
            };
            Some((bits, source.tables[axis][index]))
        });
        let mut key: PlaceKey = stored.collect();
        key.sort_by_key(|(bits, _)| *bits);
        key
    }

    /// For each slot: how it is stored, and what is stored for the lines at a place.
    pub fn values(
        &self,
        axis: usize,
        index: usize,
    ) -> impl Iterator<Item = (Slot, impl Fn(usize) -> i64)> {
        let slots = self.slots.iter().zip(&self.sources);
        slots.map(move |(&slot, source)| {
            let table = source.tables[axis][index];
            let lowest = match slot {
                Slot::Sum { .. } => source.ends[axis][index][0],
                Slot::Byte { lowest, .. } => i64::from(lowest),
                Slot::Wide { .. } => 0,
            };
            // A line that does not count adds nothing to a sum, and is never larger than another one.
            let absent = source.extreme.map_or(0, |[first, _]| i64::from(first));
            let value = move |line: usize| table.map_or(absent, |values| i64::from(values[line]));
            (slot, move |line| value(line) - lowest)
        })
    }
}

impl<'a> SlotSource<'a> {
    fn new(tables: ByAxis<Option<&'a [i32]>>, extreme: Option<[i32; 2]>) -> Self {
        SlotSource {
            tables,
            ends: tables.map(|axis| axis.map(ends)),
            extreme,
        }
    }
}

/// The slot of a sum. `used` is the number of bits that are used in each word of an axis.
fn sum(source: &SlotSource, joint: bool, used: &mut [Vec<u32>; 2]) -> Slot {
    let lowest = source.ends.as_flattened().iter().map(|[low, _]| low);
    let lowest: i64 = lowest.sum();
    let [rows, columns] = source.ends.map(|axis| {
        let ranges = axis.iter().map(|[low, high]| high - low);
        ranges.sum::<i64>()
    });
    let [of_rows, of_columns] = used;
    let fields = if joint {
        [field(rows + columns, of_rows); 2]
    } else {
        [field(rows, of_rows), field(columns, of_columns)]
    };
    Slot::Sum {
        fields,
        lowest: i32::try_from(lowest).unwrap_or_else(|_| unreachable!("sums fit into 32 bits")),
    }
}

/// A field for numbers up to `most` in the first word with room.
fn field(most: i64, used: &mut Vec<u32>) -> Field {
    let bits = i64::BITS - most.leading_zeros();
    if bits == 0 {
        return Field::default();
    }
    let has_room = |used: &u32| *used + bits <= u32::BITS;
    let word = used.iter().position(has_room).unwrap_or_else(|| {
        used.push(0);
        used.len() - 1
    });
    let shift = used[word];
    used[word] += bits;
    Field {
        word,
        shift,
        mask: u32::MAX >> (u32::BITS - bits),
    }
}

/// The smallest and the largest of the values at a place.
fn ends(table: Option<&[i32]>) -> [i64; 2] {
    let values = table.unwrap_or(&[0]);
    let ends = values
        .iter()
        .fold([i32::MAX, i32::MIN], |[low, high], &value| {
            [low.min(value), high.max(value)]
        });
    ends.map(i64::from)
}
