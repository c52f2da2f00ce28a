//! The rules of a search space: constraints that the values of all candidates keep, and parameters that are active only
//! under a condition. A parameter that is not active has its start value. This module must not know search coordinates.

use std::collections::BTreeMap;

use super::conditions::{Condition, Scope};
use crate::results::Parameter;
use tiletune_engine::field_error::{FieldError, Within};

/// The rules of a space.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SpaceRules {
    require: Vec<Condition>,
    /// Parameters with the condition under which they are active. A parameter follows those that its condition reads.
    active: Vec<(usize, Condition)>,
}

impl SpaceRules {
    /// Reads constraints, and the conditions of parameters by name.
    ///
    /// # Errors
    /// The first condition that is wrong, at `require` or `parameters`; a condition that depends on itself.
    pub fn new(
        require: &[String],
        active_when: &BTreeMap<String, String>,
        scope: Scope,
    ) -> Result<Self, FieldError> {
        let mut rules = SpaceRules::default();
        for (index, text) in require.iter().enumerate() {
            let path = ["require".to_owned(), index.to_string()];
            let condition = Condition::read(text, scope).within(path.clone())?;
            if condition.is_equation() {
                let message = format!(
                    "`{text}` needs equal numbers, which hardly any candidate has: tune one of them and let the player \
                     compute the other, or allow a difference, as in `abs(a - b) < 0.01`"
                );
                return Err(FieldError::new(path, message));
            }
            rules.require.push(condition);
        }
        let mut waiting = Vec::new();
        for (name, text) in active_when {
            let path = ["parameters", name, "active_when"];
            let condition = Condition::read(text, scope).within(path)?;
            let mut names = scope.parameters.iter();
            waiting.extend(
                names
                    .position(|known| known.name == *name)
                    .map(|index| (index, condition)),
            );
        }
        while !waiting.is_empty() {
            let is_waiting = |index: &usize| waiting.iter().any(|(other, _)| other == index);
            let is_next = |(_, one): &(usize, Condition)| !one.reads().iter().any(is_waiting);
            let Some(next) = waiting.iter().position(is_next) else {
                let name = &scope.parameters[waiting[0].0].name;
                let message = format!("whether `{name}` is active must not depend on itself");
                return Err(FieldError::new(
                    ["parameters", name, "active_when"],
                    message,
                ));
            };
            rules.active.push(waiting.remove(next));
        }
        Ok(rules)
    }

    /// Gives each parameter that is not active its start value. A condition that reads an inactive parameter does not
    /// hold. Returns the parameters that are not active.
    pub fn make_inactive(&self, parameters: &[Parameter], values: &mut [f64]) -> Vec<usize> {
        let mut inactive: Vec<usize> = Vec::new();
        for (index, condition) in &self.active {
            let reads_inactive = condition.reads().iter().any(|one| inactive.contains(one));
            if reads_inactive || !condition.holds(values) {
                values[*index] = parameters[*index].start;
                inactive.push(*index);
            }
        }
        inactive
    }

    /// The parameters with a condition, and the condition.
    pub fn conditions(&self) -> impl Iterator<Item = (usize, &Condition)> {
        self.active
            .iter()
            .map(|(index, condition)| (*index, condition))
    }

    /// The first constraint that does not hold.
    pub fn broken(&self, values: &[f64]) -> Option<&Condition> {
        self.require.iter().find(|one| !one.holds(values))
    }

    /// Texts of the constraints.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.require.iter().map(Condition::text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimizer::space::tests::{category, number};

    fn rules(require: &[&str], active_when: &[(&str, &str)]) -> Result<SpaceRules, FieldError> {
        let parameters = [
            number("low", 1.0),
            number("high", 4.0),
            category("mode", &["a", "b"]),
            category("kind", &["x", "y"]),
        ];
        let require: Vec<String> = require.iter().map(|&text| text.to_owned()).collect();
        let active_when = active_when.iter();
        let active_when = active_when.map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        let scope = Scope {
            parameters: &parameters,
            constants: &[],
        };
        SpaceRules::new(&require, &active_when.collect(), scope)
    }

    #[test]
    fn an_inactive_parameter_has_its_start_and_so_has_what_depends_on_it() {
        let parameters = [
            number("low", 1.0),
            number("high", 4.0),
            category("mode", &["a", "b"]),
            category("kind", &["x", "y"]),
        ];
        let given = [("high", "mode == 'b'"), ("mode", "kind == 'y'")];
        let rules = rules(&[], &given).unwrap();
        for (values, settled, inactive) in [
            ([2.0, 5.0, 1.0, 1.0], [2.0, 5.0, 1.0, 1.0], vec![]),
            ([2.0, 5.0, 0.0, 1.0], [2.0, 4.0, 0.0, 1.0], vec![1]),
            ([2.0, 5.0, 1.0, 0.0], [2.0, 4.0, 0.0, 0.0], vec![2, 1]),
        ] {
            let mut given = values;
            assert_eq!(rules.make_inactive(&parameters, &mut given), inactive);
            assert_eq!(given, settled);
        }
    }

    #[test]
    fn mistakes_are_told_with_their_key() {
        let wrong = |require: &[&str], active_when: &[(&str, &str)]| {
            let error = rules(require, active_when).unwrap_err();
            (error.path.join("."), error.message)
        };
        let (path, message) = wrong(&["low < high", "low + high == 5"], &[]);
        assert_eq!(path, "require.1");
        assert!(message.contains("abs(a - b) < 0.01"), "{message}");
        assert_eq!(wrong(&["low <"], &[]).0, "require.0");
        let (path, message) = wrong(&[], &[("low", "high < 3"), ("high", "low < 3")]);
        assert!(message.contains("must not depend on itself"), "{message}");
        assert_eq!(path, "parameters.high.active_when");
        let own = wrong(&[], &[("low", "low < 3")]);
        assert_eq!(own.0, "parameters.low.active_when");
    }
}
