use super::*;

const SMALL: &str = "why = 'to see'
name = 'small'
seed = 7
games = 20

[player]
name = 'minimax-six'
depth = 2

[[row]]
name = 'smooth'
values = { mono = 0, empty_cells = 0, max_level = 0 }

[[row]]
name = 'combined'
";

fn resolve(text: &str) -> Result<Experiment, ConfigError> {
    let source = Source {
        name: "x.toml".into(),
        text: text.into(),
    };
    Experiment::resolve(&source, Path::new(""))
}

fn mistake(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from), "{from}");
    match resolve(&SMALL.replace(from, to)) {
        Ok(_) => panic!("`{to}` was taken"),
        Err(ConfigError::Mistake { message, span, .. }) => {
            assert!(span.is_some(), "`{message}` has no place");
            message
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn rows_stand_on_the_published_weights() {
    let experiment = resolve(SMALL).unwrap();
    assert_eq!(experiment.games(), 40);
    let smooth = &experiment.rows[0];
    assert_eq!(smooth.weights.get("smooth"), Some(1.0));
    assert_eq!(smooth.weights.get("mono"), Some(0.0));
    assert_eq!(
        experiment.rows[1].weights,
        weights_file::published(smooth.entry)
    );
}

#[test]
fn what_is_resolved_resolves_to_itself() {
    let config = resolve(SMALL).unwrap().config;
    let text = toml::to_string(&config).unwrap();
    assert_eq!(resolve(&text).unwrap().config, config);
}

#[test]
fn mistakes_are_told_with_their_place() {
    for (from, to, said) in [
        ("games = 20", "gmes = 20", "unknown key `gmes`"),
        ("games = 20", "games = 0", "games 0 is out of range"),
        ("games = 20", "tile = 1", "tile 1 is no tile"),
        ("name = 'small'", "name = 'a/b'", "cannot name a directory"),
        ("mono = 0", "mno = 0", "unknown weight `mno`"),
        ("'combined'", "'smooth'", "two rows have the name `smooth`"),
        ("depth = 2", "depth = 1", "depth 1 is out of range: 2 to 12"),
        (
            "seed = 7",
            "seed = 7\nbaseline = 'combnd'",
            "no row `combnd`; did you mean `combined`?",
        ),
        (
            "name = 'combined'",
            "name = 'combined'\nreference = 'a'",
            "the experiment names no file `reference`",
        ),
    ] {
        let message = mistake(from, to);
        assert!(message.contains(said), "{message}");
    }
    let unequal = SMALL.replace("seed = 7", "seed = 7\nbaseline = 'combined'") + "games = 10\n";
    let Err(ConfigError::Mistake { message, .. }) = resolve(&unequal) else {
        panic!("unequal games were taken");
    };
    assert!(message.contains("must have as many games: 10"), "{message}");
}
