use std::path::Path;

use super::*;
use crate::config::{ConfigError, Source, weights_file};

mod generated;
mod retuned;

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
    let source = Source::new("x.toml", text);
    Experiment::resolve(&source, Path::new(""))
}

fn mistake(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from), "{from}");
    match resolve(&SMALL.replace(from, to)) {
        Ok(_) => panic!("`{to}` was taken"),
        Err(ConfigError::Mistake { message, .. }) => message,
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
        weights_file::published(&smooth.player)
    );
}

#[test]
fn a_weight_that_is_too_large_is_named_if_the_row_has_it() {
    let said = |values: &str| {
        let text = "why = 'to see'\nname = 'small'\nseed = 7\ngames = 20\n[player]\nname = 'strings'\ngame = 'connect-four'\n\
                    [[row]]\nname = 'one'\nweights = '../../configs/weights/connect-four-strings-tuned.toml'\n";
        match resolve(&format!("{text}values = {{ {values} }}\n")) {
            Err(ConfigError::Mistake { message, .. }) => message,
            other => panic!("{values}: {:?}", other.err()),
        }
    };
    let alone = said("fork = 1.0, zugzwang = 1e20");
    assert!(
        alone.starts_with("weight `zugzwang`: a line or a threat would"),
        "{alone}"
    );
    let both = said("fork = 1e20, zugzwang = 1e20");
    assert!(both.starts_with("a line or a threat would"), "{both}");
}

#[test]
fn a_bootstrap_has_a_limit_where_rows_are_compared() {
    let many = "games = 1000000\nresamples = 1000000";
    assert!(resolve(&SMALL.replace("games = 20", many)).is_ok());
    let compared = format!("{many}\nbaseline = 'smooth'");
    let said = mistake("games = 20", &compared);
    assert!(
        said.contains("resamples 1000000 is too large for 1000000 games: at most 10000 "),
        "{said}"
    );
    let fewer = compared.replace("resamples = 1000000", "resamples = 10000");
    assert!(resolve(&SMALL.replace("games = 20", &fewer)).is_ok());
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
        ("games = 20", "tile = 1", "tile 1 is not a tile"),
        ("name = 'small'", "name = 'a/b'", "cannot name a directory"),
        ("mono = 0", "mno = 0", "unknown weight `mno`"),
        ("'combined'", "'smooth'", "two rows have the name `smooth`"),
        ("depth = 2", "depth = 1", "depth 1 is out of range: 2 to 12"),
        (
            "name = 'combined'",
            "name = \"a\\nb\"",
            "control characters and marks of direction are not allowed",
        ),
        (
            "name = 'combined'",
            "name = 'combined'\ngroup = \"a\\u202eb\"",
            "control characters and marks of direction are not allowed",
        ),
        (
            "seed = 7",
            "seed = 7\nbaseline = 'combnd'",
            "no row `combnd`; did you mean `combined`?",
        ),
        (
            "name = 'combined'",
            "name = 'combined'\nreference = 'a'",
            "is a row of the file `reference`, but the experiment names no such file",
        ),
    ] {
        let message = mistake(from, to);
        assert!(message.contains(said), "{message}");
    }
    let unequal = SMALL.replace("seed = 7", "seed = 7\nbaseline = 'combined'") + "games = 10\n";
    let Err(ConfigError::Mistake { message, .. }) = resolve(&unequal) else {
        panic!("unequal games were taken");
    };
    assert!(
        message.contains("must have the same number of games: 10"),
        "{message}"
    );
}

#[test]
fn a_yardstick_must_know_the_game_of_every_row() {
    let said = |yardstick: &str, board: &str| {
        let text = format!(
            "why = 'w'\nname = 'n'\nseed = 1\nyardstick = {{ {yardstick} }}\n\
             player = {{ name = 'strings', game = 'connect-four'{board} }}\nrow = [{{ name = 'a' }}]"
        );
        match resolve(&text) {
            Ok(_) => "taken".to_owned(),
            Err(error) => error
                .to_string()
                .lines()
                .last()
                .unwrap_or_default()
                .to_owned(),
        }
    };
    let perfect = "player = { name = 'perfect', game = 'connect-four' }";
    assert_eq!(said(perfect, ""), "taken");
    for (yardstick, board, expected) in [
        (
            perfect.to_owned(),
            ", columns = 6",
            "row `a` plays another game, or on another board",
        ),
        (
            "player = { name = 'expectimax' }".to_owned(),
            "",
            "2048 is not a game of two players",
        ),
        (
            "player = { name = 'strings', game = 'connect-four' }".to_owned(),
            "",
            "player `strings` does not know the outcome of a move; `perfect` does",
        ),
        (
            format!("{perfect}, positions = 0"),
            "",
            "positions 0 is out of range: 1 to 100000",
        ),
        (
            "player = { name = 'perfekt', game = 'connect-four' }".to_owned(),
            "",
            "unknown player `perfekt`; did you mean `perfect`?",
        ),
    ] {
        let message = said(&yardstick, board);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn rows_of_games_of_two_must_compare() {
    let said = |head: &str, one: &str, other: &str| {
        let player = |options| format!("player = {{ name = 'strings'{options} }}");
        let text = format!(
            "why = 'w'\nname = 'n'\nseed = 1\n{head}\n[[row]]\nname = 'a'\n{}\n[[row]]\nname = 'b'\n{}",
            player(one),
            player(other)
        );
        match resolve(&text) {
            Ok(_) => "taken".to_owned(),
            Err(error) => error.to_string(),
        }
    };
    let four = ", game = 'connect-four'";
    assert_eq!(said("baseline = 'a'", four, four), "taken");
    let against = ", game = 'connect-four', opponent = 'random'";
    assert_eq!(said("", four, against), "taken");
    for (head, one, other, expected) in [
        (
            "baseline = 'a'",
            four,
            against,
            "play different games: their boards or opponents differ",
        ),
        (
            "games = 7",
            four,
            four,
            "games 7 is odd: every opening is played from both sides",
        ),
        (
            "tile = 2048",
            four,
            four,
            "tile: games of two players have no tiles",
        ),
    ] {
        let message = said(head, one, other);
        assert!(message.contains(expected), "{message}");
    }
    let mixed = "why = 'w'\nname = 'n'\nseed = 1\nplayer = { name = 'random' }\nrow = [{ name = 'a' }, \
                 { name = 'b', player = { name = 'random', game = 'connect-four' } }]";
    let message = resolve(mixed).err().map(|error| error.to_string());
    assert!(
        message
            .unwrap()
            .contains("cannot be compared: one has points, the other scores")
    );
}
