//! Limits on time and number, and the end of the server.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;
use tiletune::web::Token;

use super::{JSON, Served, common, question, serve};

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

/// Sends a byte now and then, until the server ends the connection; returns what it has answered.
fn drip(mut stream: TcpStream, text: &'static str) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        for byte in text.bytes() {
            if stream.write_all(&[byte]).is_err() {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    })
}

/// A head without an end.
const HEAD: &str = "GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

#[test]
fn slow_connections_keep_nobody_out() {
    let served = serve(|settings| settings.limits.connections = 4);
    let slow: Vec<_> = (0..12).map(|_| drip(served.connect(), HEAD)).collect();
    for _ in 0..3 {
        let began = Instant::now();
        assert_eq!(served.get("/").status, 200);
        let took = began.elapsed();
        assert!(took < Duration::from_secs(20), "{took:?}");
    }
    drop(served);
    drop(slow);
}

#[test]
fn a_request_has_a_limited_time_and_its_answer_another() {
    let served = serve(|settings| {
        settings.limits.request = Duration::from_millis(700);
        settings.limits.search = Duration::from_millis(1500);
    });
    let began = Instant::now();
    // Parts of a request give it no more time.
    assert_eq!(drip(served.connect(), HEAD).join().unwrap(), "");
    assert!(began.elapsed() < Duration::from_secs(5));
    let mut stream = served.connect();
    let head = format!(
        "POST /api/advise HTTP/1.1\r\nHost: {}\r\n{JSON}\r\nContent-Length: 1000\r\n\r\n",
        served.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    let answer = drip(stream, HEAD).join().unwrap();
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(
        answer.contains("{\"error\":\"the body took longer than 0.7 s"),
        "{answer}"
    );
    // A search may take longer than its request.
    let answer = served.request("POST /api/advise", &[JSON], &endless());
    assert_eq!(answer.status, 422, "{answer:?}");
}

#[test]
fn a_stream_of_events_stays_open() {
    let served = serve(|settings| settings.limits.request = Duration::from_millis(300));
    let run = served.folder.path().join("results/run");
    let campaign = served.folder.path().join("c.toml");
    let text = "why = 'w'\nname = 'n'\nseed = 1\nplayer = { name = 'expectimax', depth = 8 }\n\
                budget = { generations = 1 }\nparameters = { empty = {} }\n";
    std::fs::write(&campaign, text).unwrap();
    let mut command = common::tiletune();
    command
        .arg("tune")
        .arg(&campaign)
        .arg("--out")
        .arg(&run)
        .arg("-q");
    let mut playing = command.spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    let stream = loop {
        assert!(Instant::now() < until, "the run does not begin");
        let mut stream = served.connect();
        let request = format!(
            "GET /api/runs/run/events HTTP/1.1\r\nHost: {}\r\n\r\n",
            served.address
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).unwrap();
        if &status == b"HTTP/1.1 200" {
            break stream;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    std::thread::sleep(Duration::from_secs(1));
    playing.kill().unwrap();
    playing.wait().unwrap();
    // The news that the process is gone.
    let mut said = String::new();
    let mut lines = std::io::BufReader::new(stream);
    while !said.contains("killed") {
        let read = std::io::BufRead::read_line(&mut lines, &mut said).unwrap();
        assert!(read > 0, "the stream has ended: {said}");
    }
}

#[test]
fn who_does_not_know_the_token_holds_no_place() {
    let served = serve(|settings| {
        settings.limits.connections = 3;
        settings.token = Token::new("0123456789abcdef").ok();
    });
    let strangers: Vec<TcpStream> = (0..6)
        .map(|_| {
            let mut stream = served.connect();
            let head = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", served.address);
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    let began = Instant::now();
    let known = "Authorization: Bearer 0123456789abcdef";
    assert_eq!(served.request("GET /", &[known], "").status, 200);
    assert!(began.elapsed() < Duration::from_secs(15));
    drop(strangers);
}

#[test]
fn a_search_that_waits_too_long_is_refused() {
    let served = serve(|settings| {
        settings.limits.searches = 1;
        settings.limits.search = Duration::from_secs(3600);
        settings.limits.waiting = Duration::from_millis(200);
    });
    let first = send(&served, &endless());
    // Until the first search has begun, the second one can be.
    let refused = (0..1000).find_map(|_| {
        let answer = served.request("POST /api/advise", &[JSON], &question());
        (answer.status != 200).then_some(answer)
    });
    let refused = refused.expect("a search waits");
    assert_eq!(refused.status, 503, "{refused:?}");
    let said = "the search has waited 0.2 s for its turn, the limit here; ask again later";
    assert_eq!(refused.error(), said);
    drop(first);
    // Its place is free as soon as it has noticed.
    let answered = (0..1000).any(|_| {
        let answer = served.request("POST /api/advise", &[JSON], &question());
        answer.status == 200
    });
    assert!(answered);
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
