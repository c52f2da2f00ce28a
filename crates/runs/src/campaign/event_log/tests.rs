use super::*;

#[test]
fn what_was_decided_after_false_games_is_not_in_force() {
    let ended = |generations| Event::SearchEnded {
        generations,
        reason: SearchEnd::Games,
    };
    let refused = |generation| Event::CandidatesRefused {
        generation,
        candidates: 2,
    };
    let race = Event::RaceDecided {
        finalist: 0,
        finalists: 2,
        survivors: 1,
        is: None,
    };
    let back = Event::WentBack { generations: 5 };
    let log = vec![refused(4), refused(5), ended(9), race, back, refused(5)];
    assert_eq!(in_force(log), [refused(4), refused(5)]);
    let back = Event::WentBack { generations: 9 };
    assert_eq!(in_force(vec![ended(9), back]), [ended(9)]);
    let [found, over] = [1, 5].map(|generation| match generation {
        1 => Event::Deterministic {
            generation,
            is_declared: false,
        },
        _ => Event::SeedMatters { generation },
    });
    for (stay, expected) in [(6, 2), (5, 1), (1, 1), (0, 0)] {
        let back = Event::WentBack { generations: stay };
        let kept = in_force(vec![found.clone(), over.clone(), back]);
        assert_eq!(kept, [found.clone(), over.clone()][..expected], "{stay}");
        let holds = [0, 4, 5].map(|at| is_deterministic(&kept, at));
        assert_eq!(holds, [false, expected > 0, expected == 1], "{stay}");
    }

    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("run");
    let directory = RunDirectory::create(&root, &[], |_| Ok(())).unwrap();
    let open = |complete| open(&directory, complete, 1).unwrap();
    let mut events = open(9);
    events.record(ended(9)).unwrap();
    drop(events);
    assert_eq!(open(9).written(), [ended(9)]);
    assert_eq!(open(3).written(), []);
    let mut events = open(9);
    assert_eq!(events.written(), []);
    events.record(ended(9)).unwrap();
    let lines: Vec<Event> = logs::read(&directory.path(logs::EVENTS)).unwrap();
    let back = Event::WentBack { generations: 3 };
    assert_eq!(lines, [ended(9), back, ended(9)]);
}

#[test]
fn the_end_of_a_search_that_goes_on_is_not_in_force() {
    let refused = Event::CandidatesRefused {
        generation: 4,
        candidates: 2,
    };
    let ended = Event::SearchEnded {
        generations: 9,
        reason: SearchEnd::Games,
    };
    let before = [
        refused.clone(),
        Event::NoRestart {
            why: Default::default(),
        },
        ended.clone(),
        Event::Validated,
        Event::DeeperBegan { depth: 3 },
    ];
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("run");
    let directory = RunDirectory::create(&root, &[], |_| Ok(())).unwrap();
    let mut events = open(&directory, 9, 1).unwrap();
    for event in before {
        events.record(event).unwrap();
    }
    assert!(!is_continued(events.written()));
    let continued = Event::Continued {
        generations: 9,
        look: 2,
    };
    let kept = [refused, continued];
    for _ in 0..2 {
        let mut events = open(&directory, 9, 2).unwrap();
        assert_eq!(events.written(), kept);
        assert!(is_continued(events.written()));
        events.record(kept[1].clone()).unwrap();
    }
    let mut events = open(&directory, 9, 2).unwrap();
    events.record(ended.clone()).unwrap();
    assert!(!is_continued(events.written()) && events.written().contains(&ended));
    let lines: Vec<Event> = logs::read(&directory.path(logs::EVENTS)).unwrap();
    assert_eq!(lines.len(), 7);
}
