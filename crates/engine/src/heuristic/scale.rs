//! The scale on which a parameter is tuned.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a parameter of a campaign is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Equal steps are equal differences.
    #[default]
    Linear,
    /// Equal steps are equal ratios; needs positive bounds.
    Log,
}

impl Scale {
    /// Distance between two values on this scale.
    pub fn distance(self, low: f64, high: f64) -> f64 {
        match self {
            Scale::Linear => high - low,
            // `libm` and not `std`, because the logarithm of the system library differs between platforms.
            Scale::Log => libm::log(high) - libm::log(low),
        }
    }
}
