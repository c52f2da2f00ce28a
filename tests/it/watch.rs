//! Runs in the browser, asked for by plain sockets: a run that grows, is interrupted, complete or damaged.

#[path = "../common/growing.rs"]
mod growing;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use growing::{Growing, MadeUp};
use serde_json::{Value, json};
use tiletune::run::manifest::Status;
use tiletune::web::{Closer, Server, Settings};
use tiletune::{Campaign, RunDirectory, campaign};

/// A small campaign.
const CAMPAIGN: &str = r#"
start = { games = 0 }
why = "made-up games <b>in the place</b> of played ones"
name = "made-up"
seed = 3
[player]
name = "expectimax"
[evaluation]
games = 6
[optimizer]
name = "cma-es"
population = 6
[budget]
generations = 7
[validation]
games = 40
resamples = 200
[parameters.empty]
scale = "log"
min = 10
[parameters.monotonicity]
[parameters.merges]
fixed = true
"#;

/// The campaign with made-up games.
fn begin(root: &Path) -> Growing {
    Growing::begin(CAMPAIGN, root, |_| MadeUp)
}

/// A server of a results folder.
struct Serving {
    address: SocketAddr,
    closer: Closer,
    thread: Option<JoinHandle<()>>,
    folder: tempfile::TempDir,
}

impl Serving {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let results = folder.path().join("results");
        std::fs::create_dir(&results).unwrap();
        let server = Server::bind(Settings::new(results)).unwrap();
        Serving {
            address: server.address(),
            closer: server.closer(),
            thread: Some(std::thread::spawn(move || server.run().unwrap())),
            folder,
        }
    }

    fn run(&self, name: &str) -> PathBuf {
        self.folder.path().join("results").join(name)
    }

    fn send(&self, path: &str, header: &str) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let address = self.address;
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{header}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        BufReader::new(stream)
    }

    /// Status, headers and body of an answer.
    fn get(&self, path: &str) -> (u16, String, Vec<u8>) {
        let mut answer = Vec::new();
        self.send(path, "").read_to_end(&mut answer).unwrap();
        let end = answer
            .windows(4)
            .position(|bytes| bytes == b"\r\n\r\n")
            .unwrap();
        let head = String::from_utf8(answer[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head.to_lowercase(), answer.split_off(end + 4))
    }

    fn json(&self, path: &str) -> Value {
        let (status, _, body) = self.get(path);
        let text = String::from_utf8(body).unwrap();
        assert_eq!(status, 200, "{path}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    fn events(&self, run: &str, last: Option<&str>) -> Events {
        let header = last.map_or(String::new(), |id| format!("Last-Event-ID: {id}\r\n"));
        let mut reader = self.send(&format!("/api/runs/{run}/events"), &header);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            reader.read_line(&mut head).unwrap();
        }
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert!(
            head.to_lowercase()
                .contains("content-type: text/event-stream"),
            "{head}"
        );
        Events {
            reader,
            text: String::new(),
        }
    }

    fn close(&mut self) {
        self.closer.close();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.closer.close();
    }
}

#[derive(Debug)]
struct Sent {
    name: String,
    id: String,
    data: Value,
}

/// The events of a stream, which comes in chunks.
struct Events {
    reader: BufReader<TcpStream>,
    text: String,
}

impl Events {
    /// The next event; `None` at the end of the stream.
    fn next(&mut self) -> Option<Sent> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let field = |name: &str| {
                    let mut lines = event.lines();
                    lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
                };
                let sent = field("event").map(|name| Sent {
                    name: name.to_owned(),
                    id: field("id").unwrap().to_owned(),
                    data: serde_json::from_str(field("data").unwrap()).unwrap(),
                });
                self.text = rest.to_owned();
                if sent.is_some() {
                    return sent;
                }
                continue;
            }
            let mut size = String::new();
            self.reader.read_line(&mut size).unwrap();
            let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
            if size == 0 {
                return None;
            }
            let mut chunk = vec![0; size + 2];
            self.reader.read_exact(&mut chunk).unwrap();
            self.text += std::str::from_utf8(&chunk[..size]).unwrap();
        }
    }

    /// The next event of this name.
    fn find(&mut self, name: &str) -> Sent {
        loop {
            let sent = self
                .next()
                .unwrap_or_else(|| panic!("the stream ended before {name}"));
            if sent.name == name {
                return sent;
            }
        }
    }
}

/// The tables among the blocks of a page.
fn tables(page: &Value) -> Vec<Value> {
    let blocks = page["blocks"].as_array().unwrap().iter();
    let tables = blocks.filter(|block| block["kind"] == "table");
    tables.map(|table| table["content"].clone()).collect()
}

/// A complete campaign in the results folder.
fn complete(serving: &Serving, name: &str) -> PathBuf {
    let root = serving.run(name);
    begin(&root).finish().unwrap();
    root
}

#[test]
fn a_growing_run_is_sent_as_it_grows_and_a_lost_connection_goes_on() {
    let serving = Serving::new();
    let root = serving.run("grows");
    let growing = begin(&root);
    growing.play(2);
    let mut events = serving.events("grows", None);
    let began = events.find("log");
    let until = |events: &mut Events, generations: u64| {
        while events.find("pace").data["generations"] != generations {}
    };
    until(&mut events, 2);
    assert_eq!(serving.json("/api/runs/grows")["run"]["state"], "running");
    growing.play(1);
    until(&mut events, 3);
    // A browser that has lost the connection names the last line that it has.
    drop(events);
    growing.play(1);
    let mut events = serving.events("grows", Some(&began.id));
    until(&mut events, 4);

    // The figures have the values of the tables, in the digits that can be seen.
    let directory = RunDirectory::open(&root).unwrap();
    let plan: Campaign = tiletune::run::plan_of(&directory).unwrap();
    let written = campaign::generations(&plan, &directory).unwrap();
    let sent = serving.json("/api/runs/grows/figures");
    assert_eq!((&sent["generations"], written.len()), (&json!(4), 4));
    assert_eq!(sent["figures"][0]["name"], "fitness");
    let marks = sent["figures"][0]["body"]["panels"][0]["marks"].clone();
    let marks = marks.as_array().unwrap().iter();
    let lines: Vec<&Value> = marks.filter(|mark| mark["name"] == "mean").collect();
    let means = lines
        .iter()
        .flat_map(|line| line["points"][1].as_array().unwrap());
    for (mean, row) in means.zip(&written) {
        let (mean, expected) = (mean.as_f64().unwrap(), row.mean);
        assert!(
            (mean - expected).abs() <= 1e-6 * expected.abs(),
            "{mean} {expected}"
        );
    }

    growing.finish().unwrap();
    let mut names = Vec::new();
    while let Some(sent) = events.next() {
        names.push(sent.name);
    }
    assert_eq!(names.last().unwrap(), "end");
    for name in ["changed", "pace", "log"] {
        assert!(names.iter().any(|one| one == name), "{name}: {names:?}");
    }
    let page = serving.json("/api/runs/grows");
    assert_eq!(page["run"]["state"], "complete");
    let headings = tables(&page);
    assert_eq!(headings[0]["heading"], "Hold-out games");
    assert_eq!(page["log"].as_array().unwrap().len(), 4, "{page}");
    assert_eq!(
        page["why"],
        "made-up games <b>in the place</b> of played ones"
    );
}

#[test]
fn log_lines_are_sent_once_and_a_part_of_a_line_waits() {
    let serving = Serving::new();
    let root = serving.run("run");
    let growing = begin(&root);
    growing.play(1);
    let mut events = serving.events("run", None);
    let began = events.find("log");
    assert_eq!(
        began.data["words"],
        "The search began with 6 candidates a generation."
    );
    growing.interrupt();
    let log = root.join("events.jsonl");
    let mut file = std::fs::OpenOptions::new().append(true).open(log).unwrap();
    file.write_all(b"{\"event\":\"vali").unwrap();
    let mut again = serving.events("run", Some(&began.id));
    let mut names = Vec::new();
    loop {
        let sent = again.next().unwrap();
        let is_last = sent.name == "state";
        names.push(sent.name);
        if is_last {
            break;
        }
    }
    assert!(!names.contains(&"log".to_owned()), "{names:?}");
    assert_eq!(serving.json("/api/runs/run")["run"]["state"], "interrupted");
}

#[test]
fn open_streams_end_with_the_server() {
    let mut serving = Serving::new();
    let growing = begin(&serving.run("waits"));
    let mut events = serving.events("waits", None);
    events.find("state");
    let begin = Instant::now();
    serving.close();
    assert!(begin.elapsed() < Duration::from_secs(2));
    while events.next().is_some() {}
    growing.interrupt();
}

#[test]
fn a_damaged_run_gives_one_message_and_the_others_stay() {
    let serving = Serving::new();
    let (good, bad) = (complete(&serving, "good"), serving.run("bad"));
    crate::common::copy(&good, &bad);
    crate::common::adopt(&bad, Status::Interrupted);
    let table = bad.join("tables/generations/generation-00004.parquet");
    let mut contents = std::fs::read(&table).unwrap();
    let middle = contents.len() / 2;
    contents[middle] ^= 4;
    std::fs::write(&table, contents).unwrap();
    let mut events = serving.events("bad", None);
    let message = events.find("damaged").data["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        message.starts_with("bad/tables/generations/generation-00004.parquet: "),
        "{message}"
    );
    assert!(events.next().is_none());
    assert_eq!(serving.get("/api/runs/good").0, 200);
    assert_eq!(serving.get("/api/compare?run=good&run=bad").0, 422);

    // Nothing of a run without its list can be shown, and the list says why.
    std::fs::write(bad.join("files.jsonl"), "{}\n").unwrap();
    let (status, _, body) = serving.get("/api/runs/bad");
    let body = String::from_utf8(body).unwrap();
    assert_eq!(status, 422);
    assert!(
        body.contains("bad/files.jsonl: ") && !body.contains("/results/"),
        "{body}"
    );
    let list = serving.json("/api/runs");
    let names = |key: &str| -> Vec<&str> {
        let found = list[key].as_array().unwrap().iter();
        found.map(|one| one["path"].as_str().unwrap()).collect()
    };
    assert_eq!(
        (names("runs"), names("others")),
        (vec!["good"], vec!["bad"])
    );
    assert_eq!(list["others"][0]["is_run"], true);
}

#[test]
fn no_name_leaves_the_results_folder() {
    let serving = Serving::new();
    let inside = complete(&serving, "inside");
    crate::common::copy(&inside, &serving.folder.path().join("outside"));
    #[cfg(unix)]
    std::os::unix::fs::symlink("../outside", serving.run("link")).unwrap();
    let absolute = serving.folder.path().join("outside");
    let absolute = absolute.to_str().unwrap().replace('/', "%2F");
    let names = [
        "..%2Foutside",
        "inside%2F..%2F..%2Foutside",
        "link",
        ".",
        "..",
        "%2e%2e",
        "inside%00",
        "inside%2F",
        &absolute,
    ];
    for name in names {
        for path in ["", "/events", "/charts/fitness.svg"] {
            let (status, _, body) = serving.get(&format!("/api/runs/{name}{path}"));
            let body = String::from_utf8_lossy(&body).into_owned();
            assert_eq!(status, 404, "{name}{path}: {body}");
        }
        assert_eq!(
            serving.get(&format!("/api/compare?run={name}")).0,
            404,
            "{name}"
        );
    }
    for chart in [
        "report.svg",
        "..%2Freport.svg",
        "..%2F..%2Fbest.svg",
        "fitness.png",
        "fitness",
    ] {
        assert_eq!(
            serving.get(&format!("/api/runs/inside/charts/{chart}")).0,
            404,
            "{chart}"
        );
    }
    assert_eq!(serving.get("/api/runs/inside").0, 200);
    let (status, ..) = {
        let mut answer = String::new();
        let mut reader = serving.send("/api/runs/inside/events", "Last-Event-ID: nonsense\r\n");
        reader.read_line(&mut answer).unwrap();
        (
            answer.split(' ').nth(1).unwrap().parse::<u16>().unwrap(),
            (),
        )
    };
    assert_eq!(status, 422);
}

#[test]
fn charts_are_the_written_ones_of_a_complete_run_and_drawn_of_another() {
    let serving = Serving::new();
    let root = complete(&serving, "run");
    let written = std::fs::read(root.join("charts/fitness.svg")).unwrap();
    let (status, head, body) = serving.get("/api/runs/run/charts/fitness.svg");
    assert_eq!((status, body == written), (200, true));
    assert!(head.contains("content-type: image/svg+xml"), "{head}");

    let growing = begin(&serving.run("grows"));
    growing.play(3);
    let mut events = serving.events("grows", None);
    while events.find("pace").data["generations"] != 3 {}
    let (status, _, body) = serving.get("/api/runs/grows/charts/fitness.svg");
    assert_eq!(status, 200);
    assert!(
        String::from_utf8(body)
            .unwrap()
            .contains("mean of the first generation")
    );
    assert_eq!(serving.get("/api/runs/grows/charts/correlation.svg").0, 404);
    let curves = serving.json("/api/compare?run=run&run=grows");
    let line = |across: usize, run: usize| {
        let panel = &curves["figures"][across]["body"]["panels"][0];
        panel["marks"][run]["points"][0].clone()
    };
    let games = json!([36.0, 72.0, 108.0, 144.0, 180.0, 216.0, 252.0]);
    assert_eq!(line(0, 0), games);
    assert_eq!(line(1, 1), json!([0.0, 1.0, 2.0]));
    assert_eq!(curves["runs"][0]["hold_out"]["verdict"], "better");
    growing.interrupt();
}

#[test]
fn experiments_and_comparisons_have_their_tables_also_unfinished() {
    let serving = Serving::new();
    let path = |name: &str| serving.run(name).to_str().unwrap().to_owned();
    let evaluated = [
        "evaluate",
        "--player",
        "greedy",
        "--games",
        "30",
        "--seed",
        "1",
        "--threads",
        "1",
        "--quiet",
    ];
    crate::common::stdout(&[&evaluated[..], &["--out", &path("evaluated")]].concat());
    let compared = crate::common::run(&[
        "compare",
        "random",
        "greedy",
        "--max-games",
        "200",
        "--threads",
        "1",
        "--quiet",
        "--out",
        &path("compared"),
    ]);
    assert!(
        compared
            .status
            .code()
            .is_some_and(|code| [0, 3, 4].contains(&code))
    );
    for name in ["evaluated", "compared"] {
        let complete = serving.json(&format!("/api/runs/{name}"));
        let chart = complete["charts"][0]["name"].as_str().unwrap();
        let table = tables(&complete);
        assert!(table[0]["rows"][0][0].as_str().is_some(), "{table:?}");
        crate::common::adopt(&serving.run(name), Status::Interrupted);
        let unfinished = serving.json(&format!("/api/runs/{name}"));
        assert_eq!(
            (tables(&unfinished), &unfinished["run"]["state"]),
            (table, &json!("interrupted"))
        );
        let chart = format!("/api/runs/{name}/charts/{chart}.svg");
        assert_eq!(serving.get(&chart).0, 200, "{chart}");
        let mut events = serving.events(name, None);
        let facts = events.find("pace").data["facts"].clone();
        assert_eq!(facts[0][0], "games");
    }
}

#[test]
fn the_runs_of_a_series_are_inside_of_it() {
    let serving = Serving::new();
    let folder = tempfile::tempdir().unwrap();
    let file = crate::common::campaign_file(folder.path(), crate::common::SMALL);
    let root = serving.run("series");
    let arguments = [
        "tune",
        file.to_str().unwrap(),
        "--repeat",
        "2",
        "--set",
        "budget.generations=3",
        "--set",
        "evaluation.games=10",
        "--set",
        "validation.games=20",
        "--threads",
        "1",
        "--quiet",
        "--out",
        root.to_str().unwrap(),
    ];
    let tuned = crate::common::run(&arguments);
    assert!(
        tuned.status.code().is_some_and(|code| code == 0),
        "{tuned:?}"
    );
    let page = serving.json("/api/runs/series");
    let names: Vec<&str> = page["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["path"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["series/runs/1", "series/runs/2"]);
    let verdict = page["blocks"][0]["content"].as_str().unwrap();
    assert!(verdict.contains("the final means of the runs"), "{verdict}");
    assert_eq!(
        serving.get("/api/runs/series/charts/runs-fitness.svg").0,
        200
    );
    assert_eq!(
        serving.json("/api/runs/series%2Fruns%2F1")["run"]["kind"],
        "campaign"
    );
    crate::common::adopt(&root, Status::Interrupted);
    assert_eq!(
        serving.get("/api/runs/series/charts/runs-fitness.svg").0,
        200
    );
}
