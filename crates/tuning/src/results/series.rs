//! The results of a series: the same campaign, repeated with different seeds.

use schemars::JsonSchema;
use serde::Serialize;

use super::GenerationRow;
use tiletune_engine::record::as_text;

/// What charts, report and `series.json` hold of a series, complete or not.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SeriesResults {
    /// Name of the campaign that is repeated.
    pub name: String,
    /// Game, e.g. `2048`.
    pub game: String,
    /// Player and its options in words.
    pub player: String,
    /// The objective in words with its unit.
    pub objective: String,
    /// Seed of the series, from which the seeds of its runs are derived.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub seed: u64,
    /// Seed of the hold-out games.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub hold_out_seed: u64,
    /// Number of runs.
    pub repeat: u32,
    /// Number of the run that won the race between the runs, from 1; present after the race.
    pub winner: Option<u32>,
    /// Hold-out games of the start weights.
    pub start: Option<Measurement>,
    /// The runs that have begun, in order.
    pub runs: Vec<SeriesRun>,
    /// Spread of the hold-out results between the runs; present once all are played.
    pub spread: Option<Spread>,
    /// Initial step size of the search in unit coordinates.
    pub initial_step: f64,
    /// The free parameters; present once all searches have ended.
    pub parameters: Vec<ParameterSpread>,
}

impl SeriesResults {
    /// The run that won the race; `None` before the end of the race.
    pub fn winner(&self) -> Option<&SeriesRun> {
        let run = self.winner?;
        self.runs.iter().find(|one| one.run == run)
    }

    /// Number of runs that the race has not eliminated; 1 means that it is decided.
    pub fn survivors(&self) -> usize {
        self.runs.iter().filter(|run| !run.is_eliminated).count()
    }
}

/// A run of a series.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SeriesRun {
    /// Its number, from 1.
    pub run: u32,
    /// Its seed.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub seed: u64,
    /// Number of complete generations.
    pub generations: u32,
    /// Number of training games in them.
    pub training_games: u64,
    /// Its generations.
    #[serde(skip)]
    pub search: Vec<GenerationRow>,
    /// Its final mean in the race. An eliminated one has played fewer games than the others.
    pub race: Option<Measurement>,
    /// Whether the race has eliminated it.
    pub is_eliminated: bool,
    /// Its final mean on the hold-out seeds.
    pub hold_out: Option<Measurement>,
}

/// The objective over some games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Measurement {
    /// Number of games.
    pub games: u32,
    /// Value of the objective.
    pub value: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Its 95 % interval, the lower end first, if one was computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

/// The spread of results between runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Spread {
    /// Mean of the runs' hold-out values.
    pub mean: f64,
    /// Their standard deviation (divisor: runs - 1).
    pub between_runs_sd: f64,
    /// The standard deviation that the noise of the hold-out games alone would give on average (root mean
    /// square).
    pub noise_sd: f64,
    /// The standard deviation of the runs' true values: the square root of the difference of the squares of
    /// the two above, 0 if that is negative.
    pub beyond_noise_sd: f64,
}

/// The tuned values of a free parameter.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ParameterSpread {
    /// Key.
    pub name: String,
    /// The choices of a category, whose values are their numbers from 0; empty for a number.
    pub choices: Vec<String>,
    /// Start value.
    pub start: f64,
    /// Tuned value of each run.
    pub values: Vec<f64>,
    /// Start value in unit coordinates: 0 at the lower bound, 1 at the upper, on the parameter's scale.
    pub unit_start: f64,
    /// Tuned values in unit coordinates.
    pub unit_values: Vec<f64>,
    /// Their mean.
    pub unit_mean: f64,
    /// Their standard deviation (divisor: runs - 1).
    pub unit_sd: f64,
    /// What that says, if it says something. Runs with the same choice agree, others differ. Nothing if the parameter is not
    /// active in one of them.
    pub agreement: Option<Agreement>,
}

/// Whether the runs of a series found the same value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// The standard deviation is below 5 % of the range between the bounds.
    Agree,
    /// It is above 20 %. Values spread evenly over the range have 29 %.
    Differ,
}

impl Agreement {
    /// The runs agree if the standard deviation is below this share of the range.
    pub const AGREE_BELOW: f64 = 0.05;
    /// The runs differ if the standard deviation is above this share of the range.
    pub const DIFFER_ABOVE: f64 = 0.20;
    /// The smallest number of runs for a conclusion.
    pub const FEWEST_RUNS: usize = 3;

    /// The conclusion from a standard deviation in unit coordinates over a number of runs; `None` if there is
    /// none.
    pub fn of(unit_sd: f64, runs: usize) -> Option<Self> {
        match unit_sd {
            _ if runs < Self::FEWEST_RUNS => None,
            ..Self::AGREE_BELOW => Some(Agreement::Agree),
            sd if sd > Self::DIFFER_ABOVE => Some(Agreement::Differ),
            _ => None,
        }
    }

    /// The conclusion from the choices of a number of runs; `None` if there is none.
    pub fn of_choices(values: &[f64]) -> Option<Self> {
        let is_enough = values.len() >= Self::FEWEST_RUNS;
        is_enough.then(|| {
            if values.iter().all(|value| *value == values[0]) {
                Agreement::Agree
            } else {
                Agreement::Differ
            }
        })
    }

    /// Name of the conclusion.
    pub fn name(self) -> &'static str {
        match self {
            Agreement::Agree => "agree",
            Agreement::Differ => "differ",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_clear_spreads_of_enough_runs_have_a_word() {
        assert_eq!(Agreement::of(0.049, 3), Some(Agreement::Agree));
        assert_eq!(Agreement::of(0.0, 2), None);
        assert_eq!(Agreement::of(0.05, 5), None);
        assert_eq!(Agreement::of(0.20, 5), None);
        assert_eq!(Agreement::of(0.21, 5), Some(Agreement::Differ));
    }
}
