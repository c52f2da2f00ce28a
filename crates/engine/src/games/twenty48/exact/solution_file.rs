//! The file of a solution. This module must not solve.
//!
//! All numbers are little-endian. After a header of text lines (format, problem) the layers follow, from the largest sum
//! of tiles down: keys (4 bytes each), then values (8 bytes each, floating point). The trailer has for each layer its sum
//! (4 bytes), its number of positions (4) and its place in the file (8); then the value of the start (8), the number of
//! layers (8), and the checksum of everything before it (8). A file is checked as a whole before it is used.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::problem::Problem;
use super::solve::{Layer, Solved};

/// The first line of every file. A file of another version is solved again.
const FORMAT: &str = "tiletune exact values 1";

/// Ending of the name of a file that is being written.
const UNFINISHED: &str = "unfinished";
/// An unlocked unfinished file that was not written for so long belongs to no process. It is longer than the time between
/// creating and locking a file.
const ABANDONED: Duration = Duration::from_secs(2);

/// Bytes of a position: its key and its value.
const POSITION: u64 = 12;
/// Bytes of the trailer of a layer.
const ENTRY: u64 = 16;
/// Bytes at the end of the file: value of the start, number of layers, checksum.
const END: u64 = 24;

/// An open file that has been checked.
pub(super) struct SolutionFile {
    file: Mutex<File>,
    layers: BTreeMap<u32, StoredLayer>,
    solved: Solved,
}

/// Where a layer is.
#[derive(Clone, Copy)]
struct StoredLayer {
    positions: u32,
    offset: u64,
}

fn header(problem: &Problem) -> String {
    format!("{FORMAT}\n{problem}\n")
}

/// The name of the file of a problem: it is different for each problem.
pub(super) fn name(problem: &Problem) -> String {
    let mut checksum = Checksum::default();
    checksum.add(problem.to_string().as_bytes());
    let goal = problem.goal.to_string().replace(':', "-");
    format!(
        "2048-{}-{goal}-{:016x}.values",
        problem.shape,
        checksum.end()
    )
}

/// A checksum of 64 bits over words of 8 bytes: a multiplication and a rotation for each.
#[derive(Default)]
struct Checksum {
    state: u64,
    /// Bytes of an incomplete word, and their number.
    rest: u64,
    count: u32,
    bytes: u64,
}

impl Checksum {
    fn add(&mut self, mut bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        while self.count > 0 && !bytes.is_empty() {
            self.push(bytes[0]);
            bytes = &bytes[1..];
        }
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        for byte in rest {
            self.push(*byte);
        }
    }

    fn push(&mut self, byte: u8) {
        self.rest |= u64::from(byte) << (8 * self.count);
        self.count += 1;
        if self.count == 8 {
            let word = self.rest;
            (self.rest, self.count) = (0, 0);
            self.word(word);
        }
    }

    #[inline(always)]
    fn word(&mut self, word: u64) {
        // An odd factor, so that a change of one word always changes the state.
        self.state = (self.state ^ word)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(29);
    }

    fn end(mut self) -> u64 {
        let (rest, bytes) = (self.rest, self.bytes);
        self.word(rest);
        self.word(bytes);
        self.state ^ self.state >> 32
    }
}

/// Writes the file of a solution. It gets its name when it is complete.
pub(super) struct Writer {
    path: PathBuf,
    unfinished: PathBuf,
    file: BufWriter<File>,
    checksum: Checksum,
    offset: u64,
    entries: Vec<(u32, StoredLayer)>,
}

impl Writer {
    /// Begins the file of a problem in a folder, which is created. Removes what killed processes have left there.
    pub(super) fn begin(folder: &Path, problem: &Problem) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        sweep_abandoned(folder);
        let path = folder.join(name(problem));
        let unfinished = path.with_extension(format!("{}.{UNFINISHED}", std::process::id()));
        let file = File::create(&unfinished)?;
        // The lock shows other processes that somebody writes the file. It ends with the process. Where there are no
        // locks, unfinished files stay: nobody can know that they are abandoned.
        let _ = file.try_lock();
        let file = BufWriter::with_capacity(1 << 20, file);
        let mut writer = Writer {
            path,
            unfinished,
            file,
            checksum: Checksum::default(),
            offset: 0,
            entries: Vec::new(),
        };
        writer.write(header(problem).as_bytes())?;
        Ok(writer)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.checksum.add(bytes);
        self.offset += bytes.len() as u64;
        self.file.write_all(bytes)
    }

    pub(super) fn layer(&mut self, sum: u32, layer: &Layer) -> io::Result<()> {
        let place = StoredLayer {
            positions: layer.keys.len() as u32,
            offset: self.offset,
        };
        self.entries.push((sum, place));
        let keys: Vec<u8> = layer
            .keys
            .iter()
            .flat_map(|key| key.to_le_bytes())
            .collect();
        self.write(&keys)?;
        let values = layer.values.iter().flat_map(|value| value.to_le_bytes());
        self.write(&values.collect::<Vec<u8>>())
    }

    /// Completes the file.
    pub(super) fn finish(mut self, solved: Solved) -> io::Result<SolutionFile> {
        for (sum, place) in std::mem::take(&mut self.entries) {
            self.write(&sum.to_le_bytes())?;
            self.write(&place.positions.to_le_bytes())?;
            self.write(&place.offset.to_le_bytes())?;
            self.entries.push((sum, place));
        }
        self.write(&solved.value.to_le_bytes())?;
        self.write(&(self.entries.len() as u64).to_le_bytes())?;
        let checksum = std::mem::take(&mut self.checksum).end();
        self.file.write_all(&checksum.to_le_bytes())?;
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        fs::rename(&self.unfinished, &self.path)?;
        // A process that was killed just before this one began has left a file that was too young then.
        if let Some(folder) = self.path.parent() {
            sweep_abandoned(folder);
        }
        Ok(SolutionFile {
            file: Mutex::new(File::open(&self.path)?),
            layers: std::mem::take(&mut self.entries).into_iter().collect(),
            solved,
        })
    }
}

/// Removes the unfinished files of killed processes: those that nobody writes.
fn sweep_abandoned(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let path = entry.path();
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let is_unfinished = path.extension().is_some_and(|end| end == UNFINISHED);
        if is_file && is_unfinished && File::open(&path).is_ok_and(|file| is_abandoned(&file)) {
            let _ = fs::remove_file(&path);
        }
    }
}

fn is_abandoned(file: &File) -> bool {
    let modified = file.metadata().and_then(|file| file.modified());
    let age = modified.ok().and_then(|modified| modified.elapsed().ok());
    age.is_some_and(|age| age > ABANDONED) && file.try_lock().is_ok()
}

/// A file that was not completed is removed.
impl Drop for Writer {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.unfinished);
    }
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what.to_owned())
}

impl SolutionFile {
    /// Opens and checks the file of a problem; `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be read, or if it is not what was written. The message contains the reason.
    pub(super) fn checked(folder: &Path, problem: &Problem) -> io::Result<Option<Self>> {
        let path = folder.join(name(problem));
        // Before it is opened, which would wait for the writer of a pipe.
        let metadata = match fs::metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            metadata => metadata?,
        };
        if !metadata.is_file() {
            return Err(damaged("not a regular file"));
        }
        let mut file = File::open(&path)?;
        let length = file.metadata()?.len();
        check(&mut file, length)?;
        let header = header(problem).into_bytes();
        let start = read_at(&mut file, 0, header.len() as u64, length)?;
        if start != header {
            return Err(damaged("it belongs to another problem or version"));
        }
        let mut end = &read_at(&mut file, length.saturating_sub(END), END - 8, length)?[..];
        let value = f64::from_le_bytes(take(&mut end)?);
        let count = u64::from_le_bytes(take(&mut end)?);
        let entries = count
            .checked_mul(ENTRY)
            .and_then(|bytes| length.checked_sub(END + bytes));
        let entries = entries.ok_or_else(|| damaged("it is cut off"))?;
        let bytes = read_at(&mut file, entries, count * ENTRY, length)?;
        let mut bytes = &bytes[..];
        let mut solved = Solved { value, states: 0 };
        let mut layers = BTreeMap::new();
        while !bytes.is_empty() {
            let sum = u32::from_le_bytes(take(&mut bytes)?);
            let positions = u32::from_le_bytes(take(&mut bytes)?);
            let offset = u64::from_le_bytes(take(&mut bytes)?);
            let bytes = u64::from(positions) * POSITION;
            if offset.checked_add(bytes).is_none_or(|end| end > entries) {
                return Err(damaged("a layer lies outside of it"));
            }
            layers.insert(sum, StoredLayer { positions, offset });
            solved.states += u64::from(positions);
        }
        Ok(Some(SolutionFile {
            file: Mutex::new(file),
            layers,
            solved,
        }))
    }

    pub(super) fn solved(&self) -> Solved {
        self.solved
    }

    /// The layer of a sum of tiles; it is empty if there is none.
    pub(super) fn layer(&self, sum: u32) -> io::Result<Layer> {
        let Some(place) = self.layers.get(&sum) else {
            return Ok(Layer::default());
        };
        let positions = place.positions as usize;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(place.offset))?;
        let mut bytes = vec![0; POSITION as usize * positions];
        file.read_exact(&mut bytes)?;
        let (keys, values) = bytes.split_at(4 * positions);
        let (keys, values) = (keys.as_chunks::<4>().0, values.as_chunks::<8>().0);
        Ok(Layer {
            keys: keys.iter().map(|key| u32::from_le_bytes(*key)).collect(),
            values: values
                .iter()
                .map(|value| f64::from_le_bytes(*value))
                .collect(),
        })
    }
}

/// Compares the checksum of a file with its content.
fn check(file: &mut File, length: u64) -> io::Result<()> {
    let mut checksum = Checksum::default();
    let mut left = length
        .checked_sub(8)
        .ok_or_else(|| damaged("it is cut off"))?;
    let mut buffer = vec![0; 1 << 20];
    while left > 0 {
        let part = &mut buffer[..(left.min(1 << 20)) as usize];
        file.read_exact(part)?;
        checksum.add(part);
        left -= part.len() as u64;
    }
    let mut stored = [0; 8];
    file.read_exact(&mut stored)?;
    if checksum.end() != u64::from_le_bytes(stored) {
        return Err(damaged("its checksum does not fit its content"));
    }
    Ok(())
}

fn read_at(file: &mut File, offset: u64, count: u64, length: u64) -> io::Result<Vec<u8>> {
    if offset.checked_add(count).is_none_or(|end| end > length) {
        return Err(damaged("it is cut off"));
    }
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = vec![0; count as usize];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The next bytes of a slice.
fn take<const N: usize>(bytes: &mut &[u8]) -> io::Result<[u8; N]> {
    let (first, rest) = bytes
        .split_first_chunk()
        .ok_or_else(|| damaged("it is cut off"))?;
    *bytes = rest;
    Ok(*first)
}
