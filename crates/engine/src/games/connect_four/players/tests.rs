//! Results of matches between the players of gravity four in a row, and their answers to the moves of a person.

use crate::games::connect_four::players::*;
use crate::games::connect_four::rules::{Opening, Side};
use crate::games::connect_four::search::perfect::Perfect;
use crate::heuristic::weights::Weights;
use crate::player::Catalogue;
use crate::record::{GameRecord, Outcome};
use crate::stop::Stop;

fn player(text: &str) -> Box<dyn Player> {
    // The expected results are known only for the published board.
    let board = if text.contains("rows") {
        ""
    } else {
        "\nrows = 7\ncolumns = 6"
    };
    let config = toml::from_str(&format!("game = '{}'\n{text}{board}", GAME.name)).unwrap();
    let player = Catalogue::builtin().player(&config).unwrap();
    player.build(&Weights::default()).unwrap()
}

fn game(player: &dyn Player, seed: u64) -> GameRecord {
    player.play(seed, Stop::never()).unwrap()
}

/// Numbers of wins, draws and losses over the games of some openings, for one side.
fn results(text: &str, games: u64, side: u64) -> [usize; 3] {
    let player = player(text);
    let seeds = (0..games).map(|number| 2 * number + side);
    let outcomes: Vec<_> = seeds.map(|seed| game(&*player, seed).outcome()).collect();
    [Outcome::Win, Outcome::Draw, Outcome::Loss].map(|outcome| {
        let ended_so = outcomes.iter().filter(|&&ended| ended == Some(outcome));
        ended_so.count()
    })
}

#[test]
fn every_opening_meets_one_of_the_opponents() {
    let pool = player("name = 'strings'\nopponent = ['random', 'strings-article', 'strings']");
    let alone = ["random", "strings-article", "strings"]
        .map(|name| player(&format!("name = 'strings'\nopponent = '{name}'")));
    for seed in 0..60 {
        let met = &alone[(seed / 4 % 3) as usize];
        assert_eq!(game(&*pool, seed), game(&**met, seed));
    }
}

#[test]
fn a_player_equals_itself_and_beats_random_moves() {
    let [wins, draws, losses] = results("name = 'random'\nopponent = 'random'", 1000, 0);
    assert_eq!(wins + draws + losses, 1000);
    assert!(
        wins > losses,
        "the player to begin wins more often: {wins} to {losses}"
    );
    for side in [0, 1] {
        let [wins, ..] = results("name = 'strings'\nopponent = 'random'", 200, side);
        assert!(wins >= 198, "{wins}");
        let [wins, _, losses] = results("name = 'strings'", 200, side);
        assert!(wins > losses, "{wins} to {losses}");
    }
    // The same player plays both sides, so each opening gives one win and one loss, or two draws.
    let [first, second] =
        [0, 1].map(|side| results("name = 'strings'\nopponent = 'strings'", 100, side));
    assert_eq!((first[0], first[2]), (second[2], second[0]));
}

#[test]
fn the_perfect_player_never_loses_from_a_position_that_is_not_lost() {
    let text = "name = 'perfect'\nopponent = 'strings'\nopponent_depth = 4\nrows = 5\ncolumns = 5";
    let rules = Rules::new(5, 5, 4).unwrap();
    let player = player(text);
    let mut solver = Perfect::new(rules);
    for seed in 0..60 {
        let opening = Opening::of_seed(seed);
        let score = solver.score(opening.position(&rules).position);
        let score = match opening.side {
            Side::First => score,
            Side::Second => -score,
        };
        let outcome = game(&*player, seed).outcome().unwrap();
        let least = match score {
            1.. => Outcome::Win,
            0 => Outcome::Draw,
            _ => Outcome::Loss,
        };
        assert!(outcome >= least, "seed {seed}: {outcome:?}, {score}");
    }
}

#[test]
fn a_person_is_asked_until_the_move_is_legal() {
    let player = player("name = 'strings'");
    let mut session = player.begin_against_person(0, true, Stop::never()).unwrap();
    let asked = session.step().unwrap();
    assert_eq!(asked.asked, ["1", "2", "3", "4", "5", "6"]);
    for nonsense in ["0", "7", "", "x", "-1"] {
        session.answer(nonsense);
        assert_eq!(session.step().unwrap().asked.len(), 6, "{nonsense}");
    }
    session.answer("2");
    let made = session.step().unwrap();
    assert_eq!(made.analysis.best.as_deref(), Some("2"));
    let reply = session.step().unwrap();
    assert_eq!(reply.analysis.values.len(), 6);
    assert!(reply.analysis.best.is_some() && reply.asked.is_empty());
    assert_eq!(session.step().unwrap().asked.len(), 6);
    // The person always plays the first column that is not full.
    let mut person_first = player
        .begin_against_person(0, false, Stop::never())
        .unwrap();
    let ended = loop {
        let step = person_first.step().unwrap();
        if let Some(open) = step.asked.first() {
            person_first.answer(open);
        }
        if step.ended.is_some() {
            break step.ended;
        }
    };
    assert_eq!(ended.unwrap().outcome(), Some(Outcome::Win));
}

#[test]
fn a_match_is_that_of_an_opponent_with_the_same_settings() {
    let catalogue = Catalogue::builtin();
    let spec = |text: &str| {
        let config = toml::from_str(&format!("game = '{}'\n{text}", GAME.name)).unwrap();
        catalogue.player(&config).unwrap()
    };
    let (two, three) = (
        spec("name = 'strings'\ndepth = 2"),
        spec("name = 'strings'\ndepth = 3"),
    );
    // The published weights are the defaults.
    let weights = Weights::default();
    let direct = three.against(&two, &weights).unwrap();
    assert_eq!(
        direct.describe(),
        "strings, depth 3 against strings, depth 2"
    );
    assert!(direct != three && direct == three.against(&two, &weights).unwrap());
    let known = spec("name = 'strings'\ndepth = 3\nopponent = 'strings'\nopponent_depth = 2");
    let (direct, known) = (
        direct.build(&weights).unwrap(),
        known.build(&weights).unwrap(),
    );
    for seed in 0..40 {
        assert_eq!(
            direct.play(seed, Stop::never()),
            known.play(seed, Stop::never())
        );
    }
    // The weights of the opponent matter.
    let changed = weights.with([("both", 30.0), ("liberty", 0.0)], &two.parameters());
    let changed = changed.unwrap_or_else(|error| panic!("{error}"));
    let other = three.against(&two, &changed).unwrap().build(&weights);
    let other = other.unwrap();
    assert!(
        (0..40).any(|seed| other.play(seed, Stop::never()) != direct.play(seed, Stop::never()))
    );
}
