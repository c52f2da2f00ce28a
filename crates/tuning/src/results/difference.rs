//! The paired difference between two players, and the verdict.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A difference between two players on the same seeds, with its 95 % interval and the conclusion.
///
/// An observation is a game; in games between two players an opening, which is played from both sides.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairedDifference {
    /// The difference: the mean of the paired differences, or the difference of two medians.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Lower end of the 95 % interval; `None` if too few observations differ for an interval.
    pub low: Option<f64>,
    /// Upper end of the 95 % interval; `None` exactly if `low` is.
    pub high: Option<f64>,
    /// Bootstrap resamples behind the interval; 0 without an interval.
    pub resamples: u32,
    /// Number of paired observations.
    pub observations: u32,
    /// Observations whose difference is above 0.
    pub above: u32,
    /// Observations whose difference is below 0.
    pub below: u32,
    /// Two-sided p value of the exact sign test; corrected for the number of comparisons (Bonferroni)
    /// as the interval would be. `None` if there is an interval.
    pub p_sign_test: Option<f64>,
    /// The conclusion.
    pub verdict: Verdict,
}

impl PairedDifference {
    /// Both ends of the interval; `None` if there is no interval.
    pub fn interval(&self) -> Option<[f64; 2]> {
        Some([self.low?, self.high?])
    }

    /// Number of observations whose difference is not 0.
    pub fn different(&self) -> u32 {
        self.above + self.below
    }
}

/// The conclusion from a paired difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The whole interval is above 0; without an interval: the sign test says so.
    Better,
    /// The whole interval is below 0; without an interval: the sign test says so.
    Worse,
    /// The interval contains 0.
    Undecided,
    /// Too few observations for a reliable interval.
    TooFewObservations,
    /// Too few observations differ for a reliable interval, and the sign test does not decide.
    TooFewDifferences,
}

impl Verdict {
    /// Name of the verdict in files.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::Undecided => "undecided",
            Verdict::TooFewObservations => "too-few-observations",
            Verdict::TooFewDifferences => "too-few-differences",
        }
    }
}
