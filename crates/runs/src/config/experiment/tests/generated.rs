//! Rows that are generated from weights.

use super::*;

/// An experiment of one generated table.
fn generated(table: &str) -> Result<Experiment, ConfigError> {
    resolve(&format!(
        "why = ''\nname = 'g'\nseed = 1\nplayer = {{ name = 'minimax-six' }}\n[[generate]]\n{table}"
    ))
}

/// Names, values of `keys` and names of the baselines of the rows.
fn rows(experiment: &Experiment, keys: &[&str]) -> Vec<(String, Vec<f64>, Option<String>)> {
    let name = |index: usize| experiment.rows[index].name.clone();
    let row = |row: &Row| {
        let values = keys.iter().map(|key| row.weights.effective(key).unwrap());
        (row.name.clone(), values.collect(), row.baseline.map(name))
    };
    experiment.rows.iter().map(row).collect()
}

const SIX: [&str; 6] = [
    "smooth",
    "mono",
    "empty_cells",
    "max_level",
    "repeat",
    "average",
];

#[test]
fn each_term_plays_alone_or_is_left_out() {
    let row = |name: &str, values: [f64; 6], baseline: Option<&str>| {
        (
            name.to_owned(),
            values.to_vec(),
            baseline.map(str::to_owned),
        )
    };
    let alone = generated("kind = 'each-alone'").unwrap();
    let expected = [
        row("no term", [0.0; 6], None),
        row(
            "only smooth",
            [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            Some("no term"),
        ),
        row("only mono", [0.0, 2.0, 0.0, 0.0, 0.0, 0.0], Some("no term")),
        row(
            "only empty_cells",
            [0.0, 0.0, 3.0, 0.0, 0.0, 0.0],
            Some("no term"),
        ),
        row(
            "only max_level",
            [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
            Some("no term"),
        ),
    ];
    assert_eq!(rows(&alone, &SIX), expected);

    // With `alone_weight` every term gets a row, also terms that the published weights lack.
    let alone = generated("kind = 'each-alone'\nalone_weight = 5\nterms = ['average', 'mono']");
    let expected = [
        row("no term", [0.0; 6], None),
        row(
            "only average",
            [0.0, 0.0, 0.0, 0.0, 0.0, 5.0],
            Some("no term"),
        ),
        row("only mono", [0.0, 5.0, 0.0, 0.0, 0.0, 0.0], Some("no term")),
    ];
    assert_eq!(rows(&alone.unwrap(), &SIX), expected);

    let left_out = generated("kind = 'each-left-out'\nname = 'a'\nterms = ['mono']").unwrap();
    let expected = [
        row("a: all terms", [1.0, 2.0, 3.0, 1.0, 0.0, 0.0], None),
        row(
            "a: without mono",
            [1.0, 0.0, 3.0, 1.0, 0.0, 0.0],
            Some("a: all terms"),
        ),
    ];
    assert_eq!(rows(&left_out, &SIX), expected);
    assert!(left_out.rows.iter().all(|row| row.group.is_some()));
}

/// A folder with weights of `expectimax`: with split terms, with another power, and without one term.
fn folder_with_weights() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = "game = '2048'\nplayer = 'expectimax'\n[weights]\nempty_outer = 1\n\
                empty_inner = 2\nmonotonicity_power = 3\nmerges = 0";
    std::fs::write(folder.path().join("w.toml"), text).unwrap();
    folder
}

pub(super) fn of_expectimax(generate: &str) -> Result<Experiment, ConfigError> {
    let head = "why = ''\nname = 'g'\nseed = 1\nplayer = { name = 'expectimax' }";
    let source = Source::new("x.toml", format!("{head}\n{generate}"));
    Experiment::resolve(&source, folder_with_weights().path())
}

#[test]
fn constants_and_powers_stay_when_terms_are_switched_off() {
    let table = "[[generate]]\nkind = 'each-alone'\nweights = 'w.toml'";
    let experiment = of_expectimax(table).unwrap();
    let keys = [
        "lost_penalty",
        "empty_outer",
        "empty_inner",
        "monotonicity",
        "monotonicity_power",
    ];
    let rows = rows(&experiment, &keys);
    let values: Vec<(&str, &[f64])> = rows
        .iter()
        .map(|(name, values, _)| (name.as_str(), values.as_slice()))
        .collect();
    assert_eq!(
        values,
        [
            ("no term", &[200_000.0, 0.0, 0.0, 0.0, 3.0][..]),
            ("only empty", &[200_000.0, 1.0, 2.0, 0.0, 3.0]),
            ("only monotonicity", &[200_000.0, 0.0, 0.0, 47.0, 3.0]),
            ("only rank_sum", &[200_000.0, 0.0, 0.0, 0.0, 3.0]),
        ]
    );
}

#[test]
fn a_path_leads_from_one_set_of_weights_to_the_other() {
    let experiment = of_expectimax("[[generate]]\nkind = 'path'\nto = 'w.toml'").unwrap();
    let keys = ["empty_inner", "merges", "monotonicity_power"];
    let row = |name: &str, values: [f64; 3], baseline: Option<&str>| {
        (
            name.to_owned(),
            values.to_vec(),
            baseline.map(str::to_owned),
        )
    };
    let expected = [
        row("start", [270.0, 700.0, 4.0], None),
        row("+ empty", [2.0, 700.0, 4.0], Some("start")),
        row("+ merges", [2.0, 0.0, 4.0], Some("+ empty")),
        row("+ monotonicity", [2.0, 0.0, 3.0], Some("+ merges")),
    ];
    assert_eq!(rows(&experiment, &keys), expected);
    let config = experiment.config;
    let again = resolve(&toml::to_string(&config).unwrap()).unwrap();
    assert_eq!(again.config, config);
    assert_eq!(again.rows[2].baseline, Some(1));

    let other_order = "[[generate]]\nkind = 'path'\nto = 'w.toml'\n\
                       terms = ['monotonicity', 'merges', 'empty']";
    let names: Vec<String> = of_expectimax(other_order)
        .unwrap()
        .rows
        .into_iter()
        .map(|row| row.name)
        .collect();
    assert_eq!(names, ["start", "+ monotonicity", "+ merges", "+ empty"]);
}

#[test]
fn every_parameter_that_makes_a_difference_is_moved() {
    let table = "[[generate]]\nkind = 'sensitivity'\nweights = 'w.toml'\nfactors = [2, 0.5]";
    let experiment = of_expectimax(table).unwrap();
    let unmoved = &experiment.rows[0];
    assert_eq!((unmoved.name.as_str(), unmoved.baseline), ("unmoved", None));
    let mut moved = Vec::new();
    for row in &experiment.rows[1..] {
        assert_eq!(row.baseline, Some(0));
        let key = row.moved.clone().unwrap();
        let differs: Vec<&str> = row
            .weights
            .iter()
            .filter(|(key, value)| unmoved.weights.get(key) != Some(*value))
            .map(|(key, _)| key)
            .collect();
        assert_eq!(differs, [key.as_str()]);
        moved.push((row.name.clone(), row.weights.get(&key).unwrap()));
    }
    let of = |name: &str, value: f64| (name.to_owned(), value);
    assert_eq!(
        moved,
        [
            of("lost_penalty × 0.5", 100_000.0),
            of("lost_penalty × 2", 400_000.0),
            of("empty_outer × 0.5", 0.5),
            of("empty_outer × 2", 2.0),
            of("empty_inner × 0.5", 1.0),
            of("empty_inner × 2", 4.0),
            of("monotonicity × 0.5", 23.5),
            of("monotonicity × 2", 94.0),
            of("monotonicity_power × 0.5", 1.5),
            of("monotonicity_power × 2", 6.0),
            of("rank_sum × 0.5", 5.5),
            of("rank_sum × 2", 22.0),
            of("rank_sum_power × 0.5", 1.75),
            // The bound of the registry.
            of("rank_sum_power = 6", 6.0),
        ]
    );
    let config = experiment.config;
    let again = resolve(&toml::to_string(&config).unwrap()).unwrap();
    assert_eq!(again.config, config);
    assert_eq!(again.rows[5].moved.as_deref(), Some("empty_inner"));

    // A parameter of a term that is switched off is moved if it is named.
    let table = "[[generate]]\nkind = 'sensitivity'\nparameters = ['corner']\nfactors = [2]";
    let experiment = of_expectimax(table).unwrap();
    assert_eq!(experiment.rows[1].name, "corner = 2000");
}

#[test]
fn a_row_with_a_moved_parameter_needs_a_baseline_that_has_it() {
    let said = |row: &str| {
        let rows = format!("[[row]]\nname = 'a'\n[[row]]\nname = 'b'\n{row}");
        match of_expectimax(&rows) {
            Ok(_) => "taken".to_owned(),
            Err(error) => error.to_string(),
        }
    };
    assert_eq!(
        said("baseline = 'a'\nmoved = 'empty'\nvalues = { empty = 1 }"),
        "taken"
    );
    for (row, expected) in [
        (
            "moved = 'empty'",
            "row `b` needs a baseline: the row whose `empty` is not moved",
        ),
        (
            "baseline = 'a'\nmoved = 'emty'",
            "row `b` has no weight `emty`",
        ),
    ] {
        let message = said(row);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn tables_about_the_same_weights_share_their_common_row() {
    let twice = "[[generate]]\nkind = 'each-left-out'\nterms = ['empty']\n\
                 [[generate]]\nkind = 'each-left-out'\nterms = ['merges']";
    let experiment = of_expectimax(twice).unwrap();
    let names: Vec<&str> = experiment
        .rows
        .iter()
        .map(|row| row.name.as_str())
        .collect();
    assert_eq!(names, ["all terms", "without empty", "without merges"]);
}

#[test]
fn what_cannot_be_generated_is_told() {
    let said = |generate: &str| {
        let Err(ConfigError::Mistake { message, .. }) = of_expectimax(generate) else {
            panic!("`{generate}` was taken");
        };
        message
    };
    for (table, expected) in [
        (
            "kind = 'each-alone'\nplayer = { name = 'snake' }",
            "player `snake` has no terms that can be switched off: ratio and \
             discount have no neutral value",
        ),
        (
            "kind = 'each-alone'\nplayer = { name = 'random' }",
            "player `random` has no weights",
        ),
        (
            "kind = 'path'",
            "a path needs `to`: the weights file where it ends",
        ),
        (
            "kind = 'path'\nweights = 'w.toml'\nto = 'w.toml'",
            "both weights are equal: there is no path",
        ),
        (
            "kind = 'path'\nto = 'w.toml'\nterms = ['empty', 'merges']",
            "the path does not reach the weights of `to`: `monotonicity` also differs",
        ),
        (
            "kind = 'path'\nto = 'w.toml'\nterms = ['rank_sum']",
            "`rank_sum` is the same in both weights",
        ),
        (
            "kind = 'each-left-out'\nto = 'w.toml'",
            "only for kind = \"path\"",
        ),
        (
            "kind = 'each-left-out'\nterms = ['emty']",
            "player `expectimax` has no term `emty`; did you mean `empty`?",
        ),
        (
            "kind = 'each-left-out'\nterms = ['lost_penalty']",
            "`lost_penalty` is not a term that can be switched off: it has no neutral value",
        ),
        (
            "kind = 'each-left-out'\nterms = ['corner']",
            "the weight of `corner` is 0: it makes no difference",
        ),
        (
            "kind = 'each-alone'\nalone_weight = 0",
            "alone_weight 0 is out of range: any finite number but 0",
        ),
        (
            "kind = 'each-left-out'\nalone_weight = 1",
            "only for kind = \"each-alone\"",
        ),
        (
            "kind = 'each-left-out'\nfactors = [2]",
            "only for kind = \"sensitivity\"",
        ),
        (
            "kind = 'sensitivity'\nterms = ['empty']",
            "not for kind = \"sensitivity\", which has `parameters`",
        ),
        (
            "kind = 'sensitivity'\nparameters = ['emty']",
            "unknown parameter `emty`; did you mean `empty`?",
        ),
        (
            "kind = 'sensitivity'\nparameters = ['empty', 'empty']",
            "parameter `empty` is named twice",
        ),
        (
            "kind = 'sensitivity'\nweights = 'w.toml'\nparameters = ['empty']",
            "these weights have no `empty`, but `empty_outer`, `empty_inner`",
        ),
        (
            "kind = 'sensitivity'\nfactors = [0.5, 1]",
            "factor 1 is out of range: above 0, at most 1000, but not 1",
        ),
        (
            "kind = 'sensitivity'\nfactors = [2, 2.0]",
            "factor 2 is given twice",
        ),
        (
            "kind = 'sensitivity'\nfactors = []",
            "0 factors are out of range: 1 to 20",
        ),
        (
            "kind = 'sensitivity'\nplayer = { name = 'expectimax' }\nparameters = []",
            "no parameter can be moved by these factors",
        ),
    ] {
        assert_eq!(said(&format!("[[generate]]\n{table}")), expected);
    }
    let clash = "[[generate]]\nkind = 'each-left-out'\n[[generate]]\nkind = 'each-left-out'\n\
                 weights = 'w.toml'";
    assert!(
        said(clash).starts_with("two rows have the name `all terms`: the key `name` sets a prefix")
    );
    let itself = "[[row]]\nname = 'a'\nbaseline = 'a'";
    assert_eq!(said(itself), "row `a` cannot be compared with itself");
}

#[test]
fn terms_can_be_left_out_of_every_player_that_has_any() {
    for entry in tiletune_tuning::Catalogue::builtin().players() {
        let (name, game) = (entry.name, entry.game.name);
        let generate = format!(
            "[[generate]]\nkind = 'each-left-out'\nplayer = {{ name = '{name}', game = '{game}' }}"
        );
        let terms = tiletune_engine::heuristic::terms::terms(&(entry.parameters)());
        let has_terms = terms.iter().any(|term| term.can_be_off);
        let generated = of_expectimax(&generate);
        assert_eq!(generated.is_ok(), has_terms, "{name} of {game}");
    }
}
