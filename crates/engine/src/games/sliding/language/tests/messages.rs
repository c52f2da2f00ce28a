//! What is said about mistakes in matrices, defaults and keys, and where.

use super::read;
use crate::field_error::FieldError;

/// The error of a file with one matrix. `weight` has bounds from 0 to 10.
fn of_matrix(matrix: &str, weight: &str, value: &str) -> FieldError {
    let text = with_matrix(matrix, weight, value);
    let Err(error) = read(&text) else {
        panic!("it can be read: {text}");
    };
    error
}

fn with_matrix(matrix: &str, weight: &str, value: &str) -> String {
    format!(
        "about = 'x'\n[[term]]\nname = 'snake'\ndoc = 'x'\nmatrix = {matrix}\nvalue = '{value}'\n\
         weight = {{ {weight} min = 0.0, max = 10.0 }}\n"
    )
}

fn assert_said(error: &FieldError, path: &str, said: &str) {
    assert!(error.message.contains(said), "{}", error.message);
    assert_eq!(error.path.join(" "), path, "{}", error.message);
}

const TIED: &str = "[['corner', 'a1', 'a2', 'corner'], ['b0', 'b1', 'b2', 'b3'], ['c0', 'c1', 'c2', 'c3'], \
                    ['corner', 'd1', 'd2', 'corner']]";

#[test]
fn a_mistake_in_a_matrix_is_told_at_its_row_or_cell() {
    const ROW: &str = "[1, 2, 3, 4]";
    for (matrix, path, said) in [
        (
            format!("[{ROW}, {ROW}, {ROW}]"),
            "term 0 matrix",
            "for a weight of its own for each cell; here there are 3 rows",
        ),
        (
            format!("[{ROW}, {ROW}, [1, 2, 3], {ROW}]"),
            "term 0 matrix 2",
            "; row 3 has 3 values",
        ),
        (
            format!("[{ROW}, 5, {ROW}, {ROW}]"),
            "term 0 matrix 1",
            "; row 2 is no list",
        ),
        (
            format!("[{ROW}, {ROW}, [1, 'a', 3, 4], {ROW}]"),
            "term 0 matrix 2 1",
            "numbers and names of weights cannot be mixed in a `matrix`",
        ),
        (
            TIED.replace("'b2'", "2"),
            "term 0 matrix 1 2",
            "numbers and names of weights cannot be mixed in a `matrix`",
        ),
        (
            format!("[{ROW}, {ROW}, {ROW}, [1, 2, 3, inf]]"),
            "term 0 matrix 3 3",
            "either all finite numbers or all names in quotes",
        ),
        (
            TIED.replace("'c1'", "'C1'"),
            "term 0 matrix 2 1",
            "`C1` is no name",
        ),
    ] {
        assert_said(&of_matrix(&matrix, "", "r"), path, said);
    }
    let each = "'each'\nlines = 'rows'";
    assert_said(
        &of_matrix(each, "", "r"),
        "term 0 lines",
        "leave `lines` out",
    );
    for (value, said) in [
        (
            "2^rank",
            "unknown name `rank`; the rank of a cell is `r` (known here: r, j, i)",
        ),
        (
            "log(r)",
            "unknown function `log`; the natural logarithm is `ln` (known: ",
        ),
    ] {
        assert_said(&of_matrix("'each'", "", value), "term 0 value", said);
    }
}

#[test]
fn a_mistake_in_a_default_is_told_at_its_number() {
    let rows = "default = [[1, 2, 3, 1], [4, 5, 6, 7], [8, 9, 1, 2], [1, 3, 4, 1]],";
    for (matrix, weight, path, said) in [
        (
            TIED,
            "default = [1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7],",
            "default",
            "`default` needs 13 numbers, one for each name in the order of first appearance (corner, a1, a2, ..), not one \
             for each cell",
        ),
        (TIED, "default = [1, 2],", "default", "here there are 2"),
        (
            TIED,
            &rows.replace("3, 4, 1]]", "3, 4, 2]]"),
            "default 3 3",
            "the cells `corner` share a weight, but have the numbers 1 and 2 here",
        ),
        (
            TIED,
            &rows.replace("[8, 9, 1, 2]", "[8, 9, 1]"),
            "default 2",
            "the rows of `default` must have equal lengths: row 1 has 4 numbers, row 3 has 3 values",
        ),
        (
            "'each'",
            "default = [[1, 2, 3, 4], [1, 2, 3, 4]],",
            "default",
            "4 of 4 numbers; here there are 2 of 4",
        ),
        (
            TIED,
            &rows.replace("9", "'a'"),
            "default 2 1",
            "`default` needs finite numbers",
        ),
        (
            "'each'",
            "default = 20,",
            "default",
            "`default` 20 of `snake_r0c0` is above its `max` 10",
        ),
        (
            TIED,
            &rows.replace("9", "-9"),
            "default 2 1",
            "`default` -9 of `snake_c1` is below its `min` 0",
        ),
        (
            TIED,
            "default = [1, 2, 30, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4],",
            "default 2",
            "`default` 30 of `snake_a2` is above its `max` 10",
        ),
    ] {
        let path = format!("term 0 weight {path}");
        assert_said(&of_matrix(matrix, weight, "r"), &path, said);
    }
    let text = "about = 'x'\n[[term]]\nname = 'x'\ndoc = 'x'\nvalue = '1'\nweight = { min = 1, max = 2 }\n";
    let error = read(text).unwrap_err();
    assert_said(
        &error,
        "term 0 weight default",
        "the `default` of `x` is 0 if it is left out, below its `min` 1",
    );
    for weight in [
        "default = 0, min = 1, max = 2",
        "min = 1, max = 2, scale = 'log'",
    ] {
        let text = text.replace("min = 1, max = 2", weight);
        assert_eq!(read(&text).unwrap().parameters()[0].default, 0.0);
    }
    let of_rows = with_matrix(TIED, rows, "r");
    let of_names = with_matrix(
        TIED,
        "default = [1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4],",
        "r",
    );
    let [of_rows, of_names] = [of_rows, of_names].map(|text| read(&text).unwrap());
    assert_eq!(of_rows.parameters(), of_names.parameters());
}

#[test]
fn a_key_of_the_other_kind_of_terms_is_told() {
    for (kind, key, said) in [
        (
            "term",
            "sums.x = 'r'",
            "`sums` belongs to a `[[board_term]]`; this is a `[[term]]`",
        ),
        (
            "board_term",
            "matrix = 'each'",
            "`matrix` belongs to a `[[term]]`; this is a `[[board_term]]`",
        ),
        (
            "board_term",
            "constant = true",
            "`constant` belongs to a `[[term]]`; this is a `[[board_term]]`",
        ),
        (
            "term",
            "matrix = 'each'\nimages = 'best'\nconstant = true",
            "a term with `images` is no constant",
        ),
        (
            "term",
            "matrix = 'each'\nimages = 'best'\nlines = 'every'",
            "leave `lines` out",
        ),
    ] {
        let text = format!(
            "about = 'x'\n[[{kind}]]\nname = 'x'\ndoc = 'x'\nvalue = '1'\n{key}\n\
             weight = {{ default = 1, min = 0, max = 2 }}\n"
        );
        let error = read(&text).unwrap_err();
        let key = key
            .lines()
            .last()
            .unwrap()
            .split(['.', ' '])
            .next()
            .unwrap();
        assert_said(&error, &format!("{kind} 0 {key}"), said);
    }
}

#[test]
fn a_sum_without_a_meaning_on_short_lines_is_told_at_its_place() {
    let text = "about = 'x'\n[[board_term]]\nname = 'corner'\ndoc = 'x'\nvalue = 'largest'\n\
                maxima.largest = { lines = 'outer', value = 'max(cell(0), cell(3))' }\n\
                weight = { default = 1, min = 0, max = 2 }\n";
    let error = read(text)
        .unwrap()
        .fits("3x4".parse().unwrap())
        .unwrap_err();
    assert_said(
        &error,
        "board_term 0 maxima largest value",
        "on a board of 3x4 the term `corner` has no meaning: it reads cell(3)",
    );
}
