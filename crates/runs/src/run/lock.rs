//! The lock of a run directory: one process writes at a time.

use std::fs::{File, TryLockError};
use std::io::{self, Seek, Write};
use std::path::Path;
use std::time::Duration;

use super::StoreError;
use crate::plain_file;

/// The file that the writer of a run directory locks.
pub const FILE: &str = ".lock";
/// The reason why a locked directory cannot be written.
pub const IN_USE: &str = "another process is writing this run";

/// Number of attempts to lock, and the pause between them. [`is_held`] in another process holds a shared lock for a
/// moment.
const TRIES: usize = 5;
const PAUSE: Duration = Duration::from_millis(20);

/// The lock of a writer. The system releases it when the process ends.
pub struct Lock(File);

impl Lock {
    /// Locks a directory.
    ///
    /// # Errors
    /// If another writer holds the lock, or the file cannot be written.
    pub fn acquire(root: &Path) -> Result<Self, StoreError> {
        Self::acquire_after(root, || std::thread::sleep(PAUSE))
    }

    /// Locks a directory; `pause` comes between the attempts.
    fn acquire_after(root: &Path, mut pause: impl FnMut()) -> Result<Self, StoreError> {
        let path = root.join(FILE);
        // An existing link is not followed, and the contents are not truncated before the file is locked.
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        let file = plain_file::open(&path, &mut options).map_err(StoreError::io(&path))?;
        for attempt in 1.. {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if attempt < TRIES => pause(),
                Err(TryLockError::WouldBlock) => return Err(StoreError::unusable(root, IN_USE)),
                Err(TryLockError::Error(error)) => return Err(StoreError::io(&path)(error)),
            }
        }
        Ok(Lock(file))
    }

    /// Writes the contents of the lock file. On Windows nobody can open a locked file to read or write it, so both are
    /// done here.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn write(&self, contents: &[u8]) -> io::Result<()> {
        let mut file = &self.0;
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(contents)
    }

    /// Whether these are the contents of the lock file.
    pub fn contains(&self, contents: &[u8]) -> bool {
        let read = (&self.0)
            .rewind()
            .and_then(|()| plain_file::read_open(&self.0, Path::new(FILE)));
        read.is_ok_and(|text| text == contents)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file is not enough: a program that another thread is starting at this moment has
        // inherited the descriptor, and would hold the lock until it closes it.
        let _ = self.0.unlock();
    }
}

/// Whether a process is writing the run of a directory.
pub fn is_held(root: &Path) -> bool {
    let file = plain_file::open(&root.join(FILE), File::options().read(true)).ok();
    file.is_some_and(|file| {
        let locked = file.try_lock_shared();
        let _ = file.unlock();
        matches!(locked, Err(TryLockError::WouldBlock))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inherited_descriptor_does_not_keep_the_lock() {
        let root = tempfile::tempdir().unwrap();
        let lock = Lock::acquire(root.path()).unwrap();
        assert!(is_held(root.path()));
        assert!(Lock::acquire(root.path()).is_err());
        let _inherited = lock.0.try_clone().unwrap();
        drop(lock);
        assert!(!is_held(root.path()));
        Lock::acquire(root.path()).unwrap();
    }

    #[test]
    fn a_reader_that_looks_does_not_refuse_a_writer() {
        let root = tempfile::tempdir().unwrap();
        drop(Lock::acquire(root.path()).unwrap());
        let reader = File::open(root.path().join(FILE)).unwrap();
        reader.try_lock_shared().unwrap();
        // The reader leaves between the first two attempts.
        Lock::acquire_after(root.path(), || reader.unlock().unwrap()).unwrap();
    }
}
