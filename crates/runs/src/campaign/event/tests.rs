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
        Event::NoRestart,
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

#[test]
fn a_wrong_declaration_is_told_in_one_sentence() {
    let declared = Event::Deterministic {
        generation: 0,
        is_declared: true,
    };
    let matters = Event::SeedMatters { generation: 0 };
    let alone = of_events(std::slice::from_ref(&declared));
    assert_eq!(alone, [declared.to_string()]);
    let both = of_events(&[declared, matters.clone()]);
    assert_eq!(both.len(), 1, "{both:?}");
    let parts = [
        "wrong to say",
        "Before the first generation two results",
        "Leave `deterministic` out",
    ];
    assert!(parts.iter().all(|part| both[0].contains(part)), "{both:?}");
    let found = Event::Deterministic {
        generation: 1,
        is_declared: false,
    };
    assert_eq!(of_events(&[found, matters]).len(), 2);
}

#[test]
fn events_have_words() {
    let words = |json: &str| serde_json::from_str::<Event>(json).unwrap().to_string();
    let lines = [
        r#"{"event":"search-began","population":12}"#,
        r#"{"event":"few-games","parameters":30,"games":20,"needed":120}"#,
        r#"{"event":"start-below-lost","below":630,"positions":1000}"#,
        r#"{"event":"candidates-refused","generation":3,"candidates":2}"#,
        r#"{"event":"finalist-refused","finalist":1}"#,
        r#"{"event":"mean-refused"}"#,
        r#"{"event":"start-chosen","point":2,"points":4}"#,
        r#"{"event":"start-chosen","point":0,"points":4}"#,
        r#"{"event":"integer-kept","parameter":"depth","value":3.0,"generations":45}"#,
        r#"{"event":"no-restart"}"#,
        r#"{"event":"without-signal","generations":2,"has_played":true}"#,
        r#"{"event":"without-signal","generations":1,"has_played":false}"#,
        r#"{"event":"went-on","generations":2}"#,
        r#"{"event":"deterministic","generation":0,"is_declared":true}"#,
        r#"{"event":"deterministic","generation":1,"is_declared":false}"#,
        r#"{"event":"seed-matters","generation":7}"#,
        r#"{"event":"effects-tried","without":[],"games":16}"#,
        r#"{"event":"effects-tried","without":["x"],"games":16}"#,
        r#"{"event":"effects-tried","without":["x","y"],"games":16}"#,
        r#"{"event":"restarted","run":1,"generation":40,"population":24,"reason":"fitness no longer improves"}"#,
        r#"{"event":"search-ended","generations":60,"reason":"minutes"}"#,
        r#"{"event":"continued","generations":60,"look":2}"#,
        r#"{"event":"race-decided","finalist":1,"finalists":3,"survivors":1}"#,
        r#"{"event":"race-decided","finalist":0,"finalists":3,"survivors":2}"#,
        r#"{"event":"validated"}"#,
        r#"{"event":"deeper-began","depth":3}"#,
        r#"{"event":"deeper-skipped","depth":5,"reason":"too-slow"}"#,
    ];
    insta::assert_snapshot!(lines.map(words).join("\n"));
}
