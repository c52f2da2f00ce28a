//! The moves of `kind = "sensitivity"`: each parameter of some weights gets several values, while the others keep their
//! values.

use super::GenerateConfig;
use tiletune_engine::field_error::FieldError;
use tiletune_engine::heuristic::Parameter;
use tiletune_engine::heuristic::terms::active;
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::suggestion::did_you_mean;

/// Factors by which a parameter is moved if the file gives none.
const FACTORS: [f64; 4] = [0.5, 0.8, 1.25, 2.0];

/// Largest number of factors.
const MOST_FACTORS: usize = 20;

/// A value of 0 has no multiples. It moves by (factor - 1) tenths of its range.
const STEPS_OF_ZERO: f64 = 10.0;

/// A parameter with a changed value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Move {
    /// Its key.
    pub(super) parameter: String,
    /// The changed value.
    pub(super) value: f64,
    /// Name of the row.
    pub(super) name: String,
}

/// All moves of the chosen parameters, parameter by parameter. The weights must be complete.
///
/// # Errors
/// If `parameters` or `factors` of the table are wrong, or no parameter can be moved. The path of the error starts
/// within the table.
pub(super) fn moves(
    asked: &GenerateConfig,
    weights: &Weights,
    parameters: &[Parameter],
) -> Result<Vec<Move>, FieldError> {
    let factors = factors(asked)?;
    let chosen = match &asked.parameters {
        Some(keys) => named(keys, weights, parameters)?,
        None => active(weights, parameters),
    };
    let moves = chosen
        .into_iter()
        .flat_map(|parameter| moves_of(parameter, weights.value(parameter), &factors));
    let moves: Vec<Move> = moves.collect();
    if moves.is_empty() {
        let message = "no parameter can be moved by these factors";
        return Err(FieldError::new(["factors"], message));
    }
    Ok(moves)
}

/// The factors of the table in ascending order.
fn factors(asked: &GenerateConfig) -> Result<Vec<f64>, FieldError> {
    let mut factors = asked.factors.clone().unwrap_or(FACTORS.to_vec());
    factors.sort_unstable_by(f64::total_cmp);
    let wrong = |message: String| Err(FieldError::new(["factors"], message));
    if factors.is_empty() || factors.len() > MOST_FACTORS {
        let count = factors.len();
        return wrong(format!(
            "{count} factors are out of range: 1 to {MOST_FACTORS}"
        ));
    }
    let is_allowed = |factor: &f64| *factor > 0.0 && *factor <= 1000.0 && *factor != 1.0;
    if let Some(factor) = factors.iter().find(|factor| !is_allowed(factor)) {
        return wrong(format!(
            "factor {factor} is out of range: above 0, at most 1000, but not 1"
        ));
    }
    match factors.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => wrong(format!("factor {} is given twice", pair[0])),
        None => Ok(factors),
    }
}

/// The parameters with these keys, in the order of the keys.
pub(super) fn named<'a, 'k>(
    keys: impl IntoIterator<Item = &'k String>,
    weights: &Weights,
    parameters: &'a [Parameter],
) -> Result<Vec<&'a Parameter>, FieldError> {
    let mut named: Vec<&Parameter> = Vec::new();
    for key in keys {
        let wrong = |message: String| Err(FieldError::new(["parameters"], message));
        let Some(parameter) = parameters.iter().find(|known| known.key == *key) else {
            let near = did_you_mean(key, parameters.iter().map(|known| known.key.as_str()));
            return wrong(format!("unknown parameter `{key}`{near}"));
        };
        if weights.get(key).is_none() {
            let is_of_term = |own: &&str| own.starts_with(key) || key.starts_with(own);
            let own = weights.iter().map(|(own, _)| own).filter(is_of_term);
            let own: Vec<String> = own.map(|own| format!("`{own}`")).collect();
            let own = own.join(", ");
            return wrong(format!("these weights have no `{key}`, but {own}"));
        }
        if named.contains(&parameter) {
            return wrong(format!("parameter `{key}` is named twice"));
        }
        named.push(parameter);
    }
    Ok(named)
}

/// The values of one parameter, ascending with the factors. They are within the bounds of the registry, which are
/// widened to include the present value. A move to the present value is left out. The values of an integer parameter
/// are rounded away from the present value.
fn moves_of(parameter: &Parameter, value: f64, factors: &[f64]) -> Vec<Move> {
    let (min, max) = (parameter.min.min(value), parameter.max.max(value));
    let mut moves: Vec<Move> = Vec::new();
    for &factor in factors {
        let target = match value {
            0.0 => ((max - min) * factor - (max - min)) / STEPS_OF_ZERO,
            value => value * factor,
        };
        let whole = match parameter.integer {
            true if target > value => target.ceil(),
            true => target.floor(),
            false => target,
        };
        let moved = whole.clamp(min, max);
        if moved == value || moves.iter().any(|known| known.value == moved) {
            continue;
        }
        let key = &parameter.key;
        let name = if value != 0.0 && moved == target {
            format!("{key} × {factor}")
        } else {
            format!("{key} = {moved}")
        };
        moves.push(Move {
            parameter: key.clone(),
            value: moved,
            name,
        });
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(value: f64, min: f64, max: f64) -> Vec<(String, f64)> {
        let parameter = Parameter::new("a", "", 1.0, min, max);
        let moves = moves_of(&parameter, value, &FACTORS);
        moves.into_iter().map(|one| (one.name, one.value)).collect()
    }

    fn expected(moves: &[(&str, f64)]) -> Vec<(String, f64)> {
        let moves = moves.iter();
        moves
            .map(|(name, value)| (name.to_string(), *value))
            .collect()
    }

    #[test]
    fn values_are_multiples_within_the_bounds() {
        assert_eq!(
            moved(4.0, 0.0, 100.0),
            expected(&[
                ("a × 0.5", 2.0),
                ("a × 0.8", 3.2),
                ("a × 1.25", 5.0),
                ("a × 2", 8.0)
            ])
        );
        // Both factors above 1 lead to the bound, which counts once.
        assert_eq!(
            moved(4.0, 3.5, 4.5),
            expected(&[("a = 3.5", 3.5), ("a = 4.5", 4.5)])
        );
        // The present value is outside of the bounds of the registry, so it is not moved further away.
        assert_eq!(
            moved(4.0, 0.0, 3.0),
            expected(&[("a × 0.5", 2.0), ("a × 0.8", 3.2)])
        );
        assert_eq!(
            moved(-4.0, -10.0, 10.0),
            expected(&[
                ("a × 0.5", -2.0),
                ("a × 0.8", -3.2),
                ("a × 1.25", -5.0),
                ("a × 2", -8.0)
            ])
        );
    }

    #[test]
    fn an_integer_parameter_moves_to_whole_numbers() {
        let of = |value: f64| -> Vec<(String, f64)> {
            let parameter = Parameter {
                integer: true,
                ..Parameter::new("a", "", 1.0, 0.0, 10.0)
            };
            let moves = moves_of(&parameter, value, &FACTORS);
            moves.into_iter().map(|one| (one.name, one.value)).collect()
        };
        assert_eq!(
            of(7.0),
            expected(&[
                ("a = 3", 3.0),
                ("a = 5", 5.0),
                ("a = 9", 9.0),
                ("a = 10", 10.0)
            ])
        );
        assert_eq!(
            of(2.0),
            expected(&[("a × 0.5", 1.0), ("a = 3", 3.0), ("a × 2", 4.0)])
        );
        assert_eq!(of(0.0), expected(&[("a = 1", 1.0)]));
    }

    #[test]
    fn a_value_of_0_moves_by_parts_of_its_range() {
        assert_eq!(
            moved(0.0, 0.0, 100.0),
            expected(&[("a = 2.5", 2.5), ("a = 10", 10.0)])
        );
        assert_eq!(
            moved(0.0, -50.0, 50.0),
            expected(&[
                ("a = -5", -5.0),
                ("a = -2", -2.0),
                ("a = 2.5", 2.5),
                ("a = 10", 10.0)
            ])
        );
    }
}
