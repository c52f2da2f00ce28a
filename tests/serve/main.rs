//! The web server by plain sockets: which requests it refuses, answers equal to those of the command line, whole
//! games, limits, and its end.

#[path = "../common/mod.rs"]
mod common;

// The game of the template crate; its player names `crate::rules`.
#[path = "../../examples/own-crate/src/player.rs"]
mod player;
#[path = "../../examples/own-crate/src/rules.rs"]
mod rules;

mod advice;
mod exact;
mod games;
mod lab;
mod limits;
mod pages;
mod refusals;
mod steer;
mod weights;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tiletune::web::{Closer, Server, Settings};

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
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes);
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
