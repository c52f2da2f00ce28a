//! The readers of what people and programs write (campaigns, experiments, weights, positions) on the
//! files of `tests/corpus`, and on mutations of them: no input makes them panic, and every error says
//! what is wrong and where.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value;
use tiletune::Catalogue;
use tiletune::Stop;
use tiletune::config::campaign::Campaign;
use tiletune::config::experiment::Experiment;
use tiletune::config::{ConfigError, Source, weights_file};
use tiletune::player::format::Request;
use tiletune::player::position::PositionError;
use tiletune::player::{Player, PlayerSpec};

/// A reader of TOML files: whether the file was taken.
type Reader = fn(&Source) -> Result<(), ConfigError>;

const READERS: [(&str, Reader); 3] = [
    ("campaign", |source| {
        Campaign::resolve(source, Path::new("tests/corpus/campaign")).map(drop)
    }),
    ("experiment", |source| {
        Experiment::resolve(source, Path::new("tests/corpus/experiment")).map(drop)
    }),
    ("weights", |source| weights_file::parse(source).map(drop)),
];

/// The files of a folder of the corpus with their contents.
fn corpus(folder: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new("tests/corpus").join(folder);
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let contents = std::fs::read(&path).unwrap();
        (path, contents)
    };
    paths.into_iter().map(read).collect()
}

/// Asserts that an error says what is wrong, and where: in which file and line, or in which setting.
fn assert_has_a_place(error: ConfigError) {
    let message = error.to_string();
    assert!(!message.trim().is_empty());
    let place = match &error {
        ConfigError::Unreadable { path, .. } => path.clone(),
        ConfigError::Mistake { source_code, .. } => format!("[{}:", source_code.name()),
        ConfigError::Set { given, .. } => format!("{given}: "),
        other => panic!("an error without a place: {other}"),
    };
    // As the command line shows it.
    let shown = match error {
        ConfigError::Mistake { .. } => format!("{:?}", miette::Report::new(error)),
        error => error.to_string(),
    };
    assert!(shown.contains(&place), "`{place}` is not in: {shown}");
}

#[test]
fn a_file_that_cannot_be_read_is_a_mistake_of_the_key_that_names_it() {
    const MISSING: &str = "'no-such-file'";
    let campaign = "why = 'w'\nname = 'x'\nseed = 1\nplayer = { name = 'expectimax', depth = 0 }\n";
    let budget = "[budget]\ngames = 100\n";
    let experiment = format!("{campaign}games = 10\n");
    let rows = "[[row]]\nname = 'a'\n[[row]]\nname = 'b'\n";
    let [of_campaign, of_experiment, _] = READERS.map(|(_, reader)| reader);
    for (reader, text) in [
        (
            of_campaign,
            format!("{campaign}{budget}[start]\nweights = {MISSING}\n"),
        ),
        (
            of_campaign,
            format!("{campaign}heuristic = {MISSING}\n{budget}"),
        ),
        (
            of_experiment,
            format!("{experiment}{rows}weights = {MISSING}\n"),
        ),
        (
            of_experiment,
            format!("{experiment}{rows}heuristic = {MISSING}\n"),
        ),
        (
            of_experiment,
            format!("{experiment}heuristic = {MISSING}\n{rows}"),
        ),
        (
            of_experiment,
            format!("{experiment}reference = {MISSING}\n{rows}"),
        ),
    ] {
        match reader(&Source::new("x.toml", text.as_str())) {
            Err(ConfigError::Mistake { message, span, .. }) => {
                let place = &text[span.offset()..span.offset() + span.len()];
                assert!(place.ends_with(MISSING), "{message}: {place}");
                assert!(message.contains("cannot read"), "{message}");
            }
            other => panic!("{other:?}\n{text}"),
        }
    }
}

#[test]
fn the_corpus_is_taken_or_refused_as_its_names_say() {
    for (folder, reader) in READERS {
        let files = corpus(folder);
        assert!(files.len() > 10, "{folder}");
        for (path, _) in files {
            let name = path.file_name().unwrap().to_str().unwrap();
            match Source::read(&path).and_then(|source| reader(&source)) {
                Ok(()) => assert!(name.starts_with("good-"), "{folder}/{name} was taken"),
                Err(error) => {
                    assert!(name.starts_with("bad-"), "{folder}/{name}: {error}");
                    assert_has_a_place(error);
                }
            }
        }
    }
}

#[test]
fn an_overlong_line_is_answered_with_a_short_message() {
    let long = "A".repeat(70_000);
    for (_, reader) in READERS {
        let source = Source::new("long.toml", format!("x = \"{long}\" y\n"));
        let error = reader(&source).unwrap_err();
        let shown = format!("{:?}", miette::Report::new(error));
        assert!(shown.contains("[long.toml:1:"), "{shown}");
        assert!(shown.len() < 10_000, "{} bytes are shown", shown.len());
    }
}

/// A change of some bytes. Places are those of the contents as they are then.
#[derive(Clone, Debug)]
enum Mutation {
    Delete(Index, usize),
    Duplicate(Index, usize),
    Flip(Index, u8),
    Insert(Index, &'static str),
    Truncate(Index),
}

/// What is likely to mean something where it is put.
const PIECES: [&str; 16] = [
    "=", "\n", "[", "]", "{", "}", "\"", "'''", "#", ".", ",", "-1", "nan", "1e999", "\u{202e}",
    "🂡",
];

fn mutation() -> impl Strategy<Value = Mutation> {
    let place = any::<Index>;
    prop_oneof![
        (place(), 1_usize..40).prop_map(|(at, count)| Mutation::Delete(at, count)),
        (place(), 1_usize..40).prop_map(|(at, count)| Mutation::Duplicate(at, count)),
        (place(), 0_u8..8).prop_map(|(at, bit)| Mutation::Flip(at, 1 << bit)),
        (place(), select(&PIECES[..])).prop_map(|(at, piece)| Mutation::Insert(at, piece)),
        place().prop_map(Mutation::Truncate),
    ]
}

fn mutated(contents: &[u8], mutations: &[Mutation]) -> Vec<u8> {
    let mut bytes = contents.to_vec();
    for mutation in mutations {
        if bytes.is_empty() {
            break;
        }
        let count = bytes.len();
        let range = |at: &Index, length: usize| {
            let start = at.index(count);
            start..(start + length).min(count)
        };
        match mutation {
            Mutation::Delete(at, length) => drop(bytes.drain(range(at, *length))),
            Mutation::Duplicate(at, length) => {
                let range = range(at, *length);
                let copy = bytes[range.clone()].to_vec();
                bytes.splice(range.end..range.end, copy);
            }
            Mutation::Flip(at, bit) => bytes[at.index(count)] ^= bit,
            Mutation::Insert(at, piece) => {
                let at = at.index(count);
                bytes.splice(at..at, piece.bytes());
            }
            Mutation::Truncate(at) => bytes.truncate(at.index(count)),
        }
    }
    bytes
}

/// A setting of the command line, for any of the readers.
fn setting() -> impl Strategy<Value = String> {
    let keys = [
        "games",
        "seed",
        "name",
        "row.0.games",
        "row.1",
        "row.9.x",
        "generate.0.terms.1",
        "player",
        "player.name",
        "evaluation.games",
        "optimizer.stop_rules.x",
        "parameters.empty.min",
        "",
        "a..b",
        "weights.empty",
    ];
    let values = [
        "0",
        "-1",
        "x",
        "1e300",
        "{}",
        "[]",
        "{ name = 'a' }",
        "'",
        "",
        "=",
        "1\nb=2",
    ];
    let settings = (select(keys.to_vec()), select(values.to_vec()));
    settings.prop_map(|(key, value)| format!("{key}={value}"))
}

/// Reads a file with these contents.
fn read(reader: Reader, contents: &[u8], settings: &[String]) {
    // What is no text does not get past `Source::read`, which the corpus tests.
    let text = String::from_utf8_lossy(contents);
    let read = Source::new("mutated.toml", text)
        .with_settings(settings)
        .and_then(|source| reader(&source));
    if let Err(error) = read {
        assert_has_a_place(error);
    }
}

/// Number of cases of each test.
fn cases() -> u32 {
    let cases = std::env::var("PROPTEST_CASES").ok();
    cases.map_or(400, |cases| {
        cases.parse().expect("PROPTEST_CASES is a number")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_files_are_read_or_answered_with_a_place(
        file in any::<Index>(),
        mutations in prop::collection::vec(mutation(), 0..4),
        settings in prop::collection::vec(setting(), 0..3),
    ) {
        for (folder, reader) in READERS {
            let files = corpus(folder);
            let (_, contents) = file.get(&files);
            read(reader, &mutated(contents, &mutations), &settings);
        }
    }

    #[test]
    fn any_text_is_read_or_answered_with_a_place(text in "(?s).{0,200}") {
        for (_, reader) in READERS {
            read(reader, text.as_bytes(), &[]);
        }
    }

    #[test]
    fn mutated_positions_are_answered(
        line in any::<Index>(),
        mutations in prop::collection::vec(mutation(), 0..4),
    ) {
        for (lines, players) in &*POSITIONS {
            let position = mutated(line.get::<Line>(lines), &mutations);
            let position = String::from_utf8_lossy(&position);
            for player in players {
                match player.answer(&position) {
                    Ok(answer) => assert!(answer.is_object()),
                    Err(error) => assert!(!error.to_string().trim().is_empty()),
                }
            }
        }
    }
}

type Line = Vec<u8>;

/// For each game the lines of its corpus, and players.
static POSITIONS: LazyLock<Vec<(Vec<Line>, Vec<Advisor>)>> = LazyLock::new(|| {
    let files = corpus("advise").into_iter();
    let of_game = |(path, contents): (PathBuf, Vec<u8>)| {
        let lines = contents.split(|byte| *byte == b'\n').map(<[u8]>::to_vec);
        let game = path.file_stem().unwrap().to_str().unwrap();
        (lines.collect(), Advisor::all(game))
    };
    files.map(of_game).collect()
});

/// A player that answers lines.
struct Advisor {
    spec: PlayerSpec,
    player: Box<dyn Player>,
}

impl Advisor {
    /// Quick players of a game, with their published weights.
    fn all(game: &str) -> Vec<Advisor> {
        let players = match game {
            "2048" => [("expectimax", "0"), ("minimax-six-faithful", "2")],
            "three-plus-three" => [("expectimax", "0"), ("freedom", "1")],
            _ => [("strings", "1"), ("strings", "2")],
        };
        let advisor = |(name, depth): (&str, &str)| {
            let depth = ("depth".to_owned(), depth.to_owned());
            let spec = Catalogue::builtin().player_of_flags(name, game, &[depth]);
            let spec = spec.unwrap();
            let player = spec.build(&weights_file::published(&spec)).unwrap();
            Advisor { spec, player }
        };
        players.into_iter().map(advisor).collect()
    }

    fn answer(&self, line: &str) -> Result<Value, PositionError> {
        let format = self.spec.entry.game.format;
        let Request { position, seed } = (format.read)(line, &self.spec.options)?;
        let analysis = self
            .player
            .analyze(&*position, seed, Stop::never())?
            .unwrap();
        Ok((format.analysis)(&analysis))
    }
}
