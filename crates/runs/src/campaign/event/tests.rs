use super::*;

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
        r#"{"event":"earlier-mean"}"#,
        r#"{"event":"start-chosen","point":2,"points":4}"#,
        r#"{"event":"start-chosen","point":0,"points":4}"#,
        r#"{"event":"integer-kept","parameter":"depth","value":3.0,"generations":45}"#,
        r#"{"event":"no-restart"}"#,
        r#"{"event":"no-restart","why":"long"}"#,
        r#"{"event":"no-restart","why":"no-rule"}"#,
        r#"{"event":"no-restart","why":"at-end"}"#,
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
        r#"{"event":"race-decided","finalist":0,"finalists":4,"survivors":3,"is":"final-mean"}"#,
        r#"{"event":"race-decided","finalist":1,"finalists":4,"survivors":1,"is":"start"}"#,
        r#"{"event":"race-decided","finalist":4,"finalists":6,"survivors":6,"is":"without-term"}"#,
        r#"{"event":"validated"}"#,
        r#"{"event":"deeper-began","depth":3}"#,
        r#"{"event":"deeper-skipped","depth":5,"reason":"too-slow"}"#,
    ];
    insta::assert_snapshot!(lines.map(words).join("\n"));
}
