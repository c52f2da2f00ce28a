use super::calibration::*;
use super::*;
use crate::config::Source;
use std::path::Path;
use std::time::Duration;
use tiletune_engine::random::at_setting;
use tiletune_engine::record::{GameRecord, GameResult};
use tiletune_tuning::evaluation::Progress;
use tiletune_tuning::evaluation::calibration::Calibration;
use tiletune_tuning::evaluation::local::Local;
use tiletune_tuning::stats::scale::Scale;

const FILE: &str = r#"
why = "a test"
name = "planned"
seed = 5
start.games = 0
[player]
name = "expectimax"
depth = 0
[evaluation]
games = 10
[optimizer]
name = "cma-es"
population = 8
[budget]
generations = 30
[validation]
games = 500
[parameters.empty]
[parameters.merges]
"#;

fn campaign(changes: &[(&str, &str)]) -> Campaign {
    let change = |text: String, (from, to): &(&str, &str)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    };
    let text = changes.iter().fold(FILE.to_owned(), change);
    let source = Source::new("planned.toml", text);
    Campaign::resolve(&source, Path::new("")).unwrap()
}

/// Games of 100 moves with the start weights, of 50 with the first candidates, of 200 with tuned weights; 1,000 moves a
/// core-second.
fn measured() -> SearchCalibration {
    SearchCalibration {
        games: 100,
        start_moves: 100.0,
        first_moves: 50.0,
        tuned_moves: 200.0,
        seconds_per_move: 0.001,
        first_seconds_per_move: 0.001,
        preparation: 0.0,
        is_slower: false,
        missing_settings: Vec::new(),
        is_deterministic: false,
        is_declared: false,
        interest: Some(
            Scale {
                means: [1000.0; 2],
                deviation: 400.0,
            }
            .difference(None),
        ),
        deviation: Some(0.4),
        settings: Vec::new(),
        signal: None,
    }
}

fn estimate(changes: &[(&str, &str)]) -> CampaignEstimate {
    CampaignEstimate::new(&campaign(changes), 1, 2, measured())
}

#[test]
fn games_are_generations_times_population_times_games() {
    let one = estimate(&[]);
    let plan = one.plan.unwrap();
    assert_eq!(plan.training_games, 30 * 8 * 10);
    assert_eq!(
        (plan.hold_out_games, one.hold_out_games, one.race_games),
        (1000, 1000, 0)
    );
    assert_eq!(plan.expected_games(), Some(3400));
    // The limits: all training games have 50 moves, or all have 200.
    let of_training = |moves: f64| 2400.0 * moves / 2000.0;
    assert!(one.search_seconds > of_training(50.0) && one.search_seconds < of_training(200.0));
    // 500 games of 100 moves and 500 of 200, on two threads.
    assert!((one.seconds - one.search_seconds - 75.0).abs() < 1e-9);
    assert!((one.core_seconds() - 2.0 * one.seconds).abs() < 1e-9);
    // The definition: the mean over the generations of an exponential approach.
    let share = |generation: f64| 1.0 - (-generation / GENERATIONS).exp();
    let mean = (0..30_000).map(|i| share((f64::from(i) + 0.5) / 1000.0));
    let mean = mean.sum::<f64>() / 30_000.0;
    let expected = of_training(50.0 + mean * 150.0);
    assert!((one.search_seconds / expected - 1.0).abs() < 1e-6);
}

#[test]
fn games_of_the_start_weights_are_a_twentieth_of_the_budget() {
    let of = |budget: &str| campaign(&[("start.games = 0\n", ""), ("generations = 30", budget)]);
    let games = |budget: &str| of(budget).start_games();
    // 30 generations of 80 games.
    assert_eq!(games("generations = 30"), 120);
    assert_eq!(games("generations = 1"), 20);
    assert_eq!(
        [101, 1000, 2000, 100_000].map(|most| games(&format!("games = {most}"))),
        [20, 50, 100, 300]
    );
    // They do not take the place of the first generation.
    assert_eq!(
        [80, 99, 100].map(|most| games(&format!("games = {most}"))),
        [0, 0, 20]
    );
    // As many as the first generation has.
    assert_eq!(games("minutes = 5"), 80);
    let plan = |budget| Plan::of(&of(budget), 0, None).unwrap();
    let by_generations = plan("generations = 30");
    assert_eq!(
        (by_generations.training_games, by_generations.start_games),
        (2400, 120)
    );
    assert_eq!(by_generations.expected_games(), Some(2400 + 120 + 1000));
    assert_eq!(
        by_generations.after_start(true).expected_games(),
        Some(3400)
    );
    assert_eq!(plan("games = 2000").training_games, 1900);
    assert_eq!(of("games = 2000").child("child", 1).start_games(), 0);
}

#[test]
fn the_runs_of_a_series_have_no_start_games_and_share_the_hold_out_games_of_the_start() {
    let of = campaign(&[
        ("start.games = 0\n", ""),
        ("generations = 30", "games = 2000"),
    ]);
    let estimate = |repeat| CampaignEstimate::new(&of, repeat, 2, measured());
    let [one, three] = [1, 3].map(estimate);
    let games = |estimate: &CampaignEstimate| {
        let plan = estimate.plan.unwrap();
        (
            plan.training_games,
            plan.start_games,
            estimate.hold_out_games,
        )
    };
    assert_eq!(games(&one), (1900, 100, 2 * 500));
    assert_eq!(games(&three), (2000, 0, 4 * 500));
}

#[test]
fn programs_without_noise_play_one_game_a_candidate_once_that_is_known() {
    let games = |since| {
        let plan = Plan::of(&campaign(&[]), 0, since).unwrap();
        plan.training_games
    };
    assert_eq!(games(Some(0)), 8 * 30);
    // The first generation plays all its games, because only they show it.
    assert_eq!(games(Some(1)), 8 * (10 + 29));
    assert_eq!(games(None), 8 * 300);
}

#[test]
fn all_start_points_play_whatever_the_start_weights_play() {
    let points: Vec<String> = (100..111)
        .map(|empty| format!("{{ empty = {empty} }}"))
        .collect();
    let points = format!("start.points = [{}]\n", points.join(", "));
    let games = |most: u32| {
        let budget = format!("games = {most}");
        let changes = [
            ("start.games = 0\n", points.as_str()),
            ("generations = 30", budget.as_str()),
        ];
        campaign(&changes).start_games()
    };
    // Twelve points with ten games each, although a generation has eight candidates.
    assert_eq!([120, 139, 140].map(games), [0, 0, 20]);
}

#[test]
fn the_first_generations_can_have_other_numbers_of_candidates() {
    let games = |generations: u32, changes: &[(&str, &str)]| {
        let budget = format!("generations = {generations}");
        let changes = [changes, &[("generations = 30", budget.as_str())]].concat();
        let plan = Plan::of(&campaign(&changes), 0, None).unwrap();
        plan.training_games
    };
    // Two parameters: the start and twelve uniform points, then eight candidates around each of two starts, then eight.
    let uniform = [("cma-es", "mirrored-cma-es")];
    let expected = [130, 130 + 160, 130 + 160 + 80];
    assert_eq!([1, 2, 3].map(|count| games(count, &uniform)), expected);
    // Three points share the games of a generation of eight candidates.
    let points = [(
        "start.games = 0",
        "start.games = 0\nstart.points = [{ empty = 100 }, { empty = 200 }]",
    )];
    assert_eq!([1, 2].map(|count| games(count, &points)), [60, 60 + 80]);
}

#[test]
fn moves_of_the_first_candidates_have_a_time_of_their_own() {
    // Games of 50 moves that take as long as games of 200 moves with tuned weights.
    let slow = SearchCalibration {
        first_seconds_per_move: 0.004,
        ..measured()
    };
    let one = CampaignEstimate::new(&campaign(&[]), 1, 2, slow);
    assert!((one.search_seconds - 2400.0 * 0.2 / 2.0).abs() < 1e-9);
    assert!((one.seconds - one.search_seconds - 75.0).abs() < 1e-9);
}

#[test]
fn training_games_have_the_cost_of_their_shares() {
    let at = |share, core_seconds| SettingPlan {
        first_games: 2,
        setting: String::new(),
        share,
        core_seconds,
    };
    let several = SearchCalibration {
        settings: vec![at(0.75, 0.1), at(0.25, 0.9)],
        ..measured()
    };
    // 0.3 core-seconds a game instead of 0.5; with two games at each setting, 0.5.
    for (games, expected) in [(100, 0.6), (8, 0.6), (4, 1.0)] {
        assert!((several.training_cost(games) - expected).abs() < 1e-12);
        assert_eq!(measured().training_cost(games), 1.0);
        let [one, several] = [measured(), several.clone()];
        let [one, several] = [one, several].map(|of| of.training_seconds(1e12, games));
        assert!((several / one - expected).abs() < 1e-9, "{several}, {one}");
    }
}

#[test]
fn every_candidate_is_prepared_once_by_one_thread() {
    let slow = SearchCalibration {
        preparation: 0.5,
        ..measured()
    };
    let [fast, slow] = [measured(), slow].map(|measured| {
        let of_threads =
            |threads| CampaignEstimate::new(&campaign(&[]), 1, threads, measured.clone());
        [2, 3].map(of_threads)
    });
    for (place, in_turn) in [(0, 4.0), (1, 3.0)] {
        let [fast, slow] = [fast[place].clone(), slow[place].clone()];
        let search = slow.search_seconds - fast.search_seconds;
        assert!((search - 30.0 * in_turn * 0.5).abs() < 1e-9);
        // The preparation of the start weights and of the tuned weights.
        assert!((slow.seconds - fast.seconds - search - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_budget_in_minutes_ends_the_search_but_not_the_hold_out_games() {
    let minutes = |budget: &str| estimate(&[("generations = 30", budget)]);
    let short = minutes("generations = 30\nminutes = 0.5");
    assert_eq!(short.search_seconds, 30.0);
    assert_eq!(short.seconds, 30.0 + 75.0);
    assert!(short.ends_by_minutes);
    let long = minutes("generations = 30\nminutes = 1000");
    assert_eq!(long.search_seconds, estimate(&[]).search_seconds);
    assert!(!long.ends_by_minutes);
    let only = minutes("minutes = 2");
    assert_eq!((only.search_seconds, only.plan), (120.0, None));
    assert!(only.ends_by_minutes);
    let huge = minutes("games = 18000000000000000000");
    assert!(huge.seconds.is_finite());
}

#[test]
fn an_upper_limit_is_one_unless_the_time_ends_the_search() {
    let auto = [("games = 10", "games = \"auto\"")];
    let by_generations = estimate(&auto);
    assert!(by_generations.is_upper_limit());
    assert_eq!(by_generations.plan.unwrap().expected_games(), None);
    let budget = ("generations = 30", "games = 5000");
    let by_games = estimate(&[auto[0], budget]);
    assert!(!by_games.is_upper_limit());
    assert_eq!(by_games.plan.unwrap().training_games, 5000);
    let minutes = ("generations = 30", "generations = 30\nminutes = 0.01");
    assert!(!estimate(&[auto[0], minutes]).is_upper_limit());
}

/// Candidates whose signal is half of the variance at this number of games.
fn half_at(games: f64) -> Signal {
    Signal {
        mean: 100.0,
        observed: 400.0 / games + 400.0,
        noise: 400.0,
    }
}

#[test]
fn generations_have_the_games_of_the_schedule() {
    let of = |games: &str, left: u64, signal| {
        let budget = format!("games = {}", 8 * left);
        let campaign = campaign(&[("games = 10", games), ("generations = 30", &budget)]);
        let plan = Plan::of(&campaign, 0, None).unwrap();
        generations(&campaign, &plan, signal)
    };
    assert_eq!(of("games = 10", 1000, None), 100.0);
    assert_eq!(of("games = 10", 15, None), 1.5);
    // 10, 11, 12.1 and 13.31 games, the number of each generation rounded.
    assert_eq!(of("games = 10\ngames_growth = 1.1", 46, None), 4.0);
    // More generations than are counted individually.
    assert!((of("games = 10", 1_000_000, None) - 100_000.0).abs() < 1e-6);

    let auto = |most: u32| format!("games = \"auto\"\ngames_max = {most}");
    // A strong signal: as few games as in the first generation.
    assert_eq!(of(&auto(40), 500, Some(half_at(0.1))), 100.0);
    // No signal: 5, 6.5, 8.45, 10.985, 14.28, 18.56, 24.13 and 31.37 games, and then 40.
    let until = 5 + 7 + 8 + 11 + 14 + 19 + 24 + 31;
    let none = Signal {
        observed: 400.0,
        ..half_at(1.0)
    };
    for signal in [None, Some(none)] {
        assert_eq!(of(&auto(40), until + 400, signal), 18.0);
    }
    for (half, left, most) in [(3.0, 500, 40), (30.0, 5000, 400), (30.0, 400_000, 100_000)] {
        let generations = of(&auto(most), left, Some(half_at(half)));
        let expected = generations_by_definition(left as f64, half, f64::from(most));
        assert!(
            (generations - expected).abs() < 1e-6,
            "{generations}, {expected}"
        );
    }
}

/// The rules of `games = "auto"` and of the falling signal. The signal is relative to that of the first generation.
fn generations_by_definition(mut left: f64, half: f64, most: f64) -> f64 {
    let (mut games, mut smoothed) = (5.0f64, 1.0);
    for generation in 0.. {
        let played = games.round();
        if left < played {
            return f64::from(generation) + left / played;
        }
        left -= played;
        let latest = 1.0 / (1.0 + f64::from(generation) / 3.0);
        smoothed = if generation == 0 {
            latest
        } else {
            0.2 * latest + 0.8 * smoothed
        };
        games = (half / smoothed)
            .clamp(games / 1.3, games * 1.3)
            .clamp(5.0, most);
    }
    unreachable!("there are finitely many games")
}

#[test]
fn the_signal_of_the_first_candidates_is_that_of_their_scores() {
    let campaign = campaign(&[]);
    let start = calibration(vec![games(&[80, 120].repeat(8))]);
    let of = |first: Vec<Vec<GameRecord>>| {
        SearchCalibration::new(&campaign, &start, Some(&calibration(first))).signal
    };
    // Scores of 800 and 1,200 and of 1,800 and 2,200; equal seeds are equally good for both.
    let [one, other] = [[80, 120], [180, 220]].map(|moves| games(&moves.repeat(8)));
    let same = of(vec![one.clone(), other]).unwrap();
    assert_eq!((same.mean, same.noise), (1500.0, 0.0));
    assert!((same.observed - 500_000.0).abs() < 1e-6);
    // With the scores of one candidate reversed, the whole difference between seeds is noise.
    let turned = of(vec![one.clone(), games(&[220, 180].repeat(8))]).unwrap();
    let noise = 16.0 * 2.0 * 200.0 * 200.0 / 15.0;
    assert!((turned.noise / noise - 1.0).abs() < 1e-9);
    assert!((turned.variance() - (500_000.0 - noise / 16.0)).abs() < 1e-6);
    // The noise of a median comes from its bootstrap, with sixteen games of each candidate.
    let objective = [("games = 10", "games = 10\nobjective = \"median-score\"")];
    let of_median = self::campaign(&objective);
    let pair = [one.clone(), games(&[180, 190, 220, 230].repeat(4))];
    let squares = pair.each_ref().map(|games| {
        let values = of_median.objective.contributions(games);
        of_median.objective.fitness(&values).standard_error.powi(2)
    });
    let both = calibration(pair.to_vec());
    let median = SearchCalibration::new(&of_median, &start, Some(&both))
        .signal
        .unwrap();
    assert!(squares.iter().all(|square| *square > 0.0));
    assert!((median.noise / (8.0 * (squares[0] + squares[1])) - 1.0).abs() < 1e-9);
    assert_eq!(of(vec![one, games(&[100; 3])]), None);
    assert_eq!(of(vec![games(&[100; 3]); 2]), None);
}

#[test]
fn a_series_multiplies_the_search_and_races() {
    let campaign = campaign(&[]);
    let [one, three] = [1, 3].map(|repeat| CampaignEstimate::new(&campaign, repeat, 2, measured()));
    assert!((three.search_seconds / one.search_seconds - 3.0).abs() < 1e-12);
    // Half of the games of the searches.
    let race = 3 * 30 * 8 * 10 / 2;
    assert_eq!((three.hold_out_games, three.race_games), (4 * 500, race));
    let other = 500.0 * 100.0 + (1500.0 + race as f64) * 200.0;
    assert!((three.seconds - three.search_seconds - other / 2000.0).abs() < 1e-9);
}

#[test]
fn a_race_is_no_longer_than_half_of_its_searches() {
    let race = |changes: &[(&str, &str)]| estimate(changes).race_games;
    let of = |optimizer| ("name = \"cma-es\"\npopulation = 8", optimizer);
    // 30 generations of 8 candidates with 10 games.
    let random = of("name = \"random\"\npopulation = 8");
    assert_eq!(race(&[random]), 30 * 8 * 10 / 2);
    // It has four finalists.
    let given = ("games = 500", "games = 500\nrace_games = 500");
    assert_eq!(race(&[random, given]), 4 * 500);
    let long = ("generations = 30", "generations = 3000");
    assert_eq!(race(&[random, long]), 4 * 2000);
    let restarts = of("name = \"cma-es\"\npopulation = 8\nrestarts = \"ipop\"");
    assert_eq!(race(&[restarts]), 2400 / 2);
    assert!(!estimate(&[restarts]).plan.unwrap().is_race_sure);
    // The start and twelve uniform points; the search ends before it has chosen one of its two starts.
    let first = ("generations = 30", "generations = 1");
    assert_eq!(
        race(&[of("name = \"mirrored-cma-es\""), first]),
        13 * 10 / 2 / 2 * 2
    );
}

#[test]
fn the_numbers_of_games_find_their_differences() {
    let one = estimate(&[]);
    // Normal quantiles of 97.5 % and 80 %.
    let z = 1.959_963_984_540_054 + 0.841_621_233_572_914_3;
    for size in &one.sizes {
        let games = 2.0 * (0.4 * z / size.difference).powi(2);
        assert!((size.games / games - 1.0).abs() < 1e-9);
        assert!((size.core_seconds / (games * 0.3) - 1.0).abs() < 1e-9);
    }
    assert_eq!(one.sizes.len(), MULTIPLES.len());
    let detectable = one.detectable.unwrap();
    assert!((detectable - 0.4 * z * (2.0 / 500f64).sqrt()).abs() < 1e-9);
    assert_eq!(estimate(&[("games = 500", "games = 0")]).detectable, None);
}

#[test]
fn a_value_near_0_has_differences_in_standard_deviations() {
    let scale = Scale {
        means: [0.01; 2],
        deviation: 0.5,
    };
    let mut measured = measured();
    measured.interest = Some(scale.difference(None));
    measured.deviation = Some(1.0);
    let one = CampaignEstimate::new(&campaign(&[]), 1, 2, measured);
    let differences: Vec<f64> = one.sizes.iter().map(|size| size.difference).collect();
    for (found, expected) in differences.iter().zip([0.05, 0.1, 0.25, 0.5]) {
        assert!((found - expected).abs() < 1e-12);
    }
    // 2 (2.8016 / 0.1)^2.
    assert!((one.sizes[1].games - 1569.776).abs() < 0.01);
    // 2.8016 (2 / 500)^(1/2).
    assert!((one.detectable.unwrap() - 0.177_188).abs() < 1e-5);
}

/// Games with these numbers of moves; the score is ten times the moves.
fn games(moves: &[u32]) -> Vec<GameRecord> {
    let game = |&moves: &u32| GameRecord {
        seed: 0,
        result: GameResult::scored(10 * u64::from(moves)),
        moves,
        leaf_evaluations: 0,
    };
    moves.iter().map(game).collect()
}

fn calibration(games: Vec<Vec<GameRecord>>) -> Calibration {
    let all = games.iter().flatten();
    Calibration {
        moves: all.map(|game| u64::from(game.moves)).sum(),
        preparation: 0.01,
        core_seconds: 2.0,
        is_slower: games.iter().all(Vec::is_empty),
        games,
    }
}

#[test]
fn tuned_weights_play_longer_games_than_the_best_of_the_first_candidates() {
    let campaign = campaign(&[]);
    let start = calibration(vec![games(&[80, 120].repeat(8))]);
    let first = calibration(vec![games(&[50; 8]), games(&[150; 8])]);
    let measured = SearchCalibration::new(&campaign, &start, Some(&first));
    assert_eq!((measured.start_moves, measured.first_moves), (100.0, 100.0));
    assert!((measured.tuned_moves - GROWTH * 150.0).abs() < 1e-9);
    assert!((measured.seconds_per_move - 4.0 / 3200.0).abs() < 1e-12);
    assert_eq!(measured.preparation, 0.01);
    // Sixteen scores of 800 and 1200.
    let deviation = 0.2 * (16.0f64 / 15.0).sqrt();
    assert!((measured.deviation.unwrap() - deviation).abs() < 1e-12);

    let few = calibration(vec![games(&[50; 3]), games(&[150; 3])]);
    let measured = SearchCalibration::new(&campaign, &start, Some(&few));
    assert_eq!(measured.tuned_moves, GROWTH_FROM_START * 100.0);

    let near = self::campaign(&[("population = 8", "population = 8\nsigma = 0.03")]);
    let measured = SearchCalibration::new(&near, &start, Some(&few));
    assert!((measured.tuned_moves - 110.0).abs() < 1e-9);
    // A smaller step size reduces the growth beyond the best candidate by the same factor.
    let measured = SearchCalibration::new(&near, &start, Some(&first));
    assert!((measured.tuned_moves - 1.06 * 150.0).abs() < 1e-9);
    // With many parameters the default step is small, and its candidates are far away.
    let many = [
        ("name = \"cma-es\"\n", ""),
        ("[parameters.merges]", "[parameters.\"*\"]"),
    ];
    let measured = SearchCalibration::new(&self::campaign(&many), &start, Some(&few));
    assert_eq!(measured.tuned_moves, GROWTH_FROM_START * 100.0);
}

#[test]
fn the_longest_games_of_the_first_candidates_are_also_lucky() {
    let campaign = campaign(&[]);
    let start = calibration(vec![games(&[80; 16])]);
    // Means of 100, 100 and 110: luck can explain this difference.
    let long = [games(&[60, 140].repeat(8)), games(&[140, 60].repeat(8))];
    let lucky = games(&[70, 70, 150, 150].repeat(4));
    let first = calibration([long.as_slice(), &[lucky]].concat());
    let measured = SearchCalibration::new(&campaign, &start, Some(&first));
    let mean = 310.0 / 3.0;
    assert!((measured.tuned_moves - GROWTH * mean).abs() < 1e-9);
}

#[test]
fn a_start_without_a_game_gives_a_lower_limit() {
    let campaign = campaign(&[]);
    let measured = SearchCalibration::new(&campaign, &calibration(vec![Vec::new()]), None);
    assert!(measured.is_slower && measured.deviation.is_none());
    let estimate = CampaignEstimate::new(&campaign, 1, 1, measured);
    // Each of 3,400 games takes 2 seconds; 30 x 8 candidates and two sets of weights are prepared.
    let expected = 6800.0 + 242.0 * 0.01;
    assert!((estimate.seconds - expected).abs() < 1e-9);
    assert!(estimate.sizes.is_empty());
}

#[test]
fn a_setting_without_a_game_gives_a_lower_limit_and_is_named() {
    let several = campaign(&[
        ("depth = 0", "depths = [0, 1, 6]"),
        ("start.games = 0\n", ""),
    ]);
    let at = |settings: &[usize]| {
        let mut played = games(&[80, 120].repeat(8)[..settings.len()]);
        for (number, (game, &setting)) in (1..).zip(played.iter_mut().zip(settings)) {
            game.seed = at_setting(number << 8, setting);
            game.leaf_evaluations = [0, 900, 90_000][setting];
        }
        calibration(vec![played])
    };
    let all = at(&[0, 1, 2].repeat(3));
    for (start, missing) in [
        (at(&[0, 1].repeat(5)), &["depth 6"][..]),
        (at(&[0; 2]), &["depth 1", "depth 6"]),
        (at(&[1, 2].repeat(5)), &["depth 0"]),
        (all.clone(), &[]),
    ] {
        let measured = SearchCalibration::new(&several, &start, None);
        assert_eq!(measured.missing_settings, missing);
        let is_slower = !missing.is_empty();
        assert_eq!(measured.is_slower, is_slower);
        assert_eq!(measured.settings.is_empty(), is_slower);
        assert_eq!(measured.deviation.is_none(), is_slower);
    }
    // First candidates without the slowest games do not make training games cheaper.
    let cheap = at(&[0, 1].repeat(5));
    let measured = SearchCalibration::new(&several, &all, Some(&cheap));
    let alone = SearchCalibration::new(&several, &all, None);
    assert_eq!(measured, alone);
    assert_eq!(alone.first_seconds_per_move, alone.seconds_per_move);
    assert!(alone.training_cost(1_000) < 1.0);
    // While nothing says that candidates will play more games, all are as expensive as those of the first generation.
    let estimate = CampaignEstimate::new(&several, 1, 1, alone.clone());
    let least = several.schedule().games();
    let games = estimate.plan.unwrap().training_games as f64;
    let of_start = alone.start_moves * alone.seconds_per_move;
    assert!(estimate.search_seconds > games * of_start * alone.training_cost(least));
    // First candidates with few of the slowest games do not, either: moves of all games take the same time here.
    let few = at(&[[0, 1].repeat(5), vec![2]].concat());
    let measured = SearchCalibration::new(&several, &all, Some(&few));
    assert!(measured.first_seconds_per_move > 2.0 * alone.first_seconds_per_move);
}

#[test]
fn every_campaign_of_the_project_can_be_planned() {
    for name in [
        "quickstart",
        "expectimax-depth-0",
        "expectimax-depth-1",
        "expectimax-depth-2",
        "expectimax-depth-3",
        "expectimax-published-form",
        "expectimax-line-terms",
        "three-plus-three",
        "three-plus-three-depth-1",
        "three-plus-three-line-terms",
        "connect-four",
    ] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs");
        let source = Source::read(&folder.join(format!("{name}.toml"))).unwrap();
        let campaign = Campaign::resolve(&source, &folder).unwrap();
        let local = Local::new(campaign.player.clone(), Some(2)).unwrap();
        let time = Duration::from_millis(20);
        let measured =
            SearchCalibration::of(&campaign, &local, time, &Progress::default()).unwrap();
        let estimate = CampaignEstimate::new(&campaign, 1, 2, measured);
        assert!(
            estimate.seconds.is_finite() && estimate.seconds > 0.0,
            "{name}"
        );
    }
}

#[test]
fn a_calibration_plays_candidates_around_the_start() {
    // With the start as many points as candidates.
    let point = |at: i32| format!("{{ empty = {} }}", 100 * (at + 1));
    let points = format!(
        "start.points = [{}]",
        (0..7).map(point).collect::<Vec<_>>().join(", ")
    );
    for changes in [
        vec![],
        vec![("cma-es", "mirrored-cma-es")],
        vec![("cma-es", "mirrored-cma-es"), ("start.games = 0", &points)],
    ] {
        let campaign = campaign(&changes);
        let mut optimizer = optimizer(&campaign).unwrap();
        let center = optimizer.distribution().center;
        let candidates = around_start(&campaign, &mut *optimizer);
        assert_eq!(candidates.len(), 8);
        // The candidates of mirrored-cma-es are opposite pairs; uniform points are not.
        for pair in candidates.chunks(2).filter(|_| !changes.is_empty()) {
            let middle = (pair[0][0] + pair[1][0]) / 2.0;
            assert!((middle - center[0]).abs() < 1e-9, "{candidates:?}");
        }
    }
}
