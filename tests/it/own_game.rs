//! Runs of a game from outside of the crate: they are interrupted, resumed, drawn and read as those of
//! built-in games.

use std::path::Path;

use tiletune::Session;
use tiletune::config::weights_file;
use tiletune::results::GenerationRow;
use tiletune::run::{RunPlan, plan_of, plan_of_with};
use tiletune::{
    Campaign, Catalogue, Control, Experiment, Local, NullObserver, Observer, Progress, Run,
    RunDirectory, RunError, Source,
};

fn catalogue() -> Catalogue {
    let catalogue = Catalogue::builtin().with_game(&crate::example_game::PIG);
    catalogue.with_player(&crate::example_game::HOLDER)
}

/// Requests a stop after the third generation.
struct Stop<'a>(&'a Progress);

impl Observer for Stop<'_> {
    fn generation_ends(&mut self, row: &GenerationRow) {
        if row.generation == 2 {
            self.0.request_stop();
        }
    }
}

/// Executes a campaign from wherever it stands.
fn execute(run: Run, campaign: &Campaign, stop: bool) -> Result<(), RunError> {
    let local = Local::new(campaign.player.clone(), Some(2))?;
    let progress = Progress::default();
    let mut observer: Box<dyn Observer> = if stop {
        Box::new(Stop(&progress))
    } else {
        Box::new(NullObserver)
    };
    let control = &mut Control::new(&progress, &mut *observer);
    run.execute(campaign, &local, control).map(drop)
}

#[test]
fn a_campaign_is_resumed_and_its_weights_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let text = crate::example_game::CAMPAIGN.replace("generations = 25", "generations = 8");
    let source = Source::new("pig.toml", text);
    let campaign = Campaign::resolve_with(&catalogue(), &source, Path::new("")).unwrap();
    let [straight, resumed] = ["straight", "resumed"].map(|name| folder.path().join(name));
    let begin = |root: &Path| Run::begin(&campaign, &source.text, root, Session::now(2)).unwrap();
    execute(begin(&straight), &campaign, false).unwrap();
    let interrupted = execute(begin(&resumed), &campaign, true);
    assert!(matches!(interrupted, Err(RunError::Interrupted)));

    let mut run = Run::open(&resumed).unwrap();
    assert!(plan_of::<Campaign>(run.directory()).is_err());
    let again: Campaign = plan_of_with(&catalogue(), run.directory()).unwrap();
    run.resume(Session::now(2)).unwrap();
    execute(run, &again, false).unwrap();
    for file in [
        "best.toml",
        "tuned.toml",
        "events.jsonl",
        "tables/hold-out/tuned.parquet",
    ] {
        let [one, other] = [&straight, &resumed].map(|root| std::fs::read(root.join(file)));
        assert_eq!(one.unwrap(), other.unwrap(), "{file}");
    }
    assert!(resumed.join("report.html").is_file());
    assert!(resumed.join("charts/score-distribution.png").is_file());
    // The game has no tiles.
    assert!(!resumed.join("charts/max-tile.png").exists());

    let best = Source::read(&resumed.join("tuned.toml")).unwrap();
    // The command line does not have the player.
    assert!(!best.text.contains("replay"), "{}", best.text);
    let (file, _, weights) = weights_file::parse_with(&catalogue(), &best).unwrap();
    assert_eq!((file.game.as_str(), weights.iter().count()), ("pig", 2));
    assert!(weights_file::parse(&best).is_err());

    let (progress, mut observer) = (Progress::default(), NullObserver);
    let control = &mut Control::new(&progress, &mut observer);
    let directory = RunDirectory::open(&resumed).unwrap();
    let plan: Campaign = plan_of_with(&catalogue(), &directory).unwrap();
    let replay = plan
        .replay(&catalogue(), &directory, None, &2, control)
        .unwrap();
    assert!(replay.is_equal(), "{:?}", replay.differences);
    assert!(replay.recorded_games > 0 && replay.figures > 0);
}

#[test]
fn an_experiment_compares_its_players() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"
        why = "the known optimum against a smaller limit"
        name = "pig"
        seed = 1
        games = 500
        baseline = "six"
        player = { name = "holder", game = "pig" }
        row = [{ name = "six" }, { name = "twenty", values = { hold_at = 20 } }]
    "#;
    let source = Source::new("pig.toml", text);
    let catalogue = catalogue();
    let experiment = Experiment::from_source(&catalogue, &source, Path::new("")).unwrap();
    let root = folder.path().join("run");
    let run = Run::begin(&experiment, text, &root, Session::now(2)).unwrap();
    let (progress, mut observer) = (Progress::default(), NullObserver);
    let control = &mut Control::new(&progress, &mut observer);
    let results = run.execute(&experiment, &2, control).unwrap();
    let [six, twenty] = &results.rows[..] else {
        panic!("two rows");
    };
    assert!(six.summary.max_tile().is_empty());
    assert!(twenty.summary.mean > six.summary.mean + 10.0);
    assert!(root.join("report.html").is_file() && root.join("charts/difference.png").is_file());
    let directory = RunDirectory::open(&root).unwrap();
    assert!(plan_of_with::<Experiment>(&catalogue, &directory).is_ok());
}
