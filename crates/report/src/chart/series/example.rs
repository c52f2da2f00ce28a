//! Artificial series for tests.

use tiletune_tuning::results::example;
use tiletune_tuning::results::series::{
    Agreement, Measurement, ParameterSpread, SeriesResults, SeriesRun, Spread,
};
use tiletune_tuning::results::{Parameter, RunData};

/// A complete series, and its recommendation in the form of a campaign.
pub(crate) fn series(runs: u32) -> (SeriesResults, RunData) {
    let mut data = example::run(4, 30, 300);
    let generations = std::mem::take(&mut data.generations);
    data.correlation = None;
    let run = |run: u32| {
        let mut search = generations.clone();
        let factor = 1.0 - 0.03 * f64::from(run % 4);
        search.iter_mut().for_each(|row| row.mean *= factor);
        SeriesRun {
            run,
            seed: 1000 + u64::from(run),
            generations: 30,
            training_games: 30 * 20 * 100,
            search,
            race: Some(measured(13_900.0 * factor, None)),
            is_eliminated: run == 3,
            hold_out: Some(measured(14_000.0 * factor, Some(280.0))),
        }
    };
    let parameters = data.parameters.iter().enumerate();
    let parameters = parameters.map(|(index, parameter)| spread_of(parameter, index, runs));
    let results = SeriesResults {
        name: data.name.clone(),
        game: data.game.clone(),
        player: data.player.clone(),
        objective: data.objective.clone(),
        seed: data.seed,
        hold_out_seed: data.hold_out_seed,
        repeat: runs,
        winner: Some(2),
        start: Some(measured(9_400.0, Some(250.0))),
        runs: (1..=runs).map(run).collect(),
        spread: Some(Spread {
            mean: 13_500.0,
            between_runs_sd: 500.0,
            noise_sd: 300.0,
            beyond_noise_sd: 400.0,
        }),
        initial_step: 0.2,
        parameters: parameters.collect(),
    };
    (results, data)
}

/// A series in its second run.
pub(crate) fn unfinished() -> (SeriesResults, RunData) {
    let (mut results, mut data) = series(3);
    results.winner = None;
    (results.start, results.spread) = (None, None);
    results.parameters.clear();
    results.runs.truncate(2);
    results.runs[1].search.truncate(5);
    for run in &mut results.runs {
        (run.race, run.is_eliminated, run.hold_out) = (None, false, None);
    }
    (data.validation, data.tuned) = (None, None);
    data.hold_out_start.clear();
    data.hold_out_tuned.clear();
    (results, data)
}

/// A series that has not begun.
pub(crate) fn nothing() -> (SeriesResults, RunData) {
    let (mut results, data) = unfinished();
    results.runs.clear();
    (results, data)
}

fn measured(value: f64, half: Option<f64>) -> Measurement {
    Measurement {
        games: 300,
        value,
        standard_error: 140.0,
        interval: half.map(|half| [value - half, value + half]),
    }
}

/// The first parameter agrees between runs; the last ones differ.
fn spread_of(parameter: &Parameter, index: usize, runs: u32) -> ParameterSpread {
    let unit_sd = [0.02, 0.1, 0.25, 0.3][index % 4];
    let unit = |run: u32| 0.5 + unit_sd * f64::from(run % 3) - unit_sd;
    ParameterSpread {
        name: parameter.name.clone(),
        choices: parameter.choices.clone(),
        start: parameter.start,
        values: (1..=runs).map(f64::from).collect(),
        unit_start: 0.4,
        unit_values: (1..=runs).map(unit).collect(),
        unit_mean: 0.5,
        unit_sd,
        agreement: Agreement::of(unit_sd, runs as usize),
    }
}
