//! Tasks: some games of one or more candidates with everything that determines the games, as exact bits. This module
//! must not know how tasks are sent.

use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::task_size::{MOST_CANDIDATES, MOST_GAMES};
use crate::Catalogue;
use crate::heuristic::weights::Weights;
use crate::plain_file::MOST_OF_INPUT;
use crate::player::options::HEURISTIC;
use crate::player::{COMMAND, OptionValue, PlayerConfig, PlayerSpec};
use crate::prepare::Reported;
use crate::program::Program;
use crate::record::GameRecord;

/// The games of an evaluation: every candidate on every seed, candidate by candidate.
#[derive(Clone, Copy)]
pub(super) struct Evaluation<'a> {
    pub(super) player: &'a PlayerSpec,
    pub(super) candidates: &'a [Weights],
    pub(super) seeds: &'a [u64],
}

/// Some consecutive games of an evaluation, ready to play.
#[derive(Clone, PartialEq)]
pub(super) struct Job {
    player: PlayerSpec,
    candidates: Vec<Weights>,
    parts: Vec<CandidateGames>,
    seeds: Vec<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct CandidateGames {
    candidate: usize,
    seeds: Range<usize>,
}

/// The message of a job.
#[derive(Serialize, Deserialize)]
struct TaskMessage {
    player: TaskPlayer,
    candidates: Vec<Bits>,
    parts: Vec<CandidateGames>,
    seeds: Vec<u64>,
}

/// Keys of weights with the bits of their values.
type Bits = Vec<(String, u64)>;

/// The player in a message.
#[derive(Serialize, Deserialize)]
struct TaskPlayer {
    /// Its `[player]` table as TOML. The options include the text of the heuristic and the opponents.
    config: String,
    /// The only opponent of a direct match, with its weights.
    rival: Option<Box<(TaskPlayer, Bits)>>,
}

impl Evaluation<'_> {
    /// Number of games.
    pub(super) fn games(&self) -> usize {
        self.candidates.len() * self.seeds.len()
    }

    /// Index of the candidate of a game, and index of its seed.
    pub(super) fn place(&self, game: usize) -> (usize, usize) {
        (game / self.seeds.len(), game % self.seeds.len())
    }

    /// The job of a range of games. The range must not be empty.
    pub(super) fn job(&self, games: Range<usize>) -> Job {
        let (first, last) = (self.place(games.start), self.place(games.end - 1));
        let seeds = if first.0 == last.0 {
            first.1..last.1 + 1
        } else {
            0..self.seeds.len()
        };
        let part = |candidate: usize| {
            let from = if candidate == first.0 { first.1 } else { 0 };
            let to = if candidate == last.0 {
                last.1 + 1
            } else {
                self.seeds.len()
            };
            CandidateGames {
                candidate: candidate - first.0,
                seeds: from - seeds.start..to - seeds.start,
            }
        };
        Job {
            player: self.player.clone(),
            candidates: self.candidates[first.0..=last.0].to_vec(),
            parts: (first.0..=last.0).map(part).collect(),
            seeds: self.seeds[seeds.clone()].to_vec(),
        }
    }
}

impl Job {
    pub(super) fn player(&self) -> &PlayerSpec {
        &self.player
    }

    /// The seeds of the games in order.
    pub(super) fn seeds(&self) -> impl Iterator<Item = u64> {
        let seeds = self
            .parts
            .iter()
            .map(|part| &self.seeds[part.seeds.clone()]);
        seeds.flatten().copied()
    }

    /// Plays the games on this thread. Calls `count` with the number of games of each batch. What a player computes
    /// before them is reported.
    ///
    /// # Errors
    /// If a stop was requested, a program has failed, or the player cannot use the weights.
    pub(super) fn play(
        &self,
        reported: &Reported,
        count: impl Fn(usize),
    ) -> Result<Vec<GameRecord>, String> {
        let stop = reported.stop;
        let unfinished = || {
            let failure = self.player.program().and_then(Program::failure);
            failure.unwrap_or_else(|| "the games were left unfinished".into())
        };
        let mut games = Vec::new();
        for part in &self.parts {
            stop.complete(()).ok_or_else(unfinished)?;
            let player = self.player.build(&self.candidates[part.candidate])?;
            reported.prepare(&*player).ok_or_else(unfinished)?;
            for seeds in self.seeds[part.seeds.clone()].chunks(player.batch_size()) {
                let played = stop
                    .complete(())
                    .and_then(|()| player.play_many(seeds, stop));
                games.extend(played.ok_or_else(unfinished)?);
                count(seeds.len());
            }
        }
        Ok(games)
    }

    /// The job as JSON.
    ///
    /// # Errors
    /// If the player's options cannot be written.
    pub(super) fn encode(&self) -> Result<Vec<u8>, String> {
        let task = TaskMessage {
            player: TaskPlayer::of(&self.player)?,
            candidates: self.candidates.iter().map(bits).collect(),
            parts: self.parts.clone(),
            seeds: self.seeds.clone(),
        };
        serde_json::to_vec(&task).map_err(|error| error.to_string())
    }

    /// Reads a job. A program may be started only if `allowed` contains its command, with the words joined by spaces.
    /// It then works in `folder`.
    ///
    /// # Errors
    /// If the text is not a job, its player does not exist here, or its program is not allowed.
    pub(super) fn decode(
        catalogue: &Catalogue,
        text: &[u8],
        allowed: &[String],
        folder: &Path,
    ) -> Result<Self, String> {
        let task: TaskMessage = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        task.check_size()?;
        let player = task.player.resolve(catalogue, allowed, folder)?;
        let of_candidate = |bits: &Bits| weights(bits, &player);
        let candidates: Result<Vec<Weights>, String> =
            task.candidates.iter().map(of_candidate).collect();
        Ok(Job {
            candidates: candidates?,
            player,
            parts: task.parts,
            seeds: task.seeds,
        })
    }
}

impl TaskMessage {
    /// Checks that the task has the form that a coordinator sends: each candidate once, with some of the seeds, and not
    /// too many candidates and games. Another message could require any amount of time and memory.
    fn check_size(&self) -> Result<(), String> {
        let mut games = 0;
        for (number, part) in self.parts.iter().enumerate() {
            let seeds = &part.seeds;
            if part.candidate != number || seeds.is_empty() || seeds.end > self.seeds.len() {
                return Err("the games are outside of the task".into());
            }
            games += seeds.len();
        }
        let candidates = self.candidates.len();
        if candidates != self.parts.len() {
            return Err("the candidates are not those of the games".into());
        }
        if candidates > MOST_CANDIDATES || games > MOST_GAMES {
            return Err(format!(
                "the task has {candidates} candidates and {games} games; at most {MOST_CANDIDATES} and {MOST_GAMES} \
                 are allowed"
            ));
        }
        Ok(())
    }
}

impl TaskPlayer {
    fn of(player: &PlayerSpec) -> Result<Self, String> {
        let config = toml::to_string(&player.config()).map_err(|error| error.to_string())?;
        let rival = player.rival().map(|(rival, weights)| {
            TaskPlayer::of(rival).map(|rival| Box::new((rival, bits(weights))))
        });
        Ok(TaskPlayer {
            config,
            rival: rival.transpose()?,
        })
    }

    fn resolve(
        &self,
        catalogue: &Catalogue,
        allowed: &[String],
        folder: &Path,
    ) -> Result<PlayerSpec, String> {
        if self.config.len() as u64 > MOST_OF_INPUT {
            return Err(format!(
                "the player of the task has {} bytes; at most {MOST_OF_INPUT} are allowed",
                self.config.len()
            ));
        }
        let mut config: PlayerConfig =
            toml::from_str(&self.config).map_err(|error| error.message().to_owned())?;
        for (key, value) in &mut config.options {
            if let OptionValue::Table(table) = value
                && key == HEURISTIC
            {
                check_program(table, allowed, folder)?;
            }
        }
        let player = catalogue.player_at_settings(&config);
        let player = player.map_err(|error| error.to_string())?;
        let Some(rival) = &self.rival else {
            return Ok(player);
        };
        if rival.0.rival.is_some() {
            return Err("the rival of a player has no rival".into());
        }
        let (rival, of_rival) = (rival.0.resolve(catalogue, allowed, folder)?, &rival.1);
        let of_rival = weights(of_rival, &rival)?;
        let matched = player.against(&rival, &of_rival);
        matched.ok_or_else(|| "the game has no direct matches".into())
    }
}

/// If a table names a program, checks that it may be started here, and sets its folder.
fn check_program(table: &mut toml::Table, allowed: &[String], folder: &Path) -> Result<(), String> {
    let Some(command) = table.get(COMMAND) else {
        return Ok(());
    };
    let words = command.as_array().map(Vec::as_slice).unwrap_or_default();
    let words: Vec<&str> = words.iter().filter_map(toml::Value::as_str).collect();
    let command = words.join(" ");
    if !allowed.contains(&command) {
        return Err(format!(
            "the program `{command}` is not allowed here; `--allow-command` allows it"
        ));
    }
    let folder = folder.to_string_lossy().into_owned();
    table.insert("folder".into(), folder.into());
    Ok(())
}

fn bits(weights: &Weights) -> Bits {
    let pairs = weights.iter();
    pairs
        .map(|(key, value)| (key.to_owned(), value.to_bits()))
        .collect()
}

fn weights(bits: &Bits, player: &PlayerSpec) -> Result<Weights, String> {
    let pairs = bits.iter();
    let pairs = pairs.map(|(key, bits)| (key.clone(), f64::from_bits(*bits)));
    Weights::new(pairs, &player.parameters()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::weights_file::published;

    fn job(player: &str, candidates: usize, seeds: usize, games: Range<usize>) -> Job {
        let config = toml::from_str(player).unwrap();
        let player = Catalogue::builtin().player_at_settings(&config);
        let player = player.unwrap();
        let weights = vec![published(&player); candidates];
        let seeds: Vec<u64> = (0..seeds as u64).map(|seed| u64::MAX - seed).collect();
        let evaluation = Evaluation {
            player: &player,
            candidates: &weights,
            seeds: &seeds,
        };
        evaluation.job(games)
    }

    fn again(job: &Job) -> Result<Job, String> {
        Job::decode(
            &Catalogue::builtin(),
            &job.encode().unwrap(),
            &[],
            Path::new("/"),
        )
    }

    #[test]
    fn a_task_is_read_as_it_was_written() {
        for player in [
            "name = 'expectimax'\ndepth = 0\ncutoff = 0.1",
            "name = 'expectimax'\ndepths = [0, 1]",
            "name = 'strings'\ngame = 'connect-four'\nrows = 7\ncolumns = 6",
            "name = 'freedom'\ngame = 'three-plus-three'",
        ] {
            let job = job(player, 3, 4, 2..11);
            let read = again(&job).unwrap();
            assert!(read == job, "{player}");
            for (one, other) in job.candidates.iter().zip(&read.candidates) {
                assert!(one.equals_to_the_bit(other));
            }
        }
    }

    #[test]
    fn exact_bits_of_weights_and_the_rival_are_kept() {
        let catalogue = Catalogue::builtin();
        let asked = PlayerConfig::new("strings", Some("connect-four"));
        let player = catalogue.player(&asked).unwrap();
        let start = published(&player);
        let (key, _) = start.iter().next().unwrap();
        let weights = start
            .with([(key, 0.1 + 0.2)], &player.parameters())
            .unwrap();
        let player = player.against(&player, &weights).unwrap();
        let candidates = [weights];
        let evaluation = Evaluation {
            player: &player,
            candidates: &candidates,
            seeds: &[7],
        };
        let job = evaluation.job(0..1);
        assert!(again(&job).unwrap() == job);
    }

    #[test]
    fn a_job_has_the_games_of_its_range() {
        let all: Vec<u64> = (0..3)
            .flat_map(|_| (0..4).map(|seed| u64::MAX - seed))
            .collect();
        for start in 0..12 {
            for end in start + 1..=12 {
                let job = job("name = 'random'", 3, 4, start..end);
                assert!(
                    job.seeds().eq(all[start..end].iter().copied()),
                    "{start}..{end}"
                );
                assert!(again(&job).unwrap() == job);
            }
        }
    }

    #[test]
    fn programs_play_only_where_their_command_is_allowed() {
        let mut table: toml::Table =
            toml::from_str("command = ['python3', 'my_ai.py']\nfolder = '/home/me'").unwrap();
        let folder = Path::new("/srv");
        let refused = check_program(&mut table, &["python3".into()], folder).unwrap_err();
        assert!(
            refused.contains("`python3 my_ai.py` is not allowed"),
            "{refused}"
        );
        check_program(&mut table, &["python3 my_ai.py".into()], folder).unwrap();
        assert_eq!(table["folder"].as_str(), Some("/srv"));
    }

    #[test]
    fn a_task_has_no_more_candidates_and_games_than_a_coordinator_sends() {
        let refused = |job: &Job| again(job).err().unwrap_or_default();
        let most = job("name = 'random'", MOST_CANDIDATES, 1, 0..MOST_CANDIDATES);
        assert_eq!(refused(&most), "");
        let more = MOST_CANDIDATES + 1;
        let more = refused(&job("name = 'random'", more, 1, 0..more));
        assert!(more.starts_with("the task has 257 candidates"), "{more}");
        let most = job("name = 'random'", 1, MOST_GAMES + 1, 0..MOST_GAMES);
        assert_eq!(refused(&most), "");
        let more = refused(&job(
            "name = 'random'",
            1,
            MOST_GAMES + 1,
            0..MOST_GAMES + 1,
        ));
        assert!(
            more.contains("32769 games; at most 256 and 32768"),
            "{more}"
        );
        // Repeated games, candidates without games, and a part without games.
        let two = job("name = 'random'", 2, 3, 1..5);
        let mut again = two.clone();
        again.parts = vec![again.parts[0].clone(); 20_000];
        let mut without = two.clone();
        without.candidates = vec![without.candidates[0].clone(); 20_000];
        let mut empty = two.clone();
        empty.parts[1].seeds.end = empty.parts[1].seeds.start;
        let mut reversed = two;
        reversed.parts[0].seeds = Range { start: 3, end: 1 };
        for job in [again, without, empty, reversed] {
            assert_ne!(refused(&job), "");
        }
    }

    #[test]
    fn what_is_no_task_is_refused() {
        assert!(Job::decode(&Catalogue::builtin(), b"{}", &[], Path::new("/")).is_err());
        let job = job("name = 'random'", 1, 2, 0..2);
        let text = String::from_utf8(job.encode().unwrap()).unwrap();
        let wrong = text.replace("\"end\":2", "\"end\":3");
        assert_ne!(text, wrong);
        let refused =
            Job::decode(&Catalogue::builtin(), wrong.as_bytes(), &[], Path::new("/")).err();
        assert_eq!(
            refused.as_deref(),
            Some("the games are outside of the task")
        );
        let wrong = text.replace("random", "nobody");
        assert!(Job::decode(&Catalogue::builtin(), wrong.as_bytes(), &[], Path::new("/")).is_err());
    }
}
