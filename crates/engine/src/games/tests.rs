//! Tests of the whole built-in catalogue: the entries agree with each other, and players can be requested and
//! described.

use super::{connect_four, external, three_plus_three, twenty48};
use crate::field_error::FieldError;
use crate::heuristic::weights::Weights;
use crate::player::options::HEURISTIC;
use crate::player::{Catalogue, OptionKind, Player, PlayerConfig, PlayerSpec, Players, RANDOM};
use crate::record::{GameRecord, Outcome};
use crate::stop::Stop;

/// The player that a `[player]` table specifies.
fn asked(text: &str) -> Result<PlayerSpec, FieldError> {
    Catalogue::builtin().player(&toml::from_str(text).unwrap())
}

fn built(text: &str) -> Box<dyn Player> {
    asked(text).unwrap().build(&Weights::default()).unwrap()
}

#[test]
fn entries_are_complete() {
    for entry in Catalogue::builtin().players() {
        assert_eq!(entry.published.is_some(), !(entry.parameters)().is_empty());
        for sample in entry.sample {
            assert_eq!(sample.options.contains("depth"), entry.depths().is_some());
            assert!(sample.games > 0);
        }
        for (index, option) in entry.options.iter().enumerate() {
            let before = &entry.options[..index];
            assert!(before.iter().all(|other| other.key != option.key));
            // A player has its own terms by default.
            if option.kind.is_extension() {
                assert_eq!(
                    entry.extension_option().map(|known| known.key),
                    Some(HEURISTIC)
                );
                continue;
            }
            // A default value must itself be a valid value.
            let config = PlayerConfig::new(entry.name, Some(entry.game.name));
            let spec = Catalogue::builtin().player(&config).unwrap();
            let config = config.with(option.key, spec.options.value(option));
            // An option without effect must be rejected.
            let refused = Catalogue::builtin().player(&config).err();
            let is_fine = refused.is_none_or(|error| error.message == "no opponent takes a depth");
            assert!(is_fine, "{} of {}", option.key, entry.name);
        }
    }
}

#[test]
fn games_for_two_have_opponents_that_play_them() {
    let catalogue = Catalogue::builtin();
    for game in catalogue.games() {
        // The library does not know what game an external program plays.
        let is_program = game.name == external::NAME;
        assert!(is_program || catalogue.entry(RANDOM, Some(game.name)).is_ok());
        for entry in catalogue.players_of(game.name) {
            let lists = entry.options.iter().filter_map(|option| match option.kind {
                OptionKind::Names { known, .. } => Some(known),
                _ => None,
            });
            let lists: Vec<&[&str]> = lists.collect();
            assert_eq!(lists.len(), usize::from(game.players == Players::Two));
            for name in lists.concat() {
                assert!(catalogue.entry(name, Some(game.name)).is_ok(), "{name}");
            }
        }
    }
}

fn without_work(record: GameRecord) -> GameRecord {
    GameRecord {
        leaf_evaluations: 0,
        ..record
    }
}

#[test]
fn a_game_is_the_same_whenever_it_is_played() {
    for text in [
        "name = 'expectimax'\ndepth = 2\ncutoff = 1e-4",
        "name = 'expectimax'\ndepth = 0\nendgames = true",
        "name = 'expectimax-faithful'\ndepth = 1",
        "name = 'minimax-six'\ndepth = 4",
        "name = 'minimax-six-faithful'\ndepth = 4",
        "name = 'snake'\ndepth = 1",
        "name = 'snake-intended'\ndepth = 2",
        "name = 'random'",
        "name = 'greedy'",
        "name = 'expectimax'\ngame = 'three-plus-three'\ndepth = 2",
        "name = 'freedom'\ngame = 'three-plus-three'\ndepth = 2\ncount_from_one = true",
        "name = 'freedom-server'\ngame = 'three-plus-three'",
        "name = 'random'\ngame = 'three-plus-three'",
        "name = 'strings'\ngame = 'connect-four'\ndepth = 2",
        "name = 'strings-repository'\ngame = 'connect-four'\nopponent = 'random'",
        "name = 'random'\ngame = 'connect-four'\nrows = 5\ncolumns = 5",
    ] {
        let player = built(text);
        let play = |seed| player.play(seed, Stop::never()).unwrap();
        let first = play(1);
        play(2);
        assert_eq!(play(1), first);

        // Played on from its first position, it is the same game.
        let begin = player.begin(1, Stop::never()).step().unwrap().position;
        let from = player.play_from(&*begin, 1, Stop::never());
        assert_eq!(
            without_work(from.unwrap().unwrap()),
            without_work(first.clone()),
            "{text}"
        );

        let mut playing = player.begin(1, Stop::never());
        let mut steps = std::iter::repeat_with(|| playing.step().unwrap());
        let stepped = steps.find_map(|step| step.ended);
        assert_eq!(
            stepped.map(without_work),
            Some(without_work(first)),
            "{text}"
        );
    }
}

#[test]
fn a_game_goes_on_from_a_given_position() {
    let greedy = built("name = 'greedy'");
    let board = |ranks| twenty48::rules::Board::from_ranks(ranks);
    let play = |board| greedy.play_from(&board, 3, Stop::never()).unwrap().unwrap();
    let full = play(board([1, 2, 1, 2, 2, 1, 2, 1, 1, 2, 1, 2, 2, 1, 2, 1]));
    assert_eq!((full.moves, full.score()), (0, Some(0)));
    // The points count from the board on.
    let merged = play(board([1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 9, 8, 10, 10]));
    assert!(
        (2048..3000).contains(&merged.score().unwrap()),
        "{merged:?}"
    );

    let strings = built("name = 'strings'\ngame = 'connect-four'");
    assert!(
        strings
            .play_from(&board([0; 16]), 3, Stop::never())
            .is_err()
    );
    let format = connect_four::GAME.format;
    let player = built("name = 'perfect'\ngame = 'connect-four'\nopponent = 'random'");
    let options = asked("name = 'perfect'\ngame = 'connect-four'")
        .unwrap()
        .options;
    let given = |text: &str| (format.read)(text, &options).unwrap().position;
    // The side to move has three stones in a column.
    let three = given("121212");
    let play = |seed| {
        player
            .play_from(&*three, seed, Stop::never())
            .unwrap()
            .unwrap()
    };
    assert_eq!((play(0).moves, play(0).outcome()), (1, Some(Outcome::Win)));
    assert!(play(1).moves > 0);
    let board = [0; 25];
    let small = format!(r#"{{"rows":5,"columns":5,"board":{board:?},"to_move":1}}"#);
    let refused = player.play_from(&*given(&small), 0, Stop::never());
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("another board"), "{refused}");
}

#[test]
fn a_wrong_request_is_answered_with_what_is_allowed() {
    for (text, key, message) in [
        (
            "name = 'random'\ngame = 'chess'",
            "game",
            "unknown game `chess` (known: 2048, three-plus-three, connect-four, external)",
        ),
        (
            "name = 'strings'",
            "name",
            "player `strings` plays `connect-four`, not `2048`: give its game (--game connect-four, in a file game = \"connect-four\"), or a player of `2048`: expectimax, \
             expectimax-faithful, minimax-six, minimax-six-faithful, snake, snake-intended, greedy, perfect, random",
        ),
        (
            "name = 'random'\ndepth = 2",
            "depth",
            "player `random` takes no depth (it takes: board, spawn, first_tiles)",
        ),
        (
            "name = 'expectimax'\ndpth = 2",
            "dpth",
            "player `expectimax` takes no dpth; did you mean `depth`? (it takes: depth, cutoff, reuse, \
             reduction, table_bits, endgames, board, spawn, first_tiles, exact_scores, heuristic)",
        ),
        (
            "name = 'expectimax'\ndepth = 13",
            "depth",
            "depth 13 is out of range: 0 to 12 or \"adaptive\"",
        ),
        (
            "name = 'expectimax'\ndepth = 'x'",
            "depth",
            "depth must be a whole number from 0 to 12 or \"adaptive\", not the text \"x\"",
        ),
        (
            "name = 'expectimax'\ndepth = '1'",
            "depth",
            "depth must be a whole number from 0 to 12 or \"adaptive\", not the text \"1\"",
        ),
        (
            "name = 'minimax-six'\ndepth = 6.0",
            "depth",
            "depth must be a whole number from 2 to 12, not the number 6.0",
        ),
        (
            "name = 'minimax-six'\ndepth = 1",
            "depth",
            "depth 1 is out of range: 2 to 12",
        ),
        (
            "name = 'snake'\ndepth = 'adaptive'",
            "depth",
            "depth adaptive is out of range: 0 to 12",
        ),
        (
            "name = 'expectimax'\ncutoff = 2.0",
            "cutoff",
            "cutoff 2 is out of range: 0 (nothing is cut), or from 1e-12 to below 1",
        ),
        (
            "name = 'expectimax'\ncutoff = '0.1'",
            "cutoff",
            "cutoff must be a number, not the text \"0.1\": 0 (nothing is cut), or from 1e-12 to \
             below 1",
        ),
        (
            "name = 'minimax-six'\nfours = 1",
            "fours",
            "fours must be true or false, not the number 1",
        ),
        (
            "name = 'minimax-six'\nfours = 'true'",
            "fours",
            "fours must be true or false, not the text \"true\"",
        ),
        (
            "name = 'minimax-six'\nsmooth_form = 'mended'",
            "smooth_form",
            "smooth_form mended is not allowed: published or intended",
        ),
        (
            "name = 'random'\ngame = 'connect-four'\nopponent = ['strings', 'greedy']",
            "opponent",
            "unknown opponent `greedy` (known: strings, strings-repository, strings-article, \
             perfect, random)",
        ),
        (
            "name = 'random'\ngame = 'connect-four'\nopponent = []",
            "opponent",
            "name at least one opponent",
        ),
        (
            "name = 'strings'\ngame = 'connect-four'\nopponent_depth = 2",
            "opponent_depth",
            "no opponent takes a depth",
        ),
        (
            "name = 'strings'\ngame = 'connect-four'\nopponent = 'strings'\nopponent_depth = 0",
            "opponent_depth",
            "opponent_depth 0 is out of range: 1 to 12",
        ),
        (
            "name = 'strings'\ngame = 'connect-four'\nrows = -1",
            "rows",
            "rows -1 is out of range: a whole number, 0 or more",
        ),
        (
            "name = 'strings'\ngame = 'connect-four'\nrows = ['6']",
            "rows",
            "rows must be a whole number, 0 or more, not a list",
        ),
        (
            "name = 'strings'\ngame = 'connect-four'\nconnect = 9",
            "connect",
            "9 in line is out of range: 3 to 7 on this board",
        ),
    ] {
        let error = asked(text).err().unwrap();
        assert_eq!(
            (error.path, error.message),
            (vec![key.to_owned()], message.to_owned())
        );
    }
    let unknown = asked("name = 'expectimin'").err().unwrap();
    let start = "unknown player `expectimin`; did you mean `expectimax`? (known: expectimax, ";
    assert!(unknown.message.starts_with(start), "{unknown}");
}

#[test]
fn players_are_described_with_their_options() {
    let text = "name = 'minimax-six'\nsmooth_form = 'intended'\nfours = true";
    let described = "minimax-six, depth 6, fours true, smooth_form intended";
    assert_eq!(asked(text).unwrap().describe(), described);

    let text = "name = 'strings'\ngame = 'connect-four'\nopponent = ['random', 'perfect']";
    let player = asked(text).unwrap();
    assert_eq!(
        player.describe(),
        "strings, depth 2, against random,perfect"
    );
    let flags = "--player strings --game connect-four --depth 2 --opponent random,perfect";
    assert_eq!(player.flags(), flags);
    let written = toml::to_string(&player.config()).unwrap();
    assert_eq!(written.trim(), text.replace('\'', "\""));

    // The default opponent is named too.
    let player = asked("name = 'perfect'\ngame = 'connect-four'\nrows = 5").unwrap();
    assert_eq!(
        player.describe(),
        "perfect, against strings-repository, rows 5"
    );
    assert_eq!(player.describe_alone(), "perfect, rows 5");
    let flags = "--player perfect --game connect-four --opponent strings-repository --rows 5";
    assert_eq!(player.flags(), flags);
}

#[test]
fn flags_ask_for_the_same_player_as_a_file() {
    for (name, game, flags, text) in [
        (
            "expectimax",
            "2048",
            &[("cutoff", "1e-4"), ("depth", "adaptive")][..],
            "depth = 'adaptive'\ncutoff = 1e-4",
        ),
        (
            "minimax-six",
            "2048",
            &[("fours", "true"), ("repeat_form", "intended")],
            "fours = true\nrepeat_form = 'intended'",
        ),
        (
            "strings",
            "connect-four",
            &[("opponent", "random, perfect"), ("rows", "5")],
            "opponent = ['random', 'perfect']\nrows = 5",
        ),
    ] {
        let flags = flags
            .iter()
            .map(|(key, text)| (key.to_string(), text.to_string()));
        let flags: Vec<(String, String)> = flags.collect();
        let of_flags = Catalogue::builtin().player_of_flags(name, game, &flags);
        let of_file = asked(&format!("name = '{name}'\ngame = '{game}'\n{text}"));
        assert!(of_flags.unwrap() == of_file.unwrap(), "{text}");
    }
    let wrong = |flag: (&str, &str)| {
        let flag = (flag.0.to_owned(), flag.1.to_owned());
        let player = Catalogue::builtin().player_of_flags("expectimax", "2048", &[flag]);
        player.err().unwrap().message
    };
    assert!(wrong(("depth", "2.5")).starts_with("depth must be a whole number from 0 to 12"));
    assert!(wrong(("depth", "2.5")).ends_with("not the text \"2.5\""));
    assert!(wrong(("cutoff", "x")).starts_with("cutoff must be a number, not the text \"x\""));
    assert!(wrong(("rows", "5")).starts_with("player `expectimax` takes no rows"));
}

#[test]
fn defaults_that_depend_on_the_depth_are_recorded() {
    let recorded = |text: &str| {
        let full = asked(text).unwrap().full_config();
        toml::to_string(&full).unwrap()
    };
    let common = "name = \"expectimax\"\ngame = \"2048\"\n";
    assert_eq!(
        recorded("name = 'expectimax'\ndepth = 'adaptive'"),
        format!(
            "{common}depth = \"adaptive\"\ncutoff = 0.0001\nreuse = true\nreduction = 10.0\ntable_bits = 16\nendgames = false\n"
        ),
    );
    assert_eq!(
        recorded("name = 'expectimax'\ndepth = 'adaptive'\ncutoff = 0\nreuse = false"),
        format!(
            "{common}depth = \"adaptive\"\ncutoff = 0.0\nreuse = false\nreduction = 10.0\ntable_bits = 16\nendgames = false\n"
        ),
    );
    assert_eq!(
        recorded("name = 'expectimax'\ndepth = 3"),
        format!(
            "{common}depth = 3\ncutoff = 0.0\nreuse = false\nreduction = 1.0\ntable_bits = 14\nendgames = false\n"
        ),
    );
    let wrong = asked("name = 'expectimax'\ntable_bits = 25").err().unwrap();
    assert_eq!(
        wrong.message,
        "table_bits 25 is out of range: a whole number, 0 to 24"
    );
}

#[test]
fn games_know_their_tiles() {
    for (game, tiles, others) in [
        (
            &twenty48::GAME,
            &[2, 2048, 32768][..],
            &[0, 1, 3, 100, 65536][..],
        ),
        (
            &three_plus_three::GAME,
            &[2, 3, 768, 12288],
            &[0, 1, 4, 100, 24576],
        ),
        (&connect_four::GAME, &[], &[0, 2, 2048]),
    ] {
        assert!(
            tiles.iter().all(|&tile| (game.is_tile)(tile)),
            "{}",
            game.name
        );
        assert!(
            !others.iter().any(|&tile| (game.is_tile)(tile)),
            "{}",
            game.name
        );
    }
}

#[test]
fn endgames_change_the_move_of_endgames_only() {
    let moves = |tiles: [u32; 16]| {
        let ranks = tiles.map(|tile| tile.checked_ilog2().unwrap_or(0) as u8);
        ["true", "false"].map(|endgames| {
            let text = format!("name = 'expectimax'\ndepth = 1\nendgames = {endgames}");
            let board = twenty48::rules::Board::from_ranks(ranks);
            let analysis = built(&text).analyze(&board, 0, Stop::never());
            analysis.unwrap().unwrap().best.unwrap()
        })
    };
    let mut tiles = [
        16384, 8192, 1024, 8, 4096, 2048, 512, 0, 256, 128, 32, 0, 0, 0, 0, 8,
    ];
    assert_eq!(moves(tiles), ["left", "up"]);
    tiles[9] = 64;
    assert_eq!(moves(tiles), ["up", "up"]);
}
