//! The page of a campaign with ten thousand generations: how fast it is there, how fast it shows a new generation,
//! and what it costs while it waits for one. This prints; it does not judge.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::json;

use super::chromium::{Chromium, Tab, until};
use super::growing::{Growing, MadeUp};
use super::server::Server;

/// Generations before somebody looks.
const GENERATIONS: usize = 10_000;
/// Generations that are added then, one each second.
const ADDED: usize = 30;

// The weights of this player need no tables, so that a generation takes little time.
const CAMPAIGN: &str = "why = 'made-up games'
name = 'long'
seed = 1
start = { games = 0 }
player = { name = 'minimax-six' }
evaluation = { games = 2 }
budget = { generations = 20000 }
[optimizer]
population = 6
restarts = 'ipop'
stop_rules = { tolerance_coordinates = 1e-200, stagnation = false }
[parameters]
average = {}
empty_cells = {}
max_level = {}
mono = {}
repeat = {}
smooth = {}
";

/// The number of generations that the page says.
const COUNT: &str = "Number(([...document.querySelectorAll('.run-now dt')]
    .find((one) => one.textContent === 'generations')?.nextElementSibling.textContent ?? '')
    .split(' of ')[0].replace(/\\D/g, ''))";

/// Keeps when a number of generations was shown, and when the first chart was drawn, in milliseconds since 1970. The
/// frame after a change is that in which it has been painted.
const WATCH: &str = "
    window.shown = {};
    window.drawn = [];
    const drawing = document.querySelector('.chart-drawing');
    new MutationObserver((changes) => {
        const count = COUNT;
        if (!(count in shown)) {
            shown[count] = null;
            requestAnimationFrame(() => { shown[count] = performance.timeOrigin + performance.now(); });
        }
        if (changes.some(({ target }) => target === drawing)) drawn.push(performance.now());
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
    true";

/// Whether the curves reach the last generation: a tick says so, because the axis ends there.
const IS_DRAWN: &str = "(() => {
    const read = document.querySelector('.chart-drawing');
    if (!read) return false;
    read.dispatchEvent(new KeyboardEvent('keydown', { key: 'End' }));
    const text = document.querySelector('.chart-read').textContent;
    return Number((text.match(/^generation ([\\d,]+):/) ?? ['', '-1'])[1].replaceAll(',', '')) >= 9999;
})()";

fn now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs_f64()
        * 1000.0
}

/// Seconds of processor time of processes.
fn processor_seconds(mut is_counted: impl FnMut(u32, u32) -> bool) -> f64 {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let ticks = processes.filter_map(|process| {
        let id: u32 = process.file_name().to_str()?.parse().ok()?;
        let text = std::fs::read_to_string(process.path().join("stat")).ok()?;
        // Behind the name of the program: state, parent, group, ..
        let fields: Vec<&str> = text.rsplit_once(") ")?.1.split(' ').collect();
        let number = |place: usize| fields[place].parse::<u32>().ok();
        is_counted(id, number(2)?).then_some(number(11)? + number(12)?)
    });
    f64::from(ticks.sum::<u32>()) / 100.0
}

/// Waits for the file of a generation, and says when it was there.
fn written(root: &Path, generation: usize) -> f64 {
    let path = root.join(format!(
        "tables/generations/generation-{generation:05}.parquet"
    ));
    let begun = Instant::now();
    while !path.exists() {
        assert!(begun.elapsed() < Duration::from_secs(600), "{generation}");
        std::thread::sleep(Duration::from_millis(1));
    }
    now()
}

/// Opens the page of the run, and says how long it takes until something is there.
fn opened(tab: &mut Tab, address: &str, what: &str) {
    tab.open("about:blank");
    let begun = Instant::now();
    let to = json!({ "url": address });
    tab.0.call("Page.navigate", to).unwrap();
    let mut after = |expression: &str| {
        tab.wait(expression);
        begun.elapsed().as_secs_f64()
    };
    let head = after("document.querySelector('.run-facts') !== null");
    let curve = after("document.querySelector('.chart-line')?.getAttribute('d').length > 20");
    let count = after(&format!("{COUNT} >= {GENERATIONS}"));
    let all = after(IS_DRAWN);
    let paint = tab.value("performance.getEntriesByName('first-contentful-paint')[0]?.startTime");
    println!(
        "{what}: first paint {:.2} s, facts {head:.2} s, first curves {curve:.2} s, number of generations {count:.2} s, \
         all generations drawn {all:.2} s",
        paint.as_f64().unwrap_or(f64::NAN) / 1000.0
    );
}

fn task_seconds(tab: &mut Tab) -> f64 {
    let metrics = tab.0.call("Performance.getMetrics", json!({})).unwrap();
    let mut metrics = metrics["metrics"].as_array().unwrap().iter();
    let tasks = metrics.find(|metric| metric["name"] == "TaskDuration");
    tasks.unwrap()["value"].as_f64().unwrap()
}

#[test]
#[ignore = "measures on a machine without other work"]
fn long_run() {
    let Some(chromium) = Chromium::start(&["about:blank"]) else {
        return;
    };
    // In memory, if there is such a folder: writing is not what is measured.
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    };
    let folder = folder.unwrap();
    let root = folder.path().join("long");
    let begun = Instant::now();
    let growing = Growing::begin(CAMPAIGN, &root, |_| MadeUp);
    growing.play(GENERATIONS);
    written(&root, GENERATIONS - 1);
    println!(
        "{GENERATIONS} generations written in {:.0} s",
        begun.elapsed().as_secs_f64()
    );

    let server = Server::start(&["--results", folder.path().to_str().unwrap()]);
    let address = format!("{}/#/runs/long", server.origin);
    let mut tab = chromium.page("blank");
    opened(&mut tab, &address, "a new server");
    opened(&mut tab, &address, "once more");

    std::thread::sleep(Duration::from_secs(3));
    tab.0.call("Performance.enable", json!({})).unwrap();
    tab.value(&WATCH.replace("COUNT", COUNT));
    let of_server = || processor_seconds(|id, _| id == server.id());
    let of_browser = || processor_seconds(|_, group| group == chromium.group());
    let (begun, before) = (
        Instant::now(),
        [of_server(), of_browser(), task_seconds(&mut tab)],
    );
    let mut times = BTreeMap::new();
    for generation in GENERATIONS..GENERATIONS + ADDED {
        // Not in step with whatever looks at the files at fixed times.
        std::thread::sleep(Duration::from_millis(980 + (generation as u64 * 7) % 40));
        growing.play(1);
        times.insert(generation + 1, written(&root, generation));
    }
    std::thread::sleep(Duration::from_secs(1));
    let seconds = begun.elapsed().as_secs_f64();
    let after = [of_server(), of_browser(), task_seconds(&mut tab)];
    let shown = until("the last generation", || {
        let shown = tab.value("window.shown");
        shown[(GENERATIONS + ADDED).to_string()]
            .as_f64()
            .map(|_| shown)
    });
    let mut delays: Vec<f64> = times
        .iter()
        .map(|(count, written)| shown[count.to_string()].as_f64().unwrap_or(f64::NAN) - written)
        .collect();
    delays.sort_by(f64::total_cmp);
    println!(
        "a new generation is shown after {:.0} ms (median of {ADDED}), {:.0} ms (largest)",
        delays[ADDED / 2],
        delays[ADDED - 1]
    );
    let drawn: Vec<f64> = serde_json::from_value(tab.value("window.drawn")).unwrap();
    let shortest = drawn
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .fold(f64::NAN, f64::min);
    println!(
        "the first chart was drawn {} times, at least {shortest:.0} ms apart",
        drawn.len()
    );
    let share = |which: usize| 100.0 * (after[which] - before[which]) / seconds;
    println!(
        "processor time at a generation a second: server {:.1} %, page {:.1} %, all processes of Chromium {:.1} %",
        share(0),
        share(2),
        share(1)
    );
    growing.interrupt();
}
