//! How a parameter is searched.

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
