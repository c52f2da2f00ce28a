//! The web server by plain sockets: which requests it refuses, answers equal to those of the command line, whole
//! games, limits, and its end.

mod common;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use common::run_with_input;
use serde_json::{Value, json};
use tempfile::TempDir;
use tiletune::config::weights_file::published;
use tiletune::player::Players;
use tiletune::random::Stream;
use tiletune::web::{Closer, Server, Settings, Token};
use tiletune::{Catalogue, GameResult, PlayerConfig, Stop};

/// A server in a thread of this process.
struct Served {
    address: SocketAddr,
    closer: Closer,
    thread: Option<JoinHandle<std::io::Result<()>>>,
    /// The results folder, in a folder with a file that is not served.
    folder: TempDir,
}

fn serve(change: impl FnOnce(&mut Settings)) -> Served {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("results")).unwrap();
    let mut settings = Settings::new(folder.path().join("results"));
    change(&mut settings);
    let server = Server::bind(settings).unwrap();
    Served {
        address: server.address(),
        closer: server.closer(),
        thread: Some(std::thread::spawn(|| server.run())),
        folder,
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.closer.close();
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(std::thread::panicking() || ended.unwrap().is_ok());
        }
    }
}

/// An answer: the status, the lines of its head in lower case, its body.
#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_default().to_owned()
    }
}

impl Served {
    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        stream
    }

    /// The answer to a request as it is written here; `HOST` stands for the address.
    fn raw(&self, request: &str) -> Answer {
        let mut stream = self.connect();
        let request = request.replace("HOST", &self.address.to_string());
        stream.write_all(request.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        Answer {
            status: status.unwrap_or_default(),
            head: head.to_lowercase(),
            body: body.to_owned(),
        }
    }

    /// A request with these lines beside those that every request has.
    fn request(&self, line: &str, lines: &[&str], body: &str) -> Answer {
        let mut lines = lines.join("\r\n");
        if !lines.to_lowercase().contains("host:") {
            lines = format!("Host: HOST\r\n{lines}");
        }
        let length = body.len();
        let lines = lines.trim_end();
        self.raw(&format!(
            "{line} HTTP/1.1\r\n{lines}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        ))
    }

    fn get(&self, path: &str) -> Answer {
        self.request(&format!("GET {path}"), &[], "")
    }

    fn post(&self, path: &str, body: &Value) -> Answer {
        let line = format!("POST {path}");
        self.request(
            &line,
            &["Content-Type: application/json"],
            &body.to_string(),
        )
    }

    /// The position after the moves of a game.
    fn after(&self, player: &Value, seed: Option<u64>, moves: &str) -> Value {
        let answer = self.post(
            "/api/games",
            &json!({ "player": player, "seed": seed, "moves": moves }),
        );
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }
}

const JSON: &str = "Content-Type: application/json";

/// A request that `greedy` answers.
fn question() -> String {
    json!({ "player": { "name": "greedy" }, "position": { "board": [2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] } })
        .to_string()
}

#[test]
fn requests_are_refused_that_may_not_be_answered() {
    let served = serve(|settings| settings.origins = vec!["https://example.org".into()]);
    let port = served.address.port();
    let host = |name: &str| format!("Host: {name}");
    let (other_port, question) = (format!("Host: 127.0.0.1:{}", port ^ 1), question());
    let own = format!("Origin: http://127.0.0.1:{port}");
    let large = format!("{{\"x\":\"{}\"}}", "x".repeat(70_000));
    let post = "POST /api/advise";
    let extension = "Origin: chrome-extension://abcdefghijklmnop";
    let table: &[(u16, &str, &[&str], &str)] = &[
        // The name of the server.
        (200, "GET /", &[&host(&format!("localhost:{port}"))], ""),
        (200, "GET /", &[&host(&format!("[::1]:{port}"))], ""),
        (421, "GET /", &[&host("evil.example")], ""),
        (421, "GET /", &[&host(&format!("evil.example:{port}"))], ""),
        (421, "GET /", &[&host("127.0.0.1")], ""),
        (421, "GET /", &[&other_port], ""),
        (421, "GET /", &["Host: HOST", &host("evil.example")], ""),
        (421, "GET /api/runs", &[&host("evil.example")], ""),
        // The page that asks.
        (200, post, &[JSON, &own], &question),
        (200, post, &[JSON, "Origin: https://example.org"], &question),
        (200, post, &[JSON, extension], &question),
        (
            403,
            post,
            &[JSON, "Origin: https://evil.example"],
            &question,
        ),
        (403, post, &[JSON, "Origin: null"], &question),
        (
            403,
            post,
            &[JSON, "Origin: https://example.org.evil.example"],
            &question,
        ),
        (403, post, &[JSON, "Origin: http://example.org"], &question),
        (
            403,
            post,
            &[JSON, "Origin: https://example.org", &own],
            &question,
        ),
        (403, "GET /api/runs", &["Origin: https://example.org"], ""),
        (403, "GET /api/runs", &[extension], ""),
        (403, "GET /api/runs", &["Origin: null"], ""),
        (403, "POST /api/games", &[JSON, extension], "{}"),
        // A browser that asks beforehand.
        (
            204,
            "OPTIONS /api/advise",
            &[
                "Origin: https://example.org",
                "Access-Control-Request-Method: POST",
            ],
            "",
        ),
        (
            403,
            "OPTIONS /api/advise",
            &[
                "Origin: https://evil.example",
                "Access-Control-Request-Method: POST",
            ],
            "",
        ),
        (
            403,
            "OPTIONS /api/games",
            &[
                "Origin: https://example.org",
                "Access-Control-Request-Method: POST",
            ],
            "",
        ),
        // The body.
        (415, post, &["Content-Type: text/plain"], &question),
        (
            415,
            post,
            &["Content-Type: application/x-www-form-urlencoded"],
            &question,
        ),
        (415, post, &[], &question),
        (
            200,
            post,
            &["Content-Type: Application/JSON; charset=utf-8"],
            &question,
        ),
        (413, post, &[JSON], &large),
        (422, post, &[JSON], "no json"),
        (422, post, &[JSON], "{}"),
        (422, post, &[JSON], &"[".repeat(60_000)),
        // Paths and methods.
        (404, "GET /../Cargo.toml", &[], ""),
        (404, "GET /..%2f..%2fetc%2fpasswd", &[], ""),
        (404, "GET /pages/..%2fapp.js", &[], ""),
        (404, "GET /pages", &[], ""),
        (404, "GET /api/nothing", &[], ""),
        (405, "GET /api/advise", &[], ""),
        (405, "DELETE /api/games", &[], ""),
    ];
    for (status, line, lines, body) in table {
        let answer = served.request(line, lines, body);
        assert_eq!(answer.status, *status, "{line} {lines:?}: {answer:?}");
        if *status >= 400 {
            assert!(!answer.error().is_empty(), "{line}: {answer:?}");
        }
        assert!(
            answer
                .head
                .contains("content-security-policy: default-src 'self'"),
            "{answer:?}"
        );
        assert!(
            answer.head.contains("x-content-type-options: nosniff"),
            "{answer:?}"
        );
        let is_shared = answer.head.contains("access-control-allow-origin");
        let is_foreign =
            lines.iter().any(|line| line.starts_with("Origin: ")) && !lines.contains(&own.as_str());
        assert_eq!(is_shared, is_foreign && *status < 400, "{answer:?}");
    }
    let chunked = "POST /api/advise HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nConnection: close\r\n\
                   Transfer-Encoding: chunked\r\n\r\n";
    let answer = served.raw(&format!(
        "{chunked}{:x}\r\n{large}\r\n0\r\n\r\n",
        large.len()
    ));
    assert_eq!(answer.status, 413, "{answer:?}");
    assert_eq!(
        served
            .raw("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
            .status,
        421
    );
}

#[test]
fn a_token_is_asked_for_if_there_is_one() {
    let token = "0123456789abcdef";
    let served = serve(|settings| {
        settings.token = Some(Token::new(token).unwrap());
        settings.origins = vec!["https://example.org".into()];
    });
    let authorization = format!("Authorization: Bearer {token}");
    let cookie = format!("Cookie: theme=dark; tiletune-token={token}");
    let (first, name) = (format!("GET /?token={token}"), "Host: box.example:8048");
    let table: &[(u16, &str, &[&str])] = &[
        (401, "GET /", &[]),
        (401, "GET /api/runs", &[]),
        (401, "GET /", &["Authorization: Bearer 0123456789abcdeF"]),
        (401, "GET /", &["Authorization: Bearer "]),
        (401, "GET /", &["Cookie: tiletune-token=0123456789abcde"]),
        (401, "GET /?token=0123456789abcdef0", &[]),
        (200, "GET /", &[&authorization]),
        (200, "GET /", &[&cookie]),
        (200, "GET /", &[name, &cookie]),
        (
            403,
            "GET /api/runs",
            &[name, &cookie, "Origin: http://other.example:8048"],
        ),
        (
            200,
            "GET /api/runs",
            &[name, &cookie, "Origin: http://box.example:8048"],
        ),
        (200, &first, &[]),
        (
            204,
            "OPTIONS /api/advise",
            &[
                "Origin: https://example.org",
                "Access-Control-Request-Method: POST",
            ],
        ),
    ];
    for (status, line, lines) in table {
        let answer = served.request(line, lines, "");
        assert_eq!(answer.status, *status, "{line} {lines:?}: {answer:?}");
        let expected =
            "set-cookie: tiletune-token=0123456789abcdef; path=/; httponly; samesite=strict";
        assert_eq!(answer.head.contains(expected), *line == first, "{answer:?}");
    }
}

#[test]
fn the_files_of_the_pages_are_served_and_name_no_other_site() {
    let served = serve(|_| {});
    let page = served.get("/");
    assert!(page.head.contains("content-type: text/html"), "{page:?}");
    let mut paths: Vec<String> = vec!["/".into()];
    let mut seen = 0;
    while let Some(path) = paths.get(seen).cloned() {
        seen += 1;
        let answer = served.get(&path);
        assert_eq!(answer.status, 200, "{path}");
        let body = answer.body.replace("http://www.w3.org/", "");
        assert!(
            !body.contains("http://") && !body.contains("https://"),
            "{path}"
        );
        // Whatever a file loads: its links, sources and imports.
        for quoted in body.split('"').skip(1).step_by(2) {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let wanted = match quoted {
                _ if !(quoted.ends_with(".js")
                    || quoted.ends_with(".css")
                    || quoted.ends_with(".svg")) =>
                {
                    continue;
                }
                _ if quoted.starts_with("../") => format!("/{}", &quoted[3..]),
                _ if quoted.starts_with("./") => format!("{folder}/{}", &quoted[2..]),
                _ => quoted.to_owned(),
            };
            if wanted.starts_with('/') && !paths.contains(&wanted) {
                paths.push(wanted);
            }
        }
    }
    assert!(paths.len() >= 12, "{paths:?}");
}

#[test]
fn advice_is_that_of_the_command_line() {
    let weights = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/weights");
    let board = json!([2, 4, 8, 16, 0, 2, 0, 4, 0, 0, 2, 0, 0, 0, 0, 2]);
    let full = json!([2, 4, 2, 4, 4, 2, 4, 2, 2, 4, 2, 4, 4, 2, 4, 2]);
    let next = json!({ "board": [3, 1, 2, 0, 6, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2], "next": 2 });
    let mut stones = vec![0; 42];
    stones[38] = 1;
    let asked: &[(&[&str], Value, Option<&str>, Value, bool)] = &[
        (
            &["--depth", "1"],
            json!({ "name": "expectimax", "depth": 1 }),
            None,
            json!({ "board": board }),
            false,
        ),
        (
            &["--depth", "0"],
            json!({ "name": "expectimax", "depth": 0 }),
            None,
            json!({ "board": full }),
            false,
        ),
        (
            &["--depth", "0"],
            json!({ "name": "expectimax", "depth": 0 }),
            None,
            json!({ "board": board }),
            true,
        ),
        (
            &["--depth", "1"],
            json!({ "name": "expectimax", "depth": 1 }),
            Some("expectimax-depth-1.toml"),
            json!({ "board": board }),
            true,
        ),
        (
            &["--depth", "2"],
            json!({ "name": "minimax-six-faithful", "depth": 2 }),
            None,
            json!({ "board": board, "seed": 3 }),
            false,
        ),
        (
            &[],
            json!({ "name": "random" }),
            None,
            json!({ "board": board, "seed": 5 }),
            false,
        ),
        (
            &["--game", "three-plus-three", "--depth", "1"],
            json!({ "name": "expectimax", "game": "three-plus-three", "depth": 1 }),
            None,
            next.clone(),
            false,
        ),
        (
            &["--game", "three-plus-three"],
            json!({ "name": "freedom", "game": "three-plus-three" }),
            None,
            next,
            false,
        ),
        (
            &["--game", "connect-four", "--depth", "2"],
            json!({ "name": "strings", "game": "connect-four", "depth": 2 }),
            None,
            json!({ "board": stones, "to_move": 2 }),
            false,
        ),
        // Refused as there.
        (
            &["--depth", "0"],
            json!({ "name": "expectimax", "depth": 0 }),
            None,
            json!({ "board": [3] }),
            false,
        ),
        (
            &["--game", "three-plus-three", "--depth", "0"],
            json!({ "name": "expectimax", "game": "three-plus-three", "depth": 0 }),
            None,
            json!({ "board": board }),
            false,
        ),
        (
            &[],
            json!({ "name": "random" }),
            None,
            json!({ "board": board }),
            true,
        ),
    ];
    let served = serve(|settings| settings.results = weights.into());
    for (flags, player, file, position, explain) in asked {
        let name = player["name"].as_str().unwrap();
        let file_of_weights = file.map(|file| format!("{weights}/{file}"));
        let mut arguments = vec!["advise", "--player", name];
        arguments.extend(*flags);
        arguments.extend(file_of_weights.iter().flat_map(|path| ["--weights", path]));
        if *explain {
            arguments.push("--explain");
        }
        let output = run_with_input(&arguments, position.to_string());
        let line = String::from_utf8(output.stdout).unwrap();
        let question =
            json!({ "player": player, "weights": file, "position": position, "explain": explain });
        let answer = served.post("/api/advise", &question);
        assert_eq!(answer.body, line.trim_end(), "{question}");
        assert_eq!(
            answer.status,
            if output.status.success() { 200 } else { 422 },
            "{question}"
        );
    }
}

/// Plays a game by HTTP to its end: every move is the one that the player is asked for. Returns the moves.
fn played_by_http(served: &Served, player: &Value, seed: u64) -> (String, Value) {
    let mut moves = String::new();
    loop {
        let state = served.after(player, Some(seed), &moves);
        if !state["ended"].is_null() {
            return (moves, state);
        }
        let question = json!({ "player": player, "position": state["position"] });
        let chosen = served.post("/api/advise", &question).json()["move"].clone();
        let chosen = chosen
            .as_str()
            .map_or_else(|| chosen.to_string(), str::to_owned);
        let names = state["moves"].as_array().unwrap();
        let place = names.iter().position(|name| *name == chosen).unwrap();
        moves.push(char::from_digit(place as u32, 36).unwrap());
    }
}

#[test]
fn whole_games_are_those_of_play_and_a_move_taken_back_repeats() {
    let served = serve(|_| {});
    let games = [
        json!({ "name": "greedy", "game": "2048" }),
        json!({ "name": "expectimax", "game": "three-plus-three", "depth": 0 }),
        json!({ "name": "strings", "game": "connect-four", "depth": 1, "opponent": "strings", "opponent_depth": 1 }),
        json!({ "name": "strings", "game": "connect-four", "depth": 2, "opponent": "strings", "opponent_depth": 2, "rows": 5, "columns": 6 }),
    ];
    for (player, seed) in games.iter().zip(7..) {
        let (moves, state) = played_by_http(&served, player, seed);
        let config: PlayerConfig = serde_json::from_value(player.clone()).unwrap();
        let spec = Catalogue::builtin().player(&config).unwrap();
        let of_play = spec.players().game_seed(seed, Stream::Evaluate, 0, 0);
        let record = spec
            .build(&published(&spec))
            .play(of_play, Stop::never())
            .unwrap();
        assert_eq!(record.moves as usize, moves.len(), "{player}");
        if let GameResult::Score {
            score, max_tile, ..
        } = record.result
        {
            assert_eq!(state["counts"]["score"], score);
            assert_eq!(state["counts"]["max_tile"], json!(max_tile));
            assert_eq!(state["ended"], json!({ "how": "no-move" }));
        } else {
            assert!(Players::moves_first(of_play));
            let outcome = match (state["ended"]["how"].as_str(), &state["ended"]["by"]) {
                (Some("drawn"), _) => "draw",
                (_, by) if *by == 1 => "win",
                _ => "loss",
            };
            assert_eq!(record.outcome().unwrap().name(), outcome, "{player}");
        }
        // What is asked in between does not matter.
        for made in [0, 1, moves.len() / 2, moves.len() - 1] {
            let before = served.after(player, Some(seed), &moves[..made]);
            let other = before["legal"]
                .as_array()
                .unwrap()
                .iter()
                .rposition(|is_legal| *is_legal == true);
            let other = char::from_digit(other.unwrap() as u32, 36).unwrap();
            served.after(player, Some(seed), &format!("{}{other}", &moves[..made]));
            assert_eq!(before, served.after(player, Some(seed), &moves[..made]));
        }
        assert_eq!(state, served.after(player, Some(seed), &moves));
        let refused = served.post(
            "/api/games",
            &json!({ "player": player, "seed": seed, "moves": format!("{moves}0") }),
        );
        assert!(
            refused.status == 422 && refused.error().contains("the game is over"),
            "{refused:?}"
        );
    }
}

#[test]
fn a_move_says_what_moved_where() {
    let served = serve(|_| {});
    for player in [
        json!({ "name": "greedy" }),
        json!({ "name": "random", "game": "three-plus-three" }),
    ] {
        let (moves, _) = played_by_http(&served, &player, 3);
        let texts = |state: &Value| -> Vec<String> {
            let cells = state["grid"]["cells"].as_array().unwrap().iter();
            cells
                .map(|cell| cell["text"].as_str().unwrap().to_owned())
                .collect()
        };
        let mut before = texts(&served.after(&player, Some(3), ""));
        for made in 1..=moves.len().min(60) {
            let state = served.after(&player, Some(3), &moves[..made]);
            let after = texts(&state);
            let pairs: Vec<[usize; 2]> = serde_json::from_value(state["moved"].clone()).unwrap();
            let appeared: Vec<usize> = serde_json::from_value(state["appeared"].clone()).unwrap();
            // The sum of the tiles in each cell after the motion is what the cell shows.
            let mut sums = [0; 16];
            for (cell, text) in before
                .iter()
                .enumerate()
                .filter(|(_, text)| !text.is_empty())
            {
                let to = pairs
                    .iter()
                    .find(|[from, _]| *from == cell)
                    .map_or(cell, |[_, to]| *to);
                sums[to] += text.parse::<u32>().unwrap();
            }
            assert_eq!(appeared.len(), 1);
            assert_eq!(sums[appeared[0]], 0);
            for cell in (0..16).filter(|cell| *cell != appeared[0]) {
                let shown = if sums[cell] == 0 {
                    String::new()
                } else {
                    sums[cell].to_string()
                };
                assert_eq!(after[cell], shown, "{state}");
            }
            before = after;
        }
    }
}

#[test]
fn games_that_there_are_not_are_refused() {
    let served = serve(|_| {});
    for (asked, said) in [
        (
            json!({ "player": { "name": "greedy" } }),
            "every game has a seed",
        ),
        (
            json!({ "player": { "name": "greedy" }, "seed": 1, "moves": "9" }),
            "move 1 (`9`) is illegal; legal moves: ",
        ),
        (
            json!({ "player": { "name": "greedy" }, "seed": 1, "moves": "é" }),
            "move 1 (`é`) is illegal",
        ),
        (
            json!({ "player": { "name": "greedy" }, "seed": -1 }),
            "invalid value",
        ),
        (
            json!({ "player": { "name": "gredy" }, "seed": 1 }),
            "did you mean `greedy`",
        ),
        (
            json!({ "player": { "name": "program", "game": "external" }, "seed": 1 }),
            "are not served",
        ),
        (
            json!({ "player": { "name": "random", "game": "connect-four", "rows": 9, "columns": 9 } }),
            "too large",
        ),
        (
            json!({ "player": { "name": "random", "game": "connect-four" }, "moves": "0000000" }),
            "move 7 (`1`) is illegal",
        ),
        (
            json!({ "player": { "name": "greedy" }, "seed": 1, "else": 1 }),
            "unknown field `else`",
        ),
    ] {
        let answer = served.post("/api/games", &asked);
        assert_eq!(answer.status, 422, "{answer:?}");
        assert!(answer.error().contains(said), "{answer:?}");
    }
    let games = served.get("/api/games").json();
    let tiles = |game: usize| games[game]["tiles"].as_array().unwrap().len();
    let names: Vec<&Value> = games
        .as_array()
        .unwrap()
        .iter()
        .map(|game| &game["name"])
        .collect();
    assert_eq!(names, ["2048", "three-plus-three", "connect-four"]);
    assert_eq!([tiles(0), tiles(1), tiles(2)], [15, 15, 2]);
}

#[test]
fn weights_are_those_of_the_results_folder_and_no_others() {
    let served = serve(|_| {});
    let results = served.folder.path().join("results");
    let file = |path: &Path, text: &str| {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let weights = std::fs::read_to_string("configs/weights/expectimax-depth-0.toml").unwrap();
    file(&results.join("mine/best.toml"), &weights);
    file(&results.join("series/runs/1/best.toml"), &weights);
    file(
        &results.join("six.toml"),
        &std::fs::read_to_string("configs/weights/minimax-six.toml").unwrap(),
    );
    file(&results.join("campaign.toml"), "name = \"no weights\"");
    file(&results.join(".hidden/best.toml"), &weights);
    file(
        &results.join("program/best.toml"),
        "game = \"external\"\nplayer = \"program\"\n[weights]\n[heuristic]\ncommand = [\"touch\", \"started\"]\n",
    );
    file(&served.folder.path().join("outside/best.toml"), &weights);
    std::os::unix::fs::symlink("../outside", results.join("link")).unwrap();
    std::fs::create_dir(results.join("empty")).unwrap();
    std::os::unix::fs::symlink("../../outside/best.toml", results.join("empty/best.toml")).unwrap();
    let listed = served.get("/api/weights").json();
    let names: Vec<&str> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["mine", "series/runs/1", "six.toml"]);
    assert_eq!(listed[0]["options"]["depth"], 0);
    let ask = |player: &str, weights: &str| {
        let mut question: Value = serde_json::from_str(&question()).unwrap();
        question["player"] = json!({ "name": player, "depth": 0 });
        question["weights"] = weights.into();
        served.post("/api/advise", &question)
    };
    for name in ["mine", "mine/best.toml", "series/runs/1"] {
        assert_eq!(ask("expectimax", name).status, 200, "{name}");
    }
    for name in [
        "",
        ".",
        "..",
        "../outside",
        "../outside/best.toml",
        "mine/../../outside",
        "/etc/passwd",
        "link",
        "empty",
        ".hidden",
        "nothing",
        "six.toml/..",
    ] {
        let answer = ask("expectimax", name);
        assert_eq!(answer.status, 404, "{name}: {answer:?}");
        assert!(
            !answer
                .error()
                .contains(served.folder.path().to_str().unwrap()),
            "{answer:?}"
        );
    }
    assert_eq!(ask("expectimax", "six.toml").status, 422);
    assert_eq!(ask("expectimax", "program").status, 422);
    let program = json!({ "player": { "name": "program", "game": "external" }, "weights": "program", "position": {} });
    assert_eq!(served.post("/api/advise", &program).status, 422);
    let inline = json!({ "player": { "name": "expectimax", "heuristic": { "command": ["touch", "started"] } }, "position": {} });
    assert_eq!(served.post("/api/advise", &inline).status, 422);
    assert!(!results.join("program/started").exists() && !Path::new("started").exists());
}

/// A search that takes minutes: the first move of a perfect player.
fn endless() -> String {
    json!({ "player": { "name": "perfect", "game": "connect-four" }, "position": { "board": vec![0; 42], "to_move": 1 } })
        .to_string()
}

/// Sends a question and does not wait for the answer.
fn send(served: &Served, question: &str) -> TcpStream {
    let mut stream = served.connect();
    let length = question.len();
    let head = format!(
        "POST /api/advise HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n",
        served.address
    );
    stream.write_all((head + question).as_bytes()).unwrap();
    stream
}

#[test]
fn a_search_whose_request_went_away_is_stopped() {
    let served = serve(|settings| {
        settings.limits.searches = 1;
        settings.limits.search = Duration::from_secs(3600);
    });
    drop(send(&served, &endless()));
    let waiting = send(&served, &endless());
    drop(waiting);
    // Both searches have given back the only place.
    let answer = served.request("POST /api/advise", &[JSON], &question());
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[test]
fn searches_and_connections_are_limited() {
    let served = serve(|settings| {
        settings.limits.requests = 1;
        settings.limits.searches = 1;
        settings.limits.search = Duration::from_millis(1500);
        settings.limits.connections = 2;
        settings.limits.idle = Duration::from_secs(3);
        settings.limits.depth = 2;
    });
    let mut first = send(&served, &endless());
    // Until the first question has taken the only place, a second one can take it.
    let mut statuses = Vec::new();
    while statuses.last() != Some(&503) && statuses.len() < 1000 {
        statuses.push(
            served
                .request("POST /api/advise", &[JSON], &question())
                .status,
        );
    }
    assert_eq!(statuses.last(), Some(&503), "{statuses:?}");
    let mut answer = [0; 12];
    first.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 422", "the search takes too long");
    // Two connections are taken; a third one is served when one of them has expired.
    let mut idle = served.connect();
    assert_eq!(served.get("/").status, 200);
    let mut rest = Vec::new();
    idle.read_to_end(&mut rest).unwrap();
    assert!(
        rest.is_empty(),
        "an idle connection is closed without an answer"
    );
    for (player, said) in [
        (
            json!({ "name": "expectimax", "depth": 3 }),
            "depth 3 is out of range: at most 2 here",
        ),
        (
            json!({ "name": "expectimax", "table_bits": 24 }),
            "table_bits 24 is out of range",
        ),
        (
            json!({ "name": "strings", "game": "connect-four", "opponent": "strings", "opponent_depth": 3 }),
            "opponent_depth 3",
        ),
    ] {
        let answer = served.post("/api/advise", &json!({ "player": player, "position": {} }));
        assert!(
            answer.status == 422 && answer.error().contains(said),
            "{answer:?}"
        );
    }
}

#[test]
fn the_server_ends_although_requests_are_open() {
    let served = serve(|settings| settings.limits.search = Duration::from_secs(3600));
    let searching = send(&served, &endless());
    let mut begun = served.connect();
    begun
        .write_all(b"POST /api/advise HTTP/1.1\r\nHost: ")
        .unwrap();
    let idle = served.connect();
    assert_eq!(served.get("/").status, 200);
    let began = Instant::now();
    drop(served);
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "the server did not end"
    );
    drop((searching, begun, idle));
}
