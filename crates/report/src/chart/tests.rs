use tiletune_tuning::results::example;

use std::collections::BTreeSet;

use resvg::{tiny_skia::Pixmap, usvg};

use super::*;
use tiletune_tuning::results::compare::{ComparisonResults, Measure};
use tiletune_tuning::results::{Endings, Outcomes, RunData, experiment::ExperimentResults};

fn rendered(data: &RunData) -> Vec<Rendered> {
    render(CHARTS, data).expect("every run can be drawn")
}

fn chart<'a>(charts: &'a [Rendered], name: &str) -> &'a Rendered {
    charts
        .iter()
        .find(|chart| chart.name == name)
        .expect("the chart is drawn")
}

#[test]
fn names_are_unique_and_kebab_case() {
    let of_campaigns = CHARTS.iter().map(|chart| chart.name);
    let of_experiments = EXPERIMENT_CHARTS.iter().map(|chart| chart.name);
    let of_series = SERIES_CHARTS.iter().map(|chart| chart.name);
    let names: Vec<&str> = of_campaigns
        .chain(of_experiments)
        .chain(of_series)
        .collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    assert!(names.iter().all(|name| {
        name.bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    }));
}

#[test]
fn a_finished_run_has_every_chart() {
    let charts = rendered(&example::run(6, 40, 300));
    let drawn = |charts: &[Rendered], name| charts.iter().any(|chart| chart.name == name);
    let between_two = rendered(&example::between_two(6, 40, 300));
    for Chart { name, .. } in CHARTS {
        let of_two = ["outcomes"].contains(name);
        let of_one = ["max-tile", "score-distribution"].contains(name);
        assert_eq!(drawn(&charts, *name), !of_two, "{name}");
        assert_eq!(drawn(&between_two, *name), !of_one, "{name}");
    }
    assert!(
        chart(&between_two, "outcomes")
            .csv
            .contains("tuned,win,150,0.5,")
    );
    for chart in &charts {
        usvg::Tree::from_str(&chart.svg, &usvg::Options::default()).expect("valid SVG");
        assert!(chart.svg.contains(chart.title), "{}: no title", chart.name);
        assert!(chart.svg.contains("1234567"), "{}: no seed", chart.name);
        // Identifiers would clash, because the report contains several drawings.
        assert!(!chart.svg.contains(" id="));
    }
    assert!(chart(&charts, "parameters").svg.contains("monotonicity"));
    assert!(chart(&charts, "max-tile").svg.contains("\n1024\n"));
}

#[test]
fn images_have_twice_the_size_and_are_not_blank() {
    for chart in rendered(&example::run(6, 40, 300)) {
        let tree = usvg::Tree::from_str(&chart.svg, &usvg::Options::default()).expect("valid SVG");
        let image = Pixmap::decode_png(&chart.png).expect("valid PNG");
        assert_eq!(image.width() as f32, tree.size().width() * 2.0);
        assert_eq!(image.height() as f32, tree.size().height() * 2.0);
        let dark = image
            .pixels()
            .iter()
            .filter(|pixel| pixel.red() < 100)
            .count();
        assert!(dark > 2_000, "{}: {dark} dark pixels", chart.name);
    }
}

/// FNV-1a: a short hash that is the same in every version of the compiler.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A change of looks or data must change this snapshot. Look at the charts, then accept it with `INSTA_UPDATE=always
/// cargo test --release -p tiletune-report chart::`.
#[test]
fn drawings_and_tables_are_the_recorded_ones() {
    let campaigns = [example::run(3, 20, 100), example::between_two(2, 5, 20)];
    let experiments = [example::experiment(), experiment_between_two()];
    let charts = campaigns.iter().flat_map(rendered);
    let charts = charts.chain(experiments.iter().flat_map(of_experiment));
    let charts = charts.chain(of_comparison(&example::comparison(Measure::Score)));
    let series = render(SERIES_CHARTS, &series_example::series(5).0);
    let charts = charts.chain(series.expect("every series can be drawn"));
    let lines = charts.map(|Rendered { name, svg, csv, .. }| {
        format!("{name}: svg {:016x}, csv {:016x}\n", hash(&svg), hash(&csv))
    });
    insta::assert_snapshot!(lines.collect::<String>());
}

#[test]
fn odd_runs_are_drawn() {
    let names = |charts: &[Rendered]| charts.iter().map(|chart| chart.name).collect::<Vec<_>>();
    let all = names(&rendered(&example::run(2, 30, 40)));
    for (name, data) in example::odd_runs() {
        let charts = rendered(&data);
        match name {
            "bare" => assert!(charts.is_empty()),
            // The end of the search is unknown, and a single parameter has no correlations.
            "running" | "zeros" => assert!((1..all.len()).contains(&charts.len()), "{name}"),
            _ => assert_eq!(names(&charts), all, "{name}"),
        }
        for chart in charts {
            assert!(!chart.svg.contains("NaN"), "{name}: {}", chart.name);
        }
    }
}

#[test]
fn tables_hold_the_data_drawn() {
    let data = example::run(6, 40, 300);
    let charts = rendered(&data);
    let rows = |name: &str| {
        chart(&charts, name)
            .csv
            .lines()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };

    let fitness = rows("fitness");
    assert_eq!(fitness.len(), 41);
    let row = &data.generations[7];
    let expected = format!("7,0,{},{},{},{},", row.best, row.mean, row.worst, row.noise);
    assert!(fitness[8].starts_with(&expected));

    let row = &data.generations[39];
    let values: Vec<String> = row
        .diagnostics
        .iter()
        .map(|(_, value)| value.to_string())
        .collect();
    assert_eq!(
        rows("diagnostics")[40],
        format!("39,0,{}", values.join(","))
    );

    // Five of the six parameters are free.
    let parameters = rows("parameters");
    assert_eq!(parameters.len(), 1 + 5 * 40);
    let center = data.generations[0].center[0];
    assert!(parameters[1].starts_with(&format!("0,0,empty_cells,{center},")));

    assert_eq!(rows("correlation").len(), 1 + 5 * 5);

    let games: u32 = rows("max-tile")[1..]
        .iter()
        .filter_map(|row| row.split(',').nth(2)?.parse::<u32>().ok())
        .sum();
    assert_eq!(games, 600);

    let scores = rows("score-distribution");
    assert!(scores[1].starts_with("start,") && scores[1].contains(",1,"));
}

/// The example experiment with points instead of scores.
fn experiment_between_two() -> ExperimentResults {
    let mut between_two = example::experiment();
    for row in &mut between_two.rows {
        (row.published, row.reference) = (None, None);
        row.summary.mean = 0.5;
        let outcomes = Outcomes {
            wins: 40,
            draws: 20,
            losses: 40,
        };
        row.summary.endings = Endings::Outcomes { outcomes };
    }
    between_two
}

fn of_experiment(results: &ExperimentResults) -> Vec<Rendered> {
    let charts = render(EXPERIMENT_CHARTS, results).expect("every experiment can be drawn");
    for chart in &charts {
        usvg::Tree::from_str(&chart.svg, &usvg::Options::default()).expect("valid SVG");
        assert!(!chart.svg.contains("NaN"), "{}", chart.name);
    }
    charts
}

#[test]
fn an_experiment_has_every_chart_that_it_has_data_for() {
    let whole = example::experiment();
    let charts = of_experiment(&whole);
    let names = EXPERIMENT_CHARTS.iter().map(|chart| chart.name);
    let of_one = names.filter(|name| *name != "results");
    assert!(of_one.eq(charts.iter().map(|chart| chart.name)));
    let difference = chart(&charts, "difference");
    assert!(difference.svg.contains("each term alone, against none"));
    assert!(
        difference
            .svg
            .contains("step by step, each against the one before")
    );
    let rows: Vec<&str> = difference.csv.lines().collect();
    assert_eq!(rows[1], "a,none,5,-1,11,4,undecided");
    assert_eq!(rows[4], "d,c,0.018,,,4,better");
    assert_eq!(
        chart(&charts, "scores").csv.lines().count(),
        1 + whole.rows.len()
    );
    assert!(chart(&charts, "rows").csv.contains("\nnone,8,40,0.4,"));
    let retuned: Vec<&str> = chart(&charts, "retuned").csv.lines().collect();
    assert_eq!(retuned[1], "\"none (retuned, seed 1)\",none,30,5,55,better");
    assert_eq!(retuned[3], "a,none,-200,-225,-175,worse");
    let of_seed_2 = "\"a (retuned, seed 2)\",\"none (retuned, seed 2)\",-10,-35,15,undecided";
    assert_eq!(retuned[5], of_seed_2);
    let importance: Vec<&str> = chart(&charts, "importance").csv.lines().collect();
    assert_eq!(importance[1], "important,none,2,1,0.5,-250,-275,-225,worse");
    assert_eq!(importance[4], "off,none,0,-5,,-1,-26,24,undecided");

    let names = |results: &ExperimentResults| {
        let charts = of_experiment(results);
        charts.iter().map(|chart| chart.name).collect::<Vec<_>>()
    };
    let mut results = whole;
    results.tile = None;
    results.sensitivity.clear();
    results.retuned.clear();
    results.rows.truncate(1);
    assert_eq!(names(&results), ["mistakes", "rows"]);
    results.rows[0].kept = None;
    assert_eq!(names(&results), ["rows"]);
    results.rows.clear();
    assert!(names(&results).is_empty());

    let between_two = experiment_between_two();
    assert_eq!(
        names(&between_two),
        [
            "scores",
            "results",
            "difference",
            "retuned",
            "importance",
            "mistakes"
        ]
    );
    let charts = of_experiment(&between_two);
    assert!(chart(&charts, "scores").svg.contains("points a game"));
    assert!(chart(&charts, "results").csv.contains("\nnone,40,20,40\n"));
}

fn of_comparison(results: &ComparisonResults) -> Vec<Rendered> {
    let charts = render(COMPARISON_CHARTS, results).expect("every comparison can be drawn");
    for chart in &charts {
        usvg::Tree::from_str(&chart.svg, &usvg::Options::default()).expect("valid SVG");
        assert!(!chart.svg.contains("NaN"), "{}", chart.name);
    }
    charts
}

#[test]
fn a_comparison_has_its_path_and_with_more_than_two_players_their_differences() {
    let names = |results: &ComparisonResults| {
        let charts = of_comparison(results);
        charts.iter().map(|chart| chart.name).collect::<Vec<_>>()
    };
    for measure in [Measure::Score, Measure::Points, Measure::Match] {
        let mut results = example::comparison(measure);
        let charts = of_comparison(&results);
        let looks = results.challengers.iter().map(|one| one.path.len());
        let path = &chart(&charts, "path").csv;
        assert_eq!(path.lines().count(), 1 + looks.sum::<usize>());
        let last = results.challengers[0].last().unwrap();
        let row = format!(
            "\ntuned,{},{},{},{},",
            last.pairs, last.different, last.first, last.difference
        );
        assert!(path.contains(&row), "{row}");
        assert_eq!(chart(&charts, "difference").csv.lines().count(), 3);
        results.challengers.truncate(1);
        assert_eq!(names(&results), ["path"]);
        results.challengers[0].path.clear();
        assert!(names(&results).is_empty());
    }
}
