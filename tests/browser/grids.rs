//! `tiletune browser` on boards of other sizes, and on pages that show a grid of numbers.

use super::chromium::Chromium;
use super::game::{game, played, refused};
use super::pages::{Pages, RANDOM, board, drawn};

/// The grid of the game as a table, of which the page knows the size.
const TABLE: &str = r##"const row = (y) => state.grid.slice(4 * y, 4 * y + 4).map((tile) => `<td>${tile || ""}</td>`).join("");
  document.querySelector("table").innerHTML = [0, 1, 2, 3].map((y) => `<tr>${row(y)}</tr>`).join("");
  document.querySelector("#score").textContent = state.points;"##;

#[test]
fn boards_of_other_sizes_are_played() {
    let Some(chromium) = Chromium::start(&["about:blank"]) else {
        return;
    };
    let mut tab = chromium.page("blank");
    for (size, parameters, source) in [
        ("3x3", "grid=3x3", "the game that it stores"),
        // The grid is a picture of another size.
        ("3x3", "grid=4x4", "the game that it stores"),
        ("3x4", "storage=no&grid=3x4", "the elements of its tiles"),
        ("2x4", "storage=no&grid=2x4", "the elements of its tiles"),
    ] {
        tab.open(&game(&format!("seed=1&size={size}&{parameters}")));
        tab.wait("document.querySelector('.tile') !== null");
        let until = ["--until", "16"];
        let (result, messages) = played(&chromium, &[&["--player", "greedy"], &until[..]].concat());
        assert!(messages.contains(source), "{messages}");
        assert_eq!(result["board"], size, "{messages}");
        assert_eq!(result["max_tile"], 16, "{messages}");
        tab.value("localStorage.clear()");
    }
    // Weights with a name are those of the board.
    let tuned = ["--weights", "tuned", "--until", "16"];
    tab.open(&game("seed=2&size=2x4&storage=no&grid=2x4"));
    tab.wait("document.querySelector('.tile') !== null");
    let (_, messages) = played(&chromium, &tuned);
    assert!(messages.contains("weights `2x4`"), "{messages}");
    assert!(!messages.contains("depth-0"), "{messages}");
    let keys = "addEventListener('keydown', () => (window.keys = (window.keys ?? 0) + 1))";
    tab.value(keys);
    for (arguments, said) in [
        (&["--player", "snake"][..], "`snake` knows 4x4 only"),
        (&["--player", "random", "--board", "3x3"], "--board is 3x3"),
    ] {
        let message = refused(&chromium, arguments);
        assert!(
            message.contains("the board of the page is 2x4"),
            "{message}"
        );
        assert!(message.contains(said), "{message}");
    }
    assert_eq!(tab.value("window.keys"), serde_json::Value::Null);
}

#[test]
fn a_grid_of_numbers_is_played_whatever_its_elements_are() {
    let pages = Pages::new();
    let Some(chromium) = Chromium::start(&["about:blank"]) else {
        return;
    };
    let mut tab = chromium.page("blank");
    let style = "<style>td, i { width: 50px; height: 50px } main { position: relative; width: 232px; display: flex; \
                 flex-wrap: wrap; gap: 8px } i { background: #eee } b { position: absolute; width: 50px; height: 50px }</style>";
    let score = "<p>Score: <span id=score></span></p>";
    let table = format!("{style}{score}<table></table>");
    // A dialog at the end waits for an answer.
    let alert = format!("{TABLE} if (state.dead) alert('over');");
    // Tiles in a layer over empty cells.
    let layer = format!("{style}<main>{}</main>", "<i></i>".repeat(16));
    let tiles = r#"document.querySelectorAll("b").forEach((one) => one.remove());
      state.grid.forEach((tile, cell) => {
        const [left, top] = [58 * (cell % 4), 58 * Math.floor(cell / 4)];
        const html = `<b style="left: ${left}px; top: ${top}px">${tile}</b>`;
        if (tile) document.querySelector("main").insertAdjacentHTML("beforeend", html);
      });
      // Tiles that were merged and cannot be seen.
      for (const hidden of ["transform: scale(0)", "opacity: 0", "visibility: hidden"]) {
        document.querySelector("main").insertAdjacentHTML("beforeend", `<b style="left: 0; top: 0; ${hidden}">512</b>`);
      }"#;
    let images = TABLE.replace(
        r#"${tile || ""}"#,
        r#"${tile ? `<img alt="${tile}">` : ""}"#,
    );
    for (name, elements, draw, has_score) in [
        ("alert.html", &table, &alert, true),
        ("layer.html", &layer, &tiles.to_owned(), false),
        ("images.html", &table, &images, true),
    ] {
        let body = drawn(elements, draw).replace("\"keydown\"", "\"keyup\"");
        // Without a key for another game the page is loaded again.
        let body = match name {
            "layer.html" => body,
            _ => body.replace("\"n\"", "\"r\""),
        };
        tab.open(&pages.page(name, &body));
        let (result, messages) = played(&chromium, &[&RANDOM[..], &["--games", "2"]].concat());
        assert!(messages.contains("the cells that it shows"), "{messages}");
        let games = result["games"].as_array().unwrap();
        assert!(
            games.len() == 2 && games.iter().all(|one| one["end"] == "over"),
            "{name}: {messages}"
        );
        assert_eq!(tab.value("state.dead"), true, "{name}");
        let points = if has_score {
            tab.value("state.points")
        } else {
            serde_json::Value::Null
        };
        assert_eq!(result["score"], points, "{name}");
    }
}

#[test]
fn a_grid_that_is_no_2048_gets_no_key() {
    let pages = Pages::new();
    let Some(chromium) = Chromium::start(&["about:blank"]) else {
        return;
    };
    let mut tab = chromium.page("blank");
    let grid = |columns: usize, texts: &[&str]| {
        let rows = texts.chunks(columns).map(|row| {
            let cells: String = row.iter().map(|text| format!("<td>{text}")).collect();
            format!("<tr>{cells}")
        });
        let rows: String = rows.collect();
        let counts =
            "<script>window.keys = 0; addEventListener('keydown', () => window.keys++)</script>";
        format!("<style>td {{ width: 40px; height: 40px }}</style><table>{rows}</table>{counts}")
    };
    let five = ["2", "", "", "", "4"].repeat(5);
    for (name, body, said) in [
        (
            "threes.html",
            grid(3, &["1", "2", "3", "", "", "", "", "", "6"]),
            "no open page shows a 2048",
        ),
        (
            "keypad.html",
            grid(3, &["1", "2", "3", "4", "5", "6", "7", "8", "9"]),
            "no open page shows a 2048",
        ),
        (
            "empty.html",
            grid(3, &["", "", "", "", "", "", "", "", ""]),
            "no open page shows a 2048",
        ),
        (
            "words.html",
            grid(2, &["2", "score", "", "4", "best", ""]),
            "no open page shows a 2048",
        ),
        (
            "five.html",
            grid(5, &five),
            "the board of the page is 5 x 5",
        ),
    ] {
        tab.open(&pages.page(name, &body));
        let message = refused(&chromium, &RANDOM);
        assert!(message.contains(said), "{name}: {message}");
        assert_eq!(tab.value("window.keys"), 0, "{name}");
    }
    // A page with the elements of Cirulli's game is not read as a grid.
    tab.open(&pages.page("known.html", &board(5, 5)));
    let message = refused(&chromium, &RANDOM);
    assert!(message.contains("the elements of its tiles"), "{message}");
}
