use super::*;
use tiletune_engine::random::{GameRng, at_setting};
use tiletune_engine::record::{GameResult, Outcome};

const SCORES: RaceRules = RaceRules {
    objective: Objective::MeanScore,
    players: Players::One,
    games: 2000,
    has_incumbent: false,
};

fn uniform(rng: &mut GameRng) -> f64 {
    f64::from(rng.below(1 << 30)) / f64::from(1 << 30)
}

/// Games with these mean scores, and a standard deviation of 40 % of 1000.
fn scores(
    means: &[f64],
    rng: &mut GameRng,
    racing: &[usize],
    games: Range<usize>,
) -> Result<Vec<Vec<GameRecord>>, ()> {
    let mut score = |mean: f64| mean + 400.0 * 12f64.sqrt() * (uniform(rng) - 0.5);
    let mut games_of = |&finalist: &usize| -> Vec<GameRecord> {
        let game = |number: usize| GameRecord {
            seed: number as u64,
            result: GameResult::scored(score(means[finalist]) as u64),
            moves: 0,
            leaf_evaluations: 0,
        };
        games.clone().map(game).collect()
    };
    Ok(racing.iter().map(&mut games_of).collect())
}

/// A race in which a function gives the scores of the finalists in a game.
fn of_scores(
    rules: RaceRules,
    finalists: usize,
    mut scores: impl FnMut(usize) -> Vec<u64>,
) -> RaceResult {
    let play = |racing: &[usize], games: Range<usize>| {
        let mut played = vec![Vec::new(); racing.len()];
        for number in games {
            let scores = scores(number);
            for (games, &finalist) in played.iter_mut().zip(racing) {
                games.push(GameRecord {
                    seed: number as u64,
                    result: GameResult::scored(scores[finalist]),
                    moves: 0,
                    leaf_evaluations: 0,
                });
            }
        }
        Ok::<_, ()>(played)
    };
    decide(finalists, rules, play).unwrap()
}

#[test]
fn an_incumbent_stays_unless_another_is_clearly_better() {
    let mut rng = GameRng::new(5);
    let rules = RaceRules {
        games: 60,
        has_incumbent: true,
        ..SCORES
    };
    // The standard error of a difference of 60 games is 73.
    let mut wins = |means: &[f64], finalist: usize| {
        let race = |_: &usize| {
            let play = |racing: &[usize], games| scores(means, &mut rng, racing, games);
            decide(means.len(), rules, play).unwrap().winner == finalist
        };
        (0..400).filter(race).count()
    };
    // The largest of three leads is above a standard error in about a third of races.
    assert!((240..310).contains(&wins(&[1000.0; 4], 0)));
    assert!(wins(&[1000.0, 900.0, 900.0, 900.0], 0) > 380);
    assert!(wins(&[1000.0, 1300.0, 900.0, 900.0], 1) > 380);
    // With single games any lead counts.
    let single = RaceRules { games: 1, ..rules };
    let race = of_scores(single, 3, |_| vec![10, 11, 9]);
    assert_eq!((race.winner, race.survivors()), (1, 1));
    let race = of_scores(single, 3, |_| vec![10, 10, 9]);
    assert_eq!(race.winner, 0);
    // A single game that differs is as far from 0 as its standard error, whichever game it is.
    for at in 0..60 {
        let race = of_scores(rules, 2, |game| vec![10, 10 + u64::from(game == at)]);
        assert_eq!(race.winner, 0, "{at}");
    }
    let race = of_scores(rules, 2, |game| vec![10, 10 + u64::from(game < 2)]);
    assert_eq!(race.winner, 1);
    // Medians are compared, not the means of the same games.
    let median = RaceRules {
        objective: Objective::MedianScore,
        ..rules
    };
    let race = of_scores(median, 2, |game| {
        vec![if game % 4 == 0 { 1000 } else { 10 }, 20]
    });
    assert_eq!(race.winner, 1);
    let race = of_scores(median, 2, |game| {
        vec![10 * (game as u64 % 60), 10 * (game as u64 * 7 % 60) + 10]
    });
    assert_eq!(race.winner, 0);
    // Where nobody reaches the tile, lower ones decide.
    let share = RaceRules {
        objective: Objective::ShareReaching(2048),
        ..rules
    };
    let tile = |seed: usize, tile: u32| GameRecord {
        seed: seed as u64,
        result: GameResult::scored_with_tile(0, tile),
        moves: 0,
        leaf_evaluations: 0,
    };
    let play = |racing: &[usize], games: Range<usize>| {
        let of = |finalist: &usize| {
            let reached = if *finalist == 0 { 256 } else { 512 };
            games.clone().map(|game| tile(game, reached)).collect()
        };
        Ok::<Vec<Vec<GameRecord>>, ()>(racing.iter().map(of).collect())
    };
    assert_eq!(decide(2, share, play).unwrap().winner, 1);
}

#[test]
fn deterministic_finalists_are_told_apart() {
    for objective in [
        Objective::MeanScore,
        Objective::MedianScore,
        Objective::MeanLogScore,
    ] {
        let rules = RaceRules {
            objective,
            ..SCORES
        };
        let result = of_scores(rules, 4, |_| vec![5, 80, 12, 79]);
        assert_eq!((result.winner, result.survivors()), (1, 1), "{objective}");
        // ln(0.025 / 6) / ln(0.99) = 545.3.
        assert!(
            result
                .finalists
                .iter()
                .all(|finalist| finalist.games == 600)
        );
        let result = of_scores(rules, 14, |_| (0..14).map(|score| 3 * score).collect());
        assert_eq!((result.winner, result.survivors()), (13, 1));
        assert_eq!(result.finalists[13].games, 900);
    }
    let equal = of_scores(SCORES, 3, |_| vec![7, 7, 6]);
    assert_eq!((equal.winner, equal.survivors()), (0, 2));
    // ln(0.025 / 3) / ln(0.99) = 476.4.
    assert_eq!(equal.finalists[1].games, 500);
}

/// Prints the share of races in which a best finalist was eliminated, and the mean number of its games.
fn check_races(races: u64, slack: f64) {
    println!(
        "| finalists | a best one eliminated | undecided | mean games |\n|---|---:|---:|---:|"
    );
    // The scores of three finalists in a game, and how many of them are best. The best ones come first.
    type Scores = fn(&mut GameRng) -> [f64; 3];
    fn rare(rng: &mut GameRng, share: f64) -> [f64; 3] {
        let size = 20.0 / share;
        [0; 3].map(|_| match uniform(rng) {
            draw if draw < share / 2.0 => 100_000.0 + size,
            draw if draw < share => 100_000.0 - size,
            _ => 100_000.0,
        })
    }
    let cells: [(&str, usize, Scores); 7] = [
        ("noisy, equal", 3, |rng| {
            [0; 3].map(|_| 1000.0 + 1000.0 * uniform(rng))
        }),
        ("all scores equal", 3, |_| [1000.0; 3]),
        ("deterministic, 1 % behind", 1, |_| [1000.0, 990.0, 980.0]),
        ("0.1 % of the scores deviate, equal", 3, |rng| {
            rare(rng, 0.001)
        }),
        ("1 % of the scores deviate, equal", 3, |rng| rare(rng, 0.01)),
        ("10 % of the scores deviate, equal", 3, |rng| rare(rng, 0.1)),
        ("0 or 2, equal", 3, |rng| {
            [0; 3].map(|_| if uniform(rng) < 0.5 { 0.0 } else { 2.0 })
        }),
    ];
    for (name, best, scores) in cells {
        let (mut eliminated, mut undecided, mut games) = (0, 0, 0);
        for seed in 0..races {
            let mut rng = GameRng::new(seed);
            let result = of_scores(SCORES, 3, |_| {
                scores(&mut rng).map(|score| score as u64).into()
            });
            let mut first = result.finalists[..best].iter();
            eliminated += u64::from(first.any(|finalist| finalist.is_eliminated));
            undecided += u64::from(result.survivors() > 1);
            games += u64::from(result.finalists[result.winner].games);
        }
        let share = |count: u64| count as f64 / races as f64;
        println!(
            "| {name} | {:.1} % | {:.1} % | {} |",
            100.0 * share(eliminated),
            100.0 * share(undecided),
            games / races
        );
        assert!(share(eliminated) <= ERROR + slack, "{name}");
    }
}

#[test]
fn a_few_races_keep_the_best_finalists() {
    check_races(20, 0.15);
}

#[test]
#[ignore = "takes minutes; prints a table of docs/statistics.md"]
fn races_keep_the_best_finalists() {
    check_races(5000, 0.0);
}

fn run(rules: RaceRules, means: &[f64], seed: u64) -> RaceResult {
    let mut rng = GameRng::new(seed);
    let play = |racing: &[usize], games| scores(means, &mut rng, racing, games);
    decide(means.len(), rules, play).unwrap()
}

#[test]
fn a_clear_winner_is_found_early() {
    let result = run(SCORES, &[1000.0, 1300.0, 900.0, 1200.0], 1);
    assert_eq!((result.winner, result.survivors()), (1, 1));
    let games: Vec<u32> = result
        .finalists
        .iter()
        .map(|finalist| finalist.games)
        .collect();
    assert!(games[2] <= 200 && games[0] <= 300, "{games:?}");
    assert!(games[3] == games[1] && games[1] < 1500, "{games:?}");
    assert!(games.iter().all(|games| games % 100 == 0), "{games:?}");
    assert!((result.finalists[1].value - 1300.0).abs() < 60.0);
    let behind = result.finalists[3].behind.unwrap();
    assert!(
        behind.low > 0.0 && behind.low < 100.0 && behind.high > 100.0,
        "{behind:?}"
    );
    assert_eq!(result.finalists[1].behind, None);
}

#[test]
fn equal_finalists_are_rarely_eliminated() {
    let wrong = (0..200).filter(|&seed| run(SCORES, &[1000.0; 3], seed).survivors() < 3);
    let wrong = wrong.count();
    assert!(wrong <= 10, "{wrong} of 200");
}

#[test]
fn an_undecided_race_recommends_the_largest_mean() {
    let rules = RaceRules {
        games: 250,
        ..SCORES
    };
    let result = run(rules, &[1000.0, 1010.0], 3);
    assert_eq!(result.survivors(), 2);
    assert!(
        result
            .finalists
            .iter()
            .all(|finalist| finalist.games == 250)
    );
    let other = 1 - result.winner;
    assert!(result.finalists[result.winner].value >= result.finalists[other].value);
    assert!(result.finalists[other].behind.unwrap().low <= 0.0);
    let single = run(rules, &[5.0], 3);
    assert_eq!(
        (single.winner, single.survivors(), single.finalists[0].games),
        (0, 1, 0)
    );
}

#[test]
fn a_median_is_played_to_the_end() {
    let rules = RaceRules {
        objective: Objective::MedianScore,
        games: 300,
        ..SCORES
    };
    let result = run(rules, &[1000.0, 3000.0], 1);
    assert_eq!((result.winner, result.survivors()), (1, 2));
    assert_eq!(result.finalists[0].games, 300);
}

#[test]
fn several_settings_are_raced_by_all_games() {
    let rules = RaceRules {
        objective: Objective::GeometricMeanScore,
        games: 300,
        ..SCORES
    };
    // The second finalist is better by the means of all games at two settings, the first one by the mean over blocks of
    // the geometric mean. A tenth of the games has all points, so no difference is shown.
    let score = |finalist: usize, number: usize| {
        let mean = match (finalist, number % 2, number / 100) {
            (0, _, _) => 1000,
            (_, 0, 0) | (_, 1, 2) => 2900,
            _ => 230,
        };
        let has_points = number / 2 % 10 == 5 * finalist;
        10 * mean * u64::from(has_points)
    };
    let mut all = [Vec::new(), Vec::new()];
    let play = |racing: &[usize], games: Range<usize>| {
        let game = |finalist: usize, number: usize| GameRecord {
            seed: at_setting((number as u64) << 8, number % 2),
            result: GameResult::scored(score(finalist, number)),
            moves: 0,
            leaf_evaluations: 0,
        };
        let of = |&finalist: &usize| games.clone().map(move |number| game(finalist, number));
        let played: Vec<Vec<GameRecord>> = racing.iter().map(|one| of(one).collect()).collect();
        for (&finalist, games) in racing.iter().zip(&played) {
            all[finalist].extend_from_slice(games);
        }
        Ok::<_, ()>(played)
    };
    let result = decide(2, rules, play).unwrap();
    assert_eq!((result.winner, result.survivors()), (1, 2));
    let objective = rules.objective;
    for (finalist, games) in result.finalists.iter().zip(&all) {
        let fitness = objective.fitness(&objective.contributions(games));
        assert_eq!(
            (finalist.games, finalist.value, finalist.standard_error),
            (300, fitness.value, fitness.standard_error)
        );
    }
    let of_blocks = all.each_ref().map(|games| {
        let blocks = games
            .chunks(100)
            .map(|block| objective.contributions(block));
        objective
            .fitness(&blocks.flatten().collect::<Vec<_>>())
            .value
    });
    assert!(of_blocks[0] > of_blocks[1]);
}

#[test]
fn games_that_differ_at_a_setting_are_counted_as_games() {
    let race = |games: u32, has_incumbent: bool, differs: &dyn Fn(usize) -> bool| {
        let rules = RaceRules {
            objective: Objective::GeometricMeanScore,
            games,
            has_incumbent,
            ..SCORES
        };
        let game = |finalist: usize, number: usize| {
            let more = if finalist == 1 && differs(number) {
                900
            } else {
                0
            };
            GameRecord {
                seed: at_setting((number as u64) << 8, number % 2),
                result: GameResult::scored((500 + 37 * (number * number % 31) + more) as u64),
                moves: 0,
                leaf_evaluations: 0,
            }
        };
        let play = |racing: &[usize], games: Range<usize>| {
            let of = |&finalist: &usize| {
                games
                    .clone()
                    .map(move |number| game(finalist, number))
                    .collect()
            };
            Ok::<Vec<Vec<GameRecord>>, ()>(racing.iter().map(of).collect())
        };
        let result = decide(2, rules, play).unwrap();
        (result.winner, result.survivors())
    };
    // A game that differs moves the mean of its setting, and with it the contribution of each game there.
    for at in 0..60 {
        assert_eq!(race(60, true, &|number| number == at), (0, 2), "{at}");
    }
    assert_eq!(race(60, true, &|number| number < 2), (1, 2));
    // Fewer than 20 games that differ are no variance.
    assert_eq!(race(100, false, &|number| number < 15), (1, 2));
    assert_eq!(race(100, false, &|number| number < 30), (1, 1));
}

#[test]
fn points_are_raced_by_openings() {
    let mut rng = GameRng::new(5);
    let mut play = |racing: &[usize], games: Range<usize>| {
        let mut game = |finalist: usize, number: usize| GameRecord {
            seed: number as u64,
            result: GameResult::Outcome(if uniform(&mut rng) < [0.5, 0.8][finalist] {
                Outcome::Win
            } else {
                Outcome::Loss
            }),
            moves: 0,
            leaf_evaluations: 0,
        };
        let mut all = |&finalist: &usize| -> Vec<GameRecord> {
            games.clone().map(|number| game(finalist, number)).collect()
        };
        Ok::<_, ()>(racing.iter().map(&mut all).collect())
    };
    let rules = RaceRules {
        objective: Objective::MeanPoints,
        players: Players::Two,
        games: 4000,
        has_incumbent: false,
    };
    let result = decide(2, rules, &mut play).unwrap();
    assert_eq!((result.winner, result.survivors()), (1, 1));
    assert_eq!(result.finalists[0].games % 200, 0);
    assert!(result.finalists[0].games < 2000, "{result:?}");
}
