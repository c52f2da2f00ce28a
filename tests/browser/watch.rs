//! The page of a run: a campaign that grows while somebody looks at it.

use tiletune::Local;

use super::chromium::{Chromium, until};
use super::growing::Growing;
use super::server::Server;

const CAMPAIGN: &str = "why = 'a test'
name = 'small'
seed = 5
start = { games = 0 }
player = { name = 'expectimax', depth = 0 }
evaluation = { games = 2 }
optimizer = { population = 4 }
budget = { generations = 7 }
validation = { games = 10, resamples = 100 }
parameters = { empty = {}, merges = {} }
";

/// The generations in the table of the first chart.
const DRAWN: &str =
    "document.querySelectorAll('.chart-table')[0]?.querySelectorAll('tbody tr').length";

/// Hides the page, as another tab in front of it does. It waits ten milliseconds instead of ten seconds, and keeps the states
/// of the connections that it has closed.
const HIDE: &str = "
    const later = window.setTimeout, close = EventSource.prototype.close;
    window.setTimeout = (action, time) => later(action, time === 10000 ? 10 : time);
    window.given = [];
    EventSource.prototype.close = function () { close.call(this); window.given.push(this.readyState); };
    Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
";

/// Shows the page again.
const SHOW: &str = "
    delete document.hidden;
    document.dispatchEvent(new Event('visibilitychange'));
";

/// What the page says under a name.
fn fact(name: &str) -> String {
    format!(
        "[...document.querySelectorAll('.run-now dt')].find((one) => one.textContent === '{name}')
            ?.nextElementSibling.textContent"
    )
}

#[test]
fn the_page_of_a_campaign_grows_until_the_campaign_is_complete() {
    let results = tempfile::tempdir().unwrap();
    let server = Server::start(&["--results", results.path().to_str().unwrap()]);
    let growing = Growing::begin(CAMPAIGN, &results.path().join("grows"), |campaign| {
        Local::new(campaign.player.clone(), Some(1)).unwrap()
    });
    growing.play(2);
    until("two generations", || {
        let second = "grows/tables/generations/generation-00001.parquet";
        results.path().join(second).exists().then_some(())
    });
    let Some(chromium) = Chromium::start(&[&format!("{}/#/runs", server.origin)]) else {
        growing.interrupt();
        return;
    };
    let mut tab = chromium.page("runs");
    tab.wait("document.querySelector('table.runs tbody td') !== null");
    let row = tab.value("document.querySelector('table.runs tbody tr').textContent");
    for part in [
        "grows",
        "campaign",
        "running",
        "2048",
        "expectimax",
        "2 of 7 generations",
    ] {
        assert!(row.as_str().unwrap().contains(part), "{part}: {row}");
    }
    tab.value("document.querySelector('table.runs a').click()");
    let generations = fact("generations");
    tab.wait(&format!("{generations} === '2 of 7'"));
    tab.wait("document.querySelector('.state-running') !== null");
    tab.wait("document.querySelector('.chart-line')?.getAttribute('d').length > 0");
    // A chart that nobody sees is drawn later.
    tab.value("document.querySelector('.chart-table').scrollIntoView()");
    tab.value("document.querySelector('.chart-table').open = true; window.isSame = true");
    tab.wait(&format!("{DRAWN} === 2"));
    growing.play(3);
    tab.wait(&format!("{generations} === '5 of 7'"));
    tab.wait(&format!("{DRAWN} === 5"));
    let tables = "document.querySelectorAll('.run-blocks table').length";
    assert_eq!(tab.value(tables), 0);

    // A hidden page gives its connection back, and reads what it missed when it is seen again.
    tab.value(HIDE);
    tab.wait("window.given.length === 1");
    assert_eq!(tab.value("window.given[0] === EventSource.CLOSED"), true);
    growing.play(1);
    until("six generations", || {
        let sixth = "grows/tables/generations/generation-00005.parquet";
        results.path().join(sixth).exists().then_some(())
    });
    assert_eq!(tab.value(&generations), "5 of 7");
    tab.value(SHOW);
    tab.wait(&format!("{generations} === '6 of 7'"));
    tab.wait(&format!("{DRAWN} === 6"));
    assert_eq!(tab.value("window.given.length"), 1);

    growing.finish().unwrap();
    tab.wait("document.querySelector('.state-complete') !== null");
    tab.wait("document.querySelector('.run-blocks h2')?.textContent === 'Hold-out games'");
    let table = tab.value("document.querySelector('.run-blocks table').textContent");
    assert!(table.as_str().unwrap().contains("mean score"), "{table}");
    // The written charts have taken the place of those that grew.
    tab.wait("document.querySelectorAll('.run-image img')[0]?.naturalWidth > 0");
    assert_eq!(tab.value("document.querySelectorAll('.chart').length"), 0);
    assert_eq!(
        tab.value("window.isSame"),
        true,
        "the page was loaded again"
    );
}
