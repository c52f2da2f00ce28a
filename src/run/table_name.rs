//! The tables of runs by name. This module must not open a file.

use super::columns;

/// The tables of runs, each a folder of parquet files. [`columns`] declares their columns.
#[derive(Clone, Copy, Debug)]
pub enum TableName {
    /// Generations of a campaign. A generation is complete if its file exists.
    Generations,
    /// What the optimizer of a campaign says of itself.
    Diagnostics,
    /// Candidates of a campaign.
    Candidates,
    /// Training games.
    Train,
    /// Games of the race between final means.
    Race,
    /// Hold-out games.
    HoldOut,
    /// Hold-out games at other depths than that of the search.
    Deeper,
    /// Games of an experiment or a comparison.
    Games,
    /// Games of rows of an experiment that are not complete.
    Blocks,
    /// Pairs of games of a comparison.
    Pairs,
}

impl TableName {
    /// Every table.
    pub const ALL: [TableName; 10] = [
        TableName::Generations,
        TableName::Diagnostics,
        TableName::Candidates,
        TableName::Train,
        TableName::Race,
        TableName::HoldOut,
        TableName::Deeper,
        TableName::Games,
        TableName::Blocks,
        TableName::Pairs,
    ];

    /// Its place in the run directory.
    pub(super) fn place(self) -> &'static str {
        match self {
            TableName::Generations => columns::GENERATIONS.place,
            TableName::Diagnostics => columns::DIAGNOSTICS.place,
            TableName::Candidates => columns::CANDIDATES.place,
            TableName::Train => columns::TRAIN.place,
            TableName::Race => columns::RACE.place,
            TableName::HoldOut => columns::HOLD_OUT.place,
            TableName::Deeper => columns::DEEPER.place,
            TableName::Games => columns::ROWS.place,
            TableName::Blocks => "tables/blocks",
            TableName::Pairs => columns::PAIRS.place,
        }
    }

    /// What the names of its files in a run directory begin with.
    pub(super) fn prefix(self) -> String {
        format!("{}/", self.place())
    }
}
