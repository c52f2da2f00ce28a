//! The remaining time of a run (ETA), from its games. The time of a game can differ a thousandfold between rows of an
//! experiment, so the speed is measured again for each player.

use std::time::{Duration, Instant};

/// Time between two lines without a terminal: first and longest time. It doubles with each line.
const FIRST_LINE: Duration = Duration::from_secs(10);
const LONGEST_SILENCE: Duration = Duration::from_secs(300);

/// A longer estimate is meaningless, because the process was suspended.
const LONGEST: Duration = Duration::from_secs(10_000 * 3600);

/// The time until the next line. `last` is the time before the last line.
pub(super) fn next_silence(last: Option<Duration>) -> Duration {
    last.map_or(FIRST_LINE, |last| (2 * last).min(LONGEST_SILENCE))
}

/// The known facts about the remaining time of a run.
#[derive(Debug, Default)]
pub(super) struct Eta {
    /// The end of a search with a budget of minutes.
    pub(super) deadline: Option<Instant>,
    /// The current rows of an experiment.
    rows: Option<Rows>,
}

#[derive(Debug)]
struct Rows {
    begin: Instant,
    /// Games since the start of the rows.
    played: u64,
    /// Games of these rows, and of later rows with the same speed.
    games: u64,
    /// Number of later rows with unknown speed.
    others: usize,
}

#[derive(Debug, PartialEq)]
pub(super) struct TimeLeft {
    /// The known part.
    pub(super) time: Duration,
    /// Number of rows after that part.
    pub(super) others: usize,
}

impl Eta {
    /// Starts rows of one player. `games` counts their games and those of later rows with the same speed; `others` is
    /// the number of other rows.
    pub(super) fn rows_begin(&mut self, games: u64, others: usize, now: Instant) {
        self.rows = Some(Rows {
            begin: now,
            played: 0,
            games,
            others,
        });
    }

    /// Starts games that do not belong to rows.
    pub(super) fn rows_end(&mut self) {
        self.rows = None;
    }

    /// Counts games.
    pub(super) fn add(&mut self, games: u64) {
        if let Some(rows) = &mut self.rows {
            rows.played += games;
        }
    }

    /// The remaining time at this instant; `None` if nothing is known. `by_games` is the remaining time of all games of
    /// the run at their mean speed.
    pub(super) fn left(&self, now: Instant, by_games: Option<Duration>) -> Option<TimeLeft> {
        let by_clock = self.deadline.map(|end| end.saturating_duration_since(now));
        let (by_games, others) = match &self.rows {
            None => (by_games, 0),
            Some(rows) => (rows.left(now), rows.others),
        };
        let time = [by_clock, by_games].into_iter().flatten().min()?;
        (time < LONGEST).then_some(TimeLeft { time, others })
    }
}

impl Rows {
    fn left(&self, now: Instant) -> Option<Duration> {
        let seconds = now.saturating_duration_since(self.begin).as_secs_f64();
        let missing = self.games.saturating_sub(self.played);
        let time = seconds * missing as f64 / self.played as f64;
        Duration::try_from_secs_f64(time).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn lines_get_rarer() {
        let silences = std::iter::successors(Some(next_silence(None)), |last| {
            Some(next_silence(Some(*last)))
        });
        let seconds: Vec<u64> = silences.take(8).map(|time| time.as_secs()).collect();
        assert_eq!(seconds, [10, 20, 40, 80, 160, 300, 300, 300]);
    }

    #[test]
    fn a_slow_row_after_fast_ones_has_a_pace_of_its_own() {
        let begin = Instant::now();
        let mut eta = Eta::default();
        let mean = Some(SECOND);
        let left = |seconds, others| {
            Some(TimeLeft {
                time: seconds * SECOND,
                others,
            })
        };
        assert_eq!(eta.left(begin, mean), left(1, 0));
        assert_eq!(eta.left(begin, Some(LONGEST)), None);
        eta.rows_begin(1000, 1, begin);
        assert_eq!(eta.left(begin, mean), None);
        eta.add(900);
        assert_eq!(eta.left(begin + 9 * SECOND, mean), left(1, 1));
        // The mean speed of all games would give a second for the slow row.
        let slow = begin + 10 * SECOND;
        eta.rows_begin(100, 0, slow);
        assert_eq!(eta.left(slow + 60 * SECOND, mean), None);
        eta.add(10);
        assert_eq!(eta.left(slow + 60 * SECOND, mean), left(540, 0));
        eta.rows_end();
        assert_eq!(eta.left(slow, mean), left(1, 0));
        eta.deadline = Some(slow);
        assert_eq!(eta.left(slow + SECOND, mean), left(0, 0));
    }
}
