//! Games of a player with several settings, such as search depths: their shares, and the objective over all settings.
//!
//! The objective is the geometric mean of the mean scores at the settings. Weights are thus compared by the mean over
//! settings of ln(mean score), and the score of any reference, such as that of the start weights at each setting, cancels
//! out. The number of games of a setting is in inverse proportion to the square root of the cost of a game there. That is
//! the division with the least noise for its cost if the relative noise of a game is the same at all settings (Neyman
//! 1934): with K settings of costs c the variance times the cost is (sum of sqrt(c))^2. With equal numbers, and also in
//! inverse proportion to the cost, it is K times the sum of c, which is never less. This module must not play.

use crate::stats::summary::standard_error;
use tiletune_engine::random::{MOST_SETTINGS, setting_of};
use tiletune_engine::record::GameRecord;

/// Fewest games of a candidate at each setting: one game shows no noise.
pub const FEWEST_AT_SETTING: u32 = 2;

/// A mean score below this counts as this, so that the geometric mean has a logarithm.
const SMALLEST_MEAN: f64 = 1.0;

/// The games of each setting, in the order of the settings. The seeds tell the settings.
pub fn by_setting(games: &[GameRecord]) -> Vec<Vec<&GameRecord>> {
    let mut settings = vec![Vec::new(); MOST_SETTINGS];
    for game in games {
        settings[setting_of(game.seed)].push(game);
    }
    let last = settings.iter().rposition(|games| !games.is_empty());
    settings.truncate(last.map_or(0, |last| last + 1));
    settings
}

/// The standard error of the mean over all games. How many games each setting has is fixed, so only the variance within
/// settings counts.
pub fn standard_error_of_mean(games: &[GameRecord]) -> f64 {
    let all = games.len() as f64;
    let variance = by_setting(games).into_iter().map(|games| {
        let scores: Vec<f64> = games.into_iter().map(GameRecord::value).collect();
        (scores.len() as f64 / all * standard_error(&scores)).powi(2)
    });
    variance.sum::<f64>().sqrt()
}

/// The contributions of games to the geometric mean over settings of the mean score: their mean is this value, and their
/// standard error is its standard error to first order.
///
/// With G the value, K settings, n games, n_s of them at the setting s with the mean m_s, a game with the score x at s
/// contributes
///
/// ```text
/// G + G n / (K n_s) sqrt(n_s / (n_s - 1)) (x / m_s - 1)
/// ```
///
/// The root makes the variance within a setting, about its own mean, unbiased.
pub(super) fn contributions(games: &[GameRecord]) -> Vec<f64> {
    let settings = by_setting(games);
    let played = settings.iter().filter(|games| !games.is_empty()).count() as f64;
    let means = settings.iter().map(|games| mean_at(games));
    let means: Vec<f64> = means.collect();
    let logs = settings.iter().zip(&means);
    let logs = logs.filter(|(games, _)| !games.is_empty());
    // `libm` gives the same bits on every platform.
    let value = libm::exp(logs.map(|(_, mean)| libm::log(*mean)).sum::<f64>() / played);
    let contribution = |game: &GameRecord| {
        let setting = setting_of(game.seed);
        let (count, mean) = (settings[setting].len() as f64, means[setting]);
        let weight = games.len() as f64 / (played * count);
        let unbiased = (count / (count - 1.0).max(1.0)).sqrt();
        // The games may have a mean below the smallest one, and their deviations must have a mean of 0.
        let own = settings[setting]
            .iter()
            .map(|game| game.value())
            .sum::<f64>()
            / count;
        value + value * weight * unbiased * ((game.value() - own) / mean)
    };
    games.iter().map(contribution).collect()
}

/// The mean score of games at one setting, at least [`SMALLEST_MEAN`].
fn mean_at(games: &[&GameRecord]) -> f64 {
    let sum: f64 = games.iter().map(|game| game.value()).sum();
    (sum / games.len() as f64).max(SMALLEST_MEAN)
}

/// The cost of a game: its moves and the boards that were valued for them. It is close to the time of the game, and it
/// does not depend on a clock.
pub fn cost(game: &GameRecord) -> f64 {
    f64::from(game.moves) + game.leaf_evaluations as f64
}

/// The share of the games of each setting, in inverse proportion to the square root of the mean cost of these games at it.
pub fn shares(games: &[GameRecord]) -> Vec<f64> {
    let of = |games: &Vec<&GameRecord>| {
        let sum: f64 = games.iter().map(|game| cost(game)).sum();
        1.0 / (sum / games.len() as f64).max(1.0).sqrt()
    };
    let inverse: Vec<f64> = by_setting(games).iter().map(of).collect();
    let sum: f64 = inverse.iter().sum();
    inverse.into_iter().map(|one| one / sum).collect()
}

/// The number of games at each setting if a candidate plays `games` of them: [`FEWEST_AT_SETTING`] at each, and the others
/// where most are missing from the shares.
pub fn divided(games: u32, shares: &[f64]) -> Vec<u32> {
    let mut counts = vec![FEWEST_AT_SETTING; shares.len()];
    let given = FEWEST_AT_SETTING * shares.len() as u32;
    for _ in given..games {
        let missing =
            |setting: &usize| shares[*setting] * f64::from(games) - f64::from(counts[*setting]);
        // The last one of equals: a comparison of floats is total here, because shares are finite.
        let next = (0..shares.len()).max_by(|one, other| missing(one).total_cmp(&missing(other)));
        if let Some(next) = next {
            counts[next] += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::objective::Objective;
    use crate::results::Verdict;
    use crate::stats::bootstrap::Resampling;
    use tiletune_engine::random::at_setting;
    use tiletune_engine::record::GameResult;

    fn game(number: u64, setting: usize, score: u64) -> GameRecord {
        GameRecord {
            seed: at_setting(number << 8, setting),
            result: GameResult::scored_with_tile(score, 2),
            moves: 10,
            leaf_evaluations: [0, 90, 890][setting % 3],
        }
    }

    /// Scores of 6, 3 and 2 games at three settings, in some order.
    fn games() -> Vec<GameRecord> {
        let scores = [
            (0, [900, 1100, 1000, 1500, 700, 800].as_slice()),
            (1, &[4000, 5000, 3000]),
            (2, &[20_000, 30_000]),
        ];
        let all = scores.iter().flat_map(|(setting, scores)| {
            (0..)
                .zip(*scores)
                .map(move |(number, score)| game(number, *setting, *score))
        });
        let mut all: Vec<GameRecord> = all.collect();
        all.sort_by_key(|game| game.seed);
        all
    }

    #[test]
    fn the_fitness_is_the_geometric_mean_of_the_means() {
        let games = games();
        let objective = Objective::GeometricMeanScore;
        let fitness = objective.fitness(&objective.contributions(&games));
        let slow = (1000.0_f64 * 4000.0 * 25_000.0).cbrt();
        assert!((fitness.value / slow - 1.0).abs() < 1e-12, "{fitness:?}");
        // The relative variances of the means, summed over the settings and divided by the square of their number.
        let relative = |scores: &[f64]| {
            let count = scores.len() as f64;
            let mean = scores.iter().sum::<f64>() / count;
            let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
            squares / (count - 1.0) / count / mean.powi(2)
        };
        let variance = relative(&[900.0, 1100.0, 1000.0, 1500.0, 700.0, 800.0])
            + relative(&[4000.0, 5000.0, 3000.0])
            + relative(&[20_000.0, 30_000.0]);
        let slow = slow * variance.sqrt() / 3.0;
        let ratio = fitness.standard_error / slow;
        // n / (n - 1) under the root, with n = 11.
        assert!((ratio - 1.1_f64.sqrt()).abs() < 1e-9, "{ratio}");
    }

    #[test]
    fn few_games_that_differ_are_no_interval() {
        let scores = |with: u64| {
            let game = |number| {
                game(
                    number,
                    number as usize % 2,
                    500 + 37 * (number * number % 31),
                )
            };
            let mut games: Vec<GameRecord> = (0..60).map(game).collect();
            for game in games.iter_mut().take(10) {
                let score = game.value() as u64 + with;
                game.result = GameResult::scored_with_tile(score, 2);
            }
            games
        };
        // One game changes the mean of its setting, and with it the contribution of each game there.
        let objective = Objective::GeometricMeanScore;
        let (tuned, start) = (scores(50), scores(0));
        let found = objective.difference(&tuned, &start, 1, Resampling::new(500, 1));
        assert_eq!((found.above, found.below, found.interval()), (10, 0, None));
        assert_eq!(found.verdict, Verdict::Better);
        let (tuned, start) = (&tuned[7..], &start[7..]);
        let found = objective.difference(tuned, start, 1, Resampling::new(500, 1));
        assert_eq!((found.above, found.below, found.interval()), (3, 0, None));
        assert_eq!(found.verdict, Verdict::TooFewDifferences);
    }

    #[test]
    fn a_factor_at_one_setting_changes_no_order() {
        let objective = Objective::GeometricMeanScore;
        let value = |factor: u64, tuned: u64| {
            let mut games = games();
            for game in &mut games {
                if setting_of(game.seed) == 1 {
                    let score = game.score().unwrap() * factor * tuned;
                    game.result = GameResult::scored_with_tile(score, 2);
                }
            }
            objective.fitness(&objective.contributions(&games)).value
        };
        let [ratio, same] = [1, 7].map(|factor| value(factor, 2) / value(factor, 1));
        assert!((ratio - same).abs() < 1e-12 && (ratio - 2f64.cbrt()).abs() < 1e-12);
        // Without any point the value is small and finite.
        assert!(value(0, 1) > 0.0);
    }

    #[test]
    fn the_error_of_the_mean_is_that_within_settings() {
        // Sums of 6, 3 and 2 games have the variances 6 v1, 3 v2 and 2 v3.
        let variances = [80_000.0, 1e6, 5e7_f64];
        let expected = (6.0 * variances[0] + 3.0 * variances[1] + 2.0 * variances[2]).sqrt() / 11.0;
        assert!((standard_error_of_mean(&games()) / expected - 1.0).abs() < 1e-12);
        // Without the spread between settings it is less than that of one sample.
        let scores: Vec<f64> = games().iter().map(GameRecord::value).collect();
        assert!(expected < 0.5 * standard_error(&scores));
    }

    #[test]
    fn games_are_divided_by_the_root_of_their_cost() {
        let shares = shares(&games());
        // Costs of 10, 100 and 900.
        let roots = [1.0, 1.0 / 10f64.sqrt(), 1.0 / 90f64.sqrt()];
        let sum: f64 = roots.iter().sum();
        for (share, root) in shares.iter().zip(roots) {
            assert!((share - root / sum).abs() < 1e-12, "{shares:?}");
        }
        assert_eq!(divided(6, &shares), [2, 2, 2]);
        assert_eq!(divided(10, &shares), [6, 2, 2]);
        assert_eq!(divided(100, &shares), [70, 22, 8]);
        for games in 6..200 {
            let counts = divided(games, &shares);
            assert_eq!(counts.iter().sum::<u32>(), games);
        }
    }
}
