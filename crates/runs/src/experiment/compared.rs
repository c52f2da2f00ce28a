//! Which rows of an experiment are compared, and their paired differences.

use crate::config::experiment::{Experiment, Row};
use tiletune_engine::random::{Stream, derive};
use tiletune_engine::record::GameRecord;
use tiletune_engine::stop::Stop;
use tiletune_tuning::results::PairedDifference;
use tiletune_tuning::stats::bootstrap::Resampling;
use tiletune_tuning::stats::difference::simultaneous_difference;
use tiletune_tuning::stats::games::results;

/// An experiment with its games and the number of comparisons that its intervals are corrected for.
pub(super) struct RowComparisons<'a> {
    pub(super) experiment: &'a Experiment,
    /// The games of every row; none of a row that is not played.
    games: &'a [Vec<GameRecord>],
    /// All comparisons, even if some of the rows are not played yet.
    pub(super) comparisons: u32,
    stop: Stop<'a>,
}

impl<'a> RowComparisons<'a> {
    pub(super) fn new(
        experiment: &'a Experiment,
        games: &'a [Vec<GameRecord>],
        stop: Stop<'a>,
    ) -> Self {
        let of_row = |row: &Row| {
            let control = control(experiment, row);
            u32::from(row.baseline.is_some()) + u32::from(control.is_some())
        };
        RowComparisons {
            experiment,
            games,
            stop,
            comparisons: experiment.rows.iter().map(of_row).sum(),
        }
    }
}

/// Index of the control of a row that is tuned again.
pub(super) fn control(experiment: &Experiment, row: &Row) -> Option<usize> {
    let (retuned, baseline) = (row.retuned.as_ref()?, row.baseline?);
    let seed = retuned.campaign.config.seed;
    let is_control = |other: &Row| {
        let control = other.retuned.as_ref();
        control.is_some_and(|control| {
            control.of == baseline && control.campaign.config.seed == seed && other.name != row.name
        })
    };
    let index = experiment.rows.iter().position(is_control);
    index.filter(|index| experiment.rows[*index].games == row.games)
}

/// The first of two rows - the second, if both are played. `kind` distinguishes the bootstrap streams of
/// several comparisons of one row.
pub(super) fn difference(
    compared: &RowComparisons,
    (one, other): (usize, usize),
    kind: u64,
) -> Option<PairedDifference> {
    let config = &compared.experiment.config;
    let [of_one, of_other] = [one, other].map(|row| &compared.games[row]);
    if of_one.is_empty() || of_other.is_empty() {
        return None;
    }
    let seed = derive(config.seed, Stream::Bootstrap, kind, one as u64);
    let resampling = Resampling::new(config.resamples, seed);
    Some(simultaneous_difference(
        &results(of_one),
        &results(of_other),
        compared.comparisons,
        resampling.until(compared.stop),
    ))
}
