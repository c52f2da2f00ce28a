//! The difference of interest of a comparison: as it is requested, and as it is applied.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A requested difference of interest, on the command line and in files: `2%`, `50` or `0.1sd`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Margin {
    /// The number, in the unit; above 0.
    pub value: f64,
    /// The unit of the number.
    pub unit: MarginUnit,
}

/// The unit of a difference of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MarginUnit {
    /// Percent of the mean of the absolute mean results of both players.
    Percent,
    /// The unit of the results: points of a score, the numbers of a program, or points of a game for two
    /// (a win 1, a draw 1/2).
    Points,
    /// Standard deviations of a player's results.
    StandardDeviations,
}

impl MarginUnit {
    /// The smallest and the largest allowed number, and the suffix in text.
    fn written(self) -> ([f64; 2], &'static str) {
        match self {
            MarginUnit::Percent => ([0.01, 100.0], "%"),
            MarginUnit::Points => ([f64::MIN_POSITIVE, f64::MAX], ""),
            MarginUnit::StandardDeviations => ([0.001, 10.0], "sd"),
        }
    }
}

impl fmt::Display for Margin {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{}{}", self.value, self.unit.written().1)
    }
}

impl FromStr for Margin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        use MarginUnit::{Percent, Points, StandardDeviations};
        let text = text.trim();
        let in_unit = |unit: MarginUnit| {
            let ([least, most], suffix) = unit.written();
            let value = text.strip_suffix(suffix)?.trim().parse().ok()?;
            (least..=most)
                .contains(&value)
                .then_some(Margin { value, unit })
        };
        let units = [Percent, StandardDeviations, Points];
        units.into_iter().find_map(in_unit).ok_or_else(|| {
            format!(
                "`{text}` is not a difference of interest: expected 0.01% to 100% of the mean result, such as 2%; \
                 0.001sd to 10sd, standard deviations of a game, such as 0.1sd; or a number of points above 0, \
                 such as 50"
            )
        })
    }
}

impl From<Margin> for String {
    fn from(margin: Margin) -> String {
        margin.to_string()
    }
}

impl TryFrom<String> for Margin {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl JsonSchema for Margin {
    fn schema_name() -> Cow<'static, str> {
        "Margin".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[0-9.e+-]+(%|sd)?$" })
    }
}

/// The difference of interest that holds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DifferenceOfInterest {
    /// Number of units.
    pub value: f64,
    /// What it is a number of.
    pub unit: MarginUnit,
    /// The same in the unit of the results.
    pub points: f64,
}

impl DifferenceOfInterest {
    /// True if it is relative, so that differences are shown in percent.
    pub fn is_relative(self) -> bool {
        self.unit == MarginUnit::Percent
    }

    /// The number of units. A percentage is returned as a share: 0.02 for 2 %.
    pub fn share(self) -> f64 {
        match self.unit {
            MarginUnit::Percent => self.value / 100.0,
            MarginUnit::Points | MarginUnit::StandardDeviations => self.value,
        }
    }

    /// A difference in the same unit whose [`DifferenceOfInterest::share`] is `share`.
    #[must_use]
    pub fn of_share(self, share: f64) -> Self {
        self.times(share / self.share())
    }

    /// A difference of `points` points in the same unit; `None` if the unit has size 0.
    pub fn of_points(self, points: f64) -> Option<Self> {
        (self.points > 0.0).then(|| self.times(points / self.points))
    }

    /// The difference multiplied by a factor.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        DifferenceOfInterest {
            value: factor * self.value,
            points: factor * self.points,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_have_one_grammar() {
        use MarginUnit::{Percent, Points, StandardDeviations};
        for (text, value, unit, again) in [
            ("2%", 2.0, Percent, "2%"),
            (" 0.01 % ", 0.01, Percent, "0.01%"),
            ("100%", 100.0, Percent, "100%"),
            ("0.1sd", 0.1, StandardDeviations, "0.1sd"),
            ("1 sd", 1.0, StandardDeviations, "1sd"),
            ("50", 50.0, Points, "50"),
            ("1e-12", 1e-12, Points, "0.000000000001"),
        ] {
            let margin: Margin = text.parse().unwrap();
            assert_eq!(margin, Margin { value, unit }, "{text}");
            assert_eq!(margin.to_string(), again);
            assert_eq!(again.parse(), Ok(margin));
        }
        for wrong in [
            "", "%", "sd", "0", "-1", "0%", "200%", "-2%", "0sd", "11sd", "nan", "inf", "2 points",
            "2%%", "x%",
        ] {
            let message = wrong.parse::<Margin>().unwrap_err();
            assert!(
                message.contains("such as 2%") && message.contains("0.1sd"),
                "{message}"
            );
        }
    }
}
