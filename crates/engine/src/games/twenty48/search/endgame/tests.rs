//! Tests of the solution against its definition, [`crate::reference::endgame`].

use super::*;
use crate::games::twenty48::rules::Direction;
use crate::random::GameRng;
use crate::reference::endgame as reference;

/// Arrangements of large tiles as ranks; other cells are 0. Two rows, two columns, a snake, one just before
/// 49152, and one with other cells between large tiles.
const ARRANGEMENTS: [[u8; 16]; 5] = [
    [14, 13, 10, 7, 12, 11, 9, 8, 0, 0, 0, 0, 0, 0, 0, 0],
    [14, 13, 0, 0, 12, 11, 0, 0, 10, 9, 0, 0, 8, 7, 0, 0],
    [14, 13, 12, 11, 7, 8, 9, 10, 0, 0, 0, 0, 0, 0, 0, 0],
    [15, 13, 12, 0, 11, 10, 9, 0, 8, 7, 0, 0, 0, 0, 0, 0],
    [14, 13, 0, 0, 12, 0, 11, 0, 10, 9, 0, 0, 8, 0, 7, 0],
];

/// The number of consecutive boards with the same large tiles in the same cells.
const ALIKE: usize = 10;

/// Endgames whose small tiles have a large sum, so that the rest of the game is short. Half of the groups are
/// transposed.
fn endgames(count: usize) -> Vec<Board> {
    let mut random = GameRng::new(32_768);
    let mut boards = Vec::new();
    while boards.len() < count {
        let group = boards.len() / ALIKE;
        let mut ranks = ARRANGEMENTS[group % ARRANGEMENTS.len()];
        let mut sum = 0;
        for rank in ranks.iter_mut().filter(|rank| **rank == 0) {
            *rank = random.below(8).saturating_sub(1) as u8;
            sum += (1 << *rank) & !1;
        }
        let board = Board::from_ranks(ranks);
        if sum > 110 {
            let is_transposed = group / ARRANGEMENTS.len() % 2 == 1;
            boards.push(if is_transposed {
                board.transpose()
            } else {
                board
            });
        }
    }
    boards
}

fn values_alone(board: Board) -> Option<[Option<u16>; 4]> {
    Endgames::default().move_values(board)
}

#[test]
fn values_are_those_of_the_definition() {
    let mut endgames_of_a_game = Endgames::default();
    let (mut certain, mut lost, mut between, mut moved_away) = (0, 0, 0, 0);
    for board in endgames(300) {
        let values = endgames_of_a_game.move_values(board);
        assert_eq!(values, reference::move_values(board), "{board:?}");
        for (direction, value) in Direction::ALL.into_iter().zip(values.unwrap()) {
            match value {
                None => moved_away += u32::from(board.moved(direction) != board),
                Some(0) => lost += 1,
                Some(CERTAIN) => certain += 1,
                Some(_) => between += 1,
            }
        }
    }
    for (kind, seen) in [
        ("certain", certain),
        ("lost", lost),
        ("between", between),
        ("moved away", moved_away),
    ] {
        assert!(seen >= 20, "{seen} {kind}");
    }
}

#[test]
fn values_do_not_depend_on_what_was_asked_before() {
    let mut boards = endgames(60);
    let (mut forward, mut backward) = (Endgames::default(), Endgames::default());
    let of_boards: Vec<_> = boards
        .iter()
        .map(|&board| (board, forward.move_values(board)))
        .collect();
    boards.reverse();
    for (&board, &(same, values)) in boards.iter().zip(of_boards.iter().rev()) {
        assert_eq!(board, same);
        assert_eq!(backward.move_values(board), values, "{board:?}");
        assert_eq!(values_alone(board), values, "{board:?}");
    }
}

#[test]
fn only_eight_different_tiles_from_128_up_are_an_endgame() {
    let is_endgame = |ranks| large_tiles(Board::from_ranks(ranks)).is_some();
    let endgame = [14, 13, 10, 7, 12, 11, 9, 8, 1, 2, 1, 2, 2, 1, 0, 0];
    assert!(is_endgame(endgame));
    for (cell, rank, why) in [
        (3, 6, "seven"),
        (7, 6, "seven, with 128"),
        (8, 7, "nine, two 128s"),
        (8, 15, "nine, all different"),
        (7, 7, "two 128s"),
        (7, 9, "two 512s"),
        (3, 15, "no 128"),
    ] {
        let mut changed = endgame;
        changed[cell] = rank;
        assert!(!is_endgame(changed), "{why}");
    }
    assert!(!is_endgame([0; 16]));
}

#[test]
fn a_second_128_wins_next_to_the_first_only() {
    let board = [[14, 13, 10, 8], [12, 11, 9, 7], [0, 1, 6, 6], [1, 2, 3, 4]];
    let values = values_alone(Board::from_ranks(board.concat().try_into().unwrap()));
    // After `up` a new tile can appear in one cell only, and the merge to the right remains. `down` moves the
    // large tiles of the first column.
    let [up, down, left, right] = values.unwrap();
    assert_eq!((up, down), (Some(CERTAIN), None));
    assert_eq!((left, right), (Some(0), Some(CERTAIN)));
}

#[test]
fn moves_near_the_best_are_allowed_and_all_if_none_can_win() {
    let (mut near, mut forbidden, mut hopeless) = (0, 0, 0);
    for board in endgames(300) {
        let values = values_alone(board).unwrap();
        let best = values.iter().flatten().max().copied().unwrap_or(0);
        let allowed = Endgames::default().allowed(board);
        hopeless += u32::from(best == 0);
        for (value, is_allowed) in values.into_iter().zip(allowed) {
            let lost = value.map(|value| best - value);
            assert_eq!(
                is_allowed,
                best == 0 || lost.is_some_and(|lost| lost <= MARGIN)
            );
            near += u32::from(best > 0 && lost.is_some_and(|lost| (1..=MARGIN).contains(&lost)));
            forbidden += u32::from(!is_allowed);
        }
    }
    for (kind, seen) in [
        ("near the best", near),
        ("forbidden", forbidden),
        ("hopeless", hopeless),
    ] {
        assert!(seen > 0, "no move {kind}");
    }
    assert_eq!(Endgames::default().allowed(Board(0)), [true; 4]);
}
