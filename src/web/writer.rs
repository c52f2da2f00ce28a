//! The process that writes a run, as the system knows it: it holds the lock of the run directory, and it is this program.
//! This module must not take the number of a process from a file of a run, because a run directory can come from elsewhere.

use std::path::Path;

/// The number of the process that writes the run in a directory; `None` if there is none, it is of another program or of
/// another user, or this system does not tell who holds a lock.
#[cfg(target_os = "linux")]
pub(super) fn find(root: &Path, program: &Path) -> Option<u32> {
    // A link in the place of the lock could lead to the lock of another run, so only the folder is resolved.
    let lock = root.canonicalize().ok()?.join(crate::run::lock::FILE);
    let mut processes = std::fs::read_dir("/proc").ok()?.flatten();
    processes.find_map(|process| {
        let number: u32 = process.file_name().to_str()?.parse().ok()?;
        let process = process.path();
        let is_writer =
            number != std::process::id() && is_program(&process, program) && holds(&process, &lock);
        is_writer.then_some(number)
    })
}

#[cfg(not(target_os = "linux"))]
pub(super) fn find(_root: &Path, _program: &Path) -> Option<u32> {
    None
}

/// Whether a process executes this program. After an update of the program its file is another one with the same path.
#[cfg(target_os = "linux")]
fn is_program(process: &Path, program: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = process.join("exe");
    let identity = |path: &Path| {
        let file = std::fs::metadata(path).ok()?;
        Some((file.dev(), file.ino()))
    };
    let is_same_file = identity(&place).is_some_and(|file| Some(file) == identity(program));
    let path = std::fs::read_link(&place).unwrap_or_default();
    let path = path.to_string_lossy();
    is_same_file || Path::new(path.trim_end_matches(" (deleted)")) == program
}

/// Whether a process holds the lock of a file as its writer. Readers share the lock for a moment when they look.
#[cfg(target_os = "linux")]
fn holds(process: &Path, lock: &Path) -> bool {
    let files = std::fs::read_dir(process.join("fd")).into_iter().flatten();
    files.flatten().any(|file| {
        let is_lock = std::fs::read_link(file.path()).is_ok_and(|path| path == lock);
        let about = process.join("fdinfo").join(file.file_name());
        is_lock
            && crate::plain_file::read_text(&about)
                .is_ok_and(|text| text.contains("FLOCK") && text.contains("WRITE"))
    })
}
