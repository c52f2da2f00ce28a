//! Points of games between two players: their mean, its interval, and the corresponding difference in rating.

use super::games::results;
use super::intervals::{Interval, TAIL, share_above, t_interval};
use super::sequential::FEWEST_DIFFERENT;
use super::summary::{mean, sorted, standard_error};
use tiletune_engine::record::GameRecord;

/// Mean points of games, and Elo difference, both with 95 % intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Points {
    /// Mean points: a win counts 1, a draw 1/2.
    pub mean: f64,
    /// Standard error of the mean, over openings.
    pub standard_error: f64,
    /// Interval of the mean: lower and upper end.
    pub interval: (f64, f64),
    /// Elo difference to the opponents; infinite if all or no points were won.
    pub elo: f64,
    /// Interval of the Elo difference: lower and upper end.
    pub elo_interval: (f64, f64),
}

/// The points of games. The games must be in the order of their seeds, so that the two games of an opening are
/// consecutive. The interval is [`points_interval`].
pub fn points(games: &[GameRecord]) -> Points {
    let openings = results(games);
    let mean = mean(&openings);
    let Interval { low, high } = points_interval(&openings);
    Points {
        mean,
        standard_error: standard_error(&openings),
        interval: (low, high),
        elo: elo(mean),
        elo_interval: (elo(low), elo(high)),
    }
}

/// The 95 % interval of the mean of openings, where each value is between 0 and 1: Student's t, limited to 0
/// and 1. If fewer than 20 openings differ from the most common result, their standard error contains little
/// information. The interval is then exact if there are only two different results, and otherwise longer than
/// necessary.
pub fn points_interval(openings: &[f64]) -> Interval {
    let all = openings.len() as u64;
    let (commonest, count) = commonest(openings);
    let interval = match all - count {
        ..FEWEST_DIFFERENT => sparse_interval(openings, commonest),
        _ => t_interval(mean(openings), standard_error(openings), all).unwrap_or(Interval::ALL),
    };
    interval.within(0.0, 1.0)
}

/// The most common result (of several, the smallest), and how many openings have it.
fn commonest(openings: &[f64]) -> (f64, u64) {
    let sorted = sorted(openings);
    let groups = sorted.chunk_by(|one, other| one == other);
    groups.fold((0.0, 0), |most, group| match group.len() as u64 {
        count if count > most.1 => (group[0], count),
        _ => most,
    })
}

/// The 95 % interval of the mean points of openings, if nearly all have the `commonest` result.
///
/// The mean is that result, plus the mean gain of the openings above it, minus the mean loss of the openings
/// below it. Gain and loss are between 0 and their largest possible values, so their means are shares of these
/// values, with the intervals of [`share_interval`](super::intervals::share_interval). The error probability is
/// divided between gain and loss.
fn sparse_interval(openings: &[f64], commonest: f64) -> Interval {
    let all = openings.len() as u64;
    let most = [1.0 - commonest, commonest];
    let parts = most.iter().filter(|most| **most > 0.0).count();
    let tail = TAIL / parts as f64;
    let [gain, loss] = [1.0, -1.0].map(|sign| {
        let most = if sign > 0.0 { most[0] } else { most[1] };
        if most == 0.0 {
            return Interval::new(0.0, 0.0);
        }
        let parts = openings
            .iter()
            .map(|result| (sign * (result - commonest)).max(0.0) / most);
        let sum: f64 = parts.sum();
        Interval {
            low: most * (1.0 - share_above(all - sum.floor() as u64, all, tail)),
            high: most * share_above(sum.ceil() as u64, all, tail),
        }
    });
    let low = commonest + gain.low - loss.high;
    Interval::new(low, commonest + gain.high - loss.low)
}

/// The rating difference at which this share p of the points is expected: 400 log10 (p / (1 - p)). (Elo 1978,
/// in the logistic form.)
pub fn elo(share: f64) -> f64 {
    400.0 * libm::log10(share / (1.0 - share))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiletune_engine::record::{GameResult, Outcome};

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
        use Outcome::{Loss, Win};
        // Both games of an opening end in the same way, so there are 100 observations, not 200.
        let alike: Vec<_> = [[Win, Win], [Loss, Loss]].repeat(50);
        let found = points(&games(&alike));
        let error = (0.25f64 / 99.0).sqrt();
        assert!((found.standard_error - error).abs() < 1e-12);
        assert!((found.interval.1 - 0.5 - 1.984_217 * error).abs() < 1e-6);
    }

    #[test]
    fn openings_that_hardly_vary_have_exact_intervals() {
        use Outcome::{Draw, Loss, Win};
        // The side decides every game. The mean is always 1/2, but there are only 20 openings as evidence.
        let even = points(&games(&[[Win, Loss]; 20]));
        assert_eq!((even.mean, even.standard_error, even.elo), (0.5, 0.0, 0.0));
        // Gain and loss are at most 1/2; for 0 of 20 the upper end is 1 - 0.0125^(1/20).
        let half = 0.5 * (1.0 - 0.0125f64.powf(0.05));
        assert!((even.interval.0 - 0.5 + half).abs() < 1e-9, "{even:?}");
        assert!((even.interval.1 - 0.5 - half).abs() < 1e-9, "{even:?}");
        // All games are won; for 0 of 10 lost the upper end is 1 - 0.025^(1/10).
        let won = points(&games(&[[Win, Win]; 10]));
        assert_eq!((won.mean, won.elo), (1.0, f64::INFINITY));
        assert!((won.interval.0 - 0.025f64.powf(0.1)).abs() < 1e-9);
        assert!(won.interval.1 == 1.0 && won.elo_interval.0.is_finite());
        // Openings with another result move the interval.
        let mostly = [vec![[Win, Loss]; 195], vec![[Win, Draw]; 5]].concat();
        let found = points(&games(&mostly));
        assert!(
            found.interval.0 < 0.5 && found.interval.1 > found.mean,
            "{found:?}"
        );
        assert!(found.interval.1 - found.interval.0 < 0.04, "{found:?}");
    }
}
