//! How much each parameter of a search matters, by a model of its candidates.

/// What a fitted model of the candidates says about the parameters of a search.
///
/// Positions are places between the bounds of a parameter on its scale, from 0 to 1. Effects have the unit of the
/// fitness.
#[derive(Clone, Debug, PartialEq)]
pub struct Importance {
    /// Number of candidates that were fitted.
    pub candidates: u32,
    /// Number of their generations.
    pub generations: u32,
    /// Number of generations of the search; more than were fitted if the search was long.
    pub all_generations: u32,
    /// Whether the model has products of two parameters.
    pub has_pairs: bool,
    /// Share of the variance within generations that the model predicts for generations that it was not fitted to. At
    /// or below 0 the model knows nothing.
    pub predicted: f64,
    /// The free parameters, the one with the largest effect first.
    pub parameters: Vec<ParameterImportance>,
}

/// How much one parameter matters.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterImportance {
    /// Its place among all parameters of the campaign.
    pub index: usize,
    /// Largest minus smallest fitted fitness between the positions [`from`](Self::from) and [`to`](Self::to), all other
    /// parameters being at their tuned values.
    pub effect: f64,
    /// Lower end of the 95 % interval of the effect.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// The effect that a parameter without any effect would exceed in 5 % of such searches, by luck alone.
    pub by_luck: f64,
    /// The position below which a tenth of the candidates are.
    pub from: f64,
    /// The position above which a tenth of the candidates are.
    pub to: f64,
    /// The fitted fitness along the parameter, as differences from the tuned value.
    pub slice: Vec<SlicePoint>,
    /// Candidates spread over the search: position, and the fitted difference there plus what the model does not explain
    /// of this candidate.
    pub candidates: Vec<[f64; 2]>,
}

impl ParameterImportance {
    /// Whether the effect is larger than luck explains.
    pub fn is_shown(&self) -> bool {
        self.effect > self.by_luck
    }
}

/// The fitted fitness at a position of one parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlicePoint {
    /// The position.
    pub position: f64,
    /// Difference of the fitted fitness from that at the tuned value.
    pub difference: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}
