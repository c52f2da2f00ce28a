//! The solutions of this process: each problem is solved once. Those of larger boards are kept in the files of a folder ([`cache`]).
//! This module must not print: what it has to say goes to [`Work::say`].

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use super::problem::Problem;
use super::solution::Solution;
use super::solution_file::{SolutionFile, Writer};
use super::solve::solve;
use crate::player::exact::{Preparation, Work, cache};

/// A board of at most this number of cells is solved in a tenth of a second, so that no file is needed.
const CELLS_WITHOUT_FILE: usize = 6;

/// Interval at which a thread that waits for a solution looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(20);

/// The solution of a problem. It is locked while it is computed.
type SharedSolution = Arc<Mutex<Option<Arc<Solution>>>>;

static SOLUTIONS: LazyLock<Mutex<HashMap<Problem, SharedSolution>>> = LazyLock::new(Mutex::default);

fn slot(problem: &Problem) -> SharedSolution {
    let mut slots = SOLUTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(slots.entry(*problem).or_default())
}

/// The lock of a mutex; `None` while another thread has it.
fn free<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// What it takes to solve a problem: measured for the usual random tiles, and estimated for others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Number of positions up to symmetry.
    pub states: f64,
    /// Memory in bytes.
    pub memory: f64,
    /// Size of the file in bytes.
    pub file: f64,
    /// Processor time in seconds.
    pub seconds: f64,
}

impl Estimate {
    /// The estimate for a problem.
    pub fn of(problem: &Problem) -> Self {
        let states = match problem.shape.number_of_cells() {
            4 => 110.0,
            6 => 21_752.0,
            8 => 4_980_767.0,
            _ => 48_713_519.0,
        };
        // Measured on 2x4: only 2s give 0.15 times as many positions; with 8s there are 3.5 times as many, and with 16s
        // 9.5 times. A goal of a tile needs fewer.
        let tiles = problem.spawn.tiles();
        let largest = tiles.last().map_or(2, |tile| i32::from(tile.rank));
        let states = match tiles.len() {
            1 => 0.2 * states,
            _ => states * 3.2f64.powi(largest.clamp(2, 6) - 2),
        };
        Estimate {
            states,
            memory: 1e7 + 4.1 * states,
            file: 12.0 * states,
            seconds: 4e-7 * states,
        }
    }

    /// Memory and file together, in bytes.
    pub fn bytes(&self) -> f64 {
        self.memory + self.file
    }

    fn in_words(&self, problem: &Problem, folder: Option<&Path>, threads: usize) -> String {
        let (mb, seconds) = (1e6, self.seconds / threads as f64);
        let kept = match folder {
            Some(folder) => format!("a file of {:.0} MB in {}", self.file / mb, folder.display()),
            None => format!(
                "{:.0} MB more for the values, which are not kept",
                self.file / mb
            ),
        };
        format!(
            "solving {problem}: about {:.1} million positions, {:.0} MB of memory, {seconds:.0} s with {threads} threads, \
             and {kept}",
            self.states / 1e6,
            self.memory / mb
        )
    }
}

/// The solution of a problem: known, from its file, or solved now. Returns `None` if a stop is requested.
pub fn solution(problem: &Problem, work: &Work) -> Option<Arc<Solution>> {
    let slot = slot(problem);
    // Others wait for the same solution instead of computing it too.
    let mut known = loop {
        if let Some(known) = free(&slot) {
            break known;
        }
        if work.stop.is_requested() {
            return None;
        }
        std::thread::sleep(LOOK);
    };
    if let Some(solution) = &*known {
        return Some(Arc::clone(solution));
    }
    let solution = Arc::new(found(problem, work)?);
    Some(Arc::clone(known.insert(solution)))
}

/// What it takes to solve a problem; `None` if its solution is at hand.
pub fn needs(problem: &Problem, work: &Work) -> Option<Preparation> {
    if is_small(problem) || at_hand(problem, work).is_some() {
        return None;
    }
    let (folder, estimate) = (cache(), Estimate::of(problem));
    Some(Preparation {
        words: estimate.in_words(problem, folder.as_deref(), work.threads),
        seconds: estimate.seconds,
        bytes: estimate.bytes(),
    })
}

fn is_small(problem: &Problem) -> bool {
    problem.shape.number_of_cells() <= CELLS_WITHOUT_FILE
}

/// The solution of a problem if it costs no more than a second: known, in a file, or of a small board.
pub fn at_hand(problem: &Problem, work: &Work) -> Option<Arc<Solution>> {
    if problem.check().is_err() {
        return None;
    }
    if is_small(problem) && problem.spawn.tiles().len() <= 2 {
        return solution(problem, work);
    }
    let slot = slot(problem);
    // While another thread computes it, it is not at hand.
    let mut known = free(&slot)?;
    if let Some(solution) = &*known {
        return Some(Arc::clone(solution));
    }
    let file = SolutionFile::checked(&cache()?, problem).ok()??;
    let solution = Arc::new(Solution::of_file(problem, file));
    Some(Arc::clone(known.insert(solution)))
}

fn found(problem: &Problem, work: &Work) -> Option<Solution> {
    if is_small(problem) {
        return Solution::in_memory(problem, work);
    }
    let folder = cache();
    let estimate = Estimate::of(problem);
    if let Some(folder) = &folder {
        match SolutionFile::checked(folder, problem) {
            Ok(Some(file)) => return Some(Solution::of_file(problem, file)),
            Ok(None) => {}
            Err(error) => {
                let path = folder.join(super::solution_file::name(problem));
                (work.say)(&format!(
                    "{}: {error}; it is not used, and the problem is solved again",
                    path.display()
                ));
            }
        }
    }
    (work.say)(&estimate.in_words(problem, folder.as_deref(), work.threads));
    let Some(folder) = folder else {
        return Solution::in_memory(problem, work);
    };
    match to_file(problem, &folder, work) {
        Ok(file) => file.map(|file| Solution::of_file(problem, file)),
        Err(error) => {
            (work.say)(&format!(
                "{}: {error}; the values are kept in memory instead (--cache DIR names another folder)",
                folder.display()
            ));
            Solution::in_memory(problem, work)
        }
    }
}

fn to_file(problem: &Problem, folder: &Path, work: &Work) -> io::Result<Option<SolutionFile>> {
    let mut writer = Writer::begin(folder, problem)?;
    let solved = solve(problem, work, &mut |sum, layer| writer.layer(sum, layer))?;
    solved.map(|solved| writer.finish(solved)).transpose()
}
