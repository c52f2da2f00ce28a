//! Rows whose other parameters are tuned again.

use super::generated::of_expectimax;
use super::*;
use crate::config::campaign::Campaign;

const RETUNED: &str = "[retune]\ngames = 400\nevaluation = { games = 5 }\n\
                       optimizer = { population = 8 }\n[[generate]]\nkind = 'each-left-out'\n\
                       weights = 'w.toml'\nretune = true\nterms = ['empty', 'monotonicity']";

#[test]
fn each_row_with_a_term_left_out_is_tuned_again() {
    let experiment = of_expectimax(RETUNED).unwrap();
    let names: Vec<&str> = experiment
        .rows
        .iter()
        .map(|row| row.name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "all terms",
            "all terms (retuned)",
            "without empty",
            "without empty (retuned)",
            "without monotonicity",
            "without monotonicity (retuned)",
        ]
    );
    let expected: [&[&str]; 3] = [
        &[
            "lost_penalty",
            "empty_outer",
            "empty_inner",
            "monotonicity",
            "monotonicity_power",
            "rank_sum",
            "rank_sum_power",
        ],
        &[
            "lost_penalty",
            "monotonicity",
            "monotonicity_power",
            "rank_sum",
            "rank_sum_power",
        ],
        &[
            "lost_penalty",
            "empty_outer",
            "empty_inner",
            "rank_sum",
            "rank_sum_power",
        ],
    ];
    for (of, tuned) in [0, 2, 4].into_iter().zip(expected) {
        assert!(experiment.rows[of].retuned.is_none());
        let (row, retuned) = (&experiment.rows[of + 1], &experiment.rows[of + 1].retuned);
        let retuned = retuned.as_ref().unwrap();
        assert_eq!((retuned.of, row.baseline), (of, Some(0)));
        let Campaign {
            config,
            space,
            start,
            ..
        } = &retuned.campaign;
        assert_eq!(space.free_names(), tuned);
        assert_eq!((start, &row.weights), (&experiment.rows[of].weights, start));
        assert_eq!((config.seed, config.budget.games), (1, Some(400)));
        assert_eq!(
            (config.validation.games, config.optimizer.population),
            (0, Some(8))
        );
    }
    let config = experiment.config;
    let again = resolve(&toml::to_string(&config).unwrap()).unwrap();
    assert_eq!(again.config, config);
    let campaigns = |rows: &[Row]| {
        let campaigns = rows.iter().filter_map(|row| row.retuned.as_ref());
        let campaigns = campaigns.map(|retuned| retuned.campaign.config.clone());
        campaigns.collect::<Vec<_>>()
    };
    assert_eq!(campaigns(&again.rows), campaigns(&experiment.rows));

    // A row for each seed; only the named parameters are tuned.
    let settings = "[retune]\nseeds = [4, 5]\nparameters = ['empty_inner', 'monotonicity']";
    let experiment = of_expectimax(&RETUNED.replace("[retune]", settings)).unwrap();
    assert_eq!(experiment.rows.len(), 9);
    let row = &experiment.rows[5];
    assert_eq!(row.name, "without empty (retuned, seed 5)");
    let campaign = &row.retuned.as_ref().unwrap().campaign;
    assert_eq!(
        (campaign.config.seed, campaign.space.free_names()),
        (5, vec!["monotonicity"])
    );
}

#[test]
fn what_cannot_be_tuned_again_is_told() {
    let retuned = |from: &str, to: &str| {
        assert!(RETUNED.contains(from), "{from}");
        match of_expectimax(&RETUNED.replace(from, to)) {
            Ok(_) => "taken".to_owned(),
            Err(ConfigError::Mistake { message, .. }) => message,
            Err(error) => error.to_string(),
        }
    };
    for (from, to, expected) in [
        (
            "retune = true",
            "",
            "no row is tuned again; a [[generate]] table with kind = \"each-left-out\" can have \
             retune = true",
        ),
        (
            "games = 400",
            "seeds = []",
            "0 seeds are out of range: 1 to 100",
        ),
        ("games = 400", "seeds = [1, 1]", "seed 1 is given twice"),
        (
            "games = 400",
            "games = 39",
            "games 39 is less than the 295 of the first two generations",
        ),
        (
            "population = 8",
            "population = 1",
            "population = 1 is not allowed",
        ),
        ("games = 5", "games = 0", "games must be at least 1"),
        (
            "games = 400",
            "parameters = ['emty']",
            "unknown parameter `emty`; did you mean `empty`?",
        ),
        (
            "games = 400",
            "parameters = ['empty_outer']",
            "nothing is left to tune without `empty`",
        ),
        (
            "each-left-out",
            "each-alone",
            "only for kind = \"each-left-out\"",
        ),
    ] {
        let message = retuned(from, to);
        assert!(message.contains(expected), "{message}");
    }
    let row = "[[row]]\nname = 'a'\nretune = { of = 'b', seed = 1, parameters = ['empty'] }";
    let error = of_expectimax(row).err().map(|error| error.to_string());
    assert!(error.unwrap().contains("there is no row `b`"));
}
