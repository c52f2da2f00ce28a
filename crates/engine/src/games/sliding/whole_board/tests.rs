//! Tests of the terms of the whole board, and of matrices, against definitions that are written here.

use std::collections::BTreeSet;

use super::*;
use crate::games::sliding::chance::AllBoardTerms;
use crate::games::sliding::geometry::FourByFour;
use crate::games::sliding::heuristic::Heuristic;
use crate::games::sliding::language::Definition;
use crate::games::sliding::last_layer::LastLayer;
use crate::games::sliding::shape::Shape;
use crate::games::sliding::{Direction, NoBoardTerms};
use crate::games::twenty48::heuristic::BOARDS;
use crate::games::twenty48::rules::samples::boards;
use crate::games::twenty48::rules::{Game, Spawns, rows};
use crate::games::twenty48::search::compiled::CompiledSearch;
use crate::games::twenty48::search::expectimax::{Expectimax, Settings};
use crate::heuristic::weights::Weights;
use crate::player::depth::Depth;
use crate::player::single_player::Policy;
use crate::simd::testable_sets;

fn read(text: &str) -> Definition {
    let table = text.parse().unwrap();
    Definition::read(&table, BOARDS).unwrap_or_else(|error| panic!("{error}: {text}"))
}

macro_rules! shipped {
    ($name:literal) => {
        read(include_str!(concat!(
            "../../../../../../configs/heuristics/",
            $name
        )))
    };
}

/// 1,000 boards with an empty cell.
fn samples() -> impl Iterator<Item = Board> {
    let boards = boards(1_200).filter(|board| board.empty_cells() > 0);
    boards.take(1_000)
}

/// Checks the value of a heuristic, and the sum of its contributions, against another definition in points.
fn agree(definition: &Definition, weights: &Weights, defined: impl Fn([[u8; 4]; 4]) -> f64) {
    let heuristic = Heuristic::new(definition, weights).unwrap();
    let mut count = 0;
    for board in samples() {
        let ranks = board.ranks();
        let expected = defined(std::array::from_fn(|row| {
            std::array::from_fn(|column| ranks[4 * row + column])
        }));
        let value = heuristic.points(f64::from(heuristic.value(board)));
        let rounding = heuristic.points(9.0);
        assert!(
            (value - expected).abs() <= rounding,
            "{board:?}{value} {expected}"
        );
        let parts = definition.contributions(weights, Shape::STANDARD, board);
        let sum: f64 = parts.iter().map(|(_, points)| points).sum();
        assert!(
            (sum - expected).abs() <= 1e-9 * expected.abs().max(1.0),
            "{board:?}{sum} {expected}"
        );
        count += 1;
    }
    assert_eq!(count, 1_000);
}

fn transposed(board: [[u8; 4]; 4]) -> [[u8; 4]; 4] {
    std::array::from_fn(|row| std::array::from_fn(|column| board[column][row]))
}

/// The rises and falls of a row as `monotonicity2` of 2048-AI counts them.
fn steps_of_2048_ai(row: [u8; 4]) -> [f64; 2] {
    let (mut rises, mut falls) = (0.0, 0.0);
    let mut current = 0;
    let mut next = 1;
    while next < 4 {
        while next < 4 && row[next] == 0 {
            next += 1;
        }
        if next >= 4 {
            next -= 1;
        }
        let difference = f64::from(row[next]) - f64::from(row[current]);
        if difference > 0.0 {
            rises += difference;
        } else {
            falls -= difference;
        }
        current = next;
        next += 1;
    }
    [rises, falls]
}

fn value_of_2048_ai(board: [[u8; 4]; 4]) -> f64 {
    let mut smoothness = 0.0;
    let mut monotonicity = 0.0;
    for rows in [board, transposed(board)] {
        for row in rows {
            let tiles: Vec<f64> = row
                .iter()
                .filter(|&&rank| rank > 0)
                .map(|&rank| f64::from(rank))
                .collect();
            smoothness -= tiles
                .windows(2)
                .map(|pair| (pair[0] - pair[1]).abs())
                .sum::<f64>();
        }
        let steps = rows.map(steps_of_2048_ai);
        let [rises, falls] = [0, 1].map(|of| steps.iter().map(|steps| steps[of]).sum::<f64>());
        monotonicity += f64::max(-rises, -falls);
    }
    let cells = board.as_flattened();
    let empty = cells.iter().filter(|&&rank| rank == 0).count() as f64;
    let largest = f64::from(*cells.iter().max().unwrap());
    0.1 * smoothness + monotonicity + 2.7 * libm::log(empty) + largest + 8.0 * 50.0
}

#[test]
fn the_heuristic_of_2048_ai_is_its_formulas() {
    agree(
        &shipped!("2048-ai.toml"),
        &Weights::default(),
        value_of_2048_ai,
    );
}

/// The cells of the snake, from the top left corner.
fn snake() -> Vec<[usize; 2]> {
    let row =
        |row: usize| (0..4).map(move |at| [row, if row.is_multiple_of(2) { at } else { 3 - at }]);
    (0..4).flat_map(row).collect()
}

fn tile(rank: u8) -> f64 {
    if rank == 0 {
        0.0
    } else {
        f64::from(1u32 << rank)
    }
}

fn along_snake(board: [[u8; 4]; 4]) -> f64 {
    let tiles = snake()
        .into_iter()
        .map(|[row, column]| tile(board[row][column]));
    tiles
        .enumerate()
        .map(|(place, tile)| tile * libm::pow(0.25, place as f64))
        .sum()
}

fn mirrored(board: [[u8; 4]; 4]) -> [[u8; 4]; 4] {
    board.map(|row| [row[3], row[2], row[1], row[0]])
}

/// The eight images of a board: four quarter turns, and those of its mirror image.
fn images(board: [[u8; 4]; 4]) -> Vec<[[u8; 4]; 4]> {
    let turned = |board| mirrored(transposed(board));
    let turns =
        |board| std::iter::successors(Some(board), move |&board| Some(turned(board))).take(4);
    turns(board).chain(turns(mirrored(board))).collect()
}

#[test]
fn a_snake_is_the_weighted_sum_along_it_and_snakes_are_its_best_image() {
    let one = shipped!("2048-snake.toml");
    agree(&one, &Weights::default(), along_snake);
    let best = |board| {
        images(board)
            .into_iter()
            .map(along_snake)
            .fold(0.0, f64::max)
    };
    agree(&shipped!("2048-snakes.toml"), &Weights::default(), best);
}

#[test]
fn a_matrix_counts_each_cell_once() {
    const NUMBERS: [[f64; 4]; 4] = [
        [32768.0, 16384.0, 8192.0, 4096.0],
        [256.0, 512.0, 1024.0, 2048.0],
        [128.0, 64.0, 32.0, 16.0],
        [1.0, 2.0, 4.0, 8.0],
    ];
    let weighted = |numbers: [[f64; 4]; 4], board: [[u8; 4]; 4], value: fn(u8) -> f64| -> f64 {
        let numbers = numbers.as_flattened().iter();
        numbers
            .zip(board.as_flattened())
            .map(|(number, rank)| number * value(*rank))
            .sum()
    };
    let matrix = shipped!("2048-matrix.toml");
    agree(&matrix, &Weights::default(), |board| {
        weighted(NUMBERS, board, tile)
    });

    let text = "about = 'x'\n[[term]]\nname = 'm'\ndoc = 'd'\nvalue = 'r'\n";
    let each = format!(
        "{text}matrix = 'each'\nweight = {{ default = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]], min = -9, max = 99 }}"
    );
    let each = read(&each);
    assert_eq!(each.parameters().len(), 16);
    assert_eq!(each.parameters()[6].key, "m_r1c2");
    assert_eq!(each.parameters()[6].default, 7.0);
    let numbers: [[f64; 4]; 4] =
        std::array::from_fn(|row| std::array::from_fn(|column| (4 * row + column + 1) as f64));
    agree(&each, &Weights::default(), |board| {
        weighted(numbers, board, f64::from)
    });

    let tied = format!(
        "{text}matrix = [['a', 'b', 'b', 'a'], ['b', 'c', 'c', 'b'], ['b', 'c', 'c', 'b'], ['a', 'b', 'b', 'a']]\nweight = {{ default = [5, 3, -2], min = -9, max = 9 }}"
    );
    let tied = read(&tied);
    let keys: Vec<&str> = tied
        .parameters()
        .iter()
        .map(|known| known.key.as_str())
        .collect();
    assert_eq!(keys, ["m_a", "m_b", "m_c"]);
    let numbers = [
        [5.0, 3.0, 3.0, 5.0],
        [3.0, -2.0, -2.0, 3.0],
        [3.0, -2.0, -2.0, 3.0],
        [5.0, 3.0, 3.0, 5.0],
    ];
    agree(&tied, &Weights::default(), |board| {
        weighted(numbers, board, f64::from)
    });

    // The best image of a matrix with tunable cells.
    let numbers: [[f64; 4]; 4] =
        std::array::from_fn(|row| std::array::from_fn(|column| (20 - 4 * row - column) as f64));
    let best = format!(
        "{text}matrix = 'each'\nimages = 'best'\nweight = {{ default = {numbers:?}, min = -9, max = 99 }}"
    );
    agree(&read(&best), &Weights::default(), |board| {
        let images = images(board).into_iter();
        images
            .map(|image| weighted(numbers, image, f64::from))
            .fold(f64::NEG_INFINITY, f64::max)
    });
}

/// The move of an expectimax with `depth` chance layers, 0 or 1, over whole numbers.
fn best_move(board: Board, depth: u8, value: &dyn Fn(Board) -> i64) -> Option<Direction> {
    let moves = |board: Board| {
        let moved = Direction::ALL.map(|direction| (direction, board.moved(direction)));
        moved.into_iter().filter(move |(_, moved)| *moved != board)
    };
    let after_a_tile = |board: Board| {
        let values = moves(board).map(|(_, moved)| value(moved));
        values.max().unwrap_or(0).max(0)
    };
    let mean = |board: Board| {
        let ranks = board.ranks();
        let empty: Vec<usize> = (0..16).filter(|&cell| ranks[cell] == 0).collect();
        let of_tile = |cell: usize, rank: u8| {
            let mut ranks = ranks;
            ranks[cell] = rank;
            after_a_tile(Board::from_ranks(ranks))
        };
        let sum: i64 = empty
            .iter()
            .map(|&cell| 9 * of_tile(cell, 1) + of_tile(cell, 2))
            .sum();
        let cells = empty.len() as i64;
        (sum + 5 * cells) / (10 * cells)
    };
    let mut best = None;
    for (direction, moved) in moves(board) {
        let value = if depth == 0 {
            value(moved)
        } else {
            mean(moved)
        };
        if best.is_none_or(|(_, largest)| value > largest) {
            best = Some((direction, value));
        }
    }
    best.map(|(direction, _)| direction)
}

#[test]
fn games_with_a_matrix_are_those_of_its_definition() {
    let definition = shipped!("2048-matrix.toml");
    let heuristic = Heuristic::new(&definition, &Weights::default()).unwrap();
    assert_eq!(heuristic.fraction_bits, 0);
    // The numbers double along the snake, from its end.
    let numbers = |cell: usize| {
        1i64 << (15
            - snake()
                .iter()
                .position(|&[row, column]| 4 * row + column == cell)
                .unwrap())
    };
    let numbers: Vec<i64> = (0..16).map(numbers).collect();
    let value = |board: Board| {
        let cells = numbers.iter().zip(board.ranks());
        cells.map(|(number, rank)| number * tile(rank) as i64).sum()
    };
    let spawns = Spawns::TwosAndFours;
    for (depth, seeds) in [(0, 0..3), (1, 3..4)] {
        for set in testable_sets() {
            let fixed = Depth::Fixed(depth);
            let compiled = CompiledSearch::new(heuristic.clone(), fixed, set);
            for seed in seeds.clone() {
                let settings = Settings::new(fixed, 0.0);
                let mut search = Expectimax::new(&compiled, NoBoardTerms, settings);
                let mut game = Game::new(seed, spawns);
                while let Some(direction) = search.choose(game.board()) {
                    assert_eq!(best_move(game.board(), depth, &value), Some(direction));
                    game.play(direction);
                }
                assert_eq!(best_move(game.board(), depth, &value), None);
            }
        }
    }
}

/// A term with sums, a minimum, parameters and knots.
const MINIMUM: &str = "about = 'x'
        [parameters.rate]
        doc = 'rate'
        default = 0.5
        min = 0
        max = 1
        [[board_term]]
        name = 'w'
        doc = 'd'
        value = 'if(low > 0, sqrt(low), -rate) * knot(gaps) - total^power / max(total, 1)'
        knots = [0, 8]
        weight = { default = [2, 3], min = 0, max = 9 }
        parameters.power = { default = 1.5, min = 1, max = 2 }
        sums.gaps = { lines = 'rows', value = 'count(cells where r == 0)' }
        sums.total = { lines = 'outer', value = 'sum(cells, r * (i + 1)) * rate' }
        minima.low = { lines = 'columns', value = 'max(cells, r)' }";

/// One sum that needs few bits.
const ONE_WORD: &str = "about = 'x'
        [[board_term]]
        name = 'w'
        doc = 'd'
        value = 'ln(1 + gaps) * gaps + sqrt(gaps)'
        weight = { default = 2.5, min = 0, max = 9 }
        sums.gaps = 'count(cells where r == 0)'";

/// One extreme value and no sum.
const ONE_MAXIMUM: &str = "about = 'x'
        [[board_term]]
        name = 'w'
        doc = 'd'
        value = 'm * m'
        weight = { default = 2.5, min = 0, max = 9 }
        maxima.m = 'max(cells, r)'";

/// Sums of every line, each of which needs a word of its own.
fn fractions(count: usize) -> String {
    let all = |part: fn(usize) -> String| (0..count).map(part).collect::<Vec<_>>();
    let value = all(|at| format!("max(s{at}, 9)")).join(" - ");
    let sums = all(|at| format!("sums.s{at} = 'sum(cells, abs(r - {at})^1.5)'\n")).concat();
    format!(
        "about = 'x'\n[[board_term]]\nname = 'w'\ndoc = 'd'\nvalue = '{value}'\n\
         weight = {{ default = 2.5, min = 0, max = 9 }}\n{sums}"
    )
}

/// Lines of both axes, with different values.
const AXES: &str = "
        [[term]]
        name = 'rows'
        doc = 'd'
        lines = 'rows'
        value = 'sum(cells, r)'
        weight = { default = 2.5, min = 0, max = 9 }
        [[term]]
        name = 'columns'
        doc = 'd'
        lines = 'columns'
        value = 'sum(cells, r^2)'
        weight = { default = 2.5, min = 0, max = 9 }";

/// Four sums, three of which need many bits, and six extreme values.
const MANY: &str = "about = 'x'
        [[board_term]]
        name = 'w'
        doc = 'd'
        value = 'max(up, down) * gaps - (near + gaps) + (up - down) * near + m1 - m2 + m3 * m4 - min(m5, m6) + max(m1, m2 - m3)'
        weight = { default = 2.5, min = 0, max = 9 }
        sums.up = 'sum(pairs, max(b - a, 0)^1.5)'
        sums.down = 'sum(pairs, max(a - b, 0)^1.5)'
        sums.gaps = { lines = 'rows', value = 'count(cells where r == 0)' }
        sums.near = { lines = 'columns', value = 'sum(pairs, a * b * 0.37)' }
        maxima.m1 = 'max(cells, r)'
        maxima.m2 = { lines = 'rows', value = 'max(cells, r)' }
        minima.m3 = { lines = 'columns', value = 'max(cells, r)' }
        maxima.m4 = { lines = 'outer', value = 'min(cells, r)' }
        minima.m5 = { lines = 'inner', value = 'max(cells, r)' }
        minima.m6 = 'count(cells where r == 0)'";

#[test]
fn chance_nodes_are_their_definition_with_every_instruction_set() {
    let lines = SpawnSlides::new(|line| {
        let slides = rows().slides(line);
        [slides.to_first, slides.to_last]
    });
    let lines: &'static SpawnSlides = Box::leak(Box::new(lines));
    let four_sums = [("empty", 0.0), ("largest", 0.0)];
    // Extreme values that do not fit into a byte.
    let wide = MINIMUM.replace("'max(cells, r)'", "'max(cells, 100 * r)'");
    let mut forms = BTreeSet::new();
    let mut without = 0;
    for (definition, changes) in [
        (shipped!("2048-ai.toml"), &four_sums[..]),
        (shipped!("2048-ai.toml"), &[]),
        (shipped!("2048-snakes.toml"), &[]),
        (read(MINIMUM), &[("w_power", 1.25), ("w_8", 4.0)]),
        (read(&wide), &[]),
        (read(ONE_WORD), &[]),
        (read(ONE_MAXIMUM), &[]),
        (read(MANY), &[]),
        (read(&fractions(3)), &[]),
        (read(&fractions(4)), &[]),
        (read(&fractions(5)), &[]),
        (read(&(fractions(2) + AXES)), &[]),
    ] {
        let weights = Weights::default().with(changes.iter().copied(), definition.parameters());
        let heuristic = Heuristic::new(&definition, &weights.unwrap()).unwrap();
        let whole = heuristic.whole.as_deref().unwrap();
        let layer = LastLayer::new(
            FourByFour(rows()),
            &heuristic,
            AllBoardTerms::of(&heuristic),
        );
        let tables = whole.words(lines);
        if let Some(tables) = &tables {
            forms.insert((tables.number(), tables.number_of_axes(), tables.joint));
        } else {
            without += 1;
        }
        for board in samples().take(300) {
            for spawns in [&[(1, 9), (2, 1)][..], &[(2, 1)]] {
                let defined = layer.sum(board, spawns.iter().copied());
                for set in testable_sets() {
                    for words in [None, tables.as_ref()] {
                        let node = ChanceNode {
                            board,
                            rows: rows(),
                            spawns,
                            words,
                            others: None,
                        };
                        assert_eq!(whole.chance(&node, set), defined, "{set:?} {board:?}");
                    }
                }
            }
        }
    }
    assert!(without > 0);
    // The numbers of words of sums and of bytes for which the kernel is compiled by themselves, and others; rows and columns
    // with the same words and with different ones, joint and apart.
    let numbers: BTreeSet<_> = forms.iter().map(|(number, ..)| *number).collect();
    let others = [[0, 1], [2, 1], [3, 2], [8, 0]];
    for number in (1..=5).map(|sums| [sums, 0]).chain(others) {
        assert!(numbers.contains(&number), "{number:?} {numbers:?}");
    }
    let kinds: BTreeSet<_> = forms.iter().map(|(_, axes, joint)| (axes, joint)).collect();
    assert_eq!(kinds.len(), 4, "{kinds:?}");
}

#[test]
fn minima_parameters_and_knots_of_the_board() {
    let definition = read(MINIMUM);
    let keys: Vec<&str> = definition
        .parameters()
        .iter()
        .map(|known| known.key.as_str())
        .collect();
    assert_eq!(keys, ["w_0", "w_8", "w_power", "rate"]);
    let changes = [("w_power", 1.25), ("rate", 0.75), ("w_8", 4.0)];
    let weights = Weights::default()
        .with(changes, definition.parameters())
        .unwrap();
    agree(&definition, &weights, |board| {
        let gaps = board
            .as_flattened()
            .iter()
            .filter(|&&rank| rank == 0)
            .count() as f64;
        let columns = transposed(board);
        let low = columns
            .map(|column| column.into_iter().max().unwrap())
            .into_iter()
            .min()
            .unwrap();
        let ranks = |line: [u8; 4]| line.into_iter().map(f64::from).sum::<f64>();
        let outer = [board, columns].map(|lines| ranks(lines[0]) + 4.0 * ranks(lines[3]));
        let total = 0.75 * (outer[0] + outer[1]);
        let base = if low > 0 {
            f64::from(low).sqrt()
        } else {
            -0.75
        };
        let part = (gaps / 8.0).min(1.0);
        let rest = if total == 0.0 {
            0.0
        } else {
            libm::pow(total, 1.25)
        };
        let value = |knot: f64| base * knot - rest / total.max(1.0);
        2.0 * value(1.0 - part) + 4.0 * value(part)
    });
}

#[test]
fn a_mistake_in_a_term_of_the_board_names_the_key_and_what_to_write() {
    let term = |value: &str, more: &str| {
        format!(
            "about = 'x'\n[[board_term]]\nname = 'w'\ndoc = 'd'\nvalue = '{value}'\n\
             weight = {{ default = 1, min = 0, max = 2 }}\n\
             sums.gaps = {{ lines = 'rows', value = 'count(cells where r == 0)' }}\n{more}"
        )
    };
    let matrix = |more: &str| {
        format!(
            "about = 'x'\n[[term]]\nname = 'm'\ndoc = 'd'\nweight = {{ default = 1, min = 0, max = 2 }}\n{more}"
        )
    };
    let row = "[1, 2, 3, 4]";
    let rows = format!("matrix = [{row}, {row}, {row}, {row}]\n");
    for (text, path, message) in [
        (
            term("ln(gaps)", ""),
            "board_term 0 value",
            "the term `w`: `ln` of a number from 0 to 16, which must be above 0 on every board: write `ln(max(.., 1))`",
        ),
        (
            term("1 / gaps", ""),
            "board_term 0 value",
            "the term `w`: a division by a number from 0 to 16, which must not be 0 on any board",
        ),
        (
            term("sum(cells, r) + gaps", ""),
            "board_term 0 value",
            "an expression of the whole board reads no line: give the fold a name in the `sums`",
        ),
        (
            term("gapss", ""),
            "board_term 0 value",
            "unknown name `gapss`; did you mean `gaps`? (known here: gaps)",
        ),
        (
            term("1", ""),
            "board_term 0 value",
            "the value does not read `gaps`: leave it out",
        ),
        (
            term("gaps", "sums.r = '1'"),
            "board_term 0 sums r",
            "`r` has a meaning of its own in expressions: choose another name",
        ),
        (
            term("gaps + q", "sums.q = { lines = 'each', value = '1' }"),
            "board_term 0 sums q lines",
            "unknown lines `each`",
        ),
        (
            term("gaps + q", "maxima.q = '1 / sum(cells, r)'"),
            "board_term 0 value",
            "`q` is inf on the line of ranks [0, 0, 0, 0]: it must be finite on every line",
        ),
        (
            matrix("matrix = [[1, 2], [3, 4]]\nvalue = 'r'"),
            "term 0 matrix",
            "`matrix` must be 4 rows of 4 numbers, as in [[16, 15, 14, 13], ..]",
        ),
        (
            matrix(&format!("{rows}value = 'r'\nlines = 'every'")),
            "term 0 lines",
            "a `matrix` counts each cell once, in its row: leave `lines` out",
        ),
        (
            matrix(&format!("{rows}images = 'best'\nvalue = 'r * j'")),
            "term 0 value",
            "with `images` the value of a tile cannot depend on its place",
        ),
        (
            matrix(&format!("{rows}images = 'all'\nvalue = 'r'")),
            "term 0 images",
            "unknown images `all`",
        ),
        (
            matrix("images = 'best'\nvalue = 'r'"),
            "term 0 images",
            "`images` needs a `matrix` in its term",
        ),
        (
            matrix(&format!("{rows}value = 'r + q'")),
            "term 0 value",
            "unknown name `q`",
        ),
    ] {
        let error = Definition::read(&text.parse().unwrap(), BOARDS).unwrap_err();
        assert!(error.message.starts_with(message), "{}", error.message);
        assert_eq!(error.path.join(" "), path, "{text}");
    }
}

#[test]
fn a_power_of_two_changes_only_the_scale_of_terms_of_the_board() {
    let definition = shipped!("2048-ai.toml");
    let scaled = |power: i32| {
        let factor = libm::exp2(f64::from(power));
        let all = definition.parameters().iter();
        let all = all.map(|known| (known.key.as_str(), factor * known.default));
        let split = |key: &str| key.ends_with("_outer") || key.ends_with("_inner");
        let all = all.filter(|(key, _)| !split(key));
        let weights = Weights::default()
            .with(all, definition.parameters())
            .unwrap();
        Heuristic::new(&definition, &weights).unwrap()
    };
    let one = scaled(0);
    for power in [-40, -13, -1, 1, 20] {
        let other = scaled(power);
        assert_eq!(other.fraction_bits, one.fraction_bits - power);
        for board in boards(200) {
            assert_eq!(other.value(board), one.value(board), "2^{power}: {board:?}");
        }
    }
}
