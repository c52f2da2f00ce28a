//! Records of games, searches and runs: what the evaluation makes, run directories contain, and charts
//! and reports read. This module must not play, optimise or access a file.

mod campaign;
pub mod compare;
mod difference;
pub mod experiment;
mod game;
mod numbers;
pub mod retuned;
mod row;
mod search;
mod seed;
pub mod sensitivity;
pub mod series;
mod summary;
mod validation;

pub use campaign::RunData;
pub use difference::{PairedDifference, Verdict};
pub use game::{GameRecord, GameResult, Outcome, Phase};
pub use numbers::{MOST_NUMBERS, Names, Numbers, Unrepeated};
pub use row::{Column, ColumnInfo, Field, Kind, Row, Source, Value, Values};
pub use search::{
    AtBound, CandidateRow, Correlation, Diagnostic, DiagnosticRow, FinalistRow, GenerationRow,
    Parameter, Scale, Selection,
};
pub use seed::{as_text, from_text};
pub use summary::{Endings, GameSummary, Outcomes};
pub use validation::{Deeper, DeeperResult, ObjectiveComparison, Skipped, Validation};
