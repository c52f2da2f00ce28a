//! One generation of a campaign on one thread, from an empty directory to its tables and hold-out
//! games. Items are games.

use std::path::Path;

use divan::Bencher;
use divan::counter::ItemsCount;
use tiletune::config::Source;
use tiletune::config::campaign::Campaign;
use tiletune::evaluation::Progress;
use tiletune::evaluation::local::Local;
use tiletune::run::{Control, NullObserver, RunDirectory, RunPlan};

const CONFIG: &str = r#"
why = "how long a generation takes"
name = "bench"
[player]
name = "expectimax"
depth = 1
[evaluation]
games = 20
[optimizer]
name = "cma-es"
population = 8
[budget]
generations = 1
[validation]
games = 20
[parameters.empty]
[parameters.merges]
[parameters.monotonicity]
"#;

/// 8 candidates, and the start and the tuned weights on the hold-out seeds, 20 games each.
const GAMES: u64 = 10 * 20;

#[divan::bench(sample_count = 10)]
fn generation_of_one_layer(bencher: Bencher) {
    let source = Source::new("bench.toml", CONFIG);
    let campaign = Campaign::resolve(&source, Path::new("")).expect("a sound campaign");
    let local = Local::new(campaign.player.clone(), Some(1)).expect("a thread");
    bencher.counter(ItemsCount::new(GAMES)).bench(|| {
        let folder = tempfile::tempdir().expect("a place for files");
        let directory = folder.path().join("run");
        let directory = RunDirectory::create(&directory, Campaign::KIND.tables, |_| Ok(()));
        let (directory, progress) = (directory.expect("a directory"), Progress::default());
        let mut unobserved = NullObserver;
        let mut control = Control::new(&progress, &mut unobserved);
        let outcome = campaign.execute(&local, &directory, &mut control);
        outcome.expect("a generation");
        assert_eq!(progress.games(), GAMES);
    });
}
