use super::*;

fn declaration(more: &str) -> Declaration {
    let text = format!("command = ['a']\n{more}");
    Declaration::read(&text.parse().unwrap()).unwrap()
}

fn greeting(numbers: &str) -> Result<Greeting, String> {
    let line = format!(r#"{{"protocol":1,"program":"p","parameters":["a"],"numbers":{numbers}}}"#);
    Greeting::read(&line)
}

#[test]
fn a_task_is_exact() {
    let parameters = [
        Parameter::new("a", "", 0.1, 0.0, 1.0),
        Parameter::new("b", "", 2.0, 0.0, 1.0),
    ];
    let given = Weights::new([("b".to_owned(), 1.0 / 3.0)], &parameters).unwrap();
    let given = weights(&given, &parameters).unwrap();
    assert_eq!(given, r#"{"a":0.1,"b":0.3333333333333333}"#);
    assert_eq!(
        task(&given, &[7, u64::MAX]),
        "{\"weights\":{\"a\":0.1,\"b\":0.3333333333333333},\"seeds\":[\"7\",\"18446744073709551615\"]}\n"
    );
}

#[test]
fn an_answer_has_each_number_for_each_seed() {
    let greeting = greeting(r#"["moves","score"]"#).unwrap();
    let scoring = greeting.fits(&declaration("score = 'score'")).unwrap();
    let games = answer(r#"{"score":[1.5,-2],"moves":[7,8]}"#, &[3, 4], &scoring);
    let games = games.unwrap().games;
    let of: Vec<_> = games.iter().map(|game| (game.seed, game.value())).collect();
    assert_eq!(of, [(3, 1.5), (4, -2.0)]);
    let numbers: Vec<_> = games[1].numbers().unwrap().all().collect();
    assert_eq!(numbers, [("score", -2.0), ("moves", 8.0)]);
    // The square of a smaller number would be 0, too.
    let near = answer(
        r#"{"score":[-1e-101,2e-100],"moves":[7,8]}"#,
        &[3, 4],
        &scoring,
    );
    let near: Vec<_> = near
        .unwrap()
        .games
        .iter()
        .map(|game| game.value())
        .collect();
    assert_eq!(near, [0.0, 2e-100]);
    for (line, part) in [
        ("", "is not JSON"),
        ("hello", "belong on stderr): `hello`"),
        ("infinity", "belong on stderr): `infinity`"),
        (r#"{"score":["1",1],"moves":[1,1]}"#, "a number from -1e100"),
        (r#"{"score":["NaN",1],"moves":[1,1]}"#, "`\"NaN\"`"),
        (r#"{"score":[NaN1,1],"moves":[1,1]}"#, "is not JSON"),
        ("[1,2]", "not a JSON object"),
        (r#"{"score":[1,2]}"#, "no array `moves`"),
        (
            r#"{"score":[1],"moves":[1,2]}"#,
            "1 numbers `score` for 2 seeds",
        ),
        (
            r#"{"score":[1,2],"moves":[1,2],"tile":[1,2]}"#,
            "`tile`, which",
        ),
        (r#"{"error":"out of cards"}"#, "it says: `out of cards`"),
    ] {
        let error = answer(line, &[3, 4], &scoring).unwrap_err();
        assert!(error.contains(part), "{line}: {error}");
    }
}

#[test]
fn whole_numbers_have_no_point() {
    let integer = |key: &str| Parameter {
        integer: true,
        ..Parameter::new(key, "", 8.0, -1e300, 1e300)
    };
    let parameters = [integer("n"), Parameter::new("x", "", 8.0, 0.0, 9.0)];
    let of = |value: f64| {
        let given = Weights::new([("n".to_owned(), value)], &parameters).unwrap();
        weights(&given, &parameters)
    };
    for (value, written) in [
        (8.0, "8"),
        (-0.0, "0"),
        (-3.0, "-3"),
        (506_009_986_075_975.0, "506009986075975"),
        (1e21, "1000000000000000000000"),
    ] {
        assert_eq!(of(value).unwrap(), format!(r#"{{"n":{written},"x":8.0}}"#));
    }
    let error = of(3.5).unwrap_err();
    assert!(error.contains("n is an integer parameter: 3.5"), "{error}");
}

#[test]
fn a_category_is_the_text_of_its_choice() {
    let mut parameter = Parameter::new("mode", "", 0.0, 0.0, 1.0);
    parameter.choices = ["fast", "\"slow\""].map(str::to_owned).into();
    let of = |value: f64| {
        let parameters = std::slice::from_ref(&parameter);
        let given = Weights::new([("mode".to_owned(), value)], parameters).unwrap();
        weights(&given, parameters)
    };
    assert_eq!(of(0.0).unwrap(), r#"{"mode":"fast"}"#);
    assert_eq!(of(1.0).unwrap(), r#"{"mode":"\"slow\""}"#);
    for value in [-1.0, 0.5, 2.0] {
        let error = of(value).unwrap_err();
        let expected = format!("mode is {value}, which is no choice: 0 = fast, 1 = \"slow\"");
        assert_eq!(error, expected);
    }
}

#[test]
fn numbers_that_are_not_finite_are_missing() {
    let greeting = greeting(r#"["score","moves"]"#).unwrap();
    let scoring = greeting.fits(&declaration("score = 'score'")).unwrap();
    for number in [
        "NaN",
        "nan",
        "-nan",
        "null",
        "Infinity",
        "-Infinity",
        "inf",
        "1e999",
        "-1e101",
    ] {
        let line = format!(r#"{{"score":[1,{number}],"moves":[1,2]}}"#);
        let answer = answer(&line, &[3, 4], &scoring).unwrap();
        let missing: Vec<_> = answer.games.iter().map(GameRecord::missing).collect();
        assert_eq!(missing, [None, Some(Missing::Failed)], "{number}");
        let why = answer.missing.unwrap();
        assert!(why.contains("must be finite"), "{why}");
    }
    let refused = answer(r#"{"refused":"too deep"}"#, &[3, 4], &scoring).unwrap();
    let missing: Vec<_> = refused.games.iter().map(GameRecord::missing).collect();
    assert_eq!(missing, [Some(Missing::Refused); 2]);
    assert_eq!(
        refused.missing.unwrap(),
        "it refuses the weights: `too deep`"
    );
    // Strings are not numbers.
    assert_eq!(finite(r#"["NaN \"inf",NaN]"#), r#"["NaN \"inf",null]"#);
}

#[test]
fn a_number_to_minimise_becomes_a_score() {
    let greeting = greeting(r#"["loss"]"#).unwrap();
    let scoring = greeting.fits(&declaration("minimise = true")).unwrap();
    let games = answer(r#"{"loss":[2.5,0]}"#, &[1, 2], &scoring);
    let games = games.unwrap().games;
    let numbers: Vec<_> = games[0].numbers().unwrap().all().collect();
    assert_eq!(numbers, [("score", -2.5), ("loss", 2.5)]);
    assert!(games[1].value().is_sign_positive());
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let line = r#"{"protocol":1,"program":"p","parameters":["a"],"numbers":["n"]}"#;
    assert_eq!(
        Greeting::read(&format!("\u{feff}{line}")),
        Greeting::read(line)
    );
}

#[test]
fn a_greeting_says_what_it_must() {
    for (line, part) in [
        ("", "not JSON"),
        ("ready", "belong on stderr"),
        ("{}", "no `protocol`"),
        (r#"{"protocol":2}"#, "speaks version 2"),
        (r#"{"protocol":"1"}"#, "speaks version \"1\""),
        (r#"{"protocol":1}"#, "no text `program`"),
        (r#"{"protocol":1,"program":"p"}"#, "`parameters`"),
    ] {
        let error = Greeting::read(line).unwrap_err();
        assert!(error.contains(part), "{line}: {error}");
    }
    for (numbers, part) in [
        ("[]", "names 0 numbers"),
        ("[1]", "`numbers`"),
        (r#"["a","a"]"#, "twice"),
        (r#"["seed"]"#, "use this name"),
        (r#"["error"]"#, "use this name"),
        (r#"["refused"]"#, "use this name"),
        (r#"["a b"]"#, "letters"),
    ] {
        let error = greeting(numbers).unwrap_err();
        assert!(error.contains(part), "{numbers}: {error}");
    }
    let greeting = greeting(r#"["score","loss"]"#).unwrap();
    for (more, part) in [
        ("score = 'los'", "did you mean `loss`?"),
        ("minimise = true", "another name"),
        ("score = 'loss'", "another name"),
        (
            "[parameters.b]\ndefault = 1\nmin = 0\nmax = 1",
            "does not know the parameter `b`",
        ),
    ] {
        let error = greeting.fits(&declaration(more)).unwrap_err();
        assert!(error.contains(part), "{more}: {error}");
    }
}

#[test]
fn what_a_program_says_is_shown_safely() {
    assert_eq!(shown("a\u{1b}[2Jb\n"), "`a [2Jb`");
    assert_eq!(shown(&"x".repeat(300)).len(), SHOWN + 6);
}
