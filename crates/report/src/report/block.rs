//! A report as data: blocks, one after the other. A page, a terminal and a program each get the same ones.

use schemars::JsonSchema;
use serde::Serialize;

use crate::chart::{Rendered, Section};

/// A part of a report. Texts are plain; what stands between two backticks is code.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", content = "content", rename_all = "kebab-case")]
pub enum Block {
    /// A heading of what follows.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// A paragraph that explains others.
    Note(String),
    /// The result in a few sentences.
    Verdict(String),
    /// What a user should know before all else.
    Warning(String),
    /// Short texts of the same kind.
    List(Vec<String>),
    /// A table.
    Table(Table),
    /// Names with their values.
    Pairs(Vec<(String, String)>),
    /// Files of the run directory.
    Files(Vec<&'static str>),
    /// A drawn chart.
    Figure(Rendered),
    /// Blocks for readers who want to know more: closed on a page, left out of a terminal unless it is asked for them.
    Details(Details),
}

/// Blocks under a title that a reader opens.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Details {
    /// What they are about.
    pub title: String,
    /// The blocks.
    pub blocks: Vec<Block>,
}

impl Block {
    /// Blocks under a title that a reader opens; `None` without blocks.
    pub(super) fn details(title: &str, blocks: Vec<Block>) -> Option<Self> {
        let title = title.to_owned();
        (!blocks.is_empty()).then_some(Block::Details(Details { title, blocks }))
    }

    /// The same blocks with verdicts and warnings last: for output that is so long that a terminal shows only its end.
    pub fn verdict_last(blocks: Vec<Block>) -> Vec<Block> {
        let is_last = |block: &Block| matches!(block, Block::Verdict(_) | Block::Warning(_));
        let (last, mut blocks): (Vec<Block>, Vec<Block>) = blocks.into_iter().partition(is_last);
        blocks.extend(last);
        blocks
    }
}

/// A table. Its first column names the rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Table {
    /// What it is about.
    pub heading: String,
    /// What the numbers are, unless the header says so.
    pub note: Option<String>,
    /// Names of the columns.
    pub header: Vec<String>,
    /// Cells of each row, as many as there are columns.
    pub rows: Vec<Vec<String>>,
    /// The file that each row is about, from the run directory; empty if there are none.
    #[serde(skip)]
    pub links: Vec<Option<String>>,
}

impl Table {
    /// A table with this heading. Each cell of a row has the name of its column.
    pub(super) fn new<Name: ToString>(
        heading: &str,
        rows: impl IntoIterator<Item = Vec<(Name, String)>>,
    ) -> Self {
        let heading = heading.to_owned();
        let mut table = Table {
            heading,
            ..Table::default()
        };
        for row in rows {
            table.header = row.iter().map(|(name, _)| name.to_string()).collect();
            table
                .rows
                .push(row.into_iter().map(|(_, cell)| cell).collect());
        }
        table
    }

    pub(super) fn noted(self, note: impl Into<String>) -> Self {
        let note = Some(note.into());
        Table { note, ..self }
    }

    /// The table as a block; `None` without rows.
    pub(super) fn block(self) -> Option<Block> {
        (!self.rows.is_empty()).then_some(Block::Table(self))
    }
}

/// The charts under a heading; those of details are closed.
pub(super) fn charts(charts: &[Rendered]) -> Vec<Block> {
    let mut blocks = vec![Block::Heading("Charts".to_owned())];
    blocks.extend(figures(charts, Section::Results));
    blocks.extend(figures(charts, Section::Search));
    let closed = figures(charts, Section::Details);
    blocks.extend(Block::details("More charts", closed));
    if charts.is_empty() {
        blocks.push(Block::Text("There is nothing to draw yet.".to_owned()));
    }
    blocks
}

/// The charts of one part of a report.
pub(super) fn figures(charts: &[Rendered], place: Section) -> Vec<Block> {
    let charts = charts.iter().filter(|chart| chart.place == place);
    charts.cloned().map(Block::Figure).collect()
}

/// The paragraphs of a text.
pub(super) fn paragraphs(text: &str) -> impl Iterator<Item = Block> {
    let paragraphs = text
        .trim()
        .split("\n\n")
        .filter(|paragraph| !paragraph.is_empty());
    paragraphs.map(|paragraph| Block::Text(paragraph.to_owned()))
}
