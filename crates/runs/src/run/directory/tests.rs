use std::fs::File;

use super::*;
use crate::run::manifest::{Seeds, Session};

#[test]
fn a_directory_in_use_or_not_empty_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("run");
    let begin = |directory: &RunDirectory| {
        let seeds = Seeds {
            campaign: 1,
            hold_out: 1,
        };
        let mut manifest = Manifest::new("campaign", Session::now(1), seeds);
        directory.write("resolved.toml", "")?;
        manifest.write(directory.root())
    };
    let first = RunDirectory::create(&root, &tables::folders(), begin).unwrap();
    assert!(RunDirectory::create(&root, &tables::folders(), begin).is_err());
    let second = RunDirectory::open_for_writing(&root).err().unwrap();
    assert!(second.to_string().contains("another process"), "{second}");
    assert!(lock::is_held(&root));
    drop(first);
    assert!(!lock::is_held(&root));
    assert!(RunDirectory::open_for_writing(&root).is_ok());
    assert!(RunDirectory::open(folder.path()).is_err());
    // The first process was killed after it wrote the manifest and before it updated the lock file. The next writer
    // updates the lock file.
    std::fs::write(root.join(lock::FILE), BEGINNING).unwrap();
    assert!(RunDirectory::open_for_writing(&root).is_ok());
    assert_eq!(std::fs::read(root.join(lock::FILE)).unwrap(), BEGUN);
}

#[test]
fn what_cannot_begin_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("run");
    let failing = |directory: &RunDirectory| Err(StoreError::damaged(directory.root(), "no"));
    assert!(RunDirectory::create(&root, &tables::folders(), failing).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn an_empty_directory_is_used_and_one_that_a_killed_process_began_too() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("run");
    std::fs::create_dir(&root).unwrap();
    let begin = |directory: &RunDirectory| directory.write("manifest.json", "{}");
    let create = || RunDirectory::create(&root, &tables::folders(), begin).map(drop);
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(&root).unwrap());
    create().unwrap();
    #[cfg(unix)]
    assert_eq!(
        std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(&root).unwrap()),
        number
    );
    assert!(create().unwrap_err().to_string().contains("not empty"));

    std::fs::remove_file(root.join("manifest.json")).unwrap();
    assert!(create().is_err(), "the lock says that the beginning ended");
    std::fs::write(root.join(lock::FILE), BEGINNING).unwrap();
    std::fs::write(root.join("old.csv"), "").unwrap();
    create().unwrap();
    assert!(!root.join("old.csv").exists());
}

#[cfg(unix)]
#[test]
fn no_file_outside_is_written_through_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let (root, other) = (folder.path().join("run"), folder.path().join("other"));
    std::fs::write(&other, "precious").unwrap();
    let begin = |directory: &RunDirectory| {
        let seeds = Seeds {
            campaign: 0,
            hold_out: 0,
        };
        directory.write("resolved.toml", "")?;
        Manifest::new("campaign", Session::now(1), seeds).write(directory.root())
    };
    drop(RunDirectory::create(&root, &tables::folders(), begin).unwrap());
    for name in [lock::FILE, "events.jsonl", "charts", "tables/games/x"] {
        let path = root.join(name);
        let _ = std::fs::remove_file(&path);
        std::os::unix::fs::symlink(&other, &path).unwrap();
        let error = RunDirectory::open_for_writing(&root).err().unwrap();
        assert!(error.to_string().contains("no link"), "{error}");
        std::fs::remove_file(&path).unwrap();
    }
    assert_eq!(std::fs::read(&other).unwrap(), b"precious");
    assert!(RunDirectory::open_for_writing(&root).is_ok());
}

#[test]
fn runs_inside_are_false_also_if_the_machine_has_slept() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("run");
    let begin = |directory: &RunDirectory| directory.write("resolved.toml", "");
    let mut directory = RunDirectory::create(&root, &tables::folders(), begin).unwrap();
    let hour = Duration::from_secs(3600);
    let [old, late] = ["1", "2"].map(|name| root.join("runs").join(name));
    for (child, before) in [(&old, 3 * hour), (&late, hour)] {
        std::fs::create_dir_all(child).unwrap();
        let manifest = File::create(child.join(manifest::FILE)).unwrap();
        manifest.set_modified(SystemTime::now() - before).unwrap();
    }
    // The system time of opening is two hours earlier, but the monotonic clock does not show them.
    directory.opened.1 -= 2 * hour;
    directory.discard_since(Instant::now()).unwrap();
    assert!(old.exists());
    assert!(!late.exists());
}
