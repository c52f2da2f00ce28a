//! Tests of the language: expressions against their definition, the built-in heuristics against the functions
//! that they replace, and error messages.

mod messages;

use proptest::prelude::*;

use super::columns::{column, stored};
use super::definition::Definition;
use super::expression::{Expression, ExpressionInputs, Selector};
use super::line_columns::LineColumns;
use super::resolve::{Scope, resolve};
use super::stored::CompactColumn;
use crate::expression::{ExpressionError, parse};
use crate::field_error::FieldError;
use crate::games::sliding::line_tables::{AxisValues, LinePlace, LineValues};
use crate::games::sliding::rows::{pack, unpack};
use crate::games::sliding::shape::Shape;
use crate::games::{three_plus_three, twenty48};
use crate::heuristic::weights::Weights;
use crate::heuristic::{INNER, OUTER};
use crate::reference::line_terms::{LineTerm, THREE_PLUS_THREE, TWENTY48, line_values};

const KNOTS: [f64; 3] = [1.0, 5.0, 8.0];

fn resolved(text: &str) -> Result<Expression, ExpressionError> {
    let parameters = ["power".to_owned(), "rate".to_owned()];
    let names = Scope {
        parameters: &parameters,
        anchored: true,
        of_board: false,
        selector: &Selector::Knots(KNOTS.to_vec()),
    };
    resolve(&parse(text)?, &names)
}

fn value(text: &str, line: [u8; 4]) -> f64 {
    let setting = ExpressionInputs {
        index: 2,
        length: 4,
        parameters: &[2.0, 0.5],
        selector: &Selector::Knots(KNOTS.to_vec()),
        weight: 1,
    };
    resolved(text).unwrap().value(line, &setting)
}

#[test]
fn expressions_have_the_value_that_they_say() {
    let line = [3, 0, 3, 5];
    for (text, expected) in [
        ("1 + 2 * 3 ^ 2", 19.0),
        ("-2 ^ 2", -4.0),
        ("2 ^ 3 ^ 2", 512.0),
        ("2 ^ -1", 0.5),
        ("8 / 4 / 2 - 1", 0.0),
        ("0 ^ 0", 0.0),
        ("1.5e1", 15.0),
        ("5. + .5 + .25e1", 8.0),
        ("1 < 2 and not 2 < 1 or 0 / 0 == 1", 1.0),
        ("1 <= 1", 1.0),
        ("if(2 > 3, 1, 4)", 4.0),
        ("min(3, 1, 2) + max(3, 1, 2)", 4.0),
        ("abs(-2) + floor(2.7) + sqrt(9) + exp(0) + ln(1)", 8.0),
        ("table(2, 5, 6, 7) + table(9, 5, 6) + table(-1, 5, 6)", 18.0),
        (
            "interpolate(3, 1: 0, 5: 8) + interpolate(0, 1: 0.5, 5: 8)",
            4.5,
        ),
        ("interpolate(9, 1: 0, 5: -8)", -8.0),
        ("knot(3) + knot(5) + knot(8) + knot(6.5)", 2.0),
        ("cell(0) * 10 + cell(3)", 35.0),
        ("sum(cells, r ^ power)", 43.0),
        ("rate * i", 1.0),
        ("count(cells where r == 0)", 1.0),
        ("sum(cells, j * r)", 21.0),
        ("count(pairs where a == b)", 0.0),
        ("count(tile_pairs where a == b)", 1.0),
        ("sum(tile_pairs, j)", 2.0),
        ("sum(runs, 10 * r + n)", 83.0),
        ("sum(runs where n >= 2, n)", 2.0),
        ("max(triples, a + b + c)", 8.0),
        ("min(tile_triples, a + b + c)", 11.0),
        ("max(cells where r > 7, r)", 0.0),
        ("min(tiles, -r)", -5.0),
        ("sum(cells(x), count(cells(y) where y < x))", 5.0),
        ("sum(cells where r == max(cells, r), r + j)", 8.0),
    ] {
        assert_eq!(value(text, line), expected, "{text}");
    }
}

#[test]
fn a_mistake_in_an_expression_has_a_place_and_a_suggestion() {
    for (text, place, message) in [
        (
            "1 +",
            "",
            "the expression ends where a number, a name or `(` is expected",
        ),
        (
            "(1 + 2",
            "",
            "the expression ends where `)` or an operator is expected",
        ),
        ("1 2", "2", "`2` where an operator is expected"),
        ("sum(cells, r) r", "r", "`r` where an operator is expected"),
        (
            "1 + and",
            "and",
            "`and` where a number, a name or `(` is expected",
        ),
        (
            "1 < 2 < 3",
            "<",
            "comparisons cannot be chained: write `a < b and b < c`",
        ),
        (
            "sum(cells, r^powr)",
            "powr",
            "unknown name `powr`; did you mean `power`? (known here: r, j, i, power, rate)",
        ),
        (
            "sum(cels, r)",
            "cels",
            "a fold runs over one of: cells, tiles, pairs, tile_pairs, triples, tile_triples, runs; did you mean `cells`?",
        ),
        (
            "cuont(cells)",
            "cuont",
            "unknown function `cuont`; did you mean `count`? (known: abs, exp, ln, sqrt, floor, min, max, if, table, interpolate, knot, is, cell, sum, count)",
        ),
        (
            "r + 1",
            "r",
            "`r` has a value only inside of a fold, as in `sum(cells, r)`",
        ),
        (
            "sum(cells, a)",
            "a",
            "`a` has a value only in a fold such as `sum(pairs, a)`; here the names are r, j",
        ),
        (
            "sum(tile_pairs where a == b, r)",
            "r",
            "`r` has a value only in a fold such as `sum(cells, r)`; here the names are a, b, j",
        ),
        (
            "2 ** 3",
            "**",
            "`**` is not part of the language: write `^` for a power",
        ),
        ("abs(1, 2)", "abs(1, 2)", "`abs` needs 1 argument, not 2"),
        (
            "max(3)",
            "max(3)",
            "`min` and `max` need two or more numbers, or what they run over and a value, as in `max(cells, r)`",
        ),
        (
            "cell(4)",
            "4",
            "cells are numbered 0 to 3; `cell(last)` is the last one",
        ),
        ("is(3)", "is(3)", "`is` needs `table = [..]` in its term"),
        ("1 $ 2", "$", "`$` where an operator is expected"),
        (
            "1 + 2r",
            "2r",
            "an operator is missing in `2r`: a product is `2 * r`",
        ),
        (
            "i == 'last'",
            "'last'",
            "a text is no value of a heuristic: write a number or a name",
        ),
        ("1 + 'last", "'", "no second ' ends what begins here"),
        (
            "1 = 2",
            "=",
            "`=` is not part of the language: write `==` to compare",
        ),
        (
            "1 => 2",
            "=>",
            "`=>` is not part of the language: write `>=`",
        ),
        (
            "1 && 2",
            "&&",
            "`&&` is not part of the language: write `and`",
        ),
        ("1 | 2", "|", "`|` is not part of the language: write `or`"),
        (
            "!1",
            "!",
            "`!` is not part of the language: write `not`, or `!=` for unequal",
        ),
        (
            "7 % 2",
            "%",
            "`%` is not part of the language: write `a - b * floor(a / b)` for the remainder of a divided by b",
        ),
        (
            "1 == == 2",
            "=",
            "`=` where a number, a name or `(` is expected",
        ),
        (".", ".", "`.` where a number, a name or `(` is expected"),
        (
            "sum(cells(), 1)",
            "cells()",
            "names of variables are expected in the parentheses: write `cells`, or `cells(r, j)`",
        ),
        (
            "sum(pairs(x, x), x)",
            "pairs(x, x)",
            "two variables have the name `x`: the variables are x, x, j",
        ),
        (
            "sum(pairs(b), b)",
            "pairs(b)",
            "two variables have the name `b`: the variables are b, b, j",
        ),
        (
            "1 + é",
            "é",
            "`é` where a number, a name or `(` is expected",
        ),
        (
            "",
            "",
            "the expression ends where a number, a name or `(` is expected",
        ),
    ] {
        let mistake = resolved(text).unwrap_err();
        assert_eq!(mistake.message, message, "{text}");
        let (start, end) = (mistake.span.start, mistake.span.end);
        assert_eq!(&text[start..end], place, "{text}");
    }
}

#[test]
fn no_expression_exhausts_the_stack_or_time() {
    for text in [
        "(".repeat(1_900),
        "-".repeat(1_900),
        "not ".repeat(490),
        "2^".repeat(900),
        "abs(".repeat(490),
        "1+".repeat(990) + "1",
        "1".repeat(2_001),
        "1".repeat(1_999),
        "sum(cells, ".repeat(180) + "1" + &")".repeat(180),
    ] {
        resolved(&text).unwrap_err();
    }
    resolved(&("1+".repeat(199) + "1")).unwrap();
}

/// A random expression that may use the variables `visible`.
fn random_text(random: &mut dyn FnMut(usize) -> usize, depth: usize, visible: &[&str]) -> String {
    let inner = |random: &mut dyn FnMut(usize) -> usize, visible: &[&str]| {
        random_text(random, depth - 1, visible)
    };
    if depth == 0 || random(6) == 0 {
        let names = ["power", "rate", "i", "cell(1)", "2", "0.5", "7"];
        let all: Vec<&str> = visible.iter().chain(&names).copied().collect();
        return all[random(all.len())].to_owned();
    }
    match random(10) {
        0..=2 => {
            let operators = [
                "+", "-", "*", "/", "^", "==", "!=", "<", "<=", ">", ">=", "and", "or",
            ];
            let operator = operators[random(operators.len())];
            format!(
                "({} {operator} {})",
                inner(random, visible),
                inner(random, visible)
            )
        }
        3 => format!(
            "max({}, {})",
            inner(random, visible),
            inner(random, visible)
        ),
        4 => {
            let functions = ["abs", "exp", "ln", "sqrt", "floor", "knot", "-", "not "];
            format!(
                "{}({})",
                functions[random(functions.len())],
                inner(random, visible)
            )
        }
        5 => {
            let parts = [0; 3].map(|_| inner(random, visible));
            format!("if({}, {}, {})", parts[0], parts[1], parts[2])
        }
        6 => format!("interpolate({}, 1: 2, 4: -1.5)", inner(random, visible)),
        7 => format!("table({}, 2, -1, 4)", inner(random, visible)),
        _ => {
            let (domain, variables) = [
                ("cells", &["r", "j"][..]),
                ("tiles", &["r", "j"]),
                ("pairs", &["a", "b", "j"]),
                ("tile_pairs", &["a", "b"]),
                ("triples", &["a", "b", "c", "j"]),
                ("tile_triples", &["a", "b", "c"]),
                ("runs", &["r", "n", "j"]),
            ][random(7)];
            // Limits the nesting of folds.
            let own: Vec<&str> = if visible.len() > 4 {
                return "1".into();
            } else {
                visible.to_vec()
            };
            let own: Vec<&str> = own.into_iter().chain(variables.iter().copied()).collect();
            let fold = ["sum", "min", "max"][random(3)];
            let condition = match random(2) {
                0 => format!(" where {}", inner(random, &own)),
                _ => String::new(),
            };
            format!("{fold}({domain}{condition}, {})", inner(random, &own))
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn columns_are_the_values_of_lines(seed: u64, weight in 0usize..3, power in 0.5f64..4.0) {
        let mut state = seed;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let text = random_text(&mut random, 5, &[]);
        let expression = match resolved(&text) {
            Ok(expression) if expression.steps < 3_000 => expression,
            _ => return Ok(()),
        };
        let selector = Selector::Knots(KNOTS.to_vec());
        let of_lengths = [4, 3, 2].map(|length| [LineColumns::all(length), LineColumns::canonical(length)]);
        for lines in of_lengths.into_iter().flatten() {
            let parameters = &[power, 0.25];
            let setting =
                ExpressionInputs { index: 3, length: lines.length, parameters, selector: &selector, weight };
            let fast = column(lines, &expression, &setting);
            let kept = stored(lines, &expression, &setting);
            for _ in 0..200 {
                let place = random(lines.indices.len());
                let slow = expression.value(unpack(lines.indices[place]), &setting);
                let fast = fast[place];
                let same = slow.to_bits() == fast.to_bits() || slow.is_nan() && fast.is_nan();
                prop_assert!(same, "{text}: {slow} {fast}");
                let kept = kept.value(place);
                prop_assert!(kept.to_bits() == fast.to_bits() || kept.is_nan() && fast.is_nan());
            }
        }
    }
}

#[test]
fn a_column_that_depends_on_one_cell_has_sixteen_values() {
    let selector = Selector::Knots(KNOTS.to_vec());
    let setting = ExpressionInputs {
        index: 3,
        length: 4,
        parameters: &[2.5, 0.25],
        selector: &selector,
        weight: 0,
    };
    for (text, values) in [
        ("sum(cells, (j == 2) * (r / 10)^power)", 16),
        ("sum(pairs, if(j == 1, a^power, 0))", 16),
        ("exp(cell(3) * rate) + i", 16),
        ("sum(cells, 0 * j) + power", 1),
    ] {
        let expression = resolved(text).unwrap();
        let CompactColumn::Few { values: few, .. } =
            stored(LineColumns::all(4), &expression, &setting)
        else {
            panic!("{text}: a value for each line");
        };
        assert_eq!(few.len(), values, "{text}");
    }
    for text in ["sum(cells, r^power)", "sum(tiles, (j == 0) * r)"] {
        let expression = resolved(text).unwrap();
        let of_lines = stored(LineColumns::all(4), &expression, &setting);
        assert!(matches!(of_lines, CompactColumn::Many(_)), "{text}");
    }
}

/// Different sets of weights: the defaults, random values in the ranges, separate values for outer and inner
/// lines.
fn samples(definition: &Definition) -> Vec<Weights> {
    let parameters = definition.parameters();
    let at = |number: usize, split: bool| {
        let chosen = parameters.iter().enumerate().filter(|(_, parameter)| {
            let splits = parameters
                .iter()
                .any(|known| known.key == format!("{}{OUTER}", parameter.key));
            parameter.is_split() == split || !splits && !parameter.is_split()
        });
        let pairs = chosen.map(|(place, parameter)| {
            let part = ((place * 37 + number * 53) % 101) as f64 / 101.0;
            (
                parameter.key.clone(),
                parameter.min + part * (parameter.max - parameter.min),
            )
        });
        Weights::new(pairs, parameters).unwrap()
    };
    vec![Weights::default(), at(1, false), at(2, true), at(3, true)]
}

fn assert_equal_bits(values: &[f64], expected: &[f64]) {
    for (line, (value, expected)) in values.iter().zip(expected).enumerate() {
        assert_eq!(
            value.to_bits(),
            expected.to_bits(),
            "{:?}: {value} {expected}",
            unpack(line as u16)
        );
    }
}

fn check_built_in(definition: &Definition, terms: &[LineTerm]) {
    let names: Vec<&str> = definition
        .terms
        .iter()
        .map(|term| term.name.as_str())
        .collect();
    let expected: Vec<&str> = terms.iter().map(|term| term.name).collect();
    assert_eq!(names, expected);
    for weights in samples(definition) {
        let slow = |lines| line_values(terms, definition.parameters(), &weights, lines);
        let LineValues::Symmetric { outer, inner } = definition.line_values(&weights) else {
            panic!("built-in heuristics are symmetric");
        };
        assert_equal_bits(&outer, &slow(OUTER));
        assert_equal_bits(inner.as_deref().unwrap_or(&outer), &slow(INNER));
    }
}

#[test]
fn the_built_in_terms_of_2048_are_their_reference_to_the_bit() {
    check_built_in(&twenty48::heuristic::TERMS, TWENTY48);
}

#[test]
fn the_built_in_terms_of_three_plus_three_are_their_reference_to_the_bit() {
    check_built_in(&three_plus_three::heuristic::TERMS, THREE_PLUS_THREE);
}

#[test]
fn the_values_of_built_in_heuristics_pass_the_checks_of_files() {
    for (definition, boards) in [
        (&twenty48::heuristic::TERMS, twenty48::heuristic::BOARDS),
        (
            &three_plus_three::heuristic::TERMS,
            three_plus_three::heuristic::BOARDS,
        ),
    ] {
        let read = Definition::read(&definition.table, boards);
        assert_eq!(read.unwrap().parameters(), definition.parameters());
    }
}

fn read(text: &str) -> Result<Definition, FieldError> {
    Definition::read(&text.parse().unwrap(), twenty48::heuristic::BOARDS)
}

#[test]
fn line_values_are_sums_of_contributions() {
    let definition = read(
        r#"
        about = "two terms"
        lines = "anchored"
        [parameters.rate]
        doc = "rate"
        default = 0.5
        min = 0.0
        max = 1.0
        [[term]]
        name = "late"
        doc = "rises along the line"
        value = "i * sum(cells, j * r^power * exp(rate)) * knot(cell(0))"
        knots = [2, 7]
        lines = "each"
        weight = { default = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], min = 0.0, max = 10.0 }
        parameters.power = { default = 1.5, min = 0.5, max = 2.0 }
        [[term]]
        name = "gaps"
        doc = "gaps"
        value = "is(count(cells where r == 0))"
        table = [0, 2]
        lines = "outer"
        weight = { default = 3.0, min = 0.0, max = 10.0 }
        "#,
    )
    .unwrap();
    let keys: Vec<&str> = definition
        .parameters()
        .iter()
        .map(|known| known.key.as_str())
        .collect();
    let expected = [
        "late_2_line0",
        "late_2_line1",
        "late_2_line2",
        "late_2_line3",
        "late_7_line0",
        "late_7_line1",
        "late_7_line2",
        "late_7_line3",
        "late_power",
        "gaps_0",
        "gaps_2",
        "rate",
    ];
    assert_eq!(keys, expected);
    let weights = Weights::default();
    let LineValues::Anchored(tables) = definition.line_values(&weights) else {
        panic!("it is anchored");
    };
    for line in [[0, 0, 0, 0], [1, 0, 2, 0], [3, 9, 15, 4], [12, 0, 3, 1]].map(pack) {
        for (index, table) in tables.iter().enumerate() {
            let terms = definition.terms.iter();
            let sum: f64 = terms
                .map(|term| definition.contribution(term, LinePlace::row(index), line, &weights))
                .sum();
            let value = table[usize::from(line)];
            assert!((sum - value).abs() <= 1e-9 * sum.abs(), "{sum} {value}");
        }
    }
}

/// The text of a file with one term.
fn one_term(value: &str, more: &str) -> String {
    format!(
        "about = 'a test'\n[[term]]\nname = 'x'\ndoc = 'x'\nvalue = '{value}'\n\
         weight = {{ default = 1, min = 0, max = 2 }}\n{more}"
    )
}

#[test]
fn a_mistake_in_a_file_names_the_key_and_what_is_allowed() {
    for (text, path, message) in [
        (
            one_term("1", "wieght = 1"),
            "term 0 wieght",
            "unknown key `wieght`; did you mean `weight`? (known: name, doc, value, weight, constant, parameters, knots, table, lines, matrix, images)",
        ),
        (
            one_term("1", "") + "[parameters.size]\ndoc = 'd'\ndefault = 1\nmin = 0\nmax = 2\n",
            "parameters size",
            "no term reads the parameter `size`: leave it out",
        ),
        (
            one_term("cell(0)", ""),
            "term 0 value",
            "the term `x` is 1 on the line of ranks [1, 0, 0, 0] and 0 on its mirror image: both must be equal unless the file has `lines = \"anchored\"`, or the term `lines = \"rows\"` or `\"columns\"`",
        ),
        (
            one_term("1 / sum(cells, r)", ""),
            "term 0 value",
            "the term `x` is inf on the line of ranks [0, 0, 0, 0]: it must be finite on every line",
        ),
        (
            one_term("i", ""),
            "term 0 value",
            "`i`, the place of the line, needs `lines = \"rows\"` or `\"columns\"` in the term, or `lines = \"anchored\"` at the top of the file",
        ),
        (
            one_term("1", "lines = 'each'"),
            "term 0 lines",
            "`each` needs `lines = \"anchored\"` at the top of the file",
        ),
        (
            one_term("1", "lines = 'outre'"),
            "term 0 lines",
            "unknown lines `outre`; did you mean `outer`? (known: every, outer, inner, each, rows, columns)",
        ),
        (
            one_term("1", "knots = [1, 5]"),
            "term 0 value",
            "`knots` needs `knot(..)` in the expression, `table` needs `is(..)`",
        ),
        (
            one_term("1", "knots = [5, 1]"),
            "term 0 knots",
            "`knots` needs 2 or more whole numbers from 0 to 1000 that ascend",
        ),
        (
            one_term("1", "parameters.p = { default = 1, min = 0, max = 2 }"),
            "term 0 value",
            "the parameter `p` of the term is not used",
        ),
        (
            one_term("1", "parameters.r = { default = 1, min = 0, max = 2 }"),
            "term 0 parameters r",
            "`r` has a meaning of its own in expressions: choose another name",
        ),
        (
            one_term(
                "1",
                "[parameters.x]\ndefault = 1\nmin = 0\nmax = 2\ndoc = 'x'",
            ),
            "parameters x",
            "two parameters have the key `x`",
        ),
        (
            format!("boards = ['corners']\n{}", one_term("1", "")),
            "boards 0",
            "unknown term over boards `corners`; did you mean `corner`? (known: max_tile, edge, corner)",
        ),
        (
            one_term("1", "").replace("'x'", "'x_outer'"),
            "term 0 name",
            "a name cannot end with `_outer`, which keys of weights have",
        ),
        (
            one_term("1", "").replace("max = 2", "max = 0"),
            "term 0 weight max",
            "`max` 0 must be above `min` 0",
        ),
        (
            one_term(
                &format!(
                    "sum(pairs(x, y), sum(pairs(z, w), sum(pairs, {})))",
                    "(x+y+z+w+a)^b+".repeat(20) + "0"
                ),
                "",
            ),
            "term 0 value",
            "with this term the heuristic needs ",
        ),
        (
            "about = 'none'".to_owned(),
            "term",
            "0 terms: 1 to 200 are allowed, each as [[term]]",
        ),
    ] {
        let error = read(&text).unwrap_err();
        assert!(error.message.starts_with(message), "{}", error.message);
        assert_eq!(error.path.join(" "), path, "{text}");
    }
    let error = read(&one_term("sum(cells, r + q)", "")).unwrap_err();
    assert_eq!(error.at, Some(15..16));
}

#[test]
fn weights_that_give_no_finite_value_are_told_with_term_and_line() {
    let definition = read(&one_term(
        "sum(cells, r)^power",
        "parameters.power = { default = 1, min = 0, max = 1000 }",
    ));
    let definition = definition.unwrap();
    let weights = Weights::default().with([("x_power", 900.0)], definition.parameters());
    let message = definition.not_finite(Shape::STANDARD, &weights.unwrap());
    let expected = "the term `x` is inf on an outer line of ranks [3, 0, 0, 0]: it must be finite on every line";
    assert_eq!(message.as_deref(), Some(expected));
    assert_eq!(
        definition.not_finite(Shape::STANDARD, &Weights::default()),
        None
    );
}

#[test]
fn every_shipped_heuristic_and_every_example_of_the_manual_can_be_read() {
    let shipped = [
        include_str!("../../../../data/heuristics/2048.toml"),
        include_str!("../../../../../../configs/heuristics/2048-ranks.toml"),
        include_str!("../../../../data/heuristics/2048-anchored.toml"),
        include_str!("../../../../../../configs/heuristics/2048-matrix.toml"),
    ];
    let manual = include_str!("../../../../../../docs/heuristics.md");
    let examples = manual.split("```toml\n").skip(1);
    let examples: Vec<&str> = examples
        .filter_map(|rest| rest.split("```").next())
        .filter(|text| text.contains("[[term]]"))
        .collect();
    assert_eq!(examples.len(), 10);
    for text in shipped.into_iter().chain(examples) {
        let definition = read(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(
            definition.not_finite(Shape::STANDARD, &Weights::default()),
            None
        );
    }
}

#[test]
fn the_ranks_of_2048_contain_the_built_in_heuristic() {
    let ranks = read(include_str!(
        "../../../../../../configs/heuristics/2048-ranks.toml"
    ))
    .unwrap();
    let built_in = &twenty48::heuristic::TERMS;
    for parameter in built_in.parameters() {
        assert!(ranks.parameters().contains(parameter), "{}", parameter.key);
    }
    let values = |definition: &Definition| match definition.line_values(&Weights::default()) {
        LineValues::Symmetric { outer, .. } => outer,
        _ => panic!("it is symmetric"),
    };
    // The additional terms have the default weight 0.
    assert_equal_bits(&values(&ranks), &values(built_in));
}

/// The definition of a heuristic with one term.
fn definition_of(head: &str, value: &str) -> Definition {
    let text = format!(
        "about = 'x'\n{head}\n[[term]]\nname = 'one'\ndoc = 'x'\nvalue = '{value}'\n\
         weight = {{ default = 1.0, min = 0.0, max = 1.0 }}\n"
    );
    Definition::read(&text.parse().unwrap(), twenty48::heuristic::BOARDS).unwrap()
}

#[test]
fn terms_without_a_meaning_on_short_lines_are_refused() {
    let small: Shape = "3x4".parse().unwrap();
    let anchored = "lines = 'anchored'";
    for (head, value, said) in [
        (
            anchored,
            "cell(3)",
            "the term `one` has no meaning: it reads cell(3)",
        ),
        (
            anchored,
            "sum(cells, cell(3) * r)",
            "have only the cells 0 to 2; `cell(last)` is",
        ),
        (
            "",
            "cell(1) + cell(2)",
            "[1, 0, 0] and 1 on its mirror image",
        ),
        (
            anchored,
            "1 / (count(cells) - 3)",
            "must be finite on every line",
        ),
    ] {
        let definition = definition_of(head, value);
        assert_eq!(definition.fits(Shape::STANDARD), Ok(()), "{value}");
        let error = definition.fits(small).unwrap_err();
        let start = "on a board of 3x4 the term `one` ";
        assert!(
            error.message.starts_with(start) && error.message.contains(said),
            "{value}: {error}"
        );
        assert_eq!(error.path, ["term", "0", "value"]);
    }
    for value in [
        "cell(0) + cell(last)",
        "if(cell(last) > 0, 0, 0)",
        "count(triples)",
    ] {
        for shape in Shape::all() {
            assert_eq!(
                definition_of("", value).fits(shape),
                Ok(()),
                "{value} on {shape}"
            );
        }
    }
}

#[test]
fn the_last_cell_is_that_of_each_length() {
    let definition = definition_of("lines = 'anchored'", "100 * i + cell(last)");
    let LineValues::ByAxis([rows, columns]) =
        definition.line_values_on("3x4".parse().unwrap(), &Weights::default())
    else {
        panic!("3x4 has tables by axis");
    };
    let line = usize::from(pack([1, 2, 3, 0]));
    let of = |axis: &AxisValues, index: usize, line: usize| {
        axis.by_place[index].map(|table| axis.tables[table][line])
    };
    assert_eq!(of(&rows, 2, line + (9 << 12)), Some(209.0));
    assert_eq!(of(&rows, 3, line), None);
    assert_eq!(of(&columns, 3, line), Some(303.0));
}
