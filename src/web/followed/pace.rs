//! Games per second and time left of a run, from what it has recorded. This module must not read files.

use serde::Serialize;

use crate::run::follow::Played;

/// The pace is that of the last records of this many seconds.
const RECENT: f64 = 30.0;

/// The limits of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::web) struct Budget {
    pub(in crate::web) generations: Option<u64>,
    pub(in crate::web) games: Option<u64>,
    pub(in crate::web) minutes: Option<f64>,
}

impl Budget {
    /// That of a resolved campaign.
    pub(in crate::web) fn of(resolved: &toml::Table) -> Self {
        let of = |key: &str| resolved.get("budget")?.get(key);
        let number = |key| {
            of(key)?
                .as_integer()
                .and_then(|number| u64::try_from(number).ok())
        };
        let minutes = of("minutes");
        Budget {
            generations: number("generations"),
            games: number("games"),
            minutes: minutes.and_then(|minutes| {
                let whole = minutes.as_integer().map(|minutes| minutes as f64);
                minutes.as_float().or(whole)
            }),
        }
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(in crate::web) struct Pace {
    /// Number of recorded games.
    pub(in crate::web) games: u64,
    /// Games per second.
    pub(in crate::web) games_per_second: Option<f64>,
    /// Seconds until the search or the games of an experiment end, if that is known.
    pub(in crate::web) seconds_left: Option<f64>,
}

/// Games per second of the last records.
pub(in crate::web) fn rate(played: &[Played]) -> Option<f64> {
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

/// The pace of a search whose last generation played this number of games; `ended` if it has ended.
pub(in crate::web) fn of_search(played: &[Played], last: u64, budget: Budget, ended: bool) -> Pace {
    let games: u64 = played.iter().map(|one| one.games).sum();
    let seconds: f64 = played.iter().map(|one| one.seconds).sum();
    let games_per_second = rate(played);
    let by_rate = |games: u64| Some(games as f64 / games_per_second?);
    let generations = played.len() as u64;
    let left = [
        budget
            .generations
            .and_then(|most| by_rate(most.saturating_sub(generations) * last)),
        budget
            .games
            .and_then(|most| by_rate(most.saturating_sub(games))),
        budget
            .minutes
            .map(|minutes| (60.0 * minutes - seconds).max(0.0)),
    ];
    Pace {
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

    fn played(records: &[(u64, f64)]) -> Vec<Played> {
        let records = records.iter();
        records
            .map(|&(games, seconds)| Played { games, seconds })
            .collect()
    }

    #[test]
    fn the_nearest_limit_counts() {
        // The first record is too old for the pace.
        let played = played(&[(1000, 1.0), (100, 20.0), (200, 20.0)]);
        let budget = |text: &str| Budget::of(&toml::from_str(text).unwrap());
        let left = |text: &str| of_search(&played, 200, budget(text), false).seconds_left;
        assert_eq!(rate(&played), Some(7.5));
        assert_eq!(left("[budget]\ngenerations = 6"), Some(80.0));
        assert_eq!(left("[budget]\ngames = 1600"), Some(40.0));
        assert_eq!(left("[budget]\nminutes = 2"), Some(79.0));
        assert_eq!(left("[budget]\nminutes = 0.5\ngenerations = 6"), Some(0.0));
        assert_eq!(left("[budget]\ngenerations = 2"), Some(0.0));
        assert_eq!(left(""), None);
        let ended = of_search(&played, 200, budget("[budget]\ngames = 1600"), true);
        assert_eq!((ended.games, ended.seconds_left), (1300, None));
        assert_eq!(
            of_search(&[], 0, budget("[budget]\ngames = 9"), false),
            Pace::default()
        );
    }
}
