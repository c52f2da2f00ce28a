use super::*;
use crate::optimizer::space::tests::{category, number};
use crate::results::Parameter;
use tiletune_engine::heuristic::Scale;

fn space(parameters: Vec<Parameter>, require: &[&str]) -> Space {
    let require: Vec<String> = require.iter().map(|&text| text.to_owned()).collect();
    let space = Space::new(parameters).unwrap();
    space
        .with_rules(&require, &Default::default(), &[])
        .unwrap()
}

fn whole(name: &str, start: f64) -> Parameter {
    Parameter {
        integer: true,
        ..number(name, start)
    }
}

#[test]
fn a_point_that_breaks_a_constraint_is_moved_to_the_nearest_that_keeps_it() {
    let ordered = space(
        vec![number("low", 1.0), number("high", 4.0)],
        &["low < high"],
    );
    assert_eq!(ordered.decode(&[0.2, 0.6]), [2.0, 6.0]);
    let values = ordered.decode(&[0.8, 0.4]);
    assert!(values[0] < values[1], "{values:?}");
    assert!((values[0] - 6.0).abs() < 1e-6 && (values[1] - 6.0).abs() < 1e-6);
    let constraints = ordered.constraints();
    assert_eq!(constraints.squared_distance(&[0.2, 0.6]), 0.0);
    assert!((constraints.squared_distance(&[0.8, 0.4]) - 0.08).abs() < 1e-6);
    // A circle and a bound: the slope of the corner points outwards.
    let round = space(
        vec![number("x", 1.0), number("y", 1.0)],
        &["x ^ 2 + y ^ 2 <= 25"],
    );
    for point in [[0.9, 0.9], [1.05, 0.0], [0.5, 2.0]] {
        let values = round.decode(&point);
        let radius = values[0].hypot(values[1]);
        assert!((4.9..=5.0).contains(&radius), "{point:?}: {values:?}");
    }
}

#[test]
fn whole_numbers_and_several_constraints_are_kept() {
    let three = vec![whole("a", 1.0), whole("b", 4.0), whole("c", 7.0)];
    let chain = space(three, &["a < b", "b < c", "a + b + c <= 20"]);
    let mut repaired = 0;
    for code in 0..1000 {
        let point = [code % 10, code / 10 % 10, code / 100].map(|digit| f64::from(digit) / 9.0);
        let values = chain.decode(&point);
        assert_eq!(chain.broken(&values), None, "{point:?}: {values:?}");
        assert!(
            values.iter().all(|value| value.fract() == 0.0),
            "{values:?}"
        );
        repaired += u32::from(chain.constraints().squared_distance(&point) > 0.0);
    }
    assert!((500..1000).contains(&repaired), "{repaired}");
}

#[test]
fn where_no_slope_leads_out_the_way_is_to_the_start() {
    // The categories have no slope, and the start is the only choice for a large x.
    let parameters = vec![number("x", 8.0), category("mode", &["far", "near"])];
    let space = space(parameters, &["mode == 'far' or floor(x) < 4"]);
    assert_eq!(space.decode(&[0.3, 0.9]), [3.0, 1.0]);
    assert_eq!(space.decode(&[0.9, 0.9]), [8.0, 0.0]);
    // The line from the start, x = 1, crosses the steps of `floor`.
    let steps = self::space(vec![number("x", 1.0)], &["floor(x) <= 4"]);
    let values = steps.decode(&[0.9]);
    assert!(values[0] < 5.0 && values[0] > 4.99, "{values:?}");
}

#[test]
fn the_start_keeps_all_constraints() {
    let parameters = vec![number("low", 4.0), number("high", 1.0)];
    let space = Space::new(parameters).unwrap();
    let require = ["high >= 0".to_owned(), "low < high".to_owned()];
    let error = space
        .with_rules(&require, &Default::default(), &[])
        .unwrap_err();
    assert_eq!(error.path, ["require", "1"]);
    let expected =
        "the start breaks `low < high`: low = 4, high = 1. Give start values that keep it";
    assert_eq!(error.message, expected);
}

proptest::proptest! {
    #[test]
    fn every_point_keeps_its_constraints(point in proptest::collection::vec(-3.0f64..3.0, 4)) {
        let mut ratio = number("ratio", 1.0);
        (ratio.min, ratio.scale) = (0.01, Scale::Log);
        let parameters = vec![number("x", 1.0), whole("n", 2.0), ratio, category("m", &["a", "b"])];
        let require = ["x * ratio < n + 1", "m == 'a' or x + n > 4 or ratio < 2", "abs(x - n) < 6"];
        let space = space(parameters, &require);
        let values = space.decode(&point);
        assert_eq!(space.broken(&values), None);
        // What is allowed stays.
        let again = space.decode(&space.encode(&values));
        let close = values.iter().zip(&again).all(|(one, other)| (one - other).abs() < 1e-6);
        assert!(close, "{values:?}, {again:?}");
    }
}
