//! The result of a replay: the numbers of compared games and figures, and those that differ. This module must not play.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{RunDirectory, StoreError};
use tiletune_engine::record::{GameRecord, Missing};

/// The comparison of a record with what was played again. Numbers are equal if all of their digits are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Replay {
    /// Number of games that were played again.
    pub games: u64,
    /// Number of recorded games that they were compared with, one by one.
    pub recorded_games: u64,
    /// Number of these that differ.
    pub different_games: u64,
    /// Number of recorded figures that were compared.
    pub figures: u64,
    /// Number of these that differ.
    pub different_figures: u64,
    /// What differs; of the games of a table only the first.
    pub differences: Vec<Difference>,
}

/// A figure or a game that differs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Difference {
    /// File and key or number.
    pub what: String,
    /// The recorded value; null if there is none.
    pub recorded: Value,
    /// The value from the games that were played again; null if there is none.
    pub replayed: Value,
}

/// Largest number of different games of a table that are listed.
const MOST_LISTED: usize = 3;

impl Replay {
    /// Whether nothing differs.
    pub fn is_equal(&self) -> bool {
        self.differences.is_empty()
    }

    /// Counts replayed games.
    pub fn add_played(&mut self, games: u64) {
        self.games += games;
    }

    /// Compares the recorded games of a table with the replayed ones. `label` returns the name of the game at an index.
    pub fn compare_games(
        &mut self,
        recorded: &[GameRecord],
        replayed: &[GameRecord],
        label: impl Fn(usize) -> String,
    ) {
        self.recorded_games += recorded.len() as u64;
        let pairs = recorded.iter().zip(replayed).enumerate();
        let mut listed = 0;
        // A failure can depend on the clock, so a game with a recorded failure does not count as different.
        let differ =
            |one: &GameRecord, other| one != other && one.missing() != Some(Missing::Failed);
        for (place, (one, other)) in pairs.filter(|(_, (one, other))| differ(one, *other)) {
            self.different_games += 1;
            listed += 1;
            if listed <= MOST_LISTED {
                self.differs(label(place), [one, other].map(shown));
            }
        }
    }

    /// Compares the figures of a file, key by key.
    ///
    /// # Errors
    /// If they cannot be written as JSON.
    pub fn compare(
        &mut self,
        file: &Path,
        recorded: &impl Serialize,
        replayed: &impl Serialize,
    ) -> Result<(), StoreError> {
        let damaged = |error| StoreError::damaged(file, error);
        let recorded = serde_json::to_value(recorded).map_err(damaged)?;
        let replayed = serde_json::to_value(replayed).map_err(damaged)?;
        let name = file.file_name().unwrap_or(file.as_os_str());
        self.compare_values(
            &format!("{}: ", name.to_string_lossy()),
            &recorded,
            &replayed,
        );
        Ok(())
    }

    /// Compares a JSON file of a run directory with recomputed results.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn compare_file(
        &mut self,
        directory: &RunDirectory,
        name: &str,
        replayed: &impl Serialize,
    ) -> Result<(), StoreError> {
        let recorded = directory.read_json::<Value>(name)?;
        self.compare(&directory.path(name), &recorded, replayed)
    }

    fn compare_values(&mut self, path: &str, recorded: &Value, replayed: &Value) {
        let inner = |key: &str| {
            if path.ends_with(' ') {
                format!("{path}{key}")
            } else {
                format!("{path}.{key}")
            }
        };
        match (recorded, replayed) {
            (Value::Object(one), Value::Object(other)) => {
                let new = other.keys().filter(|key| !one.contains_key(*key));
                for key in one.keys().chain(new) {
                    let of = |object: &serde_json::Map<String, Value>| {
                        object.get(key).cloned().unwrap_or_default()
                    };
                    self.compare_values(&inner(key), &of(one), &of(other));
                }
            }
            (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
                for (index, (one, other)) in one.iter().zip(other).enumerate() {
                    self.compare_values(&inner(&index.to_string()), one, other);
                }
            }
            _ => {
                self.figures += 1;
                if recorded != replayed {
                    self.different_figures += 1;
                    let what = path.trim_end_matches([':', ' ']).to_owned();
                    self.differs(what, [recorded.clone(), replayed.clone()]);
                }
            }
        }
    }

    fn differs(&mut self, what: String, [recorded, replayed]: [Value; 2]) {
        self.differences.push(Difference {
            what,
            recorded,
            replayed,
        });
    }
}

/// A game in the list of differences.
fn shown(game: &GameRecord) -> Value {
    let mut shown = json!({ "seed": game.seed.to_string(), "moves": game.moves });
    for (name, count) in game.counts() {
        shown[name] = count.into();
    }
    if let Some(numbers) = game.numbers() {
        return numbers.all().fold(
            json!({ "seed": game.seed.to_string() }),
            |mut shown, (name, value)| {
                shown[name] = value.into();
                shown
            },
        );
    }
    if let Some(outcome) = game.outcome() {
        shown["outcome"] = outcome.name().into();
    }
    shown["leaf_evaluations"] = game.leaf_evaluations.into();
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiletune_engine::record::GameResult;

    #[test]
    fn every_digit_and_every_key_counts() {
        let recorded = json!({ "a": { "b": 0.1, "c": [1, 2] }, "d": "x", "gone": 3 });
        let compare = |replayed: &Value| {
            let mut replay = Replay::default();
            replay
                .compare(Path::new("f.json"), &recorded, replayed)
                .unwrap();
            replay
        };
        let same = compare(&recorded);
        assert!(same.is_equal());
        assert_eq!((same.figures, same.different_figures), (5, 0));
        let other = json!({ "a": { "b": 0.1f64.next_up(), "c": [1, 2, 3] }, "d": "x", "new": 1 });
        let other = compare(&other);
        let what = other.differences.iter().map(|one| one.what.as_str());
        assert_eq!(
            what.collect::<Vec<_>>(),
            ["f.json: a.b", "f.json: a.c", "f.json: gone", "f.json: new"]
        );
        assert_eq!(other.differences[3].recorded, Value::Null);
        assert_eq!((other.figures, other.different_figures), (5, 4));
    }

    #[test]
    fn games_that_differ_are_counted_and_the_first_listed() {
        let game = |seed, score| GameRecord {
            seed,
            result: GameResult::scored(score),
            moves: 1,
            leaf_evaluations: 0,
        };
        let games = |score| Vec::from_iter((0..10).map(|seed| game(seed, score)));
        let mut replay = Replay::default();
        let label = |place| format!("t: game {place}");
        replay.compare_games(&games(1), &games(1), label);
        assert!(replay.is_equal());
        replay.compare_games(&games(1), &games(2), label);
        assert_eq!((replay.recorded_games, replay.different_games), (20, 10));
        assert_eq!(replay.differences.len(), MOST_LISTED);
        assert_eq!(replay.differences[0].what, "t: game 0");
    }
}
