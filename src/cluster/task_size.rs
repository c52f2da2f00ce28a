//! The size of the next task. It should take a second or two at the measured speed. Tasks are smaller at the end, so
//! that the other workers do not wait long for the last one.

use std::time::Duration;

use super::connection::LEAST_PAYLOAD;

/// Target time of a task in seconds.
const TARGET: f64 = 1.5;

/// Largest number of games of a task.
pub(super) const MOST_GAMES: usize = 1 << 15;

/// Largest number of candidates of a task. Checking a candidate takes time, and the message contains its weights.
pub(super) const MOST_CANDIDATES: usize = 256;

/// Target limit of the bytes of a task's records: half of the smallest accepted `max_payload` of a server.
const MOST_BYTES: f64 = (LEAST_PAYLOAD / 2) as f64;

/// Smallest target time of a task, unless threads would have nothing to play. A task costs about a millisecond in
/// addition to its games.
const LEAST: f64 = 0.03;

/// Number of games of the first tasks, before the speed is known.
const FIRST_GAMES: usize = 4;

/// Largest factor from one size to the next, because the speed of few games is uncertain.
const GROWTH: usize = 8;

/// Weight of the latest task in the smoothed speed.
const LATEST: f64 = 0.3;

/// The cost of a task.
#[derive(Clone, Copy, Debug)]
pub(super) struct TaskCost {
    /// Thread seconds.
    pub(super) seconds: f64,
    /// Bytes of the message with the records.
    pub(super) bytes: usize,
}

/// The speed of games of one player, and the size of their records.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TaskSizer {
    /// Thread seconds per game.
    seconds: Option<f64>,
    /// Bytes per game record.
    bytes: Option<f64>,
    /// Largest number of games of a measured task.
    largest: usize,
    /// Largest number of games with which a task does not exceed [`MOST_CANDIDATES`].
    most: Option<usize>,
}

impl TaskSizer {
    /// Adds the cost of a task. Impossible times are ignored.
    pub(super) fn add(&mut self, games: usize, cost: TaskCost) {
        if games == 0 || !(0.0..1e6).contains(&cost.seconds) {
            return;
        }
        let smoothed = |before: Option<f64>, all: f64| {
            let latest = all / games as f64;
            before.map_or(latest, |before| LATEST * latest + (1.0 - LATEST) * before)
        };
        self.seconds = Some(smoothed(self.seconds, cost.seconds));
        self.bytes = Some(smoothed(self.bytes, cost.bytes as f64));
        self.largest = self.largest.max(games);
    }

    /// Sets the number of games of each candidate.
    pub(super) fn expect(&mut self, games_of_candidate: usize) {
        // A task can begin and end within the games of a candidate, so it can have one more candidate.
        self.most = Some((MOST_CANDIDATES - 1) * games_of_candidate);
    }

    /// Number of games of the next task, if `left` games are in no task yet and there are `threads` threads.
    pub(super) fn games(&self, left: usize, threads: usize) -> usize {
        let by_speed = match self.seconds {
            None => FIRST_GAMES,
            Some(seconds) => (TARGET / seconds) as usize,
        };
        let by_growth = GROWTH * self.largest.max(FIRST_GAMES);
        let by_size = self
            .bytes
            .map_or(MOST_GAMES, |bytes| (MOST_BYTES / bytes) as usize);
        // Each thread gets at least two more tasks, or one short task.
        let threads = threads.max(1);
        let short = (LEAST / TARGET * by_speed as f64) as usize;
        let short = short.min(left.div_ceil(threads));
        let by_rest = left.div_ceil(2 * threads).max(short);
        let games = by_speed
            .min(by_growth)
            .min(by_rest)
            .min(by_size)
            .min(self.most.unwrap_or(MOST_GAMES))
            .min(MOST_GAMES);
        games.clamp(1, left.max(1))
    }

    /// Expected time of a task with this number of games.
    pub(super) fn expected(&self, games: usize) -> Duration {
        let seconds = self
            .seconds
            .map_or(TARGET, |seconds| seconds * games as f64);
        Duration::from_secs_f64(seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(seconds: f64) -> TaskCost {
        TaskCost { seconds, bytes: 0 }
    }

    #[test]
    fn records_fit_into_a_message() {
        let mut pace = TaskSizer::default();
        for _ in 0..20 {
            let games = pace.games(10_000_000, 3);
            let bytes = 300 + 500 * games;
            assert!(bytes < LEAST_PAYLOAD, "{games}");
            pace.add(
                games,
                TaskCost {
                    seconds: 0.0,
                    bytes,
                },
            );
        }
        let games = pace.games(10_000_000, 3);
        assert!((1000..=1048).contains(&games), "{games}");
    }

    #[test]
    fn a_task_has_a_limited_number_of_candidates() {
        let mut pace = TaskSizer::default();
        pace.expect(4);
        for _ in 0..20 {
            let games = pace.games(10_000_000, 3);
            pace.add(games, cost(0.0));
        }
        assert_eq!(pace.games(10_000_000, 3), 4 * (MOST_CANDIDATES - 1));
        pace.expect(1 << 20);
        pace.add(MOST_GAMES, cost(0.0));
        assert_eq!(pace.games(10_000_000, 3), MOST_GAMES);
    }

    #[test]
    fn tasks_grow_to_their_time_and_shrink_at_the_end() {
        let mut pace = TaskSizer::default();
        assert_eq!(pace.games(1_000_000, 4), FIRST_GAMES);
        let mut sizes = Vec::new();
        for _ in 0..4 {
            let games = pace.games(1_000_000, 4);
            sizes.push(games);
            pace.add(games, cost(games as f64 / 1000.0));
        }
        assert_eq!(sizes, [4, 32, 256, 1500]);
        assert_eq!(pace.games(1_000_000, 4), 1500);
        let expected = pace.expected(1500).as_secs_f64();
        assert!((expected - 1.5).abs() < 1e-9, "{expected}");
        // 800 games for four threads: 100, 88, ..
        let (mut left, mut sizes) = (800, Vec::new());
        while left > 0 {
            sizes.push(pace.games(left, 4));
            left -= sizes[sizes.len() - 1];
        }
        assert_eq!((sizes[0], sizes[sizes.len() - 1]), (100, 1));
        assert!(sizes.is_sorted_by(|one, next| one >= next), "{sizes:?}");
        // Tasks with thirty games take the smallest target time. The threads share the games of the last ones.
        let short = sizes.iter().filter(|size| **size < 30).count();
        assert_eq!((sizes.contains(&30), short), (true, 14), "{sizes:?}");
        assert_eq!(pace.games(40, 40), 1);
    }

    #[test]
    fn slow_games_are_tasks_of_their_own_and_nonsense_is_ignored() {
        let mut pace = TaskSizer::default();
        pace.add(1, cost(60.0));
        for seconds in [f64::NAN, f64::INFINITY, -1.0] {
            pace.add(1, cost(seconds));
        }
        assert_eq!(pace.games(1000, 3), 1);
        assert_eq!(pace.expected(1), Duration::from_secs(60));
        pace.add(MOST_GAMES, cost(0.0));
        for _ in 0..100 {
            pace.add(MOST_GAMES, cost(0.0));
        }
        assert_eq!(pace.games(10_000_000, 3), MOST_GAMES);
        assert_eq!(pace.games(0, 3), 1);
    }
}
