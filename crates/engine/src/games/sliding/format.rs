//! JSON format of analyses of sliding games. An analysis contains the move, the value of every direction (null for an
//! illegal move), and the static value of the board (null if the player has none).

use serde_json::{Map, Value, json};

use crate::player::{Analysis, format::value};

/// The JSON form of an analysis.
pub fn analysis(analysis: &Analysis) -> Value {
    let values = analysis.values.iter();
    let values: Map<String, Value> = values
        .map(|(name, of)| (name.clone(), of.map_or(Value::Null, value)))
        .collect();
    json!({
        "move": analysis.best,
        "values": values,
        "evaluation": analysis.evaluation.map(value),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sliding::{self, board::Direction};
    use crate::player::analysis::MoveValue;

    #[test]
    fn infinities_are_strings() {
        let values = [
            None,
            Some(f64::NEG_INFINITY),
            Some(1.5),
            Some(f64::INFINITY),
        ];
        let values = values.map(|value| value.map(MoveValue::One));
        let analyzed = sliding::analysis(Some(Direction::Right), values, None);
        let text = analysis(&analyzed.named()).to_string();
        let expected = concat!(
            r#"{"move":"right","values":{"up":null,"down":"-inf","left":1.5,"right":"inf"},"#,
            r#""evaluation":null}"#
        );
        assert_eq!(text, expected);
    }
}
