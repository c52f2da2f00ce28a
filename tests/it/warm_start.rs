//! Where a search starts: values of `[start]`, several points, the end of an earlier search; and where it ends.

use std::path::Path;

use tiletune::campaign::notices;
use tiletune::run::{plan_of, tables};
use tiletune::{Campaign, RunDirectory, Source};

use crate::common::{campaign_file, run, stdout};

const CAMPAIGN: &str = r#"
why = "a start"
name = "start"
seed = 5
player = { name = "expectimax", depth = 0 }
evaluation = { games = 4 }
optimizer = { name = "cma-es", population = 6 }
budget = { generations = 3 }
validation = { games = 10 }
[start.values]
empty = 300
[parameters.empty]
start = 100
min = 1
max = 1000
scale = "log"
[parameters.merges]
start = 200
min = 0
max = 1000
"#;

fn resolve(text: &str, settings: &[&str]) -> Result<Campaign, String> {
    let settings: Vec<String> = settings.iter().map(|one| (*one).to_owned()).collect();
    let source = Source::new("start.toml", text).with_settings(&settings);
    let resolved = source.and_then(|source| Campaign::resolve(&source, Path::new("")));
    resolved.map_err(|error| error.to_string())
}

fn starts(campaign: &Campaign) -> Vec<f64> {
    campaign.values_of(&campaign.start)
}

fn tune(folder: &Path, name: &str, text: &str) -> RunDirectory {
    let config = campaign_file(folder, text);
    let root = folder.join(name);
    let out = root.to_str().unwrap();
    stdout(&["tune", config.to_str().unwrap(), "--out", out, "--quiet"]);
    stdout(&["verify", out]);
    RunDirectory::open(&root).unwrap()
}

fn events(directory: &RunDirectory) -> String {
    std::fs::read_to_string(directory.path("events.jsonl")).unwrap()
}

#[test]
fn a_value_of_the_table_start_replaces_that_of_a_parameter_and_the_command_line_both() {
    let campaign = resolve(CAMPAIGN, &[]).unwrap();
    assert_eq!(starts(&campaign), [300.0, 200.0]);
    let said = notices(&campaign);
    let said: Vec<&String> = said
        .iter()
        .filter(|line| line.contains("[start]"))
        .collect();
    assert_eq!(
        said,
        [
            "`empty` starts at 300, as [start] says; its own start = 100 in [parameters] is not used."
        ]
    );
    for (setting, expected) in [
        ("parameters.empty.start=7", 7.0),
        ("start.values.empty=8", 8.0),
        ("parameters.empty={start=9,min=1,max=1000}", 9.0),
    ] {
        let campaign = resolve(CAMPAIGN, &[setting]).unwrap();
        assert_eq!(starts(&campaign)[0], expected, "{setting}");
        let resolved = toml::to_string(&campaign.config).unwrap();
        let again = resolve(&resolved, &[]).unwrap();
        assert_eq!(again.config, campaign.config);
        assert_eq!(again.replaced, []);
    }
    let all = CAMPAIGN.replace("[parameters.empty]", "[parameters.\"e*y\"]");
    let campaign = resolve(&all, &["parameters.e*y.start=7"]).unwrap();
    assert_eq!(starts(&campaign)[0], 7.0);
}

#[test]
fn a_start_out_of_bounds_leads_to_the_key_that_counts() {
    let below = ["parameters.empty.max=200"];
    let error = resolve(CAMPAIGN, &below).err().unwrap();
    assert!(error.contains("which is not at most 200"), "{error}");
    assert!(
        error.contains("`values = { empty = .. }` in [start]"),
        "{error}"
    );
    assert!(!error.contains("give `start`"), "{error}");
    for setting in ["start.values.empty=150", "parameters.empty.start=150"] {
        let campaign = resolve(CAMPAIGN, &[below[0], setting]).unwrap();
        assert_eq!(starts(&campaign)[0], 150.0, "{setting}");
    }
    // Without [start] the value is the published one.
    let text = CAMPAIGN.replace("[start.values]\nempty = 300", "");
    let text = text.replace("start = 100\n", "");
    let error = resolve(&text, &["parameters.empty.max=2"]).err().unwrap();
    assert!(error.contains(": give `start`"), "{error}");
}

#[test]
fn a_weight_that_is_replaced_need_not_be_whole() {
    let folder = tempfile::tempdir().unwrap();
    let declared = "command = ['./no-such-program']\n\
                    [parameters.n]\ndefault = 1\nmin = 0\nmax = 9\ninteger = true\n";
    std::fs::write(folder.path().join("program.toml"), declared).unwrap();
    let weights = "game = 'external'\nplayer = 'program'\nheuristic = 'program.toml'\n\
                   [weights]\nn = 2.5\n";
    std::fs::write(folder.path().join("weights.toml"), weights).unwrap();
    let text = r#"
why = "whole"
name = "whole"
seed = 1
player = { name = "program", game = "external" }
heuristic = "program.toml"
budget = { generations = 2 }
[start]
weights = "weights.toml"
[parameters.n]
"#;
    let resolve = |setting: &str| {
        let source = Source::new("start.toml", text).with_settings(&[setting.to_owned()]);
        let resolved = source.and_then(|source| Campaign::resolve(&source, folder.path()));
        resolved.map_err(|error| error.to_string())
    };
    assert_eq!(starts(&resolve("start.values.n=4").unwrap()), [4.0]);
    let error = resolve("seed=2").err().unwrap();
    assert!(error.contains("2.5 is not a whole number"), "{error}");
}

#[test]
fn an_earlier_result_is_the_start_of_every_parameter_that_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let earlier = tune(folder.path(), "earlier", CAMPAIGN);
    let tuned = Campaign::values_of(
        &plan_of::<Campaign>(&earlier).unwrap(),
        &plan_of::<Campaign>(&earlier).unwrap().start,
    );
    assert_eq!(tuned, [300.0, 200.0]);
    let text = CAMPAIGN.replace(
        "[start.values]\nempty = 300",
        "[start]\nweights = \"earlier\"",
    );
    let again = tune(folder.path(), "again", &text);
    let again = plan_of::<Campaign>(&again).unwrap();
    let best = std::fs::read_to_string(earlier.path("best.toml")).unwrap();
    let best: toml::Table = toml::from_str(&best).unwrap();
    for (name, start) in again.space.names().iter().zip(starts(&again)) {
        assert_eq!(best["weights"][name].as_float(), Some(start), "{name}");
    }
}

#[test]
fn the_first_generation_plays_the_start_points_and_the_best_is_the_centre() {
    let folder = tempfile::tempdir().unwrap();
    let _earlier = tune(folder.path(), "earlier", CAMPAIGN);
    // The second point does not look at merges at all, and values many empty cells least.
    let points = "[start]\npoints = [{ empty = 1, merges = 0 }, { merges = 900 }, \"earlier\", {}]\n[start.values]";
    for optimizer in ["mirrored-cma-es", "cma-es", "random"] {
        let name = format!("name = \"{optimizer}\"");
        let text = CAMPAIGN
            .replace("[start.values]", points)
            .replace("name = \"cma-es\"", &name);
        let directory = tune(folder.path(), optimizer, &text);
        let campaign = plan_of::<Campaign>(&directory).unwrap();
        let names = campaign.space.names();
        let first = directory.generation_part(&tables::CANDIDATES, 0);
        let rows = tables::read_candidates(&first, &names).unwrap();
        for (row, point) in rows
            .iter()
            .zip([[300.0, 200.0], [1.0, 0.0], [300.0, 900.0]])
        {
            let space = &campaign.space;
            assert_eq!(row.values, space.decode(&space.encode(&point)));
        }
        assert_eq!(rows.len(), 4, "the point without values is the start");
        let mut best = 0;
        for (number, row) in rows.iter().enumerate() {
            if row.fitness > rows[best].fitness {
                best = number;
            }
        }
        let chosen = format!("\"event\":\"start-chosen\",\"point\":{best},\"points\":4");
        assert!(
            events(&directory).contains(&chosen),
            "{}",
            events(&directory)
        );
        // 6 candidates and 4 points: as many games each as an ordinary generation has.
        assert_eq!(directory.read_generation(0, &names).unwrap().games, 4);
        let generation = directory.read_generation(0, &names).unwrap();
        if optimizer == "cma-es" {
            let space = &campaign.space;
            let center = space.unit(&generation.center);
            let expected = space.unit(&rows[best].values);
            let mut both = center.iter().zip(expected);
            assert!(both.all(|(one, other)| (one - other).abs() < 1e-9));
        }
        // The hold-out games are those of the point that was chosen.
        let text = std::fs::read_to_string(directory.path("report.html")).unwrap();
        assert!(text.contains("start point"), "{optimizer}");
        let resumed = stdout(&["resume", directory.root().to_str().unwrap()]);
        assert!(!resumed.is_empty());
        stdout(&["replay", directory.root().to_str().unwrap()]);
    }
}

#[test]
fn start_points_that_cannot_be_used_are_refused_at_their_place() {
    for (points, part) in [
        ("[{ emty = 3 }]", "did you mean `empty`"),
        ("[{ empty = 3000 }]", "`empty` is 3000: from 1 to 1000"),
        ("[\"nowhere.toml\"]", "nowhere.toml"),
        ("[7]", "a table of values, or the path"),
        ("7", "invalid type"),
    ] {
        let points = format!("[start]\npoints = {points}\n[start.values]");
        let error = resolve(&CAMPAIGN.replace("[start.values]", &points), &[])
            .err()
            .unwrap();
        assert!(error.contains(part), "{points}: {error}");
    }
}

#[test]
fn a_search_goes_on_with_the_distribution_of_an_earlier_one() {
    let folder = tempfile::tempdir().unwrap();
    let longer = CAMPAIGN.replace("generations = 3", "generations = 12");
    let earlier = tune(folder.path(), "earlier", &longer);
    // Twice as wide: the spread is half as many widths.
    let text = CAMPAIGN
        .replace(
            "[start.values]\nempty = 300",
            "[start]\ndistribution = \"earlier\"",
        )
        .replace("max = 1000\n", "max = 2000\n")
        + "[parameters.monotonicity]\n";
    let text = text.replace("max = 2000\nscale", "max = 1000\nscale");
    let directory = tune(folder.path(), "later", &text);
    let campaign = plan_of::<Campaign>(&directory).unwrap();
    let end: serde_json::Value =
        serde_json::from_slice(&std::fs::read(earlier.path("distribution.json")).unwrap()).unwrap();
    let start = starts(&campaign);
    let distribution = campaign.new_optimizer(1).unwrap().distribution();
    for (name, factor) in [("empty", 1.0), ("merges", 0.5)] {
        let names = campaign.space.names();
        let index = names.iter().position(|one| *one == name).unwrap();
        assert_eq!(
            start[index],
            end["center"][name].as_f64().unwrap(),
            "{name}"
        );
        let spread = factor * end["spread"][name].as_f64().unwrap();
        let found = distribution.spread[index];
        assert!(
            (found / spread - 1.0).abs() < 1e-9,
            "{name}: {found}, {spread}"
        );
    }
    let index = campaign
        .space
        .names()
        .iter()
        .position(|one| *one == "monotonicity");
    assert!((distribution.spread[index.unwrap()] - 0.2).abs() < 1e-9);
    let correlation = distribution.correlation.unwrap();
    let [one, other] = ["empty", "merges"].map(|name| {
        campaign
            .space
            .names()
            .iter()
            .position(|one| *one == name)
            .unwrap()
    });
    let learned = end["matrix"][0][1].as_f64().unwrap();
    assert!((correlation[one][other] - learned).abs() < 1e-9);

    // A campaign file that is named by a relative path.
    let depth = std::env::current_dir().unwrap().components().count() - 1;
    let up: String = std::iter::repeat_n("../", depth).collect();
    let relative = up + folder.path().to_str().unwrap().trim_start_matches('/');
    let source = Source::new("later.toml", &*text);
    let same = Campaign::resolve(&source, Path::new(&relative)).unwrap();
    assert_eq!(starts(&same), start);

    let out = folder.path().join("refused");
    let refused = |text: &str, part: &str| {
        let config = campaign_file(folder.path(), text);
        let output = run(&[
            "tune",
            config.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
        ]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.code() == Some(2) && error.contains(part),
            "{error}"
        );
    };
    refused(&text.replace("scale = \"log\"", ""), "on a log scale");
    refused(
        &text.replace("name = \"cma-es\"", "name = \"random\""),
        "random cannot begin with the distribution",
    );
    refused(
        &text.replace("\"earlier\"", "\"earlier\"\nweights = \"earlier\""),
        "leave out start.weights",
    );
    refused(
        &text.replace("\"earlier\"", "\"nowhere\""),
        "no final distribution",
    );
    // A series has a search in each of its runs.
    std::fs::create_dir_all(folder.path().join("series/runs/1")).unwrap();
    refused(&text.replace("\"earlier\"", "\"series\""), "it is a series");
}

#[test]
fn a_search_ends_at_its_target() {
    let folder = tempfile::tempdir().unwrap();
    let text = CAMPAIGN.replace("generations = 3", "generations = 30, target = 10");
    let directory = tune(folder.path(), "easy", &text);
    assert_eq!(directory.complete_generations().unwrap(), 1);
    assert!(events(&directory).contains("\"reason\":\"target\""));
    let error = resolve(&CAMPAIGN.replace("generations = 3", "target = 10"), &[]);
    assert!(error.err().unwrap().contains("never be reached"));
}

#[test]
fn whole_numbers_that_stay_and_restarts_that_do_not_come_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let text = CAMPAIGN
        .replace("generations = 3", "generations = 34")
        .replace("games = 4", "games = 2")
        .replace("population = 6", "population = 6, restarts = \"ipop\"")
        + "integer = true\nstep = 0.001\n";
    let directory = tune(folder.path(), "run", &text);
    let events = events(&directory);
    assert!(events.contains("\"event\":\"no-restart\""), "{events}");
    let report = std::fs::read_to_string(directory.path("report.html")).unwrap();
    assert!(report.contains("No restart took place"));
    let kept =
        "\"event\":\"integer-kept\",\"parameter\":\"merges\",\"value\":200.0,\"generations\":3";
    assert!(events.contains(kept), "{events}");
}
