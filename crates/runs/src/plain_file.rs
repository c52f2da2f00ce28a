//! Opens and reads every file that a user names, or that is in a directory from an untrusted source. It accepts only
//! regular files, does not wait for the other end of a pipe, and reads no more bytes than such a file can have. In a
//! run directory the last component of a path must not be a symbolic link. This module must not know the contents of
//! files.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, Read, Seek};
use std::path::Path;

/// Largest number of bytes of a file that a user names. TOML takes up to 70 times its size in memory.
pub const MOST_OF_INPUT: u64 = 4 << 20;

/// Largest number of bytes of a file of a run, by the extension of its name. The last row is for all other files, such
/// as logs and reports.
const MOST_OF_RUN: [(&str, u64); 4] = [
    ("toml", MOST_OF_INPUT),
    ("json", 16 << 20),
    ("parquet", 1 << 30),
    ("", 256 << 20),
];

/// Largest number of bytes of a file of a run, by its name.
fn most_of_run(path: &Path) -> u64 {
    let extension = path.extension().unwrap_or_default();
    let of_extension = |(known, _): &&(&str, u64)| extension == *known || known.is_empty();
    MOST_OF_RUN
        .iter()
        .find(of_extension)
        .map_or(MOST_OF_INPUT, |(_, most)| *most)
}

/// Opens a regular file of a run with these options.
///
/// # Errors
/// If it cannot be opened, or is a symbolic link, a pipe, a device or a directory.
pub fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // The file may have been replaced since it was checked, so the open call must not follow a link or block.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, libc::O_NOFOLLOW | libc::O_NONBLOCK);
    open_regular(path, options, std::fs::symlink_metadata(path))
}

/// Opens a file that has been checked. Only a regular file is opened, because opening another one can have effects.
fn open_regular(
    path: &Path,
    options: &OpenOptions,
    found: io::Result<Metadata>,
) -> io::Result<File> {
    if let Ok(found) = found {
        expect_regular(found.file_type())?;
    }
    let file = options.open(path)?;
    expect_regular(file.metadata()?.file_type())?;
    Ok(file)
}

/// Reads a file that a user names. A symbolic link is followed.
///
/// # Errors
/// If it cannot be read, is a pipe, a device or a directory, or is too large.
pub fn read_input(path: &Path) -> io::Result<Vec<u8>> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = open_regular(path, &options, std::fs::metadata(path))?;
    read_rest(&file, MOST_OF_INPUT)
}

/// Reads the text of a file that a user names.
///
/// # Errors
/// As [`read_input`], or if it is not text.
pub fn read_text(path: &Path) -> io::Result<String> {
    let text = String::from_utf8(read_input(path)?);
    text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not a text file"))
}

/// Reads a regular file of a run.
///
/// # Errors
/// As [`open`], or if it cannot be read or is larger than a file of its name can be.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_from(path, 0)
}

/// Reads a regular file of a run without its first bytes.
///
/// # Errors
/// As [`read`].
pub fn read_from(path: &Path, start: u64) -> io::Result<Vec<u8>> {
    let mut file = open(path, File::options().read(true))?;
    file.seek(io::SeekFrom::Start(start))?;
    read_rest(&file, most_of_run(path))
}

/// Reads an open file of a run from the current position.
///
/// # Errors
/// As [`read`].
pub fn read_open(file: &File, path: &Path) -> io::Result<Vec<u8>> {
    read_rest(file, most_of_run(path))
}

/// Checks that a file of a run with this number of bytes can be read again.
///
/// # Errors
/// If it is larger than a file of its name can be.
pub fn expect_readable(path: &Path, size: u64) -> io::Result<()> {
    expect_size(size, 0, most_of_run(path))
}

fn expect_size(size: u64, start: u64, most: u64) -> io::Result<()> {
    if size.saturating_sub(start) <= most {
        return Ok(());
    }
    let message = format!("the file has {size} bytes, where at most {most} are allowed");
    Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
}

fn read_rest(mut file: &File, most: u64) -> io::Result<Vec<u8>> {
    let (size, start) = (file.metadata()?.len(), file.stream_position()?);
    expect_size(size, start, most)?;
    let mut contents = Vec::new();
    // The file may grow while it is read.
    file.take(most + 1).read_to_end(&mut contents)?;
    expect_size(start + contents.len() as u64, start, most)?;
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
    fn large_files_are_refused_before_they_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for (name, most) in [
            ("resolved.toml", 4 << 20),
            ("manifest.json", 16 << 20),
            ("files.jsonl", 256 << 20),
            ("report.html", 256 << 20),
            ("a.parquet", 1 << 30),
        ] {
            assert_eq!(most_of_run(&at(name)), most);
            // A sparse file of zeros takes no space on the disk.
            let file = File::create(at(name)).unwrap();
            file.set_len(5 << 30).unwrap();
            let wanted = format!("the file has 5368709120 bytes, where at most {most} are allowed");
            assert_eq!(read(&at(name)).unwrap_err().to_string(), wanted);
            let input = read_input(&at(name)).unwrap_err().to_string();
            assert!(input.ends_with("at most 4194304 are allowed"), "{input}");
            file.set_len(5).unwrap();
            assert_eq!(read(&at(name)).unwrap(), [0; 5]);
            assert_eq!(read_from(&at(name), 3).unwrap(), [0; 2]);
        }
    }

    #[test]
    fn a_user_may_name_a_link_but_no_pipe_and_no_device() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "text").unwrap();
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("zero")).unwrap();
        pipe(&at("pipe"));
        assert_eq!(read_input(&at("link")).unwrap(), b"text");
        for (path, what) in [
            ("zero".as_ref(), "a pipe, socket or device"),
            (Path::new("/dev/zero"), "a pipe, socket or device"),
            ("pipe".as_ref(), "a pipe, socket or device"),
            (".".as_ref(), "a directory"),
        ] {
            let error = read_input(&folder.path().join(path)).unwrap_err();
            assert!(error.to_string().starts_with(what), "{error}");
        }
    }

    fn pipe(path: &Path) {
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.unwrap().success());
    }

    #[test]
    fn links_directories_and_pipes_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "text").unwrap();
        assert_eq!(read(&at("file")).unwrap(), b"text");
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        std::os::unix::fs::symlink(at("nothing"), at("dangling")).unwrap();
        pipe(&at("pipe"));
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
