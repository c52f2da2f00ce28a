//! The parameters of a campaign in the order of their change from start to tuned value.

use tiletune_engine::heuristic::Scale;
use tiletune_tuning::results::{Parameter, RunData};

/// Place of a value between the bounds, from 0 to 1, on the scale of the parameter.
pub(crate) fn place(parameter: &Parameter, value: f64) -> f64 {
    let (low, high, value) = match parameter.scale {
        Scale::Linear => (parameter.min, parameter.max, value),
        Scale::Log => (parameter.min.ln(), parameter.max.ln(), value.ln()),
    };
    (value - low) / (high - low)
}

/// The value at a place between the bounds, the inverse of [`place`].
pub(crate) fn value_at(parameter: &Parameter, place: f64) -> f64 {
    let between = |low: f64, high: f64| (1.0 - place) * low + place * high;
    match parameter.scale {
        Scale::Linear => between(parameter.min, parameter.max),
        Scale::Log => between(parameter.min.ln(), parameter.max.ln()).exp(),
    }
}

/// The parameters with their numbers, the most changed one first and fixed ones last. While there are no tuned values,
/// in the order of the campaign, so that nothing moves on the page of a running search.
pub(crate) fn by_change(data: &RunData) -> Vec<(usize, &Parameter)> {
    let mut parameters: Vec<(usize, &Parameter)> = data.parameters.iter().enumerate().collect();
    let Some(tuned) = &data.tuned else {
        return parameters;
    };
    let change = |(index, parameter): &(usize, &Parameter)| match tuned.get(*index) {
        Some(value) if !parameter.fixed => {
            (place(parameter, *value) - place(parameter, parameter.start)).abs()
        }
        _ => -1.0,
    };
    parameters.sort_by(|one, other| change(other).total_cmp(&change(one)));
    parameters
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiletune_tuning::results::example;

    #[test]
    fn places_and_values_belong_together() {
        for parameter in example::run(6, 2, 1)
            .parameters
            .iter()
            .filter(|one| !one.fixed)
        {
            for at in [0.0, 0.3, 1.0] {
                let back = place(parameter, value_at(parameter, at));
                assert!((back - at).abs() < 1e-12, "{parameter:?}: {at} {back}");
            }
        }
    }

    #[test]
    fn the_most_changed_parameter_comes_first_and_fixed_ones_last() {
        let mut data = example::run(3, 2, 1);
        for (parameter, fixed) in data.parameters.iter_mut().zip([true, false, false]) {
            (parameter.scale, parameter.fixed) = (Scale::Linear, fixed);
            (parameter.min, parameter.max, parameter.start) = (0.0, 10.0, 5.0);
        }
        let order = |data: &RunData| by_change(data).iter().map(|(index, _)| *index).collect();
        data.tuned = Some(vec![5.0, 6.0, 1.0]);
        let found: Vec<usize> = order(&data);
        assert_eq!(found, [2, 1, 0]);
        data.tuned = None;
        let found: Vec<usize> = order(&data);
        assert_eq!(found, [0, 1, 2]);
    }
}
