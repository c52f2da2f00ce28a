//! Tests of the search against its definition, [`crate::reference::twenty48`], with every instruction set.

use super::*;
use crate::games::sliding::samples::{
    anchored_heuristics, heuristics_by_axis, heuristics_of_the_board,
};
use crate::games::sliding::{AllBoardTerms, Definition, Heuristic, NoBoardTerms, Shape};
use crate::games::twenty48::heuristic::{TERMS, parameters};
use crate::games::twenty48::rules::samples::boards;
use crate::games::twenty48::rules::{Game, Spawn, Variation, play_many};
use crate::heuristic::weights::Weights;
use crate::player::single_player::play_out;
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

/// Heuristics that differ from those of [`settings`] in the last layer only.
fn other_forms() -> impl Iterator<Item = Heuristic> {
    heuristics_by_axis()
        .into_iter()
        .chain(heuristics_of_the_board())
}

/// Calls `check` with a search for each of the heuristics and each instruction set.
fn each(
    heuristics: impl IntoIterator<Item = Heuristic>,
    settings_of_search: Settings,
    mut check: impl FnMut(&Heuristic, &mut dyn FnMut(Board) -> [Option<i32>; 4]),
) {
    for heuristic in heuristics {
        for set in testable_sets() {
            let compiled = CompiledSearch::new(heuristic.clone(), settings_of_search.depth, set);
            let terms = heuristic.board_terms.as_slice();
            if heuristic.whole.is_some() {
                let terms = AllBoardTerms::of(&heuristic);
                let mut fast = Expectimax::new(&compiled, terms, settings_of_search);
                check(&heuristic, &mut |board| fast.move_values(board));
            } else if terms.is_empty() {
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
    agree_with(settings(), search, count);
}

fn agree_with(heuristics: impl IntoIterator<Item = Heuristic>, search: Settings, count: u32) {
    each(heuristics, search, |heuristic, fast| {
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
fn other_forms_of_heuristics_agree_with_the_textbook() {
    for (depth, cutoff, count) in [(0, 0.0, 500), (1, 0.0, 500), (2, 1e-3, 13)] {
        let search = Settings::new(Depth::Fixed(depth), cutoff);
        agree_with(other_forms(), search, count);
    }
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
    let settings = settings().into_iter().chain(heuristics_by_axis());
    let settings: Vec<Heuristic> = settings.collect();
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
    for heuristic in settings().into_iter().filter(|one| !one.lines.is_by_axis()) {
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

/// Every size of board with every one of four spawns.
fn variations() -> Vec<Variation> {
    let spawns = ["2:0.9,4:0.1", "2:0.8,4:0.15,8:0.05", "4:1", "2:0.3,32:0.7"];
    let spawns = spawns.map(|text| text.parse::<Spawn>().unwrap());
    let of_shape = |shape| spawns.map(|spawn| Variation::new(shape, spawn, 2));
    Shape::all().flat_map(of_shape).collect()
}

/// Heuristics for a size of board: symmetric with separate outer and inner lines, with and without board terms,
/// and anchored.
fn heuristics_on(shape: Shape) -> [Heuristic; 3] {
    let richer = [
        ("line_end_outer", 500.0),
        ("line_end_inner", 200.0),
        ("empty_outer", 350.0),
    ];
    let board_level = [("max_tile", 700.0), ("edge", 900.0), ("corner", 1500.0)];
    let [lines, boards] = [&richer, &board_level].map(|changes| {
        let weights = Weights::default().with(changes.iter().copied(), &parameters());
        Heuristic::on(shape, &TERMS, &weights.unwrap()).unwrap()
    });
    let text = "about = 'x'\nlines = 'anchored'\n[[term]]\nname = 'one'\ndoc = 'x'\n\
                value = 'sum(cells, r * r * (1 + 4 * i + j)) + 3 * cell(last)'\n\
                weight = { default = 10.0, min = 0.0, max = 10.0 }\n";
    let definition = Definition::built_in(text, &[]);
    let anchored = Heuristic::on(shape, &definition, &Weights::default()).unwrap();
    [lines, boards, anchored]
}

/// Boards of a size; some of them are full.
fn boards_on(shape: Shape, count: u32) -> impl Iterator<Item = Board> {
    boards(count).map(move |board| Board(board.0 & shape.mask()))
}

fn agree_on_variations(depth: u8, cutoff: f64, count: u32) {
    for rules in variations() {
        for heuristic in heuristics_on(rules.shape()) {
            let compiled = CompiledSearch::portable(heuristic.clone());
            let terms = heuristic.board_terms.as_slice();
            let settings = Settings::new(Depth::Fixed(depth), cutoff);
            let mut search = Expectimax::of(rules, &compiled, terms, settings);
            for board in boards_on(rules.shape(), count) {
                let slow = reference::move_values_of(rules, &heuristic, board, depth, cutoff);
                let before = search.leaf_evaluations;
                let fast = search.move_values(board);
                assert_eq!(fast, slow.values, "{} {board:?}", rules.shape());
                if depth < 2 {
                    assert_eq!(search.leaf_evaluations - before, slow.leaves);
                }
            }
        }
    }
}

#[test]
fn variations_agree_with_the_textbook() {
    agree_on_variations(0, 0.0, 100);
    agree_on_variations(1, 0.0, 39);
    agree_on_variations(2, 0.0, 3);
    agree_on_variations(2, 0.01, 6);
}

#[test]
fn variations_agree_with_the_definition_of_reuse_and_reductions() {
    for rules in variations() {
        let [heuristic, ..] = heuristics_on(rules.shape());
        let compiled = CompiledSearch::portable(heuristic.clone());
        for (depth, reduction) in [(3, 1.0), (3, 10.0)] {
            let settings = Settings {
                reuse: true,
                reduction,
                table_bits: 8,
                ..Settings::new(Depth::Fixed(depth), 0.02)
            };
            let mut search = Expectimax::of(rules, &compiled, NoBoardTerms, settings);
            for board in boards_on(rules.shape(), 4) {
                let expected = reference::move_values_with_reuse_of(
                    rules, &heuristic, board, depth, 0.02, reduction, 8,
                );
                assert_eq!(
                    search.move_values(board),
                    expected,
                    "{} {board:?}",
                    rules.shape()
                );
            }
        }
    }
}

#[test]
fn the_usual_rules_as_a_variation_play_the_same_games() {
    let usual = Variation::new(Shape::STANDARD, Spawn::USUAL, 2);
    let heuristic = &settings()[0];
    for depth in [0, 1] {
        let settings = Settings::new(Depth::Fixed(depth), 0.0);
        let set = InstructionSet::chosen();
        let compiled = CompiledSearch::new(heuristic.clone(), settings.depth, set);
        let portable = CompiledSearch::portable(heuristic.clone());
        let seeds: Vec<u64> = (0..4).collect();
        let expected = play_many(
            &seeds,
            Usual::default(),
            |_| Expectimax::new(&compiled, NoBoardTerms, settings),
            Stop::never(),
        );
        let search = || Expectimax::of(usual, &portable, NoBoardTerms, settings);
        let games = play_many(&seeds, usual, |_| search(), Stop::never());
        assert_eq!(games, expected);
    }
}

#[test]
fn games_of_variations_are_the_same_move_by_move() {
    for rules in variations() {
        let [heuristic, ..] = heuristics_on(rules.shape());
        let compiled = CompiledSearch::portable(heuristic);
        for depth in [0, 1] {
            let settings = Settings::new(Depth::Fixed(depth), 0.0);
            let search = || Expectimax::of(rules, &compiled, NoBoardTerms, settings);
            let fast = play_many(&[7], rules, |_| search(), Stop::never()).unwrap();
            let slow = play_out(Game::of(7, rules), 7, &mut search(), Stop::never()).unwrap();
            assert_eq!(fast, [slow]);
            assert_eq!(Game::of(7, rules).board().0 & !rules.shape().mask(), 0);
        }
    }
}
