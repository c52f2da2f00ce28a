//! The rows of a search (candidates, generations, finalists), and the parameters that it tunes.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiletune_engine::heuristic::Scale;

crate::row! {
    /// One candidate of one generation.
    #[derive(Clone, Debug, PartialEq)]
    pub struct CandidateRow {
        /// Number of the generation, from 0 over all restarts.
        generation: u32,
        /// Number of the restart that the generation belongs to; 0 is the first search.
        restart: u32,
        /// Number of the candidate within its generation, from 0.
        candidate: u32,
        /// Value of the objective over the candidate's games, larger is better; minus infinity, and no games, if
        /// the candidate was refused: the player cannot use the weights.
        fitness: f64 => "of the objective",
        /// Standard error of the fitness; in games for two players over openings.
        standard_error: f64 => "of the objective",
        /// What the candidates are ranked by: the fitness; of a share of games that reach a tile, the share with those
        /// of the lower tiles behind it (see campaigns.md).
        rank_value: f64,
        /// Number of its games in which a program failed; they count as the worst of the generation.
        failed_games: u32 => "games",
        /// Value of the parameter.
        values ("<parameter>"): Vec<f64> => "of the parameter",
    }
    also {
        /// The same value as the bits of its 64-bit floating-point number.
        "<parameter>_bits": Vec<u64> = |row| bits(&row.values),
    }
}

crate::row! {
    /// One generation: the fitness of its candidates and the search distribution *after* its update.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
    pub struct GenerationRow {
        /// Number of the generation, from 0 over all restarts.
        generation: u32,
        /// Number of the restart that the generation belongs to; 0 is the first search.
        restart: u32,
        /// Number of candidates, with those that were refused; the other columns leave these out.
        population: u32 => "candidates",
        /// Number of candidates that were refused: the player cannot use their weights.
        refused: u32 => "candidates",
        /// Number of games in which a program failed; they count as the worst of the generation.
        failed_games: u32 => "games",
        /// Games of each candidate.
        games: u32 => "games",
        /// Largest fitness of the generation.
        best: f64 => "of the objective",
        /// Mean fitness of the generation.
        mean: f64 => "of the objective",
        /// Median fitness of the generation.
        median: f64 => "of the objective",
        /// Smallest fitness of the generation.
        worst: f64 => "of the objective",
        /// Root mean square of the candidates' standard errors.
        noise: f64 => "of the objective",
        /// Like noise, but without what the candidates share because they play the same seeds, and of what they are
        /// ranked by; 0 = none, or unknown. One game shows none: with games = "auto" it is that of earlier
        /// generations then, relative to the mean.
        residual: f64 => "of the objective",
        /// Share of the variance of the fitness values that is due to the candidates and not to luck: 1 -
        /// residual^2 / variance, at least 0; 0 if the noise is unknown, 1 if there is none.
        signal: f64 => "0 to 1",
        /// The share of the signal at which the number of games aims; one half without this column.
        signal_wanted: Option<f64> => "0 to 1",
        /// Games of each candidate at which the share of the signal would be one half, by the signal smoothed over the last
        /// generations; 1e7 = no signal.
        games_needed: f64 => "games",
        /// Expected advantage of the mean of the selected candidates over the mean of all.
        gain: f64 => "of the objective",
        /// Centre of the search distribution after the update. That of the last generation is the tuned weights, unless
        /// another one wins a race, or a new beginning from the mean has not reached the level of the earlier one.
        center ("center_<parameter>"): Vec<f64> => "of the parameter",
        /// Standard deviation of the search distribution after the update; 0 for a fixed parameter.
        spread ("spread_<parameter>"): Vec<f64> => "unit coordinates",
    }
    beside {
        /// What the optimizer says of itself: name and value of each [`Diagnostic`] that it declares.
        diagnostics: Vec<(String, f64)>,
    }
}

crate::row! {
    /// A number that the optimizer says of itself.
    #[derive(Clone, Debug)]
    pub struct DiagnosticRow {
        /// Number of the generation, from 0 over all restarts.
        generation: u32,
        /// Number of the restart that the generation belongs to; 0 is the first search.
        restart: u32,
        /// Its name; `tiletune list optimizers --json` describes it.
        name: Arc<str>,
        /// Its value after the update.
        value: f64,
    }
}

/// The share of the signal in the variance of the fitness at which the number of games aims, if neither the file nor the
/// optimizer gives another one.
pub const WANTED_SIGNAL: f64 = 0.5;

/// Name of the diagnostic of optimizers whose generations are not around what they recommend.
pub const BEST_SO_FAR: &str = "best_so_far";

/// Games of a candidate whose mean shows what a search has reached: all candidates of a generation play the same seeds, and a
/// few seeds can be lucky.
pub const GAMES_OF_LEVEL: u32 = 10;

/// What a search has reached after these generations, without the luck of a single candidate or of a few seeds: the best
/// fitness so far of an optimizer that says it, where it is shrunk by its noise; otherwise the mean of the latest
/// [`GAMES_OF_LEVEL`] games, or of the latest generation where games have no luck. Generations before the search proper, of points
/// or of two starts, have another number of candidates and do not count. `None` if no candidate has played.
pub fn level(generations: &[GenerationRow]) -> Option<f64> {
    let last = generations.last()?;
    if let Some(best) = last.diagnostic(BEST_SO_FAR) {
        return Some(best);
    }
    if last.is_exact() {
        return Some(last.mean);
    }
    // A new beginning has at most twice as many candidates.
    let candidates = last.population.div_ceil(2)..=last.population;
    let latest = generations.iter().rev();
    let latest = latest.take_while(|row| candidates.contains(&row.population));
    let (mut games, mut sum) = (0, 0.0);
    for row in latest.filter(|row| row.refused < row.population) {
        if games == GAMES_OF_LEVEL {
            break;
        }
        let counted = row.games.min(GAMES_OF_LEVEL - games);
        games += counted;
        sum += row.mean * f64::from(counted);
    }
    (games > 0).then(|| sum / f64::from(games))
}

impl GenerationRow {
    /// True if the games have no luck.
    pub fn is_exact(&self) -> bool {
        self.residual == 0.0 && self.signal >= 1.0
    }

    /// The share of the signal; `None` if the noise is unknown, or if all candidates are equal without noise.
    pub fn known_signal(&self) -> Option<f64> {
        (self.residual > 0.0 || self.signal > 0.0).then_some(self.signal)
    }

    /// The noise of one fitness value; of one game that of earlier generations, if it is known.
    pub fn shown_noise(&self) -> f64 {
        if self.noise > 0.0 {
            self.noise
        } else {
            self.residual
        }
    }

    /// The share of the signal at which the number of games aims.
    pub fn wanted_signal(&self) -> f64 {
        self.signal_wanted.unwrap_or(WANTED_SIGNAL)
    }

    /// The value of a diagnostic; `None` if the optimizer does not have it.
    pub fn diagnostic(&self, name: &str) -> Option<f64> {
        let mut all = self.diagnostics.iter();
        all.find(|(known, _)| known == name)
            .map(|(_, value)| *value)
    }
}

/// A number by which an optimizer can be watched, recorded after each generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Diagnostic {
    /// Its name in tables.
    pub name: &'static str,
    /// A short label for people.
    pub label: &'static str,
    /// Its unit, or what it relates to what; shown in brackets behind the label.
    pub unit: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// The scale on which it is drawn.
    pub scale: Scale,
}

/// A parameter of a campaign: its start and its search range.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Name of the parameter, unique within a campaign.
    pub name: String,
    /// Start value of the search, within the bounds.
    pub start: f64,
    /// Lower bound, inclusive.
    pub min: f64,
    /// Upper bound, inclusive.
    pub max: f64,
    /// Scale on which the parameter is searched.
    pub scale: Scale,
    /// True if values are rounded to whole numbers. Start and bounds must then be whole numbers.
    pub integer: bool,
    /// The choices of a category, whose values are their numbers from 0 to `max`; empty for a number.
    pub choices: Vec<String>,
    /// True if the parameter stays at `start`. Bounds and scale are then ignored.
    pub fixed: bool,
    /// Initial standard deviation as a multiple of the optimizer's initial step; default 1.
    pub step: f64,
}

impl Parameter {
    /// The text of the choice with this number; `None` if the parameter is a number.
    pub fn choice(&self, value: f64) -> Option<&str> {
        self.choices.get(value as usize).map(String::as_str)
    }
}

/// Correlation of the free parameters in the final search distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Correlation {
    /// Names of the free parameters.
    pub names: Vec<String>,
    /// Symmetric matrix, rows and columns in the order of `names`, ones on the diagonal.
    pub matrix: Vec<Vec<f64>>,
}

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FinalDistribution {
    /// Values of the parameters at the final mean of each restart, of restarts from the mean at the recommended one; of
    /// random search, of the best candidates.
    pub finalists: Vec<BTreeMap<String, f64>>,
    /// The centre of the distribution: the recommended values, or the mean if a challenger has won against it.
    pub center: BTreeMap<String, f64>,
    /// Standard deviation of the last candidates around it by free parameter, in widths of its bounds on its scale.
    pub spread: BTreeMap<String, f64>,
    /// The correlations around it, if the optimizer learns them.
    #[serde(flatten)]
    pub correlation: Option<Correlation>,
}

/// The objective at each stage of a campaign. A candidate that is selected for its fitness was also
/// lucky, so its fitness exaggerates (the winner's curse). The hold-out games do not.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Selection {
    /// Fitness of the best candidate seen.
    pub best_seen: f64,
    /// Mean fitness of the last generation of the restart that found the tuned weights.
    pub last_mean: f64,
    /// The tuned weights in the race of the finalists, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub race: Option<f64>,
    /// The tuned weights in the hold-out games, if they are played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold_out: Option<f64>,
    /// By how many percent the hold-out games are below the best candidate seen; `None` unless both are positive and
    /// neither is more than twice the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shrinkage_percent: Option<f64>,
}

impl Selection {
    /// Creates a selection from the objective at each stage.
    pub fn new(best_seen: f64, last_mean: f64, race: Option<f64>) -> Self {
        Selection {
            best_seen,
            last_mean,
            race,
            hold_out: None,
            shrinkage_percent: None,
        }
    }

    /// Adds the objective of the tuned weights in the hold-out games.
    pub fn with_hold_out(self, hold_out: f64) -> Self {
        let shrinkage = 100.0 * (self.best_seen - hold_out) / self.best_seen;
        // A percentage has no meaning for values that can be on both sides of 0, as those of programs.
        let is_ratio = hold_out > 0.5 * self.best_seen && self.best_seen > 0.5 * hold_out;
        Selection {
            hold_out: Some(hold_out),
            shrinkage_percent: Some(shrinkage).filter(|percent| is_ratio && percent.is_finite()),
            ..self
        }
    }
}

/// A tuned value that lies at a bound of its parameter: better values may lie beyond it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AtBound {
    /// Key of the parameter.
    pub key: String,
    /// The tuned value.
    pub value: f64,
    /// The bound that it is within 1 % of the range of, on the scale of the parameter.
    pub bound: f64,
    /// Whether this is the upper bound.
    pub is_upper: bool,
}

impl AtBound {
    /// A tuned value at a bound.
    pub fn new(key: &str, value: f64, bound: f64, is_upper: bool) -> Self {
        AtBound {
            key: key.to_owned(),
            value,
            bound,
            is_upper,
        }
    }
}

crate::row! {
    /// Weights that have raced: a final mean of a restart or run, or a challenger.
    #[derive(Clone, Debug, PartialEq)]
    pub struct FinalistRow {
        /// Number of the finalist: that of its restart, of random its rank, in a series that of its run minus 1. Against
        /// challengers: 0 is the final mean; then the start, the best candidates, the mean without a term.
        finalist: u32,
        /// Value of the objective over its games, larger is better.
        fitness: f64 => "of the objective",
        /// Standard error of the fitness; in games for two players over openings.
        standard_error: f64 => "of the objective",
        /// Number of games in the race.
        games: u32 => "games",
        /// Whether it left the race before its end.
        eliminated: bool,
        /// Value of the parameter.
        values ("<parameter>"): Vec<f64> => "of the parameter",
    }
    also {
        /// The same value as the bits of its 64-bit floating-point number.
        "<parameter>_bits": Vec<u64> = |row| bits(&row.values),
    }
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::example;

    #[test]
    fn the_level_is_that_of_ten_games() {
        let row = example::run(2, 1, 2).generations.remove(0);
        let rows = |all: &[(u32, f64)]| -> Vec<GenerationRow> {
            let one = |(games, mean): &(u32, f64)| GenerationRow {
                games: *games,
                mean: *mean,
                ..row.clone()
            };
            all.iter().map(one).collect()
        };
        assert_eq!(level(&[]), None);
        assert_eq!(level(&rows(&[(20, 5.0), (10, 2.0)])), Some(2.0));
        // The two games of a new beginning say little, so the generation before it counts.
        assert_eq!(level(&rows(&[(9, 1.0), (400, 5.0), (2, 10.0)])), Some(6.0));
        assert_eq!(level(&rows(&[(1, 2.0), (3, 6.0)])), Some(5.0));
        // Uniform points, refused candidates, a program without luck.
        let mut before = rows(&[(8, 9.0), (1, 2.0)]);
        before[0].population *= 2;
        assert_eq!(level(&before), Some(2.0));
        before[1].refused = before[1].population;
        assert_eq!(level(&before), None);
        let mut exact = rows(&[(1, 2.0), (1, 4.0)]);
        (exact[1].residual, exact[1].signal) = (0.0, 1.0);
        assert_eq!(level(&exact), Some(4.0));
        let mut shrunk = rows(&[(1, 2.0)]);
        shrunk[0].diagnostics = vec![(BEST_SO_FAR.into(), 7.0)];
        assert_eq!(level(&shrunk), Some(7.0));
    }
}
