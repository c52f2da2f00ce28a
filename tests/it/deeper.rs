//! Hold-out games at other search depths: what is played, what is left out, and what is said.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::common::{assert_same_run, campaign_file, run};
use tiletune::Session;
use tiletune::campaign::CampaignOutcome;
use tiletune::evaluation::{Order, Sink, SinkClosed};
use tiletune::player::Depth;
use tiletune::random::Stream;
use tiletune::record::Phase;
use tiletune::results::{Deeper, DeeperResult, Skipped, Validation};
use tiletune::run::Task;
use tiletune::{
    Campaign, Control, Evaluate, EvaluationError, Evaluator, EvaluatorFactory, Local, NullObserver,
    Observer, Only, Progress, Run, RunError, Source, Weights,
};

const CONFIG: &str = r#"
why = "a small campaign for the tests"
name = "deeper"
seed = 7
[player]
name = "expectimax"
depth = 0
[evaluation]
games = 8
[optimizer]
name = "cma-es"
population = 4
[budget]
generations = 3
[validation]
games = 30
resamples = 200
deeper = [1]
deeper_games = 12
[parameters.empty]
[parameters.monotonicity]
"#;

fn resolve(text: &str) -> Result<Campaign, String> {
    let source = Source::new("deeper.toml", text);
    Campaign::resolve(&source, Path::new("")).map_err(|error| error.to_string())
}

fn local(campaign: &Campaign) -> Local {
    Local::new(campaign.player.clone(), Some(2)).unwrap()
}

/// A clock that advances by a second at each call: the search takes 9 seconds, a calibration one.
fn steady() -> impl Fn() -> Duration {
    let calls = Cell::new(0);
    move || Duration::from_secs(calls.replace(calls.get() + 1))
}

/// A clock by which every interval is longer than all that were before.
fn slowing() -> impl Fn() -> Duration {
    let calls = Cell::new(0);
    move || Duration::from_secs(1 << calls.replace(calls.get() + 1))
}

/// Requests a stop when hold-out games begin for the second time.
struct StopAtDepth<'a>(&'a Progress, u32);

impl Observer for StopAtDepth<'_> {
    fn task_begins(&mut self, task: Task) {
        if let Task::Phase {
            phase: Phase::HoldOut,
            ..
        } = task
        {
            self.1 += 1;
            if self.1 == 2 {
                self.0.request_stop();
            }
        }
    }
}

fn execute(
    campaign: &Campaign,
    machines: &dyn EvaluatorFactory,
    run: Run,
    clock: &dyn Fn() -> Duration,
) -> Result<CampaignOutcome, RunError> {
    let (progress, mut unobserved) = (Progress::default(), NullObserver);
    let mut control = Control::new(&progress, &mut unobserved);
    control.clock = clock;
    run.execute(campaign, machines, &mut control)
}

fn resumed(root: &Path) -> Run {
    let mut run = Run::open(root).unwrap();
    run.resume(Session::now(1)).unwrap();
    run
}

/// Begins and ends a run in a folder.
fn complete(
    campaign: &Campaign,
    machines: &dyn EvaluatorFactory,
    root: &Path,
    clock: &dyn Fn() -> Duration,
) -> Vec<Deeper> {
    let run = Run::begin(campaign, CONFIG, root, Session::now(1)).unwrap();
    let outcome = execute(campaign, machines, run, clock).unwrap();
    outcome.validation.unwrap().deeper
}

fn text(root: &Path, name: &str) -> String {
    std::fs::read_to_string(root.join(name)).unwrap()
}

fn part(root: &Path, name: &str) -> PathBuf {
    root.join(format!("tables/hold-out-deeper/depth-{name}.parquet"))
}

#[test]
fn another_depth_is_played_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let [straight, interrupted] = ["straight", "interrupted"].map(|name| folder.path().join(name));
    let campaign = resolve(CONFIG).unwrap();
    let local = local(&campaign);
    let deeper = complete(&campaign, &local, &straight, &steady());
    assert_eq!(deeper.len(), 1);
    let played = deeper[0].played().unwrap();
    assert_eq!(
        (deeper[0].depth, played.start.games, played.tuned.games),
        (1, 12, 12)
    );

    // The games are those of the same weights and seeds at depth 1.
    let player = campaign.player.with_depth(Depth::Fixed(1)).unwrap();
    let seed = campaign.hold_out_seed();
    let seeds = player.players().game_seeds(seed, Stream::Evaluate, 0, 12);
    let one_deeper = Local::new(player, Some(1)).unwrap();
    let games = one_deeper
        .games(&campaign.start, &seeds, &Progress::default())
        .unwrap();
    let scores = games.iter().map(|game| game.value());
    assert_eq!(played.start.mean, scores.sum::<f64>() / 12.0);

    assert!(part(&straight, "1-start").exists() && part(&straight, "1-tuned").exists());
    let recorded: Validation = serde_json::from_str(&text(&straight, "validation.json")).unwrap();
    assert_eq!(recorded.deeper, deeper);
    assert!(text(&straight, "events.jsonl").contains(r#"{"event":"deeper-began","depth":1,"#));
    let best = text(&straight, "tuned.toml");
    assert!(
        best.contains("[[provenance.deeper]]\ndepth = 1\n"),
        "{best}"
    );
    assert!(text(&straight, "report.html").contains("Other search depths"));

    let replayed = run(&["replay", straight.to_str().unwrap()]);
    assert!(replayed.status.success(), "{replayed:?}");
    for (weights, depth, is_there) in [
        ("tuned", "1", true),
        ("start", "1", true),
        ("tuned", "2", false),
    ] {
        let of_run = [
            "play",
            "--run",
            straight.to_str().unwrap(),
            "--hold-out",
            weights,
        ];
        let game = ["--at-depth", depth, "--game-index", "11"];
        let shown = run(&[&of_run[..], &game].concat());
        let printed = String::from_utf8_lossy(&shown.stdout);
        assert_eq!(
            printed.contains("the same as recorded"),
            is_there,
            "{shown:?}"
        );
    }

    let run = Run::begin(&campaign, CONFIG, &interrupted, Session::now(1)).unwrap();
    let progress = Progress::default();
    let mut stops = StopAtDepth(&progress, 0);
    let mut control = Control::new(&progress, &mut stops);
    let clock = steady();
    control.clock = &clock;
    let ended = run.execute(&campaign, &local, &mut control);
    assert!(matches!(ended, Err(RunError::Interrupted)));
    assert!(!part(&interrupted, "1-start").exists());
    execute(&campaign, &local, resumed(&interrupted), &steady()).unwrap();
    assert_same_run(&straight, &interrupted);
    // Games that are played are read; by this clock they would not be played.
    execute(&campaign, &local, resumed(&interrupted), &slowing()).unwrap();
    assert_same_run(&straight, &interrupted);
}

#[test]
fn a_depth_that_takes_longer_than_the_search_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("run");
    let campaign = resolve(CONFIG).unwrap();
    let local = local(&campaign);
    let skipped = [Deeper::new(1, DeeperResult::Skipped(Skipped::TooSlow))];
    assert_eq!(complete(&campaign, &local, &root, &slowing()), skipped);
    assert!(!part(&root, "1-start").exists());
    let event = r#"{"event":"deeper-skipped","depth":1,"reason":"too-slow","#;
    assert!(text(&root, "events.jsonl").contains(event));
    assert!(!text(&root, "tuned.toml").contains("provenance.deeper"));
    let sentence = "Not measured at depth 1: the games would have taken longer than the search.";
    assert!(text(&root, "report.html").contains(sentence));
    // By another clock they would be played.
    let outcome = execute(&campaign, &local, resumed(&root), &steady()).unwrap();
    assert_eq!(outcome.validation.unwrap().deeper, skipped);
}

/// Plays with one player only.
struct OnePlayer(Local);

impl Evaluator for OnePlayer {
    fn play(
        &self,
        order: Order,
        candidates: &[Weights],
        seeds: &[u64],
        progress: &Progress,
        sink: &mut Sink,
    ) -> Result<(), EvaluationError<SinkClosed>> {
        self.0.play(order, candidates, seeds, progress, sink)
    }
}

#[test]
fn an_evaluator_of_one_player_leaves_it_out() {
    let folder = tempfile::tempdir().unwrap();
    let campaign = resolve(CONFIG).unwrap();
    let one = OnePlayer(local(&campaign));
    let deeper = complete(
        &campaign,
        &Only::new(&campaign.player, &one),
        &folder.path().join("run"),
        &steady(),
    );
    let reason = DeeperResult::Skipped(Skipped::Unsupported);
    assert_eq!(deeper, [Deeper::new(1, reason)]);
}

#[test]
fn depths_are_checked_at_their_place() {
    let refused = |old: &str, new: &str| resolve(&CONFIG.replace(old, new)).err().unwrap();
    let list = |list: &str| refused("deeper = [1]", &format!("deeper = {list}"));
    let errors = [
        list("[1, 13]"),
        list("[2, 0]"),
        list("[2, 1, 2]"),
        list("[300]"),
        list("[]"),
        refused("games = 30", "games = 0"),
        refused("deeper_games = 12", "deeper_games = 1"),
        refused("name = \"expectimax\"\ndepth = 0", "name = \"greedy\""),
    ];
    insta::assert_snapshot!(errors.join("\n"));
    let folder = tempfile::tempdir().unwrap();
    let file = campaign_file(folder.path(), &CONFIG.replace("[1]", "[2, 0]"));
    let (file, line) = (file.to_str().unwrap(), "deeper = [2, 0]");
    let message = String::from_utf8(run(&["tune", file, "--dry-run"]).stderr).unwrap();
    let row = 1 + CONFIG
        .lines()
        .position(|line| line == "deeper = [1]")
        .unwrap();
    let column = line.find('0').unwrap() + 1;
    assert!(
        message.contains(&format!("{file}:{row}:{column}")),
        "{message}"
    );
    let series = run(&[
        "tune",
        file,
        "--repeat",
        "2",
        "--set",
        "validation.deeper=[1]",
        "--dry-run",
    ]);
    let message = String::from_utf8(series.stderr).unwrap();
    assert!(
        message.contains("a series plays no games at other depths"),
        "{message}"
    );

    let usual = resolve(&CONFIG.replace("deeper_games = 12\n", "")).unwrap();
    assert_eq!(usual.config.validation.deeper_games, Some(30));
    let resolved = toml::to_string(&usual.config).unwrap();
    assert_eq!(resolve(&resolved).unwrap().config, usual.config);
}

#[test]
fn what_is_not_measured_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("run");
    let campaign = resolve(&CONFIG.replace("deeper = [1]\ndeeper_games = 12\n", "")).unwrap();
    complete(&campaign, &local(&campaign), &root, &steady());
    let sentence = "These weights are for depth 0. Whether they are better at depth 2";
    assert!(text(&root, "report.html").contains(sentence));
    let export = |weights: &str| {
        let output = run(&["export", weights, "--format", "json"]);
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(export(root.to_str().unwrap()).starts_with(sentence));
    // Nobody has tuned these with a campaign.
    assert_eq!(export("crates/engine/data/weights/expectimax.toml"), "");
}
