//! Why a restart of either strategy ends. The rules of the last five are always on.

use std::borrow::Cow;

use crate::optimizer::StopReason;

/// A restart has ended because luck decides. Only with restarts from the mean.
pub(super) const LOST_IN_NOISE: StopReason =
    Cow::Borrowed("the fitness no longer rises above the noise");

/// Fitness is flat within the generation and over the last generations (TolFun).
pub(super) const TOLERANCE_FITNESS: StopReason = Cow::Borrowed("fitness is flat");
/// The best fitness is flat over the last generations (TolFunHist).
pub(super) const TOLERANCE_HISTORY: StopReason = Cow::Borrowed("the best fitness is flat");
/// The standard deviation is below the tolerance in every coordinate (TolX).
pub(super) const TOLERANCE_COORDINATES: StopReason =
    Cow::Borrowed("the distribution has shrunk to a point");
/// Neither the best nor the median fitness has improved for a long time (Stagnation), or the mean fitness has not
/// improved in the last third of the games.
pub(super) const STAGNATION: StopReason = Cow::Borrowed("fitness no longer improves");
/// The candidates hardly differ, compared with the first ones of the restart.
pub(super) const CONVERGENCE: StopReason = Cow::Borrowed("the candidates hardly differ any more");
/// A small restart of BIPOP has used its share of evaluations.
pub(super) const EVALUATIONS: StopReason =
    Cow::Borrowed("the small restart has used its evaluations");
/// The largest standard deviation has grown by a factor of ten thousand: the search diverges (TolXUp).
pub(super) const DIVERGENCE: StopReason = Cow::Borrowed("the step size has diverged");
/// The condition number of the covariance matrix is above 1e14 (ConditionCov).
pub(super) const CONDITION: StopReason = Cow::Borrowed("the covariance matrix is ill-conditioned");
/// A step of 0.1 standard deviations along a principal axis is lost in rounding (NoEffectAxis).
pub(super) const NO_EFFECT_AXIS: StopReason =
    Cow::Borrowed("steps along an axis are lost in round-off");
/// A step of 0.2 standard deviations in a coordinate is lost in rounding (NoEffectCoord).
pub(super) const NO_EFFECT_COORDINATE: StopReason =
    Cow::Borrowed("steps in a coordinate are lost in round-off");
/// The covariance matrix is no longer positive definite.
pub(super) const NOT_POSITIVE_DEFINITE: StopReason =
    Cow::Borrowed("the covariance matrix is not positive definite");
