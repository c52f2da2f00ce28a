//! Games per second and remaining time of a run, from its records. This module must not read files.

use serde::Serialize;

use crate::config::campaign::Budget;
use crate::run::follow::TimedGames;

/// Window of the rate, in seconds.
const RECENT: f64 = 30.0;

/// Progress of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(in crate::web) struct PlayRate {
    /// Number of recorded games.
    pub(in crate::web) games: u64,
    pub(in crate::web) games_per_second: Option<f64>,
    /// Remaining seconds of the search, or of the games of an experiment; `None` if unknown.
    pub(in crate::web) seconds_left: Option<f64>,
}

/// Games per second of the last records.
pub(in crate::web) fn rate(played: &[TimedGames]) -> Option<f64> {
    let (mut games, mut seconds) = (0, 0.0);
    for one in played.iter().rev() {
        games += one.games;
        seconds += one.seconds;
        if seconds >= RECENT {
            break;
        }
    }
    (seconds > 0.0).then(|| games as f64 / seconds)
}

/// The progress of a search. `last` is the number of games of its last generation.
pub(in crate::web) fn of_search(
    played: &[TimedGames],
    last: u64,
    budget: &Budget,
    ended: bool,
) -> PlayRate {
    let games: u64 = played.iter().map(|one| one.games).sum();
    let seconds: f64 = played.iter().map(|one| one.seconds).sum();
    let games_per_second = rate(played);
    let by_rate = |games: u64| Some(games as f64 / games_per_second?);
    let generations = played.len() as u64;
    let left = [
        budget
            .generations
            .and_then(|most| by_rate(u64::from(most).saturating_sub(generations) * last)),
        budget
            .games
            .and_then(|most| by_rate(most.saturating_sub(games))),
        budget
            .minutes
            .map(|minutes| (60.0 * minutes - seconds).max(0.0)),
    ];
    PlayRate {
        games,
        games_per_second,
        seconds_left: left
            .into_iter()
            .flatten()
            .reduce(f64::min)
            .filter(|_| !ended),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(records: &[(u64, f64)]) -> Vec<TimedGames> {
        let records = records.iter();
        records
            .map(|&(games, seconds)| TimedGames { games, seconds })
            .collect()
    }

    #[test]
    fn the_nearest_limit_counts() {
        // The first record is outside of the window of the rate.
        let played = played(&[(1000, 1.0), (100, 20.0), (200, 20.0)]);
        let budget = |text: &str| toml::from_str::<Budget>(text).unwrap();
        let left = |text: &str| of_search(&played, 200, &budget(text), false).seconds_left;
        assert_eq!(rate(&played), Some(7.5));
        assert_eq!(left("generations = 6"), Some(80.0));
        assert_eq!(left("games = 1600"), Some(40.0));
        assert_eq!(left("minutes = 2"), Some(79.0));
        assert_eq!(left("minutes = 0.5\ngenerations = 6"), Some(0.0));
        assert_eq!(left("generations = 2"), Some(0.0));
        assert_eq!(left(""), None);
        let ended = of_search(&played, 200, &budget("games = 1600"), true);
        assert_eq!((ended.games, ended.seconds_left), (1300, None));
        assert_eq!(
            of_search(&[], 0, &budget("games = 9"), false),
            PlayRate::default()
        );
    }
}
