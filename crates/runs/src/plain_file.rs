//! Opens files of directories that other people may have made: only regular files, never through a symbolic
//! link at the last component, and without waiting for the other end of a pipe. This module must not know
//! what the files hold.

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file with these options.
///
/// # Errors
/// If it cannot be opened, or is a symbolic link, a pipe, a device or a directory.
pub fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    if let Ok(found) = std::fs::symlink_metadata(path) {
        expect_regular(found.file_type())?;
    }
    // The file may have been exchanged since.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = options.open(path)?;
    expect_regular(file.metadata()?.file_type())?;
    Ok(file)
}

/// Reads a regular file.
///
/// # Errors
/// As [`open`], or if it cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut contents = Vec::new();
    open(path, OpenOptions::new().read(true))?.read_to_end(&mut contents)?;
    Ok(contents)
}

fn expect_regular(found: FileType) -> io::Result<()> {
    let what = match found {
        found if found.is_file() => return Ok(()),
        found if found.is_symlink() => "a symbolic link",
        found if found.is_dir() => "a directory",
        _ => "a pipe, socket or device",
    };
    Err(io::Error::other(format!(
        "{what}, where a regular file is expected"
    )))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn links_directories_and_pipes_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "text").unwrap();
        assert_eq!(read(&at("file")).unwrap(), b"text");
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        std::os::unix::fs::symlink(at("nothing"), at("dangling")).unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(at("pipe"))
            .status();
        assert!(made.unwrap().success());
        let mut writing = OpenOptions::new();
        writing.write(true).create(true).truncate(true);
        for (name, what) in [
            ("link", "a symbolic link"),
            ("dangling", "a symbolic link"),
            ("pipe", "a pipe"),
            (".", "a directory"),
        ] {
            for error in [read(&at(name)).err(), open(&at(name), &mut writing).err()] {
                let error = error.unwrap().to_string();
                assert!(error.starts_with(what), "{name}: {error}");
            }
        }
        assert!(!at("nothing").exists());
        assert_eq!(std::fs::read(at("file")).unwrap(), b"text");
        assert_eq!(
            read(&at("missing")).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
    }
}
