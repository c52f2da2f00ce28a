//! The files of solutions, and the solutions of a process.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::super::*;
use super::{USUAL, problem, solved, work};
use crate::games::twenty48::exact::solution_file::{self, SolutionFile};
use crate::player::exact::Work;

#[test]
fn a_file_is_read_as_it_was_written_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let problem = problem("2x2", USUAL, Goal::Score);
    let solution = solved(&problem);
    let mut writer = solution_file::Writer::begin(folder.path(), &problem).unwrap();
    let mut layers = Vec::new();
    let solved = solve::solve(&problem, &work(), &mut |sum, layer| {
        layers.push((sum, Arc::clone(layer)));
        writer.layer(sum, layer)
    });
    writer.finish(solved.unwrap().unwrap()).unwrap();
    let opened = SolutionFile::checked(folder.path(), &problem)
        .unwrap()
        .unwrap();
    assert_eq!(
        (opened.solved().value, opened.solved().states),
        (solution.value(), 110)
    );
    for (sum, layer) in layers {
        let read = opened.layer(sum).unwrap();
        assert_eq!((&read.keys, &read.values), (&layer.keys, &layer.values));
    }
    let path = folder.path().join(solution_file::name(&problem));
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(names.len(), 1, "the unfinished file is gone");
    let bytes = std::fs::read(&path).unwrap();
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        std::fs::write(&path, &flipped).unwrap();
        assert!(
            SolutionFile::checked(folder.path(), &problem).is_err(),
            "byte {at}"
        );
        std::fs::write(&path, &bytes[..at]).unwrap();
        assert!(
            SolutionFile::checked(folder.path(), &problem).is_err(),
            "cut at {at}"
        );
    }
    // The file of another problem under this name.
    let other = Problem {
        first_tiles: 1,
        ..problem
    };
    std::fs::write(folder.path().join(solution_file::name(&other)), &bytes).unwrap();
    assert!(SolutionFile::checked(folder.path(), &other).is_err());
    let missing = Problem {
        first_tiles: 3,
        ..problem
    };
    assert!(
        SolutionFile::checked(folder.path(), &missing)
            .unwrap()
            .is_none()
    );
}

#[test]
fn a_new_file_removes_what_killed_processes_have_left() {
    let folder = tempfile::tempdir().unwrap();
    let create = |name: &str| std::fs::File::create(folder.path().join(name)).unwrap();
    let long_ago = SystemTime::now() - Duration::from_secs(60);
    create("2048-3x3.11.unfinished")
        .set_modified(long_ago)
        .unwrap();
    create("notes.txt").set_modified(long_ago).unwrap();
    let written = create("2048-2x4.12.unfinished");
    written.set_modified(long_ago).unwrap();
    written.lock().unwrap();
    create("young.13.unfinished");
    let writer =
        solution_file::Writer::begin(folder.path(), &problem("2x2", USUAL, Goal::Score)).unwrap();
    drop(writer);
    let names = std::fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    // A file that another process writes stays, and so does one that may be about to be locked.
    assert_eq!(
        names,
        ["2048-2x4.12.unfinished", "notes.txt", "young.13.unfinished"]
    );
}

#[test]
fn a_solution_that_another_thread_computes_is_not_at_hand() {
    let problem = problem("2x4", "2:1", Goal::Score);
    let needed = known::needs(&problem, &work()).unwrap();
    assert!(
        needed.words.starts_with("solving 2048 on 2x4"),
        "{needed:?}"
    );
    let begins = |_: &str| assert!(known::at_hand(&problem, &work()).is_none());
    let work = Work {
        say: &begins,
        ..work()
    };
    assert!(known::solution(&problem, &work).is_some());
    assert!(known::at_hand(&problem, &work).is_some());
    assert_eq!(known::needs(&problem, &work), None);
}
