use super::*;
use crate::run::tables::write;
use tiletune_engine::player::{OptionValue, PlayerConfig};
use tiletune_engine::random::Stream;
use tiletune_tuning::Catalogue;

fn record(seed: u64) -> GameRecord {
    GameRecord {
        seed,
        result: GameResult::Score {
            score: seed % 1000,
            max_tile: Some(2048),
            capped: seed == 2,
        },
        moves: 7,
        leaf_evaluations: 9,
    }
}

fn outcomes() -> [GameRecord; 3] {
    let mut seed = 0;
    Outcome::ALL.map(|outcome| {
        seed += 3;
        GameRecord {
            result: GameResult::Outcome(outcome),
            ..record(seed)
        }
    })
}

fn pairings() -> Pairings {
    let player = PlayerConfig::new("strings", Some("connect-four")).with(
        "opponent",
        OptionValue::List(vec!["random".into(), "perfect".into()]),
    );
    Pairings::of(&Catalogue::builtin().player(&player).unwrap()).unwrap()
}

#[test]
fn games_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = RunFile::outside(folder.path().join("table.parquet"));
    let records = [record(1), record(2), record(u64::MAX / 3)];
    let of = GamesOf::Train {
        generation: 4,
        restart: 1,
    };
    let mut games = GamesWriter::create(&path, of, None).unwrap();
    games.add(5, 100, &records).unwrap();
    games.finish().unwrap();
    assert_eq!(read_games(&path).unwrap(), records);
    assert_eq!(count_games(&path, "candidate").unwrap(), [(5, 3)]);
    let keyed = read_keyed_games(&path, of, None).unwrap();
    let numbers = keyed.iter().map(|one| (one.number, one.game));
    assert!(numbers.eq([(5, 100), (5, 101), (5, 102)]));

    write(&path, &row_games("smooth", 3, None, &records)).unwrap();
    assert_eq!(read_games(&path).unwrap(), records);
    let of_row = |name, number| read_keyed_games(&path, GamesOf::Row { name, number }, None);
    let found = of_row("smooth", 3).unwrap().into_iter();
    assert!(found.map(|one| one.record).eq(records.iter().cloned()));
    let other = of_row("smooth", 2).unwrap_err().to_string();
    assert!(other.contains("the column `row_number`"), "{other}");
    assert!(of_row("rough", 3).is_err());
    // The footer is not compressed.
    let bytes = std::fs::read(&*path).unwrap();
    let unit = br#"{"meaning":"Score at the end.","unit":"points"}"#;
    assert!(bytes.windows(unit.len()).any(|part| part == unit));
    for pairings in [None, Some(&pairings())] {
        write(&path, &row_games("first", 0, pairings, &outcomes())).unwrap();
        assert_eq!(read_games(&path).unwrap(), outcomes());
    }
    let without_tiles = [GameRecord {
        result: GameResult::scored(5),
        ..records[0]
    }];
    write(&path, &row_games("first", 0, None, &without_tiles)).unwrap();
    assert_eq!(read_games(&path).unwrap(), without_tiles);

    let of_program = |score| GameRecord {
        result: GameResult::Numbers(Numbers::new(
            score,
            Names::new(&["z", "moves"]),
            &[-0.0, 7.5],
        )),
        moves: 1,
        leaf_evaluations: 0,
        seed: u64::MAX,
    };
    let of_program = [of_program(-1.5), of_program(1.0 / 3.0)];
    write(&path, &row_games("first", 0, None, &of_program)).unwrap();
    assert_eq!(read_games(&path).unwrap(), of_program);
}

#[test]
fn games_at_several_settings_have_the_setting_of_their_seed() {
    let folder = tempfile::tempdir().unwrap();
    let path = RunFile::outside(folder.path().join("table.parquet"));
    let config = toml::from_str("name = 'expectimax'\ndepths = [2, 0]").unwrap();
    let player = Catalogue::builtin().player_at_settings(&config).unwrap();
    let pairings = Pairings::of(&player);
    let games = player.game_seeds(1, Stream::Start, 0, 3);
    let games: Vec<GameRecord> = games.into_iter().map(record).collect();
    let mut writer = GamesWriter::create(&path, GamesOf::Start, pairings.clone()).unwrap();
    writer.add(0, 0, &games).unwrap();
    writer.finish().unwrap();
    let table = StoredTable::read(&path).unwrap();
    let rows = ScoreRow::read(&table, &[]).unwrap();
    let settings = rows.iter().map(|row| row.setting.as_deref().unwrap());
    assert!(settings.eq(["depth 2", "depth 0", "depth 2"]));
    assert!(read_keyed_games(&path, GamesOf::Start, pairings.as_ref()).is_ok());
    assert!(read_keyed_games(&path, GamesOf::Start, None).is_err());
}

#[test]
fn games_with_other_keys_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = RunFile::outside(folder.path().join("table.parquet"));
    let write_games = |of, records: &[GameRecord], pairings| {
        let mut games = GamesWriter::create(&path, of, pairings).unwrap();
        games.add(5, 100, records).unwrap();
        games.finish().unwrap();
    };
    let refused = |of: GamesOf, pairings: Option<&Pairings>| {
        let error = read_keyed_games(&path, of, pairings).unwrap_err();
        error.to_string()
    };
    let train = |generation, restart| GamesOf::Train {
        generation,
        restart,
    };
    let records = [record(1), record(2)];
    write_games(train(4, 1), &records, None);
    let games = read_keyed_games(&path, train(4, 1), None).unwrap();
    let keyed = |game, record| KeyedGame {
        number: 5,
        game,
        record,
    };
    assert_eq!(
        games,
        [
            keyed(100, records[0].clone()),
            keyed(101, records[1].clone())
        ]
    );
    for (of, what) in [
        (train(3, 1), "the column `generation`"),
        (train(4, 0), "the column `restart`"),
        (GamesOf::HoldOut { weights: "tuned" }, "columns"),
        (GamesOf::Race, "no column `finalist`"),
    ] {
        let error = refused(of, None);
        assert!(error.contains(what), "{error}");
    }

    let deeper = |depth, weights| GamesOf::Deeper { depth, weights };
    write_games(deeper(2, "tuned"), &outcomes(), Some(pairings()));
    let games = read_keyed_games(&path, deeper(2, "tuned"), Some(&pairings()));
    assert_eq!(games.unwrap()[2].record, outcomes()[2]);
    for (of, pairings, what) in [
        (deeper(3, "tuned"), Some(pairings()), "the column `depth`"),
        (deeper(2, "start"), Some(pairings()), "the column `weights`"),
        (deeper(2, "tuned"), None, "columns"),
    ] {
        let error = refused(of, pairings.as_ref());
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn conditions_of_games_between_two_are_columns() {
    let folder = tempfile::tempdir().unwrap();
    let path = RunFile::outside(folder.path().join("table.parquet"));
    // The two games of an opening, one from each side, and a game of the next opening.
    let games = [8, 9, 12].map(|seed| GameRecord {
        seed,
        ..outcomes()[0].clone()
    });
    write(&path, &row_games("first", 0, Some(&pairings()), &games)).unwrap();
    let table = StoredTable::read(&path).unwrap();
    let rows = OutcomeRow::read(&table, &[]).unwrap();
    let texts = |text: fn(&OutcomeRow) -> &Option<Arc<str>>| {
        let texts = rows.iter().map(|row| text(row).as_deref().unwrap());
        texts.collect::<Vec<&str>>()
    };
    assert_eq!(texts(|row| &row.opponent), ["random", "random", "perfect"]);
    assert_eq!(texts(|row| &row.side), ["first", "second", "first"]);
    let openings = rows.iter().map(|row| row.opening);
    assert_eq!(openings.collect::<Vec<_>>(), [Some(4), Some(4), Some(6)]);
}
