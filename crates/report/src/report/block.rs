//! A report as data: blocks, one after the other. A page, a terminal and a program each get the same ones.

use schemars::JsonSchema;
use serde::Serialize;

use crate::chart::Rendered;

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
    /// A chart.
    Figure(Figure),
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

/// A drawn chart.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Figure {
    /// Stem of its files in the folder `charts`.
    pub name: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// What it shows.
    pub about: &'static str,
    /// The drawing.
    #[serde(skip)]
    pub svg: String,
}

impl Table {
    /// A table with this heading.
    pub(super) fn new(
        heading: &str,
        header: impl IntoIterator<Item = impl ToString>,
        rows: Vec<Vec<String>>,
    ) -> Self {
        Table {
            heading: heading.to_owned(),
            header: header.into_iter().map(|name| name.to_string()).collect(),
            rows,
            ..Table::default()
        }
    }

    /// With a note.
    pub(super) fn noted(self, note: impl Into<String>) -> Self {
        let note = Some(note.into());
        Table { note, ..self }
    }

    /// As a block; `None` without rows.
    pub(super) fn block(self) -> Option<Block> {
        (!self.rows.is_empty()).then_some(Block::Table(self))
    }
}

/// The charts under a heading.
pub(super) fn charts(charts: &[Rendered]) -> Vec<Block> {
    let figure = |chart: &Rendered| {
        Block::Figure(Figure {
            name: chart.name,
            title: chart.title,
            about: chart.about,
            svg: chart.svg.clone(),
        })
    };
    let nothing = charts.is_empty();
    let nothing = nothing.then(|| Block::Text("There is nothing to draw yet.".to_owned()));
    let heading = [Block::Heading("Charts".to_owned())];
    heading
        .into_iter()
        .chain(charts.iter().map(figure))
        .chain(nothing)
        .collect()
}

/// The paragraphs of a text.
pub(super) fn paragraphs(text: &str) -> impl Iterator<Item = Block> {
    let paragraphs = text
        .trim()
        .split("\n\n")
        .filter(|paragraph| !paragraph.is_empty());
    paragraphs.map(|paragraph| Block::Text(paragraph.to_owned()))
}
