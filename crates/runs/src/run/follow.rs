//! Follows a run directory that another process may be writing: each call reads only what is new. Lines of logs and
//! tables are read once, and a log that has not grown is not opened. No lock is needed, and an unfinished line is left
//! for the next call. This module must not interpret what it reads, and must not write.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use serde::Deserialize;

use super::logs::{EVENTS, TIMING, elapsed};
use super::places::{generation_file, generation_of};
use super::tables::{self, TableInfo};
use super::{RunFile, StoreError};
use crate::inventory::chain::{self, Head, finished};
use crate::inventory::{self, Inventory, Record};
use crate::plain_file;
use tiletune_tuning::results::GenerationRow;

/// Smallest number of generations for a reading thread.
const FEWEST: usize = 16;

/// The part of a line of `timing.jsonl` that all kinds of run have.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct TimedGames {
    /// Number of games.
    pub games: u64,
    /// Elapsed seconds.
    #[serde(deserialize_with = "elapsed")]
    pub seconds: f64,
}

/// The data of a run directory that has been read so far.
pub struct Follower {
    root: PathBuf,
    parameters: Vec<String>,
    list: Tail,
    files: Inventory,
    /// The last line of the list, while its file does not have its final name.
    waiting: Option<Record>,
    changes: u64,
    /// Generations that are in the list, but not read yet.
    pending: VecDeque<u32>,
    generations: Vec<GenerationRow>,
    event_log: Tail,
    events: Vec<String>,
    timing: Tail,
    played: Vec<TimedGames>,
}

impl Follower {
    /// Follows a run that tunes these parameters; empty for other kinds of run. Nothing is read yet.
    pub fn new(root: &Path, parameters: Vec<String>) -> Self {
        Follower {
            root: root.to_owned(),
            parameters,
            list: Tail::new(root.join(inventory::FILE)),
            files: Inventory::default(),
            waiting: None,
            changes: 0,
            pending: VecDeque::new(),
            generations: Vec::new(),
            event_log: Tail::new(root.join(EVENTS)),
            events: Vec::new(),
            timing: Tail::new(root.join(TIMING)),
            played: Vec::new(),
        }
    }

    /// Reads the new lines of the logs and at most `most` new generations. Returns whether more generations are
    /// written.
    ///
    /// # Errors
    /// If a file is damaged or cannot be read.
    pub fn read(&mut self, most: usize) -> Result<bool, StoreError> {
        if self.read_logs().is_err() {
            // A process that resumes a killed run can drop the last line of a log. Then everything is read again.
            *self = Follower::new(&self.root, std::mem::take(&mut self.parameters));
            self.read_logs()?;
        }
        self.read_generations(most)
    }

    fn read_logs(&mut self) -> Result<(), StoreError> {
        let mut records: Vec<Record> = self.waiting.take().into_iter().collect();
        records.extend(self.list.read::<Record>()?);
        // Which lines the manifest knows is not read here, so any last line can be one that waits.
        if inventory::is_unfinished(&self.root, &records, 0) {
            self.waiting = records.pop();
        }
        records.into_iter().for_each(|record| self.add(record));
        self.events.extend(self.event_log.objects()?);
        self.played.extend(self.timing.read::<TimedGames>()?);
        Ok(())
    }

    fn add(&mut self, record: Record) {
        let generation = record.file.strip_prefix(&tables::GENERATIONS.prefix());
        match (generation.and_then(generation_of), &record.written) {
            (Some(number), Some(_)) => self.pending.push_back(number),
            // The run went back, so this generation and the later ones are no longer valid.
            (Some(number), None) => {
                self.pending.retain(|pending| *pending != number);
                self.generations.truncate(number as usize);
            }
            (None, _) => self.changes += u64::from(!is_of_search(&record.file)),
        }
        self.files.add(record);
    }

    /// Reads at most `most` generations; returns whether there are more.
    fn read_generations(&mut self, most: usize) -> Result<bool, StoreError> {
        let numbers: Vec<u32> = self.pending.iter().take(most).copied().collect();
        let mut expected = (self.generations.len() as u32..).zip(&numbers);
        if let Some((expected, _)) = expected.find(|(expected, number)| expected != *number) {
            let missing = RunFile::outside(self.path_of(expected));
            return Err(StoreError::damaged(&missing, "the file is missing"));
        }
        for row in self.rows(&numbers) {
            self.generations.push(row?);
            self.pending.pop_front();
        }
        Ok(!self.pending.is_empty())
    }

    /// Reads generations of the list, in order. Many generations are read by several threads.
    fn rows(&self, numbers: &[u32]) -> Vec<Result<GenerationRow, StoreError>> {
        let read = |numbers: &[u32]| -> Vec<_> {
            let rows = numbers.iter().map(|&number| self.generation(number));
            rows.collect()
        };
        if numbers.len() < 2 * FEWEST {
            return read(numbers);
        }
        let threads = available_parallelism().map_or(1, usize::from);
        let together = numbers.len().div_ceil(threads).max(FEWEST);
        std::thread::scope(|scope| {
            let parts = numbers.chunks(together);
            let parts: Vec<_> = parts
                .map(|numbers| scope.spawn(move || read(numbers)))
                .collect();
            let rows = parts.into_iter().flat_map(|part| {
                let rows = part.join();
                rows.unwrap_or_else(|panic| resume_unwind(panic))
            });
            rows.collect()
        })
    }

    /// A generation of the list.
    fn generation(&self, number: u32) -> Result<GenerationRow, StoreError> {
        let read = |table| self.contents(table, number);
        let (part, row) = read(&tables::GENERATIONS)?;
        let (other, diagnostics) = read(&tables::DIAGNOSTICS)?;
        let names: Vec<&str> = self.parameters.iter().map(String::as_str).collect();
        tables::generation_in([(&part, row), (&other, diagnostics)], &names)
    }

    /// The checked file of a table for a generation.
    fn contents(
        &self,
        table: &TableInfo,
        generation: u32,
    ) -> Result<(RunFile, Vec<u8>), StoreError> {
        let name = generation_file(table, generation);
        let part = RunFile::outside(self.root.join(&name));
        let damaged = |reason: String| StoreError::damaged(&part, reason);
        let contents = StoreError::found(&part, plain_file::read(&part))?;
        let contents = contents.ok_or_else(|| damaged("the file is missing".into()))?;
        self.files.check(&name, &contents).map_err(damaged)?;
        Ok((part, contents))
    }

    fn path_of(&self, generation: u32) -> PathBuf {
        self.root
            .join(generation_file(&tables::GENERATIONS, generation))
    }

    /// The generations that have been read, in order.
    pub fn generations(&self) -> &[GenerationRow] {
        &self.generations
    }

    /// The last complete generation, even if earlier ones have not been read.
    ///
    /// # Errors
    /// If its table is damaged.
    pub fn last_generation(&self) -> Result<Option<GenerationRow>, StoreError> {
        match self.pending.back() {
            Some(&number) => self.generation(number).map(Some),
            None => Ok(self.generations.last().cloned()),
        }
    }

    /// About `count` of the complete generations, evenly spaced, with the first and the last one. Generations that have
    /// not been read are read, but not kept.
    ///
    /// # Errors
    /// If a table of them is damaged.
    pub fn sketch(&self, count: usize) -> Result<Vec<GenerationRow>, StoreError> {
        let all = self.complete_generations();
        let step = all.div_ceil(count.max(1)).max(1);
        let last = all.checked_sub(1);
        let numbers = (0..all).step_by(step).chain(last);
        let mut numbers: Vec<u32> = numbers.map(|number| number as u32).collect();
        numbers.dedup();
        let read = numbers.partition_point(|&number| (number as usize) < self.generations.len());
        let (known, unknown) = numbers.split_at(read);
        let known = known
            .iter()
            .map(|&number| self.generations[number as usize].clone());
        let unknown = self.rows(unknown);
        known.map(Ok).chain(unknown).collect()
    }

    /// Number of generations in the list, including those that have not been read.
    pub fn complete_generations(&self) -> usize {
        self.generations.len() + self.pending.len()
    }

    /// The lines of `events.jsonl` so far, without their check values.
    pub fn events(&self) -> &[String] {
        &self.events
    }

    /// The lines of `timing.jsonl` so far.
    pub fn played(&self) -> &[TimedGames] {
        &self.played
    }

    /// A counter that increases when files other than the tables of a search are written or removed.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Number of files of a table.
    pub fn number_of_parts(&self, table: &TableInfo) -> usize {
        let prefix = table.prefix();
        let names = self.files.names();
        names.filter(|name| name.starts_with(&prefix)).count()
    }
}

/// Whether a file belongs to the games of a search, or to a row of an experiment that is not complete.
fn is_of_search(name: &str) -> bool {
    let tables = [
        &tables::CANDIDATES,
        &tables::DIAGNOSTICS,
        &tables::TRAIN,
        &tables::BLOCKS,
    ];
    tables.iter().any(|table| name.starts_with(&table.prefix()))
}

/// A log that grows. Each of its chained lines is read once.
struct Tail {
    path: PathBuf,
    /// Number of bytes of the lines that have been read.
    length: u64,
    head: Head,
}

impl Tail {
    fn new(path: PathBuf) -> Self {
        Tail {
            path,
            length: 0,
            head: Head::default(),
        }
    }

    /// The records of the new lines.
    fn read<T: for<'de> Deserialize<'de>>(&mut self) -> Result<Vec<T>, StoreError> {
        let first = self.head.lines + 1;
        let objects = (first..).zip(self.objects()?);
        let record = |(line, object): (u64, String)| {
            let damaged = |error| StoreError::damaged(&self.path, format!("line {line}: {error}"));
            serde_json::from_str(&object).map_err(damaged)
        };
        objects.map(record).collect()
    }

    /// The new lines, without their check values; none if the log does not exist.
    fn objects(&mut self) -> Result<Vec<String>, StoreError> {
        let length = match std::fs::symlink_metadata(&self.path) {
            Ok(file) => file.len(),
            Err(error) if error.kind() == ErrorKind::NotFound => 0,
            Err(error) => return Err(StoreError::io(&self.path)(error)),
        };
        if length < self.length {
            return Err(StoreError::damaged(
                &self.path,
                "the file has become shorter",
            ));
        }
        if length == self.length {
            return Ok(Vec::new());
        }
        let bytes = self.bytes().map_err(StoreError::io(&self.path))?;
        let lines = finished(&bytes);
        let damaged = |reason: String| StoreError::damaged(&self.path, reason);
        let mut objects = Vec::new();
        for line in chain::lines(lines) {
            let number = self.head.lines + 1;
            let line = std::str::from_utf8(line);
            let line = line.map_err(|_| damaged(format!("line {number} is no text")))?;
            objects.push(self.head.open(line).map_err(damaged)?);
        }
        self.length += lines.len() as u64;
        Ok(objects)
    }

    /// The bytes after the lines that have been read.
    fn bytes(&self) -> std::io::Result<Vec<u8>> {
        plain_file::read_from(&self.path, self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::logs::Log;
    use crate::run::manifest::{Manifest, Seeds, Session};
    use crate::run::{RunDirectory, tables};
    use tiletune_tuning::results::example;

    const NAMES: [&str; 2] = ["a", "b"];

    fn begun(root: &Path) -> RunDirectory {
        RunDirectory::create(root, &tables::folders(), |directory| {
            let seeds = Seeds {
                campaign: 1,
                hold_out: 1,
            };
            directory.write("resolved.toml", "")?;
            Manifest::new("campaign", Session::now(1), seeds).write(directory.root())
        })
        .unwrap()
    }

    fn rows(count: u32) -> Vec<GenerationRow> {
        example::run(NAMES.len(), count, 2).generations
    }

    fn complete(directory: &RunDirectory, row: &GenerationRow) {
        let part = |table| directory.generation_part(table, row.generation);
        tables::write(&part(&tables::DIAGNOSTICS), &tables::diagnostics(row)).unwrap();
        tables::write(
            &part(&tables::GENERATIONS),
            &tables::generation(&NAMES, row),
        )
        .unwrap();
    }

    fn following(root: &Path) -> Follower {
        Follower::new(root, NAMES.map(str::to_owned).to_vec())
    }

    #[test]
    fn what_is_new_is_read_once() {
        let folder = tempfile::tempdir().unwrap();
        let directory = begun(folder.path());
        let expected = rows(5);
        expected[..3]
            .iter()
            .for_each(|row| complete(&directory, row));
        let mut follower = following(folder.path());
        assert!(follower.read(2).unwrap());
        assert_eq!(follower.generations(), &expected[..2]);
        assert_eq!(follower.complete_generations(), 3);
        assert_eq!(
            follower.last_generation().unwrap().as_ref(),
            Some(&expected[2])
        );
        assert!(!follower.read(9).unwrap());

        // Tables that have been read are not opened again.
        for number in 0..3 {
            std::fs::remove_file(follower.path_of(number)).unwrap();
        }
        let changes = follower.changes();
        complete(&directory, &expected[3]);
        assert!(!follower.read(9).unwrap());
        assert_eq!(follower.generations(), &expected[..4]);
        assert_eq!(follower.changes(), changes);
        directory.write("best.toml", "").unwrap();
        follower.read(9).unwrap();
        assert_eq!(follower.changes(), changes + 1);
    }

    #[test]
    fn threads_keep_the_order_and_damage_ends_it() {
        let folder = tempfile::tempdir().unwrap();
        let directory = begun(folder.path());
        let expected = rows(60);
        expected.iter().for_each(|row| complete(&directory, row));
        let mut follower = following(folder.path());
        assert!(!follower.read(60).unwrap());
        assert_eq!(follower.generations(), expected);
        std::fs::write(follower.path_of(40), "x").unwrap();
        let mut follower = following(folder.path());
        let error = follower.read(60).unwrap_err().to_string();
        assert!(error.contains("generation-00040.parquet"), "{error}");
        assert_eq!(follower.generations(), &expected[..40]);
    }

    #[test]
    fn a_sketch_has_the_first_and_the_last_generation() {
        let folder = tempfile::tempdir().unwrap();
        let directory = begun(folder.path());
        let mut follower = following(folder.path());
        assert!(follower.sketch(5).unwrap().is_empty());
        let expected = rows(61);
        expected.iter().for_each(|row| complete(&directory, row));
        follower.read(20).unwrap();
        let numbers = |rows: Vec<GenerationRow>| -> Vec<u32> {
            assert!(
                rows.iter()
                    .all(|row| *row == expected[row.generation as usize])
            );
            rows.into_iter().map(|row| row.generation).collect()
        };
        let sketch = |count| numbers(follower.sketch(count).unwrap());
        assert_eq!(sketch(5), [0, 13, 26, 39, 52, 60]);
        assert_eq!(sketch(1), [0, 60]);
        assert_eq!(sketch(100), (0..61).collect::<Vec<u32>>());
        assert_eq!(follower.generations().len(), 20);
        std::fs::write(follower.path_of(52), "x").unwrap();
        assert!(follower.sketch(5).is_err());
        assert!(follower.sketch(1).is_ok());
    }

    #[test]
    fn what_is_not_finished_waits() {
        let folder = tempfile::tempdir().unwrap();
        let directory = begun(folder.path());
        let expected = rows(2);
        complete(&directory, &expected[0]);
        let mut follower = following(folder.path());
        // The line exists, but the file has another name.
        let (path, elsewhere) = (follower.path_of(0), folder.path().join("elsewhere"));
        std::fs::rename(&path, &elsewhere).unwrap();
        follower.read(9).unwrap();
        assert_eq!(
            (
                follower.generations().len(),
                follower.complete_generations()
            ),
            (0, 0)
        );
        std::fs::rename(&elsewhere, &path).unwrap();
        follower.read(9).unwrap();
        assert_eq!(follower.generations().len(), 1);

        // An unfinished line.
        let events = folder.path().join(EVENTS);
        let mut head = Head::default();
        let line = head.seal(r#"{"event":"validated"}"#) + "\n";
        std::fs::write(&events, &line[..9]).unwrap();
        follower.read(9).unwrap();
        assert!(follower.events().is_empty());
        std::fs::write(&events, &line).unwrap();
        follower.read(9).unwrap();
        assert_eq!(follower.events(), [r#"{"event":"validated"}"#]);
    }

    #[test]
    fn a_dropped_last_line_begins_anew_and_damage_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let directory = begun(folder.path());
        let expected = rows(3);
        expected.iter().for_each(|row| complete(&directory, row));
        let mut follower = following(folder.path());
        follower.read(9).unwrap();
        drop(directory);
        let mut list = Log::open(&folder.path().join(inventory::FILE)).unwrap();
        list.drop_last().unwrap();
        assert!(!follower.read(9).unwrap());
        assert_eq!(follower.generations(), &expected[..2]);

        std::fs::write(follower.path_of(0), "x").unwrap();
        let error = following(folder.path()).read(9).unwrap_err().to_string();
        assert!(error.contains("generation-00000.parquet"), "{error}");
        std::fs::write(folder.path().join(inventory::FILE), "{}\n").unwrap();
        let error = follower.read(9).unwrap_err().to_string();
        assert!(error.contains("files.jsonl"), "{error}");
    }
}
