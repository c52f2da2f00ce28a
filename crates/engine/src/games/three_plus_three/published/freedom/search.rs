//! The search of neoatlantis/saechsli. It prefers the direction after which the largest tile can be reached;
//! among equal directions, the one with the most freedom.
//!
//! The *freedom* of a direction for a number of moves is 4 times the number of sequences of this many moves and
//! random tiles that begin with the direction. [`naive`] counts the sequences one by one, like the original.
//! The search here computes the last two moves of all sequences from line facts. The number of moves and random
//! tiles that a board allows is a sum over its eight lines ([`line_facts`]), and a random tile changes only two
//! of them. Boards that several sequences reach are counted once (`Memo`).
//!
//! [`line_facts`]: crate::games::three_plus_three::rules::line_facts

use crate::games::sliding::{Board, Direction, RowTable};
use crate::games::three_plus_three::rules::line_facts::{FactTable, LineFacts, Sums};
use crate::games::three_plus_three::rules::{Position, next_after, rows, spawn_cells};
use crate::player::single_player::Policy;
use crate::stop::Stop;

/// The order of directions in the original. Among equal directions the first is played.
const ORDER: [Direction; 4] = [
    Direction::Left,
    Direction::Right,
    Direction::Up,
    Direction::Down,
];

/// The result of the search for a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outlook {
    /// Rank of the largest tile in any of the sequences, including the given position.
    pub largest: u8,
    /// 4 times the number of sequences of moves and random tiles.
    pub freedom: u64,
}

/// How many moves the program searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// A fixed number of moves.
    Moves(u8),
    /// The rule of the original server. It counts moves from the value of the next tile (1 or 2) up to a limit.
    /// The limit is 4 if at least 6 cells are empty, 5 if at least 4 cells are empty, otherwise 6. With next
    /// tile 2 it therefore searches one move less.
    Server,
}

impl Reach {
    /// The number of moves to search in this position.
    pub fn moves(self, position: Position) -> u8 {
        match self {
            Reach::Moves(moves) => moves,
            Reach::Server => {
                let last = match position.board.empty_cells() {
                    6.. => 4,
                    4.. => 5,
                    _ => 6,
                };
                last + 1 - position.next
            }
        }
    }
}

/// With this number of moves or fewer, the search does not check for a stop, because the subtree is small.
const MOVES_WITHOUT_STOP: u8 = 3;

/// The search and its table, for one game.
pub struct Freedom<'a> {
    reach: Reach,
    /// True if the first tile of every sequence is assumed to be a 1. The original does this if it does not
    /// know the next tile.
    count_from_one: bool,
    rows: &'static RowTable,
    facts: &'static FactTable,
    memo: Memo,
    stop: Stop<'a>,
    boards: u64,
}

impl<'a> Freedom<'a> {
    /// A search for one game.
    pub fn new(reach: Reach, count_from_one: bool) -> Self {
        Freedom {
            reach,
            count_from_one,
            rows: rows(),
            facts: FactTable::get(),
            memo: Memo::new(),
            stop: Stop::never(),
            boards: 0,
        }
    }

    /// Sets the token that stops the search. After a request, the search soon returns an arbitrary value.
    pub fn until(self, stop: Stop<'a>) -> Self {
        Freedom { stop, ..self }
    }

    /// The results of all directions, in the order of [`Direction::ALL`]; `None` for an illegal direction.
    ///
    /// # Panics
    /// In debug builds, if the number of moves is 0.
    pub fn outlooks(&mut self, position: Position) -> [Option<Outlook>; 4] {
        let moves = self.reach.moves(position);
        debug_assert!(moves > 0);
        let next = if self.count_from_one {
            1
        } else {
            position.next
        };
        let last = if moves % 2 == 1 {
            next
        } else {
            next_after(next)
        };
        let behind = self.behind(position.board, next, moves);
        behind.map(|counted| {
            counted.map(|SequenceCount { largest, sequences }| Outlook {
                // A complete sequence ends with a random tile, which can be larger than all others.
                largest: largest
                    .max(position.board.max_rank())
                    .max(if sequences > 0 { last } else { 0 }),
                freedom: 4 * sequences,
            })
        })
    }

    /// The sequences of `moves` moves for each direction. The tile `next` appears after the first move.
    fn behind(&mut self, board: Board, next: u8, moves: u8) -> [Option<SequenceCount>; 4] {
        let all_moved = board.all_moved_by(self.rows);
        let mut behind = [None; 4];
        for (direction, moved) in Direction::ALL.into_iter().zip(all_moved) {
            if moved != board {
                behind[direction as usize] = Some(self.after(moved, direction, next, moves));
            }
        }
        behind
    }

    /// The sequences that start with a board after a move, before its random tile.
    fn after(&mut self, moved: Board, direction: Direction, next: u8, moves: u8) -> SequenceCount {
        match moves {
            1 => SequenceCount {
                largest: moved.max_rank(),
                sequences: u64::from(spawn_cells(moved, direction).count_ones()),
            },
            2 => match direction {
                Direction::Left => last_two::<3>(self.facts, moved, next),
                Direction::Right => last_two::<0>(self.facts, moved, next),
                Direction::Up => last_two::<3>(self.facts, moved.transpose(), next),
                Direction::Down => last_two::<0>(self.facts, moved.transpose(), next),
            },
            _ if moves > MOVES_WITHOUT_STOP && self.stop.is_requested() => SequenceCount::default(),
            _ => {
                let mut counted = SequenceCount::default();
                let mut cells = spawn_cells(moved, direction);
                while cells != 0 {
                    let cell = cells & cells.wrapping_neg();
                    cells ^= cell;
                    let board = Board(moved.0 | (u64::from(next) * cell));
                    counted.add(self.from(board, next_after(next), moves - 1));
                }
                counted
            }
        }
    }

    /// All sequences from a board, in any direction.
    fn from(&mut self, board: Board, next: u8, moves: u8) -> SequenceCount {
        if let Some(counted) = self.memo.get(board, next, moves) {
            return counted;
        }
        self.boards += 1;
        let mut counted = SequenceCount {
            largest: board.max_rank(),
            sequences: 0,
        };
        if moves == 2 {
            // The same as the general case, but with fewer transpositions.
            for board in [board, board.transpose()] {
                let [to_first, to_last] = board.both_slid(self.rows);
                if to_first != board {
                    counted.add(last_two::<3>(self.facts, to_first, next));
                }
                if to_last != board {
                    counted.add(last_two::<0>(self.facts, to_last, next));
                }
            }
        } else {
            for behind in self.behind(board, next, moves).into_iter().flatten() {
                counted.add(behind);
            }
        }
        self.memo.put(board, next, moves, counted);
        counted
    }
}

/// The direction that the program plays. Directions without freedom are ignored; if there are no others, it
/// plays the first legal direction.
pub fn chosen(outlooks: [Option<Outlook>; 4]) -> Option<Direction> {
    let mut best: Option<(Outlook, Direction)> = None;
    for direction in ORDER {
        let Some(outlook) = outlooks[direction as usize] else {
            continue;
        };
        let is_better =
            |(best, _): (Outlook, _)| outlook.freedom > 0 && (best.freedom == 0 || outlook > best);
        if best.is_none_or(is_better) {
            best = Some((outlook, direction));
        }
    }
    best.map(|(_, direction)| direction)
}

impl Policy<Position, Direction> for Freedom<'_> {
    fn choose(&mut self, position: Position) -> Option<Direction> {
        let mut legal = ORDER
            .into_iter()
            .filter(|&direction| position.moved(direction).is_some());
        match (legal.next(), legal.next()) {
            // There is at most one legal move, so no search is needed.
            (only, None) => only,
            _ => chosen(self.outlooks(position)),
        }
    }

    fn leaf_evaluations(&self) -> u64 {
        self.boards
    }
}

/// Number of sequences, and the largest rank in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct SequenceCount {
    largest: u8,
    sequences: u64,
}

impl SequenceCount {
    fn add(&mut self, other: SequenceCount) {
        self.largest = self.largest.max(other.largest);
        self.sequences += other.sequences;
    }
}

/// The sequences of two more moves after a move that has slid the rows of `along`. The tile `next` appears in
/// cell `LAST` of a row.
///
/// Each random tile changes one row, and the column of these cells.
#[inline(always)]
fn last_two<const LAST: usize>(facts: &FactTable, along: Board, next: u8) -> SequenceCount {
    let across = along.transpose();
    let next = u16::from(next);
    let mut largest = LineFacts::default();
    let (mut rows, mut columns) = (Sums::default(), Sums::default());
    for line in 0..4 {
        let (row, column) = (facts.of(along.row(line)), facts.of(across.row(line)));
        rows = rows + row.sums();
        columns = columns + column.sums();
        largest = largest.max(row).max(column);
    }
    let side = across.row(LAST);
    let other_columns = columns - facts.of(side).sums();
    let mut sequences = 0;
    for line in 0..4 {
        if side >> (4 * line) & 0xF != 0 {
            continue;
        }
        let before = along.row(line);
        let row = facts.of(before | next << (4 * LAST));
        let column = facts.of(side | next << (4 * line));
        largest = largest.max(row).max(column);
        let rows = rows - facts.of(before).sums() + row.sums();
        let columns = other_columns + column.sums();
        sequences += rows.moves() + columns.moves();
    }
    SequenceCount {
        largest: largest.largest(),
        sequences: u64::from(sequences),
    }
}

/// A direct-mapped cache of the number of sequences from a board. An entry is used only for exactly the same
/// board, next tile and number of moves, so the cache never changes a result.
struct Memo(Box<[MemoEntry]>);

#[derive(Clone, Copy, Default)]
struct MemoEntry {
    board: u64,
    /// Number of sequences in the bits from 12 up, rank of the largest tile in bits 8 to 11, and the key
    /// (number of moves and next tile) in bits 0 to 7. 0 marks an empty entry.
    facts: u64,
}

impl Memo {
    const BITS: u32 = 12;

    fn new() -> Self {
        Memo(vec![MemoEntry::default(); 1 << Self::BITS].into_boxed_slice())
    }

    fn slot(board: Board) -> usize {
        // Fibonacci hashing of the two halves of the board, combined by exclusive or.
        let folded = board.0 ^ board.0 >> 32;
        (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - Self::BITS)) as usize
    }

    fn key(next: u8, moves: u8) -> u64 {
        u64::from(moves << 1 | (next - 1))
    }

    fn get(&self, board: Board, next: u8, moves: u8) -> Option<SequenceCount> {
        let MemoEntry {
            board: known,
            facts,
        } = self.0[Self::slot(board)];
        let is_same = known == board.0 && facts & 0xFF == Self::key(next, moves);
        is_same.then_some(SequenceCount {
            largest: (facts >> 8 & 0xF) as u8,
            sequences: facts >> 12,
        })
    }

    fn put(&mut self, board: Board, next: u8, moves: u8, counted: SequenceCount) {
        self.0[Self::slot(board)] = MemoEntry {
            board: board.0,
            facts: counted.sequences << 12
                | u64::from(counted.largest) << 8
                | Self::key(next, moves),
        };
    }
}

/// The evaluation of the original, one sequence at a time. It is the definition of [`Freedom`].
pub mod naive {
    use super::*;

    /// The tile that appears at this count.
    fn tile_at(count: u8) -> u8 {
        (count + 1) % 2 + 1
    }

    /// The result of the original for a direction. `count` runs from the first move to `last`. Beyond `last` a
    /// sequence ends and counts as 1.
    pub fn outlook(board: Board, direction: Direction, count: u8, last: u8) -> Outlook {
        let largest = board.max_rank();
        if count > last {
            let freedom = 1;
            return Outlook { largest, freedom };
        }
        let next = tile_at(count);
        let mut found = Outlook {
            largest,
            freedom: 0,
        };
        let Some(moved) = (Position { board, next }).moved(direction) else {
            return found;
        };
        found.largest = found.largest.max(moved.max_rank());
        let cells = spawn_cells(moved, direction);
        for bit in (0..64).filter(|bit| cells >> bit & 1 == 1) {
            let board = Board(moved.0 | u64::from(next) << bit);
            for direction in Direction::ALL {
                let further = outlook(board, direction, count + 1, last);
                found.largest = found.largest.max(further.largest);
                found.freedom += further.freedom;
            }
        }
        found
    }

    /// The results of the original for all directions, like [`Freedom::outlooks`].
    pub fn outlooks(position: Position, moves: u8, count_from_one: bool) -> [Option<Outlook>; 4] {
        let first = if count_from_one { 1 } else { position.next };
        Direction::ALL.map(|direction| {
            position.moved(direction)?;
            Some(outlook(position.board, direction, first, first + moves - 1))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::three_plus_three::rules::samples::{board_of, positions};
    use crate::games::three_plus_three::rules::{play, tile_of};
    use crate::games::vectors;
    use serde_json::Value;

    #[test]
    fn derived_freedom_is_that_of_the_enumeration() {
        for (moves, count) in [(1, 2000), (2, 2000), (3, 500), (4, 60), (5, 20)] {
            for count_from_one in [false, true] {
                let mut fast = Freedom::new(Reach::Moves(moves), count_from_one);
                for position in positions(count) {
                    let slow = naive::outlooks(position, moves, count_from_one);
                    assert_eq!(fast.outlooks(position), slow, "{moves} moves, {position:?}");
                }
            }
        }
    }

    #[test]
    fn outlooks_are_those_of_the_mirrored_board() {
        let mut search = Freedom::new(Reach::Moves(3), false);
        for position in positions(200) {
            let [up, down, left, right] = search.outlooks(position);
            let turned = Position {
                board: position.board.transpose(),
                ..position
            };
            assert_eq!(search.outlooks(turned), [left, right, up, down]);
        }
    }

    /// Checks a record of the original's results: `eval` and `choice`.
    fn check(search: &mut Freedom, position: Position, expected: &Value) {
        let outlooks = search.outlooks(position);
        let names = [
            ("up", "top"),
            ("down", "bottom"),
            ("left", "left"),
            ("right", "right"),
        ];
        for (outlook, (_, name)) in outlooks.into_iter().zip(names) {
            let expected = &expected["eval"][name];
            let freedom = expected[1].as_u64().unwrap();
            match outlook {
                Some(outlook) => {
                    assert_eq!(expected[0], tile_of(outlook.largest), "{name} {position:?}");
                    assert_eq!(outlook.freedom, freedom, "{name} {position:?}");
                }
                None => assert_eq!(freedom, 0),
            }
        }
        let has_freedom = outlooks
            .into_iter()
            .flatten()
            .any(|outlook| outlook.freedom > 0);
        let choice = match chosen(outlooks) {
            Some(direction) if has_freedom => names[direction as usize].1,
            _ => "",
        };
        assert_eq!(expected["choice"], choice, "{position:?}");
    }

    fn records(file: &str) -> impl Iterator<Item = (Position, Value)> {
        vectors::records(file).into_iter().map(|record| {
            let next = record["food"].as_u64().unwrap() as u8;
            let board = board_of(&record["b"]);
            (Position { board, next }, record)
        })
    }

    #[test]
    fn choices_are_those_of_the_original() {
        let mut checked = 0;
        for (position, record) in records("three_plus_three_positions.jsonl") {
            for (moves, count_from_one, name) in
                [(2, true, "mc2"), (3, true, "mc3"), (3, false, "server3")]
            {
                let mut search = Freedom::new(Reach::Moves(moves), count_from_one);
                check(&mut search, position, &record[name]);
                checked += 1;
            }
        }
        assert_eq!(checked, 150);
    }

    #[test]
    fn choices_by_the_rule_of_the_server_are_those_of_the_original() {
        let mut checked = 0;
        for (position, record) in records("three_plus_three_server.jsonl") {
            let moves = Reach::Server.moves(position);
            assert_eq!(record["maxcount"], moves + position.next - 1);
            check(&mut Freedom::new(Reach::Server, false), position, &record);
            checked += 1;
        }
        assert_eq!(checked, 50);
    }

    #[test]
    fn what_is_remembered_changes_no_game() {
        let mut used = Freedom::new(Reach::Moves(4), false);
        for seed in 0..2 {
            let mut fresh = Freedom::new(Reach::Moves(4), false);
            let game = play(seed, &mut fresh, Stop::never()).unwrap();
            let again = play(seed, &mut used, Stop::never()).unwrap();
            assert_eq!((game.result, game.moves), (again.result, again.moves));
        }
    }

    #[test]
    fn where_all_freedom_is_gone_the_first_legal_move_is_played() {
        let outlook = |largest, freedom| Some(Outlook { largest, freedom });
        let at = |up, down, left, right| chosen([up, down, left, right]);
        assert_eq!(
            at(outlook(9, 0), None, outlook(8, 0), None),
            Some(Direction::Left)
        );
        assert_eq!(
            at(outlook(9, 0), outlook(8, 4), outlook(8, 0), outlook(8, 8)),
            Some(Direction::Right)
        );
        assert_eq!(
            at(outlook(9, 4), outlook(9, 4), outlook(8, 40), outlook(9, 0)),
            Some(Direction::Up)
        );
        assert_eq!(at(None, None, None, None), None);
    }
}
