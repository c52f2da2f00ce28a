//! The page Play: whole games of a person, by keys and by touch.

use serde_json::{Value, json};
use tiletune::games::twenty48::rules::Board;

use super::chromium::{Chromium, Tab, until};
use super::server::Server;

/// The moves of the page in the order in which these games try them.
const MOVES: [&str; 4] = ["left", "down", "right", "up"];

/// What the page shows: the number of moves, which are legal, the status line, the score and the tiles.
const STATE: &str = r#"(() => {
    const number = (name) => {
        const all = [...document.querySelectorAll(".score")];
        const found = all.find((one) => one.querySelector("span").textContent === name);
        return found ? Number(found.querySelector("b").textContent.replace(/\D/g, "")) : null;
    };
    const tiles = Array(16).fill(0);
    for (const tile of document.querySelectorAll(".tiles .tile:not(.leaving)")) {
        const place = (name) => Number(tile.style.getPropertyValue(name));
        tiles[4 * place("--row") + place("--column")] = Number(tile.textContent);
    }
    const buttons = [...document.querySelectorAll(".moves button:not([disabled])")];
    const names = ["left", "down", "right", "up"];
    return {
        moves: number("Moves"),
        score: number("Score"),
        legal: names.filter((name) => buttons.some((button) => button.classList.contains(name))),
        status: document.querySelector(".status")?.textContent ?? "",
        tiles,
    };
})()"#;

/// Plays to the end, each move by `make`, and checks what the page shows then.
fn play(tab: &mut Tab, make: impl Fn(&mut Tab, &str)) {
    let mut moves = 0;
    loop {
        let state = until(&format!("move {moves}"), || {
            let state = tab.value(STATE);
            (state["moves"] == moves).then_some(state)
        });
        let status = state["status"].as_str().unwrap();
        let Some(name) = state["legal"][0].as_str() else {
            let score = state["score"].as_u64().unwrap();
            assert!(score > 100 && moves > 30, "{state}");
            assert!(status.contains("Game over"), "{state}");
            let tiles: Vec<u32> = serde_json::from_value(state["tiles"].clone()).unwrap();
            let ranks: Vec<u8> = tiles
                .iter()
                .map(|tile| tile.checked_ilog2().unwrap_or(0) as u8)
                .collect();
            let board = Board::from_ranks(ranks.try_into().unwrap());
            assert!(board.is_over(), "{state}");
            return;
        };
        assert!(MOVES.contains(&name));
        make(tab, name);
        moves += 1;
    }
}

#[test]
fn a_person_plays_a_game_by_keys() {
    let server = Server::start(&[]);
    let Some(chromium) = Chromium::start(&[&format!("{}/#/play?seed=3", server.origin)]) else {
        return;
    };
    let mut tab = chromium.page("play");
    tab.wait("document.querySelector('.tiles .tile') !== null");
    play(&mut tab, |tab, name| {
        let key = format!("Arrow{}{}", name[..1].to_uppercase(), &name[1..]);
        tab.press(&key);
    });
}

#[test]
fn a_person_plays_a_game_by_touch() {
    let server = Server::start(&[]);
    let Some(chromium) = Chromium::start(&[&format!("{}/#/play?seed=4", server.origin)]) else {
        return;
    };
    let mut tab = chromium.page("play");
    let phone = json!({ "width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true });
    tab.call("Emulation.setDeviceMetricsOverride", phone);
    tab.call(
        "Emulation.setTouchEmulationEnabled",
        json!({ "enabled": true }),
    );
    tab.wait("document.querySelector('.tiles .tile') !== null");
    // Nothing is wider than a phone.
    tab.wait("document.documentElement.scrollWidth <= innerWidth");
    play(&mut tab, |tab, name| {
        let middle = tab.value(
            "(() => {
                const frame = document.querySelector('.frame');
                frame.scrollIntoView({ block: 'center' });
                const box = frame.getBoundingClientRect();
                return [box.x + box.width / 2, box.y + box.height / 2];
            })()",
        );
        let [x, y] = [0, 1].map(|index: usize| middle[index].as_f64().unwrap());
        let [dx, dy] = match name {
            "left" => [-60.0, 0.0],
            "right" => [60.0, 0.0],
            "up" => [0.0, -60.0],
            _ => [0.0, 60.0],
        };
        let swipe = [("touchStart", 0.0), ("touchMove", 0.5), ("touchMove", 1.0)];
        for (kind, part) in swipe {
            let point = json!([{ "x": x + part * dx, "y": y + part * dy }]);
            tab.call(
                "Input.dispatchTouchEvent",
                json!({ "type": kind, "touchPoints": point }),
            );
        }
        tab.call(
            "Input.dispatchTouchEvent",
            json!({ "type": "touchEnd", "touchPoints": [] }),
        );
    });
}

/// Lets players play a whole game, and returns what the page shows then. The page makes another address of the one that
/// it was opened with, so that is not waited for.
fn watch(tab: &mut Tab, address: &str) -> Value {
    tab.open("about:blank");
    tab.call("Page.navigate", json!({ "url": address }));
    until(address, || {
        let state = tab.value(STATE);
        let is_over = state["status"].as_str()?.contains("Game over");
        is_over.then_some(state)
    })
}

#[test]
fn players_play_whole_games_of_every_kind() {
    let server = Server::start(&[]);
    let Some(chromium) = Chromium::start(&["about:blank"]) else {
        return;
    };
    let mut tab = chromium.page("blank");
    let games: [(&str, &[&str], &str); 3] = [
        ("2048", &["greedy"], "player=greedy"),
        (
            "three-plus-three",
            &["expectimax", "--depth", "0"],
            "player=expectimax&depth=0",
        ),
        (
            "connect-four",
            &["strings", "--opponent", "strings"],
            "player=strings&opening=1&first=player&second=player",
        ),
    ];
    for (game, player, settings) in games {
        let arguments = ["play", "--json", "--seed", "3", "--game", game, "--player"];
        let lines = crate::common::stdout(&[&arguments, player].concat());
        let result = &crate::common::records(&lines).pop().unwrap()["result"];
        let address = format!(
            "{}/#/play?game={game}&{settings}&seed=3&play=1&speed=Infinity",
            server.origin
        );
        let state = watch(&mut tab, &address);
        match result["outcome"].as_str() {
            None => {
                for number in ["score", "moves"] {
                    assert_eq!(state[number], result[number], "{game}: {state}");
                }
            }
            // The first player of the command line, who is red, wins.
            outcome => {
                assert_eq!(outcome, Some("win"));
                let status = state["status"].as_str().unwrap();
                assert!(status.contains("has won"), "{state}");
            }
        }
    }
}
