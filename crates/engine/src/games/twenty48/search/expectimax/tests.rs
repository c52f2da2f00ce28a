//! Tests of the search against its definition, [`crate::reference::twenty48`], with every instruction set.

use super::*;
use crate::games::sliding::samples::anchored_heuristics;
use crate::games::sliding::{Heuristic, NoBoardTerms};
use crate::games::twenty48::heuristic::{TERMS, parameters};
use crate::games::twenty48::rules::samples::boards;
use crate::heuristic::weights::Weights;
use crate::reference::twenty48 as reference;
use crate::simd::{InstructionSet, testable_sets};

/// Symmetric and anchored heuristics, with and without board terms.
fn settings() -> Vec<Heuristic> {
    let richer = [
        ("smoothness", 30.0),
        ("line_end_outer", 500.0),
        ("line_end_inner", 200.0),
        ("empty_inner", 100.0),
        ("empty_outer", 350.0),
    ];
    let board_level = [("max_tile", 700.0), ("edge", 900.0), ("corner", 1500.0)];
    [vec![], richer.to_vec(), board_level.to_vec()]
        .into_iter()
        .map(|changes| {
            let weights = Weights::default().with(changes, &parameters());
            Heuristic::new(&TERMS, &weights.unwrap()).unwrap()
        })
        .chain(anchored_heuristics())
        .collect()
}

/// Calls `check` with a search for each heuristic and instruction set.
fn each(
    settings_of_search: Settings,
    mut check: impl FnMut(&Heuristic, &mut dyn FnMut(Board) -> [Option<i32>; 4]),
) {
    for heuristic in settings() {
        for set in testable_sets() {
            let compiled = CompiledSearch::new(heuristic.clone(), settings_of_search.depth, set);
            let terms = heuristic.board_terms.as_slice();
            if terms.is_empty() {
                let mut fast = Expectimax::new(&compiled, NoBoardTerms, settings_of_search);
                check(&heuristic, &mut |board| fast.move_values(board));
            } else {
                let mut fast = Expectimax::new(&compiled, terms, settings_of_search);
                check(&heuristic, &mut |board| fast.move_values(board));
            }
        }
    }
}

fn agree_at(depth: Depth, cutoff: f64, count: u32) {
    agree(Settings::new(depth, cutoff), count);
}

fn agree(search: Settings, count: u32) {
    each(search, |heuristic, fast| {
        for board in boards(count) {
            let depth = chance_layers(search.depth, board);
            let Settings {
                cutoff,
                reduction,
                table_bits: bits,
                ..
            } = search;
            let expected = if search.reuse && bits > 0 {
                reference::move_values_with_reuse(heuristic, board, depth, cutoff, reduction, bits)
            } else if reduction > 1.0 {
                reference::move_values_with_reduction(heuristic, board, depth, cutoff, reduction)
                    .values
            } else {
                reference::move_values(heuristic, board, depth, cutoff).values
            };
            assert_eq!(fast(board), expected, "{search:?} {board:?}");
        }
    });
}

#[test]
fn agrees_with_the_textbook_without_look_ahead() {
    agree_at(Depth::Fixed(0), 0.0, 2000);
}

#[test]
fn agrees_with_the_textbook_at_one_layer() {
    agree_at(Depth::Fixed(1), 0.0, 2000);
}

#[test]
fn agrees_with_the_textbook_at_two_layers() {
    agree_at(Depth::Fixed(2), 0.0, 78);
    agree_at(Depth::Fixed(2), 1e-3, 78);
}

#[test]
fn agrees_with_the_textbook_with_a_cutoff_at_greater_depth() {
    agree_at(Depth::Fixed(3), 0.02, 39);
    agree_at(Depth::Adaptive, 0.02, 13);
}

#[test]
fn agrees_with_the_textbook_for_every_table_size() {
    for table_bits in [0, 1, 8, 20] {
        let settings = Settings {
            table_bits,
            ..Settings::new(Depth::Fixed(3), 0.01)
        };
        agree(settings, 13);
    }
}

#[test]
fn agrees_with_the_definition_of_reuse() {
    for (depth, cutoff) in [
        (Depth::Fixed(2), 0.0),
        (Depth::Fixed(3), 0.01),
        (Depth::Fixed(4), 0.004),
        (Depth::Fixed(5), 0.004),
        (Depth::Adaptive, 0.004),
    ] {
        for table_bits in [0, 6, 12, 18] {
            let settings = Settings {
                table_bits,
                reuse: true,
                ..Settings::new(depth, cutoff)
            };
            agree(settings, 13);
        }
    }
}

#[test]
fn agrees_with_the_definition_of_reductions() {
    for (depth, cutoff, reduction) in [
        // A reduction has no effect here: there is only one layer, or no cut-off.
        (Depth::Fixed(1), 0.02, 10.0),
        (Depth::Fixed(2), 0.0, 10.0),
        (Depth::Fixed(3), 0.004, 2.0),
        (Depth::Fixed(4), 0.004, 1e6),
        (Depth::Adaptive, 0.002, 5.0),
    ] {
        for (table_bits, reuse) in [(0, false), (12, false), (6, true), (12, true)] {
            let settings = Settings {
                table_bits,
                reuse,
                reduction,
                ..Settings::new(depth, cutoff)
            };
            agree(settings, 13);
        }
    }
}

#[test]
fn reductions_save_work_and_change_some_values() {
    let heuristic = &settings()[0];
    let compiled =
        CompiledSearch::new(heuristic.clone(), Depth::Adaptive, InstructionSet::chosen());
    let search = |reduction| {
        let settings = Settings {
            reduction,
            reuse: true,
            ..Settings::new(Depth::Adaptive, 1e-3)
        };
        let mut search = Expectimax::new(&compiled, NoBoardTerms, settings);
        let values = boards(39).map(|board| search.move_values(board));
        let values: Vec<_> = values.collect();
        (values, Policy::leaf_evaluations(&search))
    };
    let (full, reduced) = (search(1.0), search(10.0));
    assert!(2 * reduced.1 < full.1, "{} {}", reduced.1, full.1);
    assert_ne!(reduced.0, full.0);
}

#[test]
fn reuse_saves_work() {
    let heuristic = &settings()[0];
    let compiled =
        CompiledSearch::new(heuristic.clone(), Depth::Adaptive, InstructionSet::chosen());
    let leaves = |reuse| {
        let settings = Settings {
            reuse,
            ..Settings::new(Depth::Adaptive, 1e-3)
        };
        let mut search = Expectimax::new(&compiled, NoBoardTerms, settings);
        for board in boards(13) {
            search.move_values(board);
        }
        Policy::leaf_evaluations(&search)
    };
    assert!(leaves(true) < leaves(false));
}

#[test]
fn leaves_are_counted_as_the_textbook_visits_them() {
    let settings = settings();
    for heuristic in settings.iter().filter(|one| one.board_terms.is_empty()) {
        for set in testable_sets() {
            for depth in [0, 1] {
                let fixed = Depth::Fixed(depth);
                let compiled = CompiledSearch::new(heuristic.clone(), fixed, set);
                for board in boards(100) {
                    let slow = reference::move_values(heuristic, board, depth, 0.0);
                    let mut fast =
                        Expectimax::new(&compiled, NoBoardTerms, Settings::new(fixed, 0.0));
                    fast.move_values(board);
                    assert_eq!(Policy::leaf_evaluations(&fast), slow.leaves);
                }
            }
        }
    }
}

#[test]
fn a_value_does_not_depend_on_what_was_searched_before() {
    for (depth, reuse, reduction) in [
        (Depth::Fixed(2), false, 1.0),
        (Depth::Adaptive, true, 1.0),
        (Depth::Adaptive, true, 10.0),
    ] {
        let compiled = CompiledSearch::new(settings()[0].clone(), depth, InstructionSet::chosen());
        let search = Settings {
            reuse,
            reduction,
            ..Settings::new(depth, 0.01)
        };
        let fresh = || Expectimax::new(&compiled, NoBoardTerms, search);
        let mut used = fresh();
        // More boards than the table has generations.
        for board in boards(300) {
            assert_eq!(used.move_values(board), fresh().move_values(board));
        }
    }
}

#[test]
fn values_turn_with_the_transposed_board() {
    let depth = Depth::Fixed(1);
    for heuristic in settings() {
        let set = InstructionSet::chosen();
        let compiled = CompiledSearch::new(heuristic.clone(), depth, set);
        let terms = heuristic.board_terms.as_slice();
        let mut search = Expectimax::new(&compiled, terms, Settings::new(depth, 0.0));
        for board in boards(50) {
            let [up, down, left, right] = search.move_values(board);
            let transposed = search.move_values(board.transpose());
            assert_eq!(transposed, [left, right, up, down]);
        }
    }
}
