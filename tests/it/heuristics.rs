//! Heuristics in files: how they reach a player, and how campaigns, experiments, comparisons and weights
//! files carry them. The player is that of the example `own_game`. Its heuristic here is a table of
//! features; what the language of a built-in game means is tested where it is defined.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tiletune::Session;
use tiletune::campaign;
use tiletune::config::compare::{ComparedConfig, Comparison, ComparisonConfig as CompareConfig};
use tiletune::config::heuristic_file::HeuristicConfig;
use tiletune::config::{ConfigError, heuristic_file, provenance, weights_file};
use tiletune::field_error::FieldError;
use tiletune::heuristic::Parameter;
use tiletune::player::options::{Options, PlayerOption};
use tiletune::player::{CustomHeuristic, Player, PlayerEntry, PlayerSpec};
use tiletune::results::GenerationRow;
use tiletune::run::{RunPlan, plan_of_with};
use tiletune::{
    Campaign, Catalogue, Control, Experiment, Local, NullObserver, Observer, PlayerConfig,
    Progress, Run, RunDirectory, RunError, Source, Weights,
};

use crate::example_game::{HOLDER, PIG};

/// The limit at which the player holds is a sum of features: `one`, or `turns` (turns left).
///
/// ```toml
/// [terms.NAME]
/// feature = "turns"
/// default = 1.0
/// ```
///
/// With `refused = [8.0, 9.0]` values of `hold_at` in this range are refused.
#[derive(Debug)]
struct Features {
    table: toml::Table,
    parameters: Vec<Parameter>,
}

impl CustomHeuristic for Features {
    fn table(&self) -> &toml::Table {
        &self.table
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn build(&self, _: &Options, weights: &Weights) -> Result<Box<dyn Player>, String> {
        let refused = self.table.get("refused").and_then(|range| range.as_array());
        let end = |index: usize| refused?.get(index)?.as_float();
        if let (Some(low), Some(high), Some(value)) = (end(0), end(1), weights.get("hold_at"))
            && (low..high).contains(&value)
        {
            return Err(format!("`hold_at` = {value} is refused"));
        }
        let sum = |feature: &str| -> f64 {
            let is_of = |known: &&Parameter| {
                self.table["terms"][&known.key]["feature"].as_str() == Some(feature)
            };
            let own = self.parameters.iter().filter(is_of);
            own.map(|known| weights.value(known)).sum()
        };
        holder(sum("one"), sum("turns"))
    }
}

const FEATURES: [&str; 2] = ["one", "turns"];

fn read(table: &toml::Table) -> Result<Arc<dyn CustomHeuristic>, FieldError> {
    let Some(terms) = table.get("terms").and_then(|terms| terms.as_table()) else {
        return Err(FieldError::new([""; 0], "a heuristic needs terms"));
    };
    let mut parameters = Vec::new();
    for (key, term) in terms {
        let feature = term.get("feature").and_then(|feature| feature.as_str());
        if !feature.is_some_and(|feature| FEATURES.contains(&feature)) {
            let message = format!("unknown feature {feature:?}");
            return Err(FieldError::new(["terms", key, "feature"], message));
        }
        let default = term.get("default").and_then(|default| default.as_float());
        parameters.push(Parameter::new(
            key,
            "a feature",
            default.unwrap_or(0.0),
            -60.0,
            60.0,
        ));
    }
    Ok(Arc::new(Features {
        table: table.clone(),
        parameters,
    }))
}

const OPTION: PlayerOption = PlayerOption::heuristic(read);

/// The player of the example, which takes a heuristic.
static WRITER: PlayerEntry = PlayerEntry {
    options: &[OPTION],
    ..PlayerEntry::new(
        "writer",
        &PIG,
        "holds at a sum of features",
        || vec![Parameter::new("hold_at", "a limit", 6.0, 0.0, 60.0)],
        build,
    )
};

fn build(_: &Options, weights: &Weights) -> Result<Box<dyn Player>, String> {
    holder(weights.get("hold_at").unwrap_or(6.0), 0.0)
}

fn holder(one: f64, turns: f64) -> Result<Box<dyn Player>, String> {
    let pairs = [("hold_at", one), ("per_turn", turns)];
    let pairs = pairs.map(|(key, value)| (key.to_owned(), value));
    let weights = Weights::new(pairs, &(HOLDER.parameters)()).unwrap();
    (HOLDER.build)(&Options::default(), &weights)
}

fn catalogue() -> Catalogue {
    let catalogue = Catalogue::builtin().with_game(&PIG);
    catalogue.with_player(&HOLDER).with_player(&WRITER)
}

fn writer() -> PlayerSpec {
    let asked = PlayerConfig::new("writer", Some("pig"));
    catalogue().player(&asked).unwrap()
}

const ONE: &str = "[terms.hold_at]\nfeature = 'one'\ndefault = 3.0\n";
const TWO: &str =
    "[terms.hold_at]\nfeature = 'one'\ndefault = 5.0\n[terms.slope]\nfeature = 'turns'\n";

const CAMPAIGN: &str = r#"
why = "a test"
name = "written"
seed = 0
heuristic = "two.toml"
player = { name = "writer", game = "pig" }
evaluation = { games = 100 }
optimizer = { population = 8 }
budget = { generations = 4 }
validation = { games = 200 }
parameters = { hold_at = {}, slope = {} }
"#;

/// A folder with heuristic files.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("one.toml"), ONE).unwrap();
    fs::write(folder.path().join("two.toml"), TWO).unwrap();
    folder
}

fn resolve(text: &str, folder: &Path) -> Result<Campaign, ConfigError> {
    Campaign::resolve_with(&catalogue(), &Source::new("c.toml", text), folder)
}

/// An error as the command line shows it: with file, line and column.
fn shown<T>(result: Result<T, ConfigError>) -> String {
    match result {
        Ok(_) => panic!("an error was expected"),
        Err(error) => format!("{:?}", miette::Report::new(error)),
    }
}

fn run(campaign: &Campaign, root: &Path) -> campaign::CampaignOutcome {
    let local = Local::new(campaign.player.clone(), Some(2)).unwrap();
    let run = Run::begin(campaign, "", root, Session::now(2)).unwrap();
    let (progress, mut observer) = (Progress::default(), NullObserver);
    run.execute(
        campaign,
        &local,
        &mut Control::new(&progress, &mut observer),
    )
    .unwrap()
}

#[test]
fn a_campaign_carries_its_heuristic_and_its_weights_are_replayed_from_the_file_alone() {
    let folder = folder();
    let root = folder.path().join("run");
    let campaign = resolve(CAMPAIGN, folder.path()).unwrap();
    assert_eq!(campaign.space.dimension(), 2);
    assert_eq!(campaign.player.describe(), "writer, own heuristic");
    // The default of the heuristic, not the published weight of this name.
    assert_eq!(campaign.start.get("hold_at"), Some(5.0));
    run(&campaign, &root);

    // Nothing else is needed any more.
    fs::remove_file(folder.path().join("two.toml")).unwrap();
    let directory = RunDirectory::open(&root).unwrap();
    let again: Campaign = plan_of_with(&catalogue(), &directory).unwrap();
    assert_eq!(again.config, campaign.config);
    assert!(again.player == campaign.player);
    let inline = HeuristicConfig::Inline(TWO.parse().unwrap());
    assert_eq!(again.config.heuristic, Some(inline.clone()));

    let best = Source::read(&root.join("tuned.toml")).unwrap();
    let (file, player, weights) = weights_file::parse_with(&catalogue(), &best).unwrap();
    assert_eq!(file.heuristic, Some(inline));
    assert_eq!(weights.iter().count(), 2);
    assert!(player.extension().is_some());
    let claimed = provenance::read(&catalogue(), &best).unwrap();
    assert!(claimed.player == campaign.player);
    let (progress, mut observer) = (Progress::default(), NullObserver);
    let control = &mut Control::new(&progress, &mut observer);
    let replay = again
        .replay(&catalogue(), &directory, None, &2, control)
        .unwrap();
    assert!(replay.is_equal(), "{:?}", replay.differences);

    // A reader of the weights gets the heuristic; another one beside it is an error.
    let (player, _) = weights_file::read(&root, &writer()).unwrap();
    assert!(player == campaign.player);
    let other = heuristic_file::with_file(&writer(), &folder.path().join("one.toml")).unwrap();
    let error = weights_file::read(&root, &other).map(drop).unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains("2 parameters, only here: slope"),
        "{message}"
    );
    assert!(shown::<()>(Err(error)).contains("best.toml:"));
}

#[test]
fn errors_have_their_place_in_the_file_that_is_wrong() {
    let folder = folder();
    fs::write(
        folder.path().join("bad.toml"),
        "# a comment\n[terms.hold_at]\nfeature = 'twins'\n",
    )
    .unwrap();
    fs::write(folder.path().join("broken.toml"), "[terms\n").unwrap();
    let with = |heuristic: &str| {
        shown(resolve(
            &CAMPAIGN.replace("\"two.toml\"", heuristic),
            folder.path(),
        ))
    };
    let bad = with("\"bad.toml\"");
    assert!(bad.contains("bad.toml:3:1"), "{bad}");
    assert!(with("\"broken.toml\"").contains("broken.toml:1:"));
    assert!(with("\"missing.toml\"").contains("missing.toml"));
    assert!(with("3").contains("the path of a heuristic file, or a table"));
    let inline = with("{ terms = { hold_at = { feature = \"twins\" } } }");
    assert!(inline.contains("c.toml:5:"), "{inline}");

    let other = CAMPAIGN.replace("writer", "holder");
    let message = shown(resolve(&other, folder.path()));
    assert!(message.contains("`holder` takes no heuristic"), "{message}");
    assert!(message.contains("c.toml:5:"), "{message}");

    let unknown = CAMPAIGN.replace("slope = {}", "slop = {}");
    let message = shown(resolve(&unknown, folder.path()));
    assert!(message.contains("did you mean `slope`?"), "{message}");
}

#[test]
fn a_setting_of_the_command_line_gives_another_heuristic() {
    let folder = folder();
    let source = Source::new("c.toml", CAMPAIGN.replace(", slope = {}", ""));
    let source = source
        .with_settings(&["heuristic=one.toml".to_owned()])
        .unwrap();
    let campaign = Campaign::resolve_with(&catalogue(), &source, folder.path()).unwrap();
    assert_eq!(campaign.player.parameters().len(), 1);
    let source = Source::new("c.toml", CAMPAIGN)
        .with_settings(&["heuristic=none.toml".to_owned()])
        .unwrap();
    let message = shown(Campaign::resolve_with(&catalogue(), &source, folder.path()));
    assert!(message.contains("none.toml"), "{message}");
}

/// A weights file of the player.
fn weights_in(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, format!("game = 'pig'\nplayer = 'writer'\n{text}")).unwrap();
    path
}

#[test]
fn a_search_goes_on_with_more_terms() {
    let folder = folder();
    weights_in(
        folder.path(),
        "small.toml",
        "heuristic = 'one.toml'\n[weights]\nhold_at = 9.5\n",
    );
    let from = format!("{CAMPAIGN}[start]\nweights = 'small.toml'\n");
    let campaign = resolve(&from, folder.path()).unwrap();
    assert_eq!(campaign.player.parameters().len(), 2);
    assert_eq!(campaign.start.get("hold_at"), Some(9.5));
    assert_eq!(campaign.start.get("slope"), Some(0.0));
    assert!(campaign.left_out.is_empty());
    // The tuned parameter begins with half of the step, and the resolved configuration says so.
    assert_eq!(campaign.space.steps(), [0.5, 1.0]);
    let resolved = toml::to_string(&campaign.config).unwrap();
    let again = self::resolve(&resolved, Path::new("")).unwrap();
    assert_eq!(again.config, campaign.config);
    assert_eq!(again.space, campaign.space);
    let set = from.replace("hold_at = {}", "hold_at = { step = 0.1 }");
    let steps = self::resolve(&set, folder.path()).unwrap().space.steps();
    assert_eq!(steps, [0.1, 1.0]);
    let wrong = from.replace("hold_at = {}", "hold_at = { step = 0 }");
    let message = shown(self::resolve(&wrong, folder.path()));
    assert!(message.contains("must be from 0.001 to 10"), "{message}");

    // Without a heuristic of its own the campaign has that of the weights.
    let without = from
        .replace("heuristic = \"two.toml\"\n", "")
        .replace(", slope = {}", "");
    let campaign = resolve(&without, folder.path()).unwrap();
    assert_eq!(campaign.player.parameters().len(), 1);
    assert!(campaign.config.heuristic.is_some());

    // Keys that the heuristic does not know are left out.
    let rich = "heuristic = 'two.toml'\n[weights]\nhold_at = 9.5\nslope = 1.0\n";
    weights_in(folder.path(), "small.toml", rich);
    let poor = from
        .replace("two.toml", "one.toml")
        .replace(", slope = {}", "");
    let campaign = resolve(&poor, folder.path()).unwrap();
    assert_eq!(campaign.left_out, ["slope"]);
}

/// Requests a stop after the second generation.
struct StopEarly<'a>(&'a Progress);

impl Observer for StopEarly<'_> {
    fn generation_ends(&mut self, row: &GenerationRow) {
        if row.generation == 1 {
            self.0.request_stop();
        }
    }
}

#[test]
fn candidates_that_the_player_cannot_use_rank_last_and_are_counted() {
    let folder = folder();
    let refusing = format!("refused = [7.0, 60.0]\n{TWO}");
    fs::write(folder.path().join("two.toml"), refusing).unwrap();
    let campaign = resolve(CAMPAIGN, folder.path()).unwrap();
    let [straight, resumed] = ["straight", "resumed"].map(|name| folder.path().join(name));
    let outcome = run(&campaign, &straight);
    assert!((1..32).contains(&outcome.refused), "{}", outcome.refused);
    let generations = campaign::generations(&campaign, &RunDirectory::open(&straight).unwrap());
    assert!(generations.unwrap().iter().all(|row| row.worst.is_finite()));
    assert!(
        campaign
            .player
            .check(&outcome.recommendation.weights)
            .is_ok()
    );
    let report = fs::read_to_string(straight.join("report.html")).unwrap();
    assert!(report.contains("refused and ranked last"));

    let local = Local::new(campaign.player.clone(), Some(1)).unwrap();
    let begun = Run::begin(&campaign, "", &resumed, Session::now(1)).unwrap();
    let progress = Progress::default();
    let mut observer = StopEarly(&progress);
    let ended = begun.execute(
        &campaign,
        &local,
        &mut Control::new(&progress, &mut observer),
    );
    assert!(matches!(ended, Err(RunError::Interrupted)));
    let mut again = Run::open(&resumed).unwrap();
    again.resume(Session::now(1)).unwrap();
    let (progress, mut observer) = (Progress::default(), NullObserver);
    let control = &mut Control::new(&progress, &mut observer);
    let of_resumed = again.execute(&campaign, &local, control).unwrap();
    assert_eq!(of_resumed.refused, outcome.refused);
    for file in ["best.toml", "tuned.toml", "events.jsonl"] {
        let [one, other] = [&straight, &resumed].map(|root| fs::read(root.join(file)).unwrap());
        assert_eq!(one, other, "{file}");
    }
}

#[test]
fn rows_of_an_experiment_have_heuristics() {
    let folder = folder();
    let two = "heuristic = 'two.toml'\n[weights]\nhold_at = 9.5\nslope = 1.0\n";
    weights_in(folder.path(), "two-weights.toml", two);
    let text = r#"
why = "a test"
name = "written"
seed = 1
games = 10
heuristic = "one.toml"
player = { name = "writer", game = "pig" }
[[row]]
name = "default"
[[row]]
name = "other player"
player = { name = "holder", game = "pig" }
[[row]]
name = "own"
heuristic = "two.toml"
weights = "two-weights.toml"
"#;
    let resolve = |text: &str, folder: &Path| {
        Experiment::resolve_with(&catalogue(), &Source::new("e.toml", text), folder)
    };
    let experiment = resolve(text, folder.path()).unwrap();
    let counts: Vec<usize> = (experiment.rows.iter())
        .map(|row| row.player.parameters().len())
        .collect();
    assert_eq!(counts, [1, 2, 2]);
    let has = |index: usize| experiment.config.row[index].heuristic.is_some();
    assert_eq!([has(0), has(1), has(2)], [false, false, true]);
    let resolved = toml::to_string(&experiment.config).unwrap();
    let again = resolve(&resolved, Path::new("")).unwrap();
    assert_eq!(again.config, experiment.config);

    // Weights of one heuristic, and another one beside them.
    let message = shown(resolve(
        &text.replace("heuristic = \"two.toml\"", ""),
        folder.path(),
    ));
    assert!(message.contains("two-weights.toml:"), "{message}");
    let alone = text
        .replace("heuristic = \"two.toml\"", "")
        .replace("heuristic = \"one.toml\"", "");
    let experiment = resolve(&alone, folder.path()).unwrap();
    assert_eq!(experiment.rows[2].player.parameters().len(), 2);
    let nobody = text.split_once("[[row]]\nname = \"own\"").unwrap().0;
    let nobody = nobody.replace("writer", "holder");
    let message = shown(resolve(&nobody, folder.path()));
    assert!(
        message.contains("no player of this experiment"),
        "{message}"
    );
    let generated = "[[generate]]\nkind = \"each-left-out\"\nweights = \"two-weights.toml\"\n";
    let (head, _) = alone.split_once("[[row]]").unwrap();
    let experiment = resolve(&format!("{head}{generated}"), folder.path()).unwrap();
    let names: Vec<&str> = (experiment.rows.iter())
        .map(|row| row.name.as_str())
        .collect();
    assert_eq!(names, ["all terms", "without hold_at", "without slope"]);
}

#[test]
fn players_with_different_heuristics_are_compared() {
    let folder = folder();
    let compared = |name: &str| {
        let path = folder.path().join(name);
        ComparedConfig {
            name: name.to_owned(),
            seeds: None,
            player: heuristic_file::with_file(&writer(), &path)
                .unwrap()
                .config(),
            weights: Default::default(),
        }
    };
    let config = CompareConfig::new(1, vec![compared("one.toml"), compared("two.toml")]);
    let comparison = Comparison::with(&catalogue(), config).unwrap();
    let text = comparison.config.to_toml();
    let again = Comparison::resolve_with(&catalogue(), &Source::new("r.toml", text)).unwrap();
    assert_eq!(again.config, comparison.config);
    assert!(again.players[0].player != again.players[1].player);
    assert_eq!(again.players[1].player.parameters().len(), 2);
}
