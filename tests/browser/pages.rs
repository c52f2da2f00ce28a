//! `tiletune browser` and pages of every kind: what shows no 2048, boards of other sizes, frames, tabs, other rules, several
//! games, page adapters.

use std::path::PathBuf;

use serde_json::Value;

use super::chromium::Chromium;
use super::game::{game, opened, played, refused};

/// A page of a temporary folder.
pub struct Pages(tempfile::TempDir);

impl Pages {
    pub fn new() -> Self {
        Pages(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// The address of a page with this body.
    pub fn page(&self, name: &str, body: &str) -> String {
        let text = format!("<!doctype html><meta charset=utf-8><title>{name}</title><body>{body}");
        format!("file://{}", self.write(name, &text).display())
    }
}

/// Elements of a board of this size with two tiles, without a script: keys do nothing, and each is counted.
pub fn board(rows: usize, columns: usize) -> String {
    let row = format!(
        "<div class=grid-row>{}</div>",
        "<div class=grid-cell></div>".repeat(columns)
    );
    format!(
        "<div class=grid-container>{}</div><div class=tile-container>\
         <div class='tile tile-2 tile-position-1-1'>2</div><div class='tile tile-2 tile-position-2-2'>2</div></div>\
         <script>window.keys = 0; addEventListener('keydown', () => window.keys++)</script>",
        row.repeat(rows)
    )
}

pub const RANDOM: [&str; 2] = ["--player", "random"];

/// The game of a canvas, which has no elements to read. It is the first example of docs/page-adapter.md.
pub const CANVAS: &str = r#"<canvas width=200 height=200></canvas><script>
const size = 4;
let state;
function begin() { state = { grid: Array(16).fill(0), points: 0, dead: false }; add(); add(); draw(); }
function add() {
  const free = state.grid.flatMap((tile, cell) => (tile === 0 ? [cell] : []));
  state.grid[free[Math.floor(Math.random() * free.length)]] = 2;
}
function lines(name) {
  const along = { left: [1, 4, 0], right: [-1, 4, 3], up: [4, 1, 0], down: [-4, 1, 12] }[name];
  return [0, 1, 2, 3].map((line) => [0, 1, 2, 3].map((step) => along[2] + along[0] * step + along[1] * line));
}
function slide(name, change) {
  let moved = false;
  for (const cells of lines(name)) {
    const left = cells.map((cell) => state.grid[cell]).filter((tile) => tile > 0);
    const line = [];
    while (left.length > 0) {
      const tile = left.shift();
      if (left[0] === tile) {
        line.push(tile + left.shift());
        if (change) state.points += 2 * tile;
      } else line.push(tile);
    }
    cells.forEach((cell, step) => {
      if (state.grid[cell] !== (line[step] ?? 0)) moved = true;
      if (change) state.grid[cell] = line[step] ?? 0;
    });
  }
  return moved;
}
function draw() { document.querySelector("canvas").getContext("2d").fillText(state.points, 10, 10); }
addEventListener("keydown", (event) => {
  const name = event.key.replace("Arrow", "").toLowerCase();
  if (event.key === "n") return begin();
  if (!["left", "right", "up", "down"].includes(name) || !slide(name, true)) return;
  add();
  state.dead = !["left", "right", "up", "down"].some((one) => slide(one, false));
  draw();
});
begin();
</script>"#;

/// The same game with other elements than a canvas, and what draws it.
pub fn drawn(elements: &str, draw: &str) -> String {
    let canvas = "<canvas width=200 height=200></canvas>";
    let start = CANVAS.find("function draw()").unwrap();
    let end = start + CANVAS[start..].find('\n').unwrap();
    let text = format!(
        "{}function draw() {{ {draw} }}{}",
        &CANVAS[..start],
        &CANVAS[end..]
    );
    text.replace(canvas, elements)
}

/// The JavaScript of the blocks of the page about adapters.
fn documented() -> Vec<String> {
    let path = format!("{}/docs/page-adapter.md", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let blocks = text.split("```js\n").skip(1);
    blocks
        .map(|block| block.split("```").next().unwrap().to_owned())
        .collect()
}

#[test]
fn a_page_that_shows_no_board_is_no_game_whatever_is_stored() {
    let pages = Pages::new();
    let Some((chromium, mut tab)) = opened("seed=3") else {
        return;
    };
    // Pages of files share their storage.
    tab.open(&pages.page("picture.html", "<p>no game</p>"));
    assert_ne!(tab.value("localStorage.getItem('gameState')"), Value::Null);
    let said = refused(&chromium, &RANDOM);
    assert!(said.contains("no open page shows a 2048"), "{said}");
    assert!(said.contains("picture.html"), "{said}");
    // What cannot be seen is not shown either.
    let hidden = format!("<div style='display:none'>{}</div>", board(4, 4));
    tab.open(&pages.page("hidden.html", &hidden));
    let said = refused(&chromium, &RANDOM);
    assert!(said.contains("no open page shows a 2048"), "{said}");
}

#[test]
fn a_board_of_another_size_is_refused_before_any_key() {
    let pages = Pages::new();
    let Some(chromium) = Chromium::start(&["about:blank"]) else {
        return;
    };
    let mut tab = chromium.page("blank");
    for (rows, columns) in [(5, 5), (5, 4), (6, 3), (8, 8)] {
        let name = format!("{rows}x{columns}.html");
        tab.open(&pages.page(&name, &board(rows, columns)));
        let said = refused(&chromium, &RANDOM);
        let size = format!("the board of the page is {rows} x {columns}; the players know");
        assert!(said.contains(&size), "{said}");
        assert_eq!(tab.value("window.keys"), 0);
    }
    // The stored game tells the size of a page without a grid.
    let stored = r#"{"grid":{"size":5,"cells":[[null,null,{"value":2}],[null,{"value":2},null],[null,null,null],
        [null,null,null],[null,null,null]]},"score":0,"over":false,"won":false,"keepPlaying":false}"#;
    let body = format!(
        "<div class=tile-container><div class='tile tile-2 tile-position-1-3'></div>\
         <div class='tile tile-2 tile-position-2-2'></div></div>\
         <script>localStorage.setItem('gameState', JSON.stringify({stored}))</script>"
    );
    tab.open(&pages.page("stored.html", &body));
    let said = refused(&chromium, &RANDOM);
    assert!(said.contains("is 3 x 5"), "{said}");
    tab.value("localStorage.clear()");
}

#[test]
fn a_game_in_a_frame_is_played() {
    let pages = Pages::new();
    let frame = format!(
        "<h1>portal</h1><iframe width=500 height=600 src='{}'></iframe>",
        game("seed=4&storage=no&board=2,8,32,128,4,16,64,256,2,8,32,128,0,0,0,0")
    );
    let Some(chromium) = Chromium::start(&[&pages.page("portal.html", &frame)]) else {
        return;
    };
    chromium
        .page("portal")
        .wait("document.readyState === 'complete'");
    let (result, messages) = played(&chromium, &RANDOM);
    assert!(result["moves"].as_u64() > Some(0), "{messages}");
    let page = result["page"].as_str().unwrap();
    assert!(page.contains("2048.html"), "{page}");
}

#[test]
fn equal_tabs_are_told_apart_by_their_ids() {
    let board = "board=2,8,32,128,4,16,64,256,2,8,32,128,0,0,0,0";
    let parameters = format!("storage=no&{board}");
    let Some((chromium, _)) = opened(&parameters) else {
        return;
    };
    chromium.open(&game(&parameters));
    let said = super::chromium::until("two pages", || {
        let said = refused(&chromium, &RANDOM);
        said.contains("2 open pages are a 2048").then_some(said)
    });
    let ids: Vec<&str> = (said.lines())
        .filter(|line| line.starts_with("  "))
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    assert!(ids.len() == 2 && ids[0] != ids[1], "{said}");
    for id in ids {
        let (result, _) = played(&chromium, &[&RANDOM[..], &["--page", id]].concat());
        assert!(result["moves"].as_u64() > Some(0), "{result}");
    }
}

#[test]
fn a_page_with_other_rules_is_left() {
    let pages = Pages::new();
    // The tiles never move, and each key adds a tile 8.
    let body = board(4, 4)
        + "<script>let next = 3; addEventListener('keydown', () => {
             const tile = document.createElement('div');
             tile.className = `tile tile-8 tile-position-${1 + next % 4}-${1 + Math.floor(next / 4)}`;
             document.querySelector('.tile-container').append(tile);
             next++;
           })</script>";
    let Some(chromium) = Chromium::start(&[&pages.page("other.html", &body)]) else {
        return;
    };
    let mut tab = chromium.page("other");
    tab.wait("document.readyState === 'complete'");
    let said = refused(&chromium, &RANDOM);
    assert!(said.contains("does not follow the rules of 2048"), "{said}");
    assert!(said.contains("where 2048 has"), "{said}");
    assert_eq!(tab.value("window.keys"), 3);
}

#[test]
fn several_games_are_played_and_written() {
    let pages = Pages::new();
    // A game of few moves. The button begins the same one again.
    let board = "board=2,8,32,128,4,16,64,256,2,8,32,128,0,0,0,0";
    let Some((chromium, _)) = opened(&format!("storage=no&{board}")) else {
        return;
    };
    let csv = pages.0.path().join("games.csv");
    let csv = csv.to_str().unwrap();
    let several = ["--games", "3", "--csv", csv];
    let (result, messages) = played(&chromium, &[&RANDOM[..], &several].concat());
    let games = result["games"].as_array().unwrap();
    assert_eq!(games.len(), 3, "{messages}");
    assert!(games.iter().all(|game| game["end"] == "over"), "{result}");
    assert_eq!(result["score"], games[2]["score"]);
    let table = std::fs::read_to_string(csv).unwrap();
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows[0], "game,score,max_tile,moves,seconds,end");
    let first = format!("1,{},{},", games[0]["score"], games[0]["max_tile"]);
    assert!(rows.len() == 4 && rows[1].starts_with(&first), "{table}");
    // The game is over already: another one is begun. A table that exists is kept.
    let (again, _) = played(&chromium, &[&RANDOM[..], &["--games", "1"]].concat());
    assert!(again["moves"].as_u64() > Some(0), "{again}");
    let output = super::common::run(&[&["browser"], &RANDOM[..], &["--csv", csv]].concat());
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("the file exists and is kept"), "{said}");
    assert_eq!(std::fs::read_to_string(csv).unwrap(), table);
}

#[test]
fn a_game_is_left_at_a_tile() {
    let Some((chromium, mut tab)) = opened("seed=6") else {
        return;
    };
    let until = ["--until", "32", "--games", "5"];
    let (result, _) = played(&chromium, &[&["--player", "greedy"], &until[..]].concat());
    assert_eq!(result["max_tile"], 32);
    assert_eq!(result["end"], "reached");
    assert_eq!(
        tab.value("document.querySelector('.game-over')"),
        Value::Null
    );
}

#[test]
fn the_adapters_of_the_documentation_play_their_pages() {
    let pages = Pages::new();
    let adapters = documented();
    assert_eq!(adapters.len(), 2);
    let fruits = drawn(
        "<table id=game></table>",
        r##"const row = (y) => [0, 1, 2, 3].map((x) => {
    const tile = state.grid[4 * y + x];
    return `<td class="${tile ? "fruit-" + Math.log2(tile) : ""}">${"🍒🍋🍊🍎🍇🍉🍓🍌🍍"[Math.log2(tile)] ?? ""}</td>`;
  }).join("");
  document.querySelector("#game").innerHTML = [0, 1, 2, 3].map((y) => `<tr>${row(y)}</tr>`).join("");
  document.body.dataset.points = state.points;
  document.body.classList.toggle("lost", state.dead);"##,
    );
    let Some(chromium) = Chromium::start(&["about:blank"]) else {
        return;
    };
    let mut tab = chromium.page("blank");
    for (name, body, adapter) in [
        ("canvas.html", &CANVAS.to_owned(), &adapters[0]),
        ("fruits.html", &fruits, &adapters[1]),
    ] {
        tab.open(&pages.page(name, body));
        let said = refused(&chromium, &RANDOM);
        assert!(said.contains("--page-adapter"), "{said}");
        let file = pages.write("adapter.js", adapter);
        let adapter = ["--page-adapter", file.to_str().unwrap()];
        let arguments = [&RANDOM[..], &adapter, &["--games", "2", "--until", "256"]].concat();
        let (result, messages) = played(&chromium, &arguments);
        assert!(messages.contains("read by the page adapter"), "{messages}");
        let games = result["games"].as_array().unwrap();
        assert!(
            games.iter().all(|game| game["score"].as_u64() > Some(0)),
            "{result}"
        );
        let points = tab.value("state.points");
        assert_eq!(result["score"], points, "{name}");
    }
    for (text, said) in [
        (
            "function read() { return null; } function press() {}",
            "gives a board on none of them",
        ),
        (
            "function read() { return { board: [2, 2] }; } function press() {}",
            "rows of equal length",
        ),
        (
            "function read() { return { board: [['x']] }; } function press() {}",
            "the tile x",
        ),
        (
            "const read = 5; function press() {}",
            "has no function read",
        ),
        (
            "function read() { return nothing.at; } function press() {}",
            "nothing is not defined",
        ),
        ("function read( press", "SyntaxError"),
    ] {
        let file = pages.write("wrong.js", text);
        let message = refused(
            &chromium,
            &[&RANDOM[..], &["--page-adapter", file.to_str().unwrap()]].concat(),
        );
        assert!(message.contains(said), "{said}: {message}");
    }
}
