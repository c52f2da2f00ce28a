use super::example;
use crate::chart::{SERIES_CHARTS, render};

#[test]
fn a_complete_series_has_every_chart() {
    for runs in [2, 5, 100] {
        let (results, _) = example::series(runs);
        let charts = render(SERIES_CHARTS, &results).unwrap();
        assert_eq!(charts.len(), SERIES_CHARTS.len());
        for chart in &charts {
            assert!(chart.svg.contains("run 2, recommended"));
            assert!(chart.svg.contains("1234567"), "{}: no seed", chart.name);
            assert!(!chart.csv.contains("NaN"), "{}", chart.csv);
        }
        let rows = |name: &str| {
            let chart = charts.iter().find(|chart| chart.name == name).unwrap();
            chart.csv.lines().count() - 1
        };
        let runs = runs as usize;
        assert_eq!(rows("runs-hold-out"), runs + 1);
        assert_eq!(rows("runs-fitness"), 30 * runs);
        assert_eq!(
            rows("runs-parameters"),
            results.parameters.len() * (runs + 1)
        );
    }
}

#[test]
fn a_series_shows_what_it_has() {
    let names = |(results, _): (_, _)| {
        let charts = render(SERIES_CHARTS, &results).unwrap();
        charts.iter().map(|chart| chart.name).collect::<Vec<_>>()
    };
    assert_eq!(names(example::unfinished()), ["runs-fitness"]);
    assert!(names(example::nothing()).is_empty());
}

#[test]
fn training_games_are_summed() {
    let (results, _) = example::series(2);
    let charts = render(SERIES_CHARTS, &results).unwrap();
    let fitness = charts.iter().find(|chart| chart.name == "runs-fitness");
    let csv = &fitness.unwrap().csv;
    let search = &results.runs[0].search;
    let games = |rows: usize| -> u32 {
        let rows = search[..rows].iter();
        rows.map(|row| row.population * row.games).sum()
    };
    for (line, generation) in [(1, 0), (30, 29)] {
        let line = csv.lines().nth(line).unwrap();
        let expected = format!("1,{generation},{},", games(generation + 1));
        assert!(line.starts_with(&expected), "{line}: {expected}");
    }
}

#[test]
fn a_start_far_from_the_runs_is_not_drawn() {
    let (mut results, _) = example::series(3);
    let svg = |results: &_| {
        let charts = render(SERIES_CHARTS, results).unwrap();
        charts[0].svg.clone()
    };
    assert!(svg(&results).contains("start, beyond the axis"));
    assert!(!svg(&results).contains("start weights"));
    // The intervals of the runs extend from 12,460 to 13,860.
    if let Some(start) = &mut results.start {
        start.value = 11_500.0;
    }
    assert!(!svg(&results).contains("beyond the axis"));
    assert!(svg(&results).contains("start weights"));
}
