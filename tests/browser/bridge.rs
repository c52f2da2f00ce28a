//! 3+3 in a page of a browser: our userscript, and the route that the original one asks.

use std::path::Path;

use serde_json::{Value, json};
use tiletune::games::three_plus_three::rules::{
    Direction, Position, next_after, rank_of, spawn_cells,
};
use tiletune::games::twenty48::rules::Board;

use super::chromium::{Chromium, Tab};
use super::common::advise;
use super::server::Server;

/// A start with few moves left, so that games are short.
const BOARD: &str = "board=3,6,12,24,48,96,192,384,3,6,12,24,48,96,0,0";

/// Keeps every move of the page in `moves`: grid and next tile before it, the button, both after it.
const WATCH: &str = r#"
    window.moves = [];
    for (const [name, button] of Object.entries(game.controller.buttons)) {
        const { trigger } = button;
        button.trigger = (event) => {
            const before = [[...game.grid], game.food];
            trigger(event);
            moves.push([...before, name, [...game.grid], game.food]);
        };
    }
"#;

/// Whether no move is left, as the page sees it.
const IS_OVER: &str = "document.querySelector('#state').textContent === 'over'";

fn position(tiles: &Value, next: &Value) -> Position {
    let tiles = tiles.as_array().unwrap().iter();
    let ranks: Vec<u8> = tiles
        .map(|tile| match tile.as_u64().unwrap() {
            0 => 0,
            tile => rank_of(tile).unwrap(),
        })
        .collect();
    Position {
        board: Board::from_ranks(ranks.try_into().unwrap()),
        next: next.as_u64().unwrap().try_into().unwrap(),
    }
}

/// Checks that the page has played by the rules, and that every move is the one that `advise` makes.
fn check(tab: &mut Tab, player: &[&str]) {
    let moves = tab.value("window.moves");
    let moves: Vec<[Value; 5]> = serde_json::from_value(moves).unwrap();
    assert!(moves.len() > 3, "{moves:?}");
    for [grid, food, name, grid_after, food_after] in &moves {
        let mut all = Direction::ALL.into_iter();
        let direction = all.find(|direction| *name == direction.name()).unwrap();
        let before = position(grid, food);
        let after = position(grid_after, food_after);
        let moved = before.moved(direction).expect("the move is legal");
        let new = after.board.0 ^ moved.0;
        let cell = new / u64::from(before.next);
        assert!(
            cell.count_ones() == 1 && cell & spawn_cells(moved, direction) == cell,
            "{before:?} {direction} {after:?}"
        );
        assert_eq!(after.next, next_after(before.next));
    }
    let line = |[grid, food, ..]: &[Value; 5]| json!({ "board": grid, "next": food }).to_string();
    let lines: Vec<String> = moves.iter().map(line).collect();
    let arguments = [&["--game", "three-plus-three", "--player"], player].concat();
    let (answers, code) = advise(&arguments, &lines);
    assert_eq!(code, Some(0));
    for (answer, [.., name, _, _]) in answers.iter().zip(&moves) {
        assert_eq!(answer["move"], *name);
    }
}

/// Chooses a player in the box of the userscript, presses start and waits for the end of the game.
fn play(tab: &mut Tab, player: &str) {
    let player = json!(player);
    tab.wait("document.querySelector('#tiletune-bridge') !== null");
    tab.value(WATCH);
    tab.value(&format!(
        "document.querySelector('#tiletune-bridge select').value = {player};
         document.querySelector('#tiletune-bridge button').click()"
    ));
    tab.wait(IS_OVER);
    tab.wait(
        "/^no move is left after \\d+ moves$/.test(
            document.querySelector('#tiletune-bridge [role=status]').textContent)",
    );
}

#[test]
fn the_userscript_plays_with_fetch_where_its_site_may_ask() {
    // The page is of another origin than the server that answers.
    let page = Server::start(&["--bridge"]);
    let server = Server::start(&["--allow-origin", &page.origin]);
    let address = format!("{}/bridge/test-page?seed=2&{BOARD}", page.origin);
    let Some(chromium) = Chromium::start(&["about:blank"]) else {
        return;
    };
    let mut tab = chromium.page("blank");
    // Our own page allows no connection to another origin; that of the game says nothing about it.
    let bypassed = json!({ "enabled": true });
    tab.0.call("Page.setBypassCSP", bypassed).unwrap();
    tab.open(&address);
    tab.wait("window.game !== undefined");
    tab.value(&server.file("/bridge/three-plus-three.user.js"));
    play(&mut tab, "expectimax, depth 1");
    check(&mut tab, &["expectimax", "--depth", "1"]);
    // Without a server, the box says so.
    drop(server);
    tab.value("document.querySelector('#tiletune-bridge button').click()");
    tab.wait(
        "document.querySelector('#tiletune-bridge [role=status]').textContent.includes('tiletune serve')",
    );
}

/// An extension that does what a userscript manager does: the userscript runs in the page, its requests go out from
/// the extension.
fn write_extension(folder: &Path, userscript: &str) {
    let manifest = json!({
        "manifest_version": 3,
        "name": "userscript",
        "version": "1",
        "host_permissions": ["http://127.0.0.1/*"],
        "background": { "service_worker": "worker.js" },
        "content_scripts": [
            { "matches": ["http://127.0.0.1/*"], "js": ["relay.js"], "run_at": "document_start" },
            { "matches": ["http://127.0.0.1/*"], "js": ["shim.js", "userscript.js"], "world": "MAIN" },
        ],
    });
    let worker = "chrome.runtime.onMessage.addListener(({ url, method, headers, data }, _, answer) => {
        fetch(url, { method, headers, body: data })
            .then(async (response) => answer({ status: response.status, responseText: await response.text() }));
        return true;
    });";
    let relay = "addEventListener('ask', async ({ detail }) => {
        const answer = await chrome.runtime.sendMessage(JSON.parse(detail));
        dispatchEvent(new CustomEvent('answer', { detail: JSON.stringify(answer) }));
    });";
    let shim = "window.GM_xmlhttpRequest = ({ onload, ...request }) => {
        const answered = ({ detail }) => onload(JSON.parse(detail));
        addEventListener('answer', answered, { once: true });
        dispatchEvent(new CustomEvent('ask', { detail: JSON.stringify(request) }));
    };";
    for (name, contents) in [
        ("manifest.json", manifest.to_string().as_str()),
        ("worker.js", worker),
        ("relay.js", relay),
        ("shim.js", shim),
        ("userscript.js", userscript),
    ] {
        std::fs::write(folder.join(name), contents).unwrap();
    }
}

#[test]
fn the_userscript_plays_from_an_extension() {
    let page = Server::start(&["--bridge"]);
    // No site is named: the extension asks, not the page.
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    write_extension(
        folder.path(),
        &server.file("/bridge/three-plus-three.user.js"),
    );
    let address = format!("{}/bridge/test-page?seed=3&{BOARD}", page.origin);
    let extension = format!("--load-extension={}", folder.path().display());
    let Some(chromium) = Chromium::start(&[&extension, &address]) else {
        return;
    };
    let mut tab = chromium.page("test-page");
    play(&mut tab, "freedom-server");
    check(&mut tab, &["freedom-server"]);
}

#[test]
fn the_route_of_the_original_program_plays_a_game() {
    let server = Server::start(&["--bridge"]);
    let address = format!("{}/bridge/test-page?seed=4&{BOARD}", server.origin);
    let Some(chromium) = Chromium::start(&[&address]) else {
        return;
    };
    let mut tab = chromium.page("test-page");
    tab.wait("window.game !== undefined");
    tab.value(WATCH);
    // Asks as the original userscript does, without its pauses.
    tab.value(
        "(async () => {
            const names = { left: 'left', right: 'right', top: 'up', bottom: 'down' };
            for (;;) {
                const grid = game.grid.toString();
                const answer = await (await fetch(`/${grid}/${game.food}/`)).json();
                if (answer.hash !== grid) throw new Error('another position');
                if (answer.choice === '') return;
                game.controller.buttons[names[answer.choice]].trigger('keydown');
            }
        })()",
    );
    assert_eq!(tab.value(IS_OVER), true);
    check(&mut tab, &["freedom-server"]);
}

#[test]
fn the_route_of_the_original_program_is_for_its_site_and_extensions() {
    let path = format!("/{}/1/", ["1"; 16].join(","));
    let site = "Origin: https://d29zfk7accxxr5.cloudfront.net\r\n";
    let extension = "Origin: chrome-extension://abcdefghijklmnop\r\n";
    let server = Server::start(&["--bridge"]);
    for from in [site, extension] {
        let answer = server.get(&path, from);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        let allowed = from.replace("Origin", "access-control-allow-origin");
        assert!(answer.contains(&allowed), "{answer}");
        assert!(answer.contains(r#""choice":"""#), "{answer}");
    }
    for (path, from, status) in [
        (path.as_str(), "Origin: https://example.org\r\n", "403"),
        ("/api/runs", site, "403"),
        ("/api/advise", site, "403"),
        ("/1,2/1/", "", "404"),
        (&path.replace("/1/", "/3/"), "", "422"),
        (&path.replace("1,", "4,"), "", "422"),
    ] {
        let answer = server.get(path, from);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")),
            "{path} {answer}"
        );
    }
    let without = Server::start(&[]);
    for path in [path.as_str(), "/bridge/test-page"] {
        let answer = without.get(path, "");
        assert!(answer.starts_with("HTTP/1.1 404"), "{path} {answer}");
    }
    let refused = without.get(&path, site);
    assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
}
