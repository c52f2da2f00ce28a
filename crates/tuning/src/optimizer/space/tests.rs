//! Tests of spaces, and parameters for the tests of their rules.

use super::*;
use proptest::prelude::*;

/// A number from 0 to 10.
pub fn number(name: &str, start: f64) -> Parameter {
    parameter(name, start, 0.0, 10.0, Scale::Linear)
}

/// A category that starts with its first choice.
pub fn category(name: &str, choices: &[&str]) -> Parameter {
    Parameter {
        integer: true,
        choices: choices.iter().map(|&choice| choice.to_owned()).collect(),
        ..parameter(name, 0.0, 0.0, choices.len() as f64 - 1.0, Scale::Linear)
    }
}

fn parameter(name: &str, start: f64, min: f64, max: f64, scale: Scale) -> Parameter {
    Parameter {
        name: name.into(),
        start,
        min,
        max,
        scale,
        integer: false,
        choices: Vec::new(),
        step: 1.0,
        fixed: false,
    }
}

/// A free parameter with any width, scale and start, including starts at a bound.
fn any_parameter() -> impl Strategy<Value = Parameter> {
    let start = prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0];
    (any::<bool>(), -6.0..6.0, 0.01..6.0, start).prop_map(
        |(log, low, width, at): (_, f64, f64, f64)| {
            let (min, max, scale) = if log {
                (10f64.powf(low), 10f64.powf(low + width), Scale::Log)
            } else {
                (low, low + 10f64.powf(width), Scale::Linear)
            };
            let start = ((1.0 - at) * min + at * max).clamp(min, max);
            parameter("p", start, min, max, scale)
        },
    )
}

proptest! {
    #[test]
    fn decoded_values_stay_within_the_bounds(p in any_parameter(), x in prop_oneof![
        -3.0..3.0, -1e18..1e18, any::<f64>().prop_filter("finite", |x| x.is_finite())
    ]) {
        let (min, max) = (p.min, p.max);
        let value = Space::new(vec![p]).unwrap().decode(&[x])[0];
        prop_assert!((min..=max).contains(&value), "{value} outside {min}..={max}");
    }

    #[test]
    fn a_small_step_of_the_coordinate_is_a_small_step_of_the_position(x in -50.0..50.0, step in 0.0..1e-3) {
        // The slope of the fold is at most 1 everywhere; 1e-12 covers rounding errors of the reduction.
        prop_assert!((fold(x + step) - fold(x)).abs() <= step + 1e-12);
    }

    #[test]
    fn the_start_comes_back(p in any_parameter()) {
        let (start, min, max) = (p.start, p.min, p.max);
        let space = Space::new(vec![p]).unwrap();
        let coordinates = space.start();
        let back = space.decode(&coordinates)[0];
        if start == min || start == max {
            prop_assert_eq!(back, start);
        }
        // The tolerance is relative to the number or, where it is much smaller than the bounds, to the
        // bounds.
        let size = if space.parameters()[0].scale == Scale::Log { start } else { min.abs().max(max.abs()) };
        prop_assert!((back - start).abs() <= 1e-12 * size, "{start} came back as {back}");
        prop_assert!((-MARGIN..=1.0 + MARGIN).contains(&coordinates[0]));
    }

    #[test]
    fn scales_are_monotone(p in any_parameter(), a in -MARGIN..1.0 + MARGIN, step in 1e-6..0.1) {
        let b = f64::min(a + step, 1.0 + MARGIN);
        let space = Space::new(vec![p]).unwrap();
        prop_assert!(space.decode(&[a])[0] <= space.decode(&[b])[0]);
    }

    #[test]
    fn unfolding_undoes_folding(position in 0.0..=1.0) {
        prop_assert!((fold(unfold(position)) - position).abs() < 1e-15);
    }
}

#[test]
fn the_interior_is_the_identity_and_the_outside_a_mirror() {
    for x in [0.05, 0.3, 0.5, 0.7, 0.95] {
        assert_eq!(fold(x), x);
        for copy in [-4.4, -2.2, 2.2, 220.0] {
            assert!((fold(x + copy) - x).abs() < 1e-12);
            assert!((fold(-0.1 - x + copy) - x).abs() < 1e-12);
        }
    }
    assert_eq!((fold(-MARGIN), fold(1.0 + MARGIN)), (0.0, 1.0));
}

#[test]
fn log_positions_are_ratios() {
    let space = Space::new(vec![parameter("p", 1.0, 0.01, 100.0, Scale::Log)]).unwrap();
    assert!((space.start()[0] - 0.5).abs() < 1e-15);
    assert!((space.decode(&[0.75])[0] - 10.0).abs() < 1e-12);
    assert_eq!(space.unit(&[0.001]), [0.0]);
}

#[test]
fn no_whole_number_is_minus_zero() {
    let whole = Parameter {
        integer: true,
        ..parameter("whole", 1.0, -3.0, 3.0, Scale::Linear)
    };
    // A sixth is the width of a whole number: -0.3 rounds to 0.
    let value = Space::new(vec![whole]).unwrap().decode(&[0.45])[0];
    assert_eq!((value, value.is_sign_negative()), (0.0, false));
}

#[test]
fn fixed_and_integer_parameters_keep_their_places() {
    let mut fixed = parameter("fixed", 7.5, 7.5, 7.5, Scale::Linear);
    fixed.fixed = true;
    let mut whole = parameter("whole", 3.0, 0.0, 10.0, Scale::Linear);
    whole.integer = true;
    let free = parameter("free", 0.25, 0.0, 1.0, Scale::Linear);
    let space = Space::new(vec![whole, fixed, free]).unwrap();
    assert_eq!(space.dimension(), 2);
    assert_eq!(space.names(), ["whole", "fixed", "free"]);
    assert_eq!(space.free_names(), ["whole", "free"]);
    assert_eq!(space.decode(&space.start()), [3.0, 7.5, 0.25]);
    assert_eq!(space.decode(&[0.449, 0.5]), [4.0, 7.5, 0.5]);
    assert_eq!(space.unit(&[5.0, 1.0, 0.75]), [0.5, 0.5, 0.75]);
    assert_eq!(space.spread_of(&[0.1, 0.2]), [0.1, 0.0, 0.2]);
}

#[test]
fn every_choice_has_an_equal_part_of_the_range() {
    let space = Space::new(vec![category("c", &["x", "y", "z"]), number("n", 1.0)]).unwrap();
    let categories = space.categories();
    assert!(categories[1].is_empty());
    for (number, place) in categories[0].iter().enumerate() {
        assert_eq!(space.decode(&[*place, 0.5]), [number as f64, 5.0]);
    }
    let shares = (0..300).map(|part| space.decode(&[f64::from(part) / 300.0, 0.5])[0]);
    let shares: Vec<f64> = shares.collect();
    for number in [0.0, 1.0, 2.0] {
        let count = shares.iter().filter(|value| **value == number).count();
        assert!((90..=110).contains(&count), "{number}: {count}");
    }
    assert!(space.boundaries().iter().all(Vec::is_empty));
}

#[test]
fn mistakes_name_the_parameter_and_what_is_allowed() {
    let bad = |p: Parameter| Space::new(vec![p]).unwrap_err().to_string();
    let linear = |start, min, max| parameter("w", start, min, max, Scale::Linear);
    assert_eq!(
        bad(linear(1.0, 1.0, 1.0)),
        "parameter `w`: min = 1 must be below max = 1; to keep it at its start, make it fixed"
    );
    assert_eq!(
        bad(linear(3.0, 0.0, 2.0)),
        "parameter `w`: start = 3 must lie within its bounds, from 0 to 2"
    );
    assert_eq!(
        bad(parameter("w", 1.0, 0.0, 2.0, Scale::Log)),
        "parameter `w`: min = 0 must be above 0 on a log scale"
    );
    assert!(bad(linear(f64::NAN, 0.0, 1.0)).contains("finite"));
    assert!(bad(linear(0.0, -f64::MAX, f64::MAX)).contains("max - min too"));
    let mut whole = linear(1.0, 0.5, 2.0);
    whole.integer = true;
    assert!(bad(whole).contains("whole numbers"));
    let mut fixed = linear(1.0, 0.0, 2.0);
    fixed.fixed = true;
    assert!(bad(fixed).contains("no parameter is free"));
    let twice = vec![linear(1.0, 0.0, 2.0), linear(1.0, 0.0, 2.0)];
    let message = Space::new(twice).unwrap_err().to_string();
    assert_eq!(message, "parameter `w` occurs twice; names must be unique");
}

#[test]
fn rules_that_hardly_any_values_keep_are_told() {
    let space = |require: &[&str], active_when: &[(&str, &str)]| {
        let kept = Parameter {
            fixed: true,
            ..number("kept", 4.0)
        };
        let parameters = vec![
            number("low", 1.0),
            number("high", 4.0),
            category("mode", &["a", "b"]),
            kept,
        ];
        let require: Vec<String> = require.iter().map(|&text| text.to_owned()).collect();
        let active_when = active_when.iter();
        let active_when = active_when.map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        let space = Space::new(parameters).unwrap();
        let constants = [("depth".to_owned(), 3.0)];
        let space = space.with_rules(&require, &active_when.collect(), &constants);
        space.unwrap()
    };
    let ordinary = space(&["low < high"], &[("high", "mode == 'b'")]);
    assert_eq!(ordinary.rare_rules(&[ordinary.start()]), []);
    assert_eq!(ordinary.inactive(&[1.0, 4.0, 0.0, 4.0]), [1]);
    assert!(ordinary.inactive(&[1.0, 5.0, 1.0, 4.0]).is_empty());
    let condition = |text: &str, is_never| RareRule::Condition {
        parameter: "low".into(),
        text: text.into(),
        is_never,
    };
    for (text, is_never) in [
        ("depth == 2", true),
        ("kept < 4", true),
        ("high > 10", false),
        ("high < 4 and high > 4.001 or kept < 4", false),
    ] {
        let rare = space(&[], &[("low", text)]).rare_rules(&[]);
        assert_eq!(rare, [condition(text, is_never)]);
    }
    // A condition that reads a parameter which is never active does not apply either.
    let chain = space(&[], &[("low", "kept < 4"), ("high", "low < 5")]).rare_rules(&[]);
    assert!(chain.len() == 2 && matches!(&chain[1], RareRule::Condition { is_never: true, .. }));
    // Only values that keep the constraints count.
    let ruled_out = space(&["high < 5"], &[("low", "high > 6")]).rare_rules(&[]);
    assert_eq!(ruled_out, [condition("high > 6", false)]);
    let narrow = space(&["low < 1.02", "low > 0.98"], &[]);
    let far = vec![vec![0.5; 3]; 99];
    let near = [vec![narrow.start()], far].concat();
    let share = 0.01;
    assert_eq!(narrow.rare_rules(&near), [RareRule::Constraints { share }]);
    assert_eq!(narrow.rare_rules(&near[..10]), []);
}

#[test]
fn a_start_that_breaks_a_constraint_is_told_with_its_choice() {
    let space = Space::new(vec![category("mode", &["a", "b"])]).unwrap();
    let error = space.with_rules(&["mode == 'b'".to_owned()], &BTreeMap::new(), &[]);
    assert!(error.unwrap_err().message.contains("mode = 'a'"));
}
