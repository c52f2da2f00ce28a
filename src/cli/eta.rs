//! The remaining time of a run (ETA), from its games. The time of a game can differ a thousandfold between rows of an
//! experiment, so the speed is measured again for each player. In a search a candidate takes time, too, before its first
//! game: with one game a candidate at first and hundreds at the end, the time of a game would be far too long.

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
    /// The generations of the current search.
    generations: Option<Generations>,
}

/// What the generations of a search took.
#[derive(Debug, Default)]
struct Generations {
    /// The end of the latest generation, or the beginning of the first.
    latest: Option<Instant>,
    candidates: f64,
    /// Games of a candidate in the latest generation.
    games: f64,
    /// Sums over generations of the products of candidates, games and seconds, for the two times by least squares.
    candidates_squared: f64,
    candidates_games: f64,
    games_squared: f64,
    candidates_seconds: f64,
    games_seconds: f64,
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

    /// Starts a generation of a search.
    pub(super) fn generation_begins(&mut self, now: Instant) {
        let generations = self.generations.get_or_insert_default();
        generations.latest.get_or_insert(now);
    }

    /// Ends a generation of so many candidates, each with so many games.
    pub(super) fn generation_ends(&mut self, candidates: u32, games: u32, now: Instant) {
        if let Some(generations) = &mut self.generations {
            generations.add(f64::from(candidates), f64::from(games), now);
        }
    }

    /// Ends a search.
    pub(super) fn search_ends(&mut self) {
        self.generations = None;
    }

    /// Counts games.
    pub(super) fn add(&mut self, games: u64) {
        if let Some(rows) = &mut self.rows {
            rows.played += games;
        }
    }

    /// The remaining time at this instant; `None` if nothing is known. `missing` is the number of games that are left, if it
    /// is known, and `by_games` their time at the mean speed of the games so far.
    pub(super) fn left(
        &self,
        now: Instant,
        missing: Option<u64>,
        by_games: Option<Duration>,
    ) -> Option<TimeLeft> {
        let by_clock = self.deadline.map(|end| end.saturating_duration_since(now));
        let of_search = || self.generations.as_ref()?.left(missing? as f64);
        let (by_games, others) = match &self.rows {
            None => (of_search().or(by_games), 0),
            Some(rows) => (rows.left(now), rows.others),
        };
        let time = [by_clock, by_games].into_iter().flatten().min()?;
        (time < LONGEST).then_some(TimeLeft { time, others })
    }
}

impl Generations {
    fn add(&mut self, candidates: f64, games: f64, now: Instant) {
        let begin = self.latest.replace(now).unwrap_or(now);
        let seconds = now.saturating_duration_since(begin).as_secs_f64();
        let all = candidates * games;
        self.candidates += candidates;
        self.games = games;
        self.candidates_squared += candidates * candidates;
        self.candidates_games += candidates * all;
        self.games_squared += all * all;
        self.candidates_seconds += candidates * seconds;
        self.games_seconds += all * seconds;
    }

    /// The time of so many games; `None` if the times of a candidate and of a game cannot be told apart, as when every
    /// generation had as many games a candidate.
    fn left(&self, missing: f64) -> Option<Duration> {
        let squares = self.candidates_squared * self.games_squared;
        let determinant = squares - self.candidates_games.powi(2);
        if determinant < 1e-6 * squares {
            return None;
        }
        let [candidates, games] = [self.candidates_seconds, self.games_seconds];
        let of_candidate = candidates * self.games_squared - games * self.candidates_games;
        let of_game = games * self.candidates_squared - candidates * self.candidates_games;
        let [of_candidate, of_game] = [of_candidate, of_game].map(|time| time / determinant);
        if of_candidate < 0.0 || of_game <= 0.0 {
            return None;
        }
        // Games of a candidate grow, so there are fewer candidates than with those of the latest generation, and rarely more
        // than there were.
        let candidates = (missing / self.games).min(self.candidates);
        Duration::try_from_secs_f64(of_candidate * candidates + of_game * missing).ok()
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
        assert_eq!(eta.left(begin, None, mean), left(1, 0));
        assert_eq!(eta.left(begin, None, Some(LONGEST)), None);
        eta.rows_begin(1000, 1, begin);
        assert_eq!(eta.left(begin, None, mean), None);
        eta.add(900);
        assert_eq!(eta.left(begin + 9 * SECOND, None, mean), left(1, 1));
        // The mean speed of all games would give a second for the slow row.
        let slow = begin + 10 * SECOND;
        eta.rows_begin(100, 0, slow);
        assert_eq!(eta.left(slow + 60 * SECOND, None, mean), None);
        eta.add(10);
        assert_eq!(eta.left(slow + 60 * SECOND, None, mean), left(540, 0));
        eta.rows_end();
        assert_eq!(eta.left(slow, None, mean), left(1, 0));
        eta.deadline = Some(slow);
        assert_eq!(eta.left(slow + SECOND, None, mean), left(0, 0));
    }

    #[test]
    fn the_time_of_a_candidate_is_no_time_of_its_games() {
        let mut now = Instant::now();
        let mut eta = Eta::default();
        let wrong = Some(3600 * SECOND);
        let mut play = |eta: &mut Eta, games: u32| {
            eta.generation_begins(now);
            // 50 ms for each of 20 candidates, and 2 ms for a game.
            now += 20 * Duration::from_millis(50 + 2 * u64::from(games));
            eta.generation_ends(20, games, now);
            now
        };
        for _ in 0..9 {
            play(&mut eta, 1);
        }
        let now = play(&mut eta, 1);
        // All generations had one game a candidate.
        assert_eq!(
            eta.left(now, Some(90_000), wrong).unwrap().time,
            3600 * SECOND
        );
        let now = play(&mut eta, 2);
        // 180 s for the games, and 220 candidates as before.
        let time = eta.left(now, Some(90_000), wrong).unwrap().time;
        assert!((time.as_secs_f64() - 191.0).abs() < 0.01, "{time:?}");
        // 10 games of the last five candidates.
        let time = eta.left(now, Some(10), wrong).unwrap().time;
        assert!((time.as_secs_f64() - 0.27).abs() < 0.01, "{time:?}");
        assert_eq!(eta.left(now, None, wrong).unwrap().time, 3600 * SECOND);
        eta.search_ends();
        assert_eq!(eta.left(now, Some(10), wrong).unwrap().time, 3600 * SECOND);
    }
}
