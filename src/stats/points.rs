//! Points of games between two players: their mean, its interval, and the corresponding rating
//! difference.

use super::games::results;
use super::intervals::wilson_interval;
use super::summary::{mean, standard_error};
use crate::record::GameRecord;

/// Mean points of a set of games, and Elo difference, with 95 % intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Points {
    /// Mean points: a win 1, a draw 1/2.
    pub mean: f64,
    /// Standard error of the mean, over openings.
    pub standard_error: f64,
    /// Interval of the mean.
    pub interval: (f64, f64),
    /// Elo difference to the opponents; infinite if all points were won or lost.
    pub elo: f64,
    /// Interval of the Elo difference.
    pub elo_interval: (f64, f64),
}

/// Points of games in the order of their seeds, so that the two games of an opening are consecutive.
///
/// The interval is Wilson's. Its number of trials is the number of independent games, won or lost, that
/// would have the standard error of the openings, but at most the number of games. If all openings have
/// equal results, the standard error is not informative, and each opening counts as one game.
pub fn points(games: &[GameRecord]) -> Points {
    let openings = results(games);
    let (mean, standard_error) = (mean(&openings), standard_error(&openings));
    let trials = if standard_error > 0.0 {
        (mean * (1.0 - mean) / (standard_error * standard_error)).min(games.len() as f64)
    } else {
        openings.len() as f64
    };
    let interval = wilson_interval(mean, trials.round() as u64);
    Points {
        mean,
        standard_error,
        interval: (interval.low, interval.high),
        elo: elo(mean),
        elo_interval: (elo(interval.low), elo(interval.high)),
    }
}

/// The rating difference at which this share of the points is expected (Elo 1978, in the logistic
/// form): 400 log10 (p / (1 - p)).
pub fn elo(share: f64) -> f64 {
    400.0 * libm::log10(share / (1.0 - share))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{GameResult, Outcome};

    fn games(pairs: &[[Outcome; 2]]) -> Vec<GameRecord> {
        let game = |(seed, &outcome): (usize, &Outcome)| GameRecord {
            seed: seed as u64,
            result: GameResult::Outcome(outcome),
            moves: 30,
            leaf_evaluations: 0,
        };
        pairs.as_flattened().iter().enumerate().map(game).collect()
    }

    #[test]
    fn known_differences() {
        assert_eq!(elo(0.5), 0.0);
        assert!((elo(10.0 / 11.0) - 400.0).abs() < 1e-9);
        assert_eq!((elo(0.0), elo(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn an_opening_is_one_observation() {
        use Outcome::{Draw, Loss, Win};
        // Sides decide everything: the mean is certain, but only 20 openings say so.
        let even = points(&games(&[[Win, Loss]; 20]));
        assert_eq!((even.mean, even.standard_error, even.elo), (0.5, 0.0, 0.0));
        assert_eq!(even.interval, {
            let interval = wilson_interval(0.5, 20);
            (interval.low, interval.high)
        });
        // Both games of an opening end alike: half as many games as there seem to be.
        let alike: Vec<_> = [[Win, Win], [Loss, Loss]].repeat(50);
        let found = points(&games(&alike));
        let half = wilson_interval(0.5, 99);
        assert!((found.interval.0 - half.low).abs() < 1e-9, "{found:?}");
        // All won: the interval does not shrink to nothing.
        let won = points(&games(&[[Win, Win]; 10]));
        assert_eq!((won.mean, won.elo), (1.0, f64::INFINITY));
        assert!(won.interval.0 < 0.8 && won.elo_interval.0.is_finite());
        // Draws make the mean surer, but never than as many games of win or loss.
        let drawn: Vec<_> = [[Draw, Draw], [Draw, Win], [Draw, Loss]].repeat(10);
        let found = points(&games(&drawn));
        let all = wilson_interval(0.5, 60);
        assert_eq!(found.interval, (all.low, all.high));
    }
}
