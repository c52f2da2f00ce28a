//! The results of searches and runs. The evaluation creates them, run directories store them, charts and
//! reports read them. This module must not play, optimise or access files.

mod campaign;
pub mod compare;
mod difference;
pub mod exact;
#[cfg(any(test, feature = "testing"))]
pub mod example;
pub mod experiment;
pub mod importance;
mod margin;
pub mod pruning;
pub mod retuned;
mod row;
mod search;
pub mod sensitivity;
pub mod series;
mod summary;
mod validation;

pub use campaign::{RunData, Unmeasured};
pub use difference::{PairedDifference, Verdict};
pub use margin::{DifferenceOfInterest, Margin, MarginUnit};
#[doc(hidden)]
pub use row::column_names;
pub use row::{
    Column, ColumnInfo, ColumnValue, Field, Row, RowSource, ValueType, Values, name_of_column,
};
pub use search::{
    AtBound, BEST_SO_FAR, CandidateRow, Correlation, Diagnostic, DiagnosticRow, FinalDistribution,
    FinalistRow, GAMES_OF_LEVEL, GenerationRow, Parameter, Selection, WANTED_SIGNAL, level,
};
pub use summary::{Endings, GameSummary, Outcomes, Share};
pub use validation::{
    AtSetting, Deeper, DeeperResult, ExactScores, ObjectiveComparison, Skipped, Validation,
};
