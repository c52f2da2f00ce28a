//! The wire format of a cluster: game records, heartbeats, states of runs. Large messages are compressed. This module
//! must not interpret their content.

use std::io::Read;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::evaluation::local::MOST_THREADS;
use crate::record::{GameRecord, GameResult, Names, Numbers, Outcome};
use crate::visible::visible;

/// Compression level of zstd.
const LEVEL: i32 = 1;

/// Largest size of a message after decompression. It is larger than any task or result.
const LARGEST: u64 = 64 << 20;

/// Largest number of characters of a name or a reason from another machine, because it is shown and stored.
const LONGEST: usize = 300;

/// Reads a text from another machine as one short line.
fn line<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    String::deserialize(deserializer).map(|text| one_line(&text))
}

fn lines<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    Ok(texts.iter().map(|text| one_line(text)).collect())
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = visible(&words.join(" "));
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} ..", &text[..end]),
        None => text,
    }
}

/// Limits the number of threads to the largest that a worker can have.
fn threads<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    u32::deserialize(deserializer).map(|threads| threads.min(MOST_THREADS.into()))
}

/// A task of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) struct TaskId {
    pub(super) evaluation: u64,
    pub(super) number: u32,
}

/// The question of a worker whether to play a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Start {
    #[serde(deserialize_with = "line")]
    pub(super) worker: String,
    pub(super) task: TaskId,
}

/// The answer of a coordinator to a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Answer {
    /// The worker plays the task.
    Play,
    /// The games are known; drop the task.
    Done,
    /// The worker is barred. The text is the reason.
    Barred(#[serde(deserialize_with = "line")] String),
}

/// The result of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct TaskResult {
    #[serde(deserialize_with = "line")]
    pub(super) worker: String,
    /// Thread seconds.
    pub(super) seconds: f64,
    /// The games, or the reason why there are none.
    #[serde(deserialize_with = "games_or_line")]
    pub(super) games: Result<Columns, String>,
}

fn games_or_line<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Result<Columns, String>, D::Error> {
    let games = Result::<Columns, String>::deserialize(deserializer)?;
    Ok(games.map_err(|why| one_line(&why)))
}

impl TaskResult {
    /// The packed message. `most` is the `max_payload` of the server in bytes. A larger message contains the reason
    /// instead of the records; the coordinator fails with this reason if no worker can send the task. Without a message
    /// it would wait forever.
    pub(super) fn message(&self, most: usize) -> Vec<u8> {
        let bytes = pack(&json(self));
        if bytes.len() <= most {
            return bytes;
        }
        pack(&json(&TaskResult {
            games: Err(format!(
                "the records of a task have {} bytes, a message of the server {most} at most (max_payload)",
                bytes.len()
            )),
            worker: self.worker.clone(),
            seconds: self.seconds,
        }))
    }
}

/// The heartbeat of a worker, once a second.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Heartbeat {
    /// Its unique name.
    #[serde(deserialize_with = "line")]
    pub worker: String,
    /// Its build.
    #[serde(deserialize_with = "line")]
    pub build: String,
    /// Number of games that it plays at a time.
    #[serde(deserialize_with = "threads")]
    pub threads: u32,
    /// Games since it began.
    pub games: u64,
    /// Games in a second, over the last seconds.
    pub games_per_second: f64,
    /// The tasks that it plays: run, evaluation, number.
    pub holds: Vec<(String, u64, u32)>,
    /// Whether this is its last heartbeat.
    pub ends: bool,
}

/// The state of a run, published by its coordinator once a second.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RunState {
    /// The id of the run, drawn by each process.
    #[serde(deserialize_with = "line")]
    pub run: String,
    /// Its build.
    #[serde(deserialize_with = "line")]
    pub build: String,
    /// Live workers of its build.
    pub workers: u32,
    /// Their threads.
    pub threads: u32,
    /// Tasks in the queue.
    pub queued: u32,
    /// Tasks that are being played.
    pub playing: u32,
    /// Games that are accepted.
    pub games: u64,
    /// Retries: tasks that were published again.
    pub retries: u64,
    /// Barred workers.
    #[serde(deserialize_with = "lines")]
    pub barred: Vec<String>,
}

/// Game records, column by column, because that compresses better than row by row. The seeds are those of the task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Columns {
    results: ResultColumns,
    moves: Vec<u32>,
    leaf_evaluations: Vec<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ResultColumns {
    Scores {
        score: Vec<u64>,
        max_tile: Vec<Option<u32>>,
        /// Indices of the capped games.
        capped: Vec<usize>,
    },
    Outcomes(Vec<u8>),
    Numbers {
        names: Vec<String>,
        /// Bits of the score and of the other numbers of each game.
        values: Vec<Vec<u64>>,
    },
}

impl Columns {
    /// The columns of games. All results must be of the same kind.
    pub(super) fn of(games: &[GameRecord]) -> Self {
        let outcomes: Vec<u8> = games
            .iter()
            .filter_map(GameRecord::outcome)
            .map(|o| o as u8)
            .collect();
        let numbers: Vec<&Numbers> = games.iter().filter_map(GameRecord::numbers).collect();
        let results = if let Some(first) = numbers.first() {
            let names = first.names().list().to_vec();
            let values =
                |numbers: &&Numbers| numbers.all().map(|(_, value)| value.to_bits()).collect();
            ResultColumns::Numbers {
                names,
                values: numbers.iter().map(values).collect(),
            }
        } else if !outcomes.is_empty() {
            ResultColumns::Outcomes(outcomes)
        } else {
            let places = games.iter().enumerate();
            let capped = places.filter(|(_, game)| game.is_capped());
            ResultColumns::Scores {
                score: games.iter().filter_map(GameRecord::score).collect(),
                max_tile: games.iter().map(GameRecord::max_tile).collect(),
                capped: capped.map(|(place, _)| place).collect(),
            }
        };
        Columns {
            results,
            moves: games.iter().map(|game| game.moves).collect(),
            leaf_evaluations: games.iter().map(|game| game.leaf_evaluations).collect(),
        }
    }

    /// The games with these seeds. `None` if the columns have other lengths or contain an impossible value.
    pub(super) fn games(&self, seeds: impl Iterator<Item = u64>) -> Option<Vec<GameRecord>> {
        let results = self.results.list()?;
        let seeds: Vec<u64> = seeds.collect();
        let lengths = [results.len(), self.moves.len(), self.leaf_evaluations.len()];
        if lengths != [seeds.len(); 3] {
            return None;
        }
        let game = |(place, (seed, result))| GameRecord {
            seed,
            result,
            moves: self.moves[place],
            leaf_evaluations: self.leaf_evaluations[place],
        };
        Some(
            seeds
                .into_iter()
                .zip(results)
                .enumerate()
                .map(game)
                .collect(),
        )
    }

    /// Changed records, for tests.
    pub(super) fn falsified(mut self) -> Self {
        if let Some(moves) = self.moves.last_mut() {
            *moves += 1;
        }
        self
    }
}

impl ResultColumns {
    fn list(&self) -> Option<Vec<GameResult>> {
        match self {
            ResultColumns::Scores {
                score,
                max_tile,
                capped,
            } => {
                let result = |(&score, &max_tile)| GameResult::Score {
                    score,
                    max_tile,
                    capped: false,
                };
                let mut results: Vec<GameResult> = score.iter().zip(max_tile).map(result).collect();
                for &place in capped {
                    match results.get_mut(place)? {
                        GameResult::Score { capped, .. } => *capped = true,
                        GameResult::Numbers(_) | GameResult::Outcome(_) => return None,
                    }
                }
                (score.len() == max_tile.len()).then_some(results)
            }
            ResultColumns::Outcomes(outcomes) => {
                let known = |number: &u8| Outcome::ALL.get(usize::from(*number)).copied();
                let known = |number| known(number).map(GameResult::Outcome);
                outcomes.iter().map(known).collect()
            }
            ResultColumns::Numbers { names, values } => {
                let names = Names::new(names);
                let numbers = |bits: &Vec<u64>| {
                    let values: Vec<f64> = bits.iter().map(|bits| f64::from_bits(*bits)).collect();
                    let (score, others) = values.split_first()?;
                    let fits = others.len() == names.list().len();
                    fits.then(|| GameResult::Numbers(Numbers::new(*score, names.clone(), others)))
                };
                values.iter().map(numbers).collect()
            }
        }
    }
}

/// The bytes of a value as JSON.
pub(super) fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_else(|error| unreachable!("messages are JSON: {error}"))
}

/// Compresses bytes.
pub(super) fn pack(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, LEVEL)
        .unwrap_or_else(|error| unreachable!("memory takes bytes: {error}"))
}

/// Decompresses bytes; `None` if they are damaged or too large.
pub(super) fn unpack(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut unpacked = Vec::new();
    let decoder = zstd::Decoder::new(bytes).ok()?;
    decoder.take(LARGEST + 1).read_to_end(&mut unpacked).ok()?;
    (unpacked.len() as u64 <= LARGEST).then_some(unpacked)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(seed: u64, result: GameResult) -> GameRecord {
        GameRecord {
            seed,
            result,
            moves: 3 + seed as u32,
            leaf_evaluations: u64::MAX - seed,
        }
    }

    #[test]
    fn records_that_no_message_can_hold_become_the_reason() {
        let games: Vec<GameRecord> = (0..1000)
            .map(|seed| game(seed, GameResult::scored(seed * seed)))
            .collect();
        let played = TaskResult {
            worker: "one".to_owned(),
            seconds: 1.5,
            games: Ok(Columns::of(&games)),
        };
        let read = |message: Vec<u8>| -> TaskResult {
            serde_json::from_slice(&unpack(&message).unwrap()).unwrap()
        };
        let whole = played.message(usize::MAX);
        assert_eq!(read(played.message(whole.len())), played);
        let most = whole.len() - 1;
        let short = played.message(most);
        assert!(short.len() < most);
        let short = read(short);
        assert_eq!((&short.worker[..], short.seconds), ("one", 1.5));
        let why = format!("have {} bytes, a message of the server {most}", whole.len());
        assert!(short.games.unwrap_err().contains(&why));
    }

    #[test]
    fn texts_of_other_machines_are_short_lines() {
        let text = "a\n b\t\u{1b}[31m".to_owned() + &"x".repeat(1000);
        let (line, long) = (format!("a b ?[31m{}", "x".repeat(291)), " ..");
        let result =
            serde_json::json!({ "worker": text, "seconds": 1.0, "games": { "Err": text } });
        let result: TaskResult = serde_json::from_value(result).unwrap();
        assert_eq!(result.worker, line.clone() + long);
        assert_eq!(result.games, Err(line.clone() + long));
        let barred: Answer = serde_json::from_value(serde_json::json!({ "barred": text })).unwrap();
        assert_eq!(barred, Answer::Barred(line + long));
        let beat = Heartbeat {
            worker: text.clone(),
            build: text.clone(),
            threads: u32::MAX,
            ..Heartbeat::default()
        };
        let beat: Heartbeat = serde_json::from_slice(&json(&beat)).unwrap();
        assert_eq!((&beat.worker, beat.threads), (&beat.build, 1024));
        let state = RunState {
            run: text.clone(),
            build: "b\nc".to_owned(),
            barred: vec![text],
            ..RunState::default()
        };
        let state: RunState = serde_json::from_slice(&json(&state)).unwrap();
        assert_eq!((&state.run, &state.build[..]), (&state.barred[0], "b c"));
        let whole = one_line(&"y".repeat(LONGEST));
        assert_eq!(whole.len(), LONGEST);
    }

    #[test]
    fn games_of_every_kind_are_read_as_they_were_written() {
        let capped = GameResult::Score {
            score: 9,
            max_tile: Some(2048),
            capped: true,
        };
        let names = Names::new(&["loss", "time"]);
        let numbers = |score| GameResult::Numbers(Numbers::new(score, names.clone(), &[0.1, -0.0]));
        let kinds = [
            vec![
                GameResult::scored(5),
                capped,
                GameResult::scored_with_tile(7, 4),
            ],
            Outcome::ALL.map(GameResult::Outcome).to_vec(),
            vec![numbers(0.3), numbers(f64::INFINITY)],
            vec![],
        ];
        for results in kinds {
            let games: Vec<GameRecord> = (0..)
                .zip(results)
                .map(|(seed, one)| game(seed, one))
                .collect();
            let played = TaskResult {
                worker: "w".into(),
                seconds: 0.5,
                games: Ok(Columns::of(&games)),
            };
            let bytes = unpack(&pack(&json(&played))).unwrap();
            let read: TaskResult = serde_json::from_slice(&bytes).unwrap();
            let seeds = games.iter().map(|game| game.seed);
            let columns = read.games.unwrap();
            assert_eq!(columns.games(seeds.clone()).unwrap(), games);
            assert_eq!(columns.games(seeds.chain([7])), None);
            if !games.is_empty() {
                let falsified = columns
                    .falsified()
                    .games(games.iter().map(|game| game.seed));
                assert_ne!(falsified.unwrap(), games);
            }
        }
    }

    #[test]
    fn damaged_columns_are_no_games() {
        let columns = |results| Columns {
            results,
            moves: vec![1],
            leaf_evaluations: vec![1],
        };
        let scores = |capped| ResultColumns::Scores {
            score: vec![1],
            max_tile: vec![None],
            capped,
        };
        assert!(columns(scores(vec![0])).games([1].into_iter()).is_some());
        for results in [
            scores(vec![1]),
            ResultColumns::Outcomes(vec![3]),
            ResultColumns::Numbers {
                names: vec!["a".into()],
                values: vec![vec![]],
            },
        ] {
            assert_eq!(columns(results).games([1].into_iter()), None);
        }
        assert_eq!(unpack(b"no frame"), None);
        let bomb = vec![0; LARGEST as usize + 1];
        assert_eq!(unpack(&pack(&bomb)), None);
    }
}
