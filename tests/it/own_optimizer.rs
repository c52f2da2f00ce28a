//! An optimizer from outside of the crate: a file names it, a campaign is searched with it and can be replayed, and a
//! program without it says which ones it has.

use std::path::Path;

use schemars::json_schema;
use tiletune::optimizer::{
    Distribution, Entry, Finalist, Noise, Optimizer, Optimizers, Problem, StopReason,
};
use tiletune::run::{RunKinds, plan_of, plan_of_with};
use tiletune::{
    Campaign, Catalogue, Control, Local, NullObserver, Progress, Run, RunDirectory, Session, Source,
};
use toml::Table;

/// Candidates at equal distances between the bounds, all parameters together; the best one is recommended.
static SWEEP: Entry = Entry {
    name: "sweep",
    about: "a line through the box",
    diagnostics: &[],
    template: "",
    takes_distribution: false,
    takes_choices: false,
    games_min: None,
    signal: None,
    of_generations: &[],
    challengers: |_| 0,
    options: |_| json_schema!({ "type": "object", "properties": {} }),
    fill_in: |_| Ok(Table::new()),
    build: |config, Problem { start, .. }| {
        Ok(Box::new(Sweep {
            population: config.population.unwrap_or(5),
            best: (start.clone(), f64::NEG_INFINITY),
            start,
            told: false,
        }))
    },
};

struct Sweep {
    population: usize,
    start: Vec<f64>,
    best: (Vec<f64>, f64),
    told: bool,
}

impl Optimizer for Sweep {
    fn ask(&mut self) -> Vec<Vec<f64>> {
        self.line()
    }

    fn tell(&mut self, fitness: &[f64], _noise: Noise) {
        for (point, &fitness) in self.line().into_iter().zip(fitness) {
            if fitness > self.best.1 {
                self.best = (point, fitness);
            }
        }
        self.told = true;
    }

    fn next_population(&self) -> usize {
        self.population
    }

    fn last_population(&self) -> Vec<Vec<f64>> {
        if self.told { self.line() } else { Vec::new() }
    }

    fn stop_reason(&self) -> Option<StopReason> {
        self.told.then(|| "the line has been walked".into())
    }

    fn initial_step(&self) -> f64 {
        0.3
    }

    fn distribution(&self) -> Distribution {
        Distribution {
            center: self.best.0.clone(),
            spread: vec![0.3; self.start.len()],
            correlation: None,
        }
    }

    fn finalists(&self) -> Vec<Finalist> {
        vec![Finalist {
            restart: 0,
            point: self.best.0.clone(),
            spread: vec![0.3; self.start.len()],
            correlation: None,
        }]
    }
}

impl Sweep {
    fn line(&self) -> Vec<Vec<f64>> {
        let point = |index| vec![index as f64 / (self.population - 1) as f64; self.start.len()];
        (0..self.population).map(point).collect()
    }
}

const CAMPAIGN: &str = r#"
why = "an optimizer of one's own"
name = "sweep"
seed = 3
player = { name = "expectimax", depth = 0 }
evaluation = { games = 4 }
optimizer = { name = "sweep", population = 6 }
budget = { generations = 10 }
validation = { games = 20 }
parameters = { empty = {}, merges = {} }
"#;

#[test]
fn an_optimizer_from_outside_searches() {
    let folder = tempfile::tempdir().unwrap();
    let source = Source::new("sweep.toml", CAMPAIGN);
    let refused = Campaign::resolve(&source, Path::new(""));
    let refused = refused.err().unwrap().to_string();
    let known: Vec<&str> = Optimizers::builtin()
        .all()
        .iter()
        .map(|entry| entry.name)
        .collect();
    let known = format!("one of {}", known.join(", "));
    assert!(refused.contains(&known), "{refused}");

    let catalogue = Catalogue::builtin().with_optimizer(&SWEEP);
    let option = CAMPAIGN.replace("population = 6", "sigma = 0.1");
    let option = Source::new("sweep.toml", option);
    let refused = Campaign::resolve_with(&catalogue, &option, Path::new(""));
    let refused = refused.err().unwrap().to_string();
    let message = "`sigma` is an option of the optimizer mirrored-cma-es; sweep has name, population, without_signal";
    assert!(refused.contains(message), "{refused}");

    let campaign = Campaign::resolve_with(&catalogue, &source, Path::new("")).unwrap();
    let local = Local::new(campaign.player.clone(), Some(2)).unwrap();
    let root = folder.path().join("run");
    let run = Run::begin(&campaign, &source.text, &root, Session::now(2)).unwrap();
    let (progress, mut observer) = (Progress::default(), NullObserver);
    let control = &mut Control::new(&progress, &mut observer);
    let outcome = run.execute(&campaign, &local, control).unwrap();
    // It stops before its budget is used up.
    assert_eq!(outcome.last_generation.unwrap().generation, 0);
    let events = std::fs::read_to_string(root.join("events.jsonl")).unwrap();
    assert!(events.contains("the line has been walked"), "{events}");
    assert!(root.join("report.html").is_file());

    let directory = RunDirectory::open(&root).unwrap();
    assert!(plan_of::<Campaign>(&directory).is_err());
    let again: Campaign = plan_of_with(&catalogue, &directory).unwrap();
    assert_eq!(again.config, campaign.config);
    let plan = RunKinds::builtin().plan(&catalogue, &directory).unwrap();
    assert_eq!(plan.kind().name, "campaign");
}

#[test]
#[should_panic(expected = "two optimizers `sweep`")]
fn two_of_a_name_are_a_mistake() {
    let _ = Optimizers::builtin().with(&SWEEP).with(&SWEEP);
}

#[test]
fn an_optimizer_can_begin_with_fewer_games() {
    let resolved = |optimizer: &str, evaluation: &str| {
        let text = CAMPAIGN
            .replace("name = \"sweep\", population = 6", optimizer)
            .replace("games = 4", evaluation);
        let source = Source::new("few.toml", text);
        Campaign::resolve(&source, Path::new("")).unwrap()
    };
    let few = resolved("name = \"mirrored-cma-es\"", "games = \"auto\"");
    let evaluation = &few.config.evaluation;
    assert_eq!(
        (evaluation.games_min, evaluation.signal),
        (Some(1), Some(0.1))
    );
    // The first generation shows the noise.
    assert_eq!(few.schedule().games(), 2);
    let given = resolved(
        "name = \"mirrored-cma-es\"",
        "games = \"auto\", games_min = 7",
    );
    assert_eq!(given.schedule().games(), 7);
    let usual = resolved("name = \"cma-es\"", "games = \"auto\"");
    assert_eq!(usual.config.evaluation.games_min, None);
    assert_eq!(usual.schedule().games(), 5);
    let fixed = resolved("name = \"mirrored-cma-es\"", "games = 9");
    assert_eq!(fixed.schedule().games(), 9);
}
