use super::*;

fn schedule(most: u32, players: Players) -> Schedule {
    let config = EvaluationConfig {
        games: Games::Auto,
        games_max: Some(most),
        ..EvaluationConfig::default()
    };
    Schedule::new(&config, players, 1)
}

/// A result with this signal relative to the squared mean, at this number of games, for games with a
/// standard deviation of 3/5 of the mean.
fn result(relative: f64, games: u32) -> Signal {
    let noise = 0.36 / f64::from(games);
    Signal {
        mean: 1000.0,
        observed: 1e6 * (relative + noise),
        noise: 1e6 * noise,
    }
}

/// The numbers of games of some generations that all have this signal.
fn games(schedule: &mut Schedule, relative: f64, generations: usize) -> Vec<u32> {
    let next = |_| {
        let games = schedule.games();
        schedule.tell(&result(relative, games), games);
        games
    };
    (0..generations).map(next).collect()
}

#[test]
fn a_mean_that_passes_zero_does_not_matter() {
    let mut schedule = schedule(400, Players::One).of_real_scores();
    for mean in [-100.0, -1.0, -1e-9, 0.0, 1e-9, 1.0] {
        let result = Signal {
            mean,
            observed: 50.0,
            noise: 40.0,
        };
        let games = schedule.games();
        let needed = schedule.tell(&result, games) / f64::from(games);
        // V_noise / V_true is 4; the smoothed value is relative to the mean square.
        assert!((0.01..=100.0).contains(&needed), "{mean}: {needed}");
    }
}

#[test]
fn a_search_that_begins_again_shows_its_own_noise() {
    let config = EvaluationConfig {
        games: Games::Auto,
        games_min: Some(1),
        ..EvaluationConfig::default()
    };
    let mut schedule = Schedule::new(&config, Players::One, 1);
    assert_eq!(schedule.games(), 2);
    let noise_of_one = |schedule: &mut Schedule| schedule.noise(&[1000.0], 1, 0.0);
    schedule.noise(&[1000.0], 2, 300.0);
    schedule.tell(&result(9.0, 2), 2);
    assert_eq!(schedule.games(), 1);
    assert!(noise_of_one(&mut schedule).is_some());
    schedule.begin();
    assert_eq!(schedule.games(), 2);
    assert_eq!(noise_of_one(&mut schedule), None);
}

#[test]
fn games_reach_the_number_at_which_half_is_signal() {
    let mut schedule = schedule(400, Players::One);
    // 0.36 / 0.009 = 40 games.
    let needed = schedule.tell(&result(0.009, 5), 5);
    assert!((needed - 40.0).abs() < 1e-9, "{needed}");
    schedule.restart();
    schedule.tell(&result(0.009, 5), 5);
    assert_eq!(schedule.games(), 7); // 6.5
    let all = games(&mut schedule, 0.009, 20);
    // 6.5, 8.45, 10.985, 14.28, 18.56, 24.13, 31.37, 40.
    assert_eq!(all[..8], [7, 8, 11, 14, 19, 24, 31, 40]);
    assert_eq!(all[19], 40);
    // The signal rises, so there are fewer games, with the same steps.
    schedule.tell(&result(1.0, 40), 40);
    assert_eq!(schedule.games(), 31);
    assert_eq!(*games(&mut schedule, 1.0, 20).last().unwrap(), FIRST_GAMES);
}

#[test]
fn fewer_games_at_first_are_possible() {
    let config = |games_min| EvaluationConfig {
        games_min: Some(games_min),
        games_max: Some(30),
        ..EvaluationConfig::default()
    };
    let mut schedule = Schedule::new(&config(2), Players::One, 1);
    // 2, 2.6, 3.38, 4.394, 5.712, 7.43; the signal is one half at 7.
    let relative = 0.36 / 7.0;
    assert_eq!(games(&mut schedule, relative, 7), [2, 3, 3, 4, 6, 7, 7]);
    assert_eq!(*games(&mut schedule, 1.0, 20).last().unwrap(), 2);
    schedule.restart();
    assert_eq!(schedule.games(), 2);
    // One opening would show no noise.
    assert_eq!(Schedule::new(&config(2), Players::Two, 1).games(), 4);
    for (games_min, wrong) in [(0, "games_min must be"), (31, "games_max 30 is too")] {
        let error = config(games_min).check().unwrap_err();
        assert!(error.message.starts_with(wrong), "{}", error.message);
    }
    let fixed = EvaluationConfig {
        games: Games::Number(9),
        ..config(2)
    };
    assert_eq!(fixed.check().unwrap_err().path, ["games_min"]);
    for signal in [0.0, 0.95, f64::NAN] {
        let signal = Some(signal);
        let wrong = EvaluationConfig {
            signal,
            ..config(2)
        };
        assert_eq!(wrong.check().unwrap_err().path, ["signal"]);
    }
}

#[test]
fn single_games_have_the_noise_of_the_generations_that_show_it() {
    let config = EvaluationConfig {
        games_min: Some(1),
        signal: Some(0.1),
        ..EvaluationConfig::default()
    };
    for (players, shown, single) in [(Players::One, 2, 1), (Players::Two, 4, 2)] {
        let mut schedule = Schedule::new(&config, players, 1);
        // Candidates differ more than games: one game is enough. Both rise with the mean.
        let fitness =
            |generation: u32| [0.0, 1000.0, 2000.0].map(|x| x * (1.0 + f64::from(generation)));
        let deviation =
            |generation, games: u32| 0.6 * fitness(generation)[1] / f64::from(games).sqrt();
        // A generation that shows nothing, because every fitness is 0, is no measurement.
        assert_eq!(schedule.games(), shown);
        assert_eq!(schedule.noise(&[0.0; 3], shown, 0.0), Some(0.0));
        // Nor is one whose candidates all win the same games.
        assert_eq!(schedule.noise(&[0.5; 3], shown, 0.0), Some(0.0));
        schedule.tell(&Signal::of(&[0.5; 3], 0.0), shown);
        let mut all = vec![shown];
        for generation in 1..22 {
            let games = schedule.games();
            all.push(games);
            let measured = if games < shown {
                0.0
            } else {
                deviation(generation, games)
            };
            let fitness = fitness(generation);
            let noise = schedule.noise(&fitness, games, measured).unwrap();
            let expected = deviation(generation, games);
            assert!((noise / expected - 1.0).abs() < 1e-9, "{noise}");
            schedule.tell(&Signal::of(&fitness, noise), games);
        }
        let shows = |generation: usize| generation == 1 || generation.is_multiple_of(10);
        let expected = (0..22).map(|one| if shows(one) { shown } else { single });
        assert_eq!(all, expected.collect::<Vec<u32>>());
        schedule.restart();
        assert_eq!(schedule.games(), shown);
    }
}

#[test]
fn the_noise_of_single_games_needs_a_measurement() {
    let config = |games| EvaluationConfig {
        games,
        games_min: (games == Games::Auto).then_some(1),
        ..EvaluationConfig::default()
    };
    let mut fixed = Schedule::new(&config(Games::Number(1)), Players::One, 1);
    assert_eq!(fixed.noise(&[1.0, 2.0], 2, 0.5), Some(0.5));
    assert_eq!(fixed.noise(&[1.0, 2.0], 1, 0.0), None);
    // As of a program that says that it is deterministic, and then is not.
    let mut auto = Schedule::new(&config(Games::Auto), Players::One, 1);
    for _ in 0..3 {
        assert_eq!(auto.noise(&[1.0, 2.0], 1, 0.0), None);
        auto.tell(&Signal::of(&[1.0, 2.0], 0.0), 1);
    }
    assert_eq!(auto.games(), 2);
    // The games of a generation are those that it has played: a start point plays more.
    auto.noise(&[10.0, 10.0], 20, 1.0);
    let noise = auto.noise(&[20.0, 20.0], 1, 0.0).unwrap();
    assert!((noise - 2.0 * 20f64.sqrt()).abs() < 1e-12, "{noise}");
    // Scores around 0 have no mean to compare with.
    let mut real = Schedule::new(&config(Games::Auto), Players::One, 1).of_real_scores();
    real.noise(&[-1.0, 1.0], 2, 3.0);
    let noise = real.noise(&[-9.0, 9.0], 1, 0.0).unwrap();
    assert!((noise - 18f64.sqrt()).abs() < 1e-12, "{noise}");
}

#[test]
fn the_share_of_the_signal_can_be_smaller() {
    let config = EvaluationConfig {
        signal: Some(0.1),
        ..EvaluationConfig::default()
    };
    let mut schedule = Schedule::new(&config, Players::One, 1);
    // One half is signal at 180 games, a tenth at 20.
    let games = |_| {
        let games = schedule.games();
        let needed = schedule.tell(&result(0.002, games), games);
        assert!((needed - 180.0).abs() < 1e-9, "{needed}");
        games
    };
    assert_eq!((0..10).map(games).last(), Some(20));
}

#[test]
fn fitness_that_most_candidates_share_needs_half_signal() {
    let config = EvaluationConfig {
        signal: Some(0.1),
        ..EvaluationConfig::default()
    };
    let mut schedule = Schedule::new(&config, Players::One, 1);
    let won = [1.0, 0.0, 0.0, 1.0];
    let wanted = |schedule: &mut Schedule, fitness: &[f64]| {
        schedule.noise(fitness, 5, 0.2);
        schedule.wanted()
    };
    // 28 of the first 30 candidates for one parameter.
    assert!((0..7).all(|_| wanted(&mut schedule, &won) == 0.1));
    assert_eq!(wanted(&mut schedule, &won), WANTED_SIGNAL);
    assert_eq!(wanted(&mut schedule, &[0.5, 0.25, 0.75, 0.5]), 0.1);
    schedule.restart();
    assert_eq!(wanted(&mut schedule, &won), 0.1);
}

#[test]
fn luck_that_favours_a_direction_needs_half_signal() {
    let config = EvaluationConfig {
        signal: Some(0.1),
        ..EvaluationConfig::default()
    };
    let mut schedule = Schedule::new(&config, Players::One, 1);
    schedule.see_directed_luck(0.1);
    assert_eq!(schedule.wanted(), 0.1);
    schedule.see_directed_luck(1.0);
    schedule.restart();
    assert_eq!(schedule.wanted(), WANTED_SIGNAL);
    // More games make it less clear, so it is not forgotten at once.
    for _ in 0..70 {
        schedule.see_directed_luck(0.0);
    }
    assert!((schedule.wanted() - 0.25).abs() < 0.01);
    schedule.begin();
    assert_eq!(schedule.wanted(), 0.1);
}

#[test]
fn the_signal_is_smoothed() {
    let mut schedule = schedule(400, Players::One);
    schedule.tell(&result(0.01, 5), 5);
    schedule.tell(&result(0.0, 7), 7);
    let needed = schedule.tell(&result(0.02, 8), 8);
    let smoothed = 0.2 * 0.02 + 0.8 * (0.8 * 0.01);
    assert!((needed - 0.36 / smoothed).abs() < 1e-6, "{needed}");
}

#[test]
fn without_signal_games_grow_to_their_limit_if_there_is_noise() {
    // Equal values without noise, and a mean of 0, as for shares that no candidate reaches.
    let flat = |mean, observed, noise| Signal {
        mean,
        observed,
        noise,
    };
    let grown = [5, 7, 8, 11, 14, 17, 17, 17];
    for (flat, expected) in [
        (result(0.0, 5), grown),
        (flat(0.0, 4.0, 1.0), grown),
        // There is no noise left to average out.
        (flat(5.0, 0.0, 0.0), [5; 8]),
        (flat(0.0, 0.0, 0.0), [5; 8]),
    ] {
        let mut schedule = schedule(17, Players::One);
        let all: Vec<u32> = (0..8)
            .map(|_| {
                let games = schedule.games();
                assert_eq!(schedule.tell(&flat, games), NO_SIGNAL);
                games
            })
            .collect();
        assert_eq!(all, expected);
    }
}

#[test]
fn only_the_size_of_the_mean_matters() {
    let mut one = schedule(400, Players::One);
    let mut other = schedule(400, Players::One);
    for relative in [0.1, 0.01, 0.003] {
        let positive = result(relative, one.games());
        let negative = Signal {
            mean: -positive.mean,
            ..positive
        };
        let games = one.games();
        assert_eq!(one.tell(&positive, games), other.tell(&negative, games));
    }
    assert_eq!(one.games(), other.games());
}

#[test]
fn openings_are_complete() {
    let mut schedule = schedule(40, Players::Two);
    let all = games(&mut schedule, 0.0, 12);
    assert_eq!(all, [6, 8, 8, 12, 14, 20, 24, 32, 40, 40, 40, 40]);
}

#[test]
fn the_games_of_a_plan_are_an_upper_limit() {
    for (players, relative) in [
        (Players::One, 0.0),
        (Players::Two, 0.0),
        (Players::One, 0.02),
    ] {
        let mut schedule = schedule(150, players);
        let plan = schedule.config.clone();
        let played: u64 = games(&mut schedule, relative, 30)
            .into_iter()
            .map(u64::from)
            .sum();
        let most = plan.games_through(30, players);
        assert!(played <= most, "{played}, {most}");
        assert_eq!(played == most, relative == 0.0);
    }
}

#[test]
fn numbers_and_auto_round_trip() {
    for text in ["games = 40\n", "games = \"auto\"\n"] {
        let config: EvaluationConfig = toml::from_str(text).unwrap();
        assert!(toml::to_string(&config).unwrap().starts_with(text));
    }
    for wrong in ["\"many\"", "-1", "1.5", "true", "4294967296"] {
        let error = toml::from_str::<EvaluationConfig>(&format!("games = {wrong}")).unwrap_err();
        assert!(error.message().contains("or \"auto\""), "{error}");
    }
}
