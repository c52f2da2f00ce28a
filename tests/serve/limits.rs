//! Limits on time and number, and the end of the server.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{JSON, Served, question, serve};

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
