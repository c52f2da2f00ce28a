//! A figure as data: panels with axes and marks. The drawing code needs no other data, so the same figure becomes a
//! file and a part of a page.

use serde::{Serialize, Serializer};

use super::axis::Axis;
use super::table::Table;

/// Space above a panel for the title of its vertical axis.
pub(super) const SPACE_ABOVE: f64 = 34.0;
/// Space below a panel for the labels and the title of its horizontal axis.
pub(super) const SPACE_BELOW: f64 = 48.0;
/// Height of a row of a panel of rows.
const ROW_HEIGHT: f64 = 26.0;

/// Space that a panel of rows saves if it has no heading.
pub(super) fn space_of_heading(heading: &str) -> f64 {
    if heading.is_empty() { 20.0 } else { 0.0 }
}

/// A figure. Its JSON contains everything that is drawn.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    /// Stem of its files, in kebab case.
    pub name: &'static str,
    pub title: &'static str,
    /// The content in one sentence. It is also the text for readers who cannot see the figure.
    pub about: &'static str,
    /// Where a report shows it.
    #[serde(skip)]
    pub place: Section,
    /// Meanings of the marks.
    pub legend: Vec<Key>,
    pub body: Body,
    /// Player, games and seeds.
    pub caption: String,
    #[serde(skip)]
    pub table: Table,
}

/// The part of a report that shows a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Beside the verdict.
    Results,
    /// After the results: how the search came to them.
    Search,
    /// With the details, which are closed at first.
    Details,
}

/// The drawn content of a figure.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Body {
    /// Panels in a grid, row by row.
    Panels {
        /// Number of columns of the grid.
        columns: usize,
        /// The panels. Panels in one row of the grid have the same height.
        panels: Vec<Panel>,
    },
    /// A coloured square for each pair of names.
    Heat {
        /// Names of the rows; the columns have the same names.
        names: Vec<String>,
        /// Values between -1 and 1, row by row. A value that is not finite is unknown.
        values: Vec<Vec<f64>>,
    },
}

/// A rectangle with two axes.
#[derive(Clone, Debug, Serialize)]
pub struct Panel {
    /// Text above the panel; may be empty.
    pub heading: String,
    /// Text below the heading of a small panel; may be empty.
    pub note: String,
    /// Height in pixels, including the texts around the panel.
    pub height: f64,
    pub x: Axis,
    pub y: Axis,
    /// If the panel consists of rows, one below the other: name and value of each as text. The vertical axis then has
    /// no labels, and the last row is between 0 and 1.
    pub rows: Vec<(String, String)>,
    /// The marks. Later ones are drawn over earlier ones.
    pub marks: Vec<Mark>,
}

/// A shape in a panel. Its places are values of the axes.
#[derive(Clone, Debug, Serialize)]
pub struct Mark {
    /// Its name in the legend.
    pub name: Option<String>,
    pub color: Color,
    /// Opacity between 0 and 1.
    pub strength: f64,
    #[serde(flatten)]
    pub shape: Shape,
}

/// The shape of a mark. Values that are not finite are not drawn.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "shape", rename_all = "kebab-case")]
pub enum Shape {
    Line {
        /// Width in pixels.
        width: f64,
        /// The points; in a curve from left to right.
        #[serde(serialize_with = "columns")]
        points: Vec<[f64; 2]>,
    },
    /// The area between two values at each place. An item is place, low, high.
    Band {
        #[serde(serialize_with = "columns")]
        edges: Vec<[f64; 3]>,
    },
    /// A dashed line across the panel.
    Level {
        y: f64,
    },
    Dashes {
        from: [f64; 2],
        to: [f64; 2],
    },
    Divider {
        x: f64,
    },
    Bar {
        from: [f64; 2],
        to: [f64; 2],
    },
    Dot {
        at: [f64; 2],
    },
    /// An interval with short caps.
    Interval {
        /// Place on the other axis.
        at: f64,
        low: f64,
        high: f64,
        /// Whether it is an interval of the vertical axis.
        is_upright: bool,
    },
    /// A small text above a point.
    Text {
        at: [f64; 2],
        text: String,
    },
}

/// A colour by its meaning. It has the same meaning in every figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// Text, axes, and the mean of a search.
    Ink,
    /// Less important content, and names that stand for several colours.
    Grey,
    /// Boundaries between restarts.
    Divider,
    /// The start of a campaign, and worse results.
    Start,
    /// The recommendation of a campaign.
    Tuned,
    /// The best of a generation, and better results.
    Best,
    /// Published results.
    Published,
    /// The reference of a test.
    Reference,
    /// A row of an experiment, or one of several runs. `ROWS` different colours exist.
    Row(usize),
}

/// Number of rows with different colours.
pub const ROWS: usize = 7;

/// An entry of the legend.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Key {
    /// The meaning of the marks.
    pub name: String,
    pub color: Color,
    pub strength: f64,
    pub look: Swatch,
}

/// The look of an entry in the legend. Entries are in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Swatch {
    Line,
    Area,
    Dashes,
    Dot,
    /// An interval, drawn as a line.
    Interval,
    /// A divider, drawn as a line.
    Divider,
}

impl Figure {
    /// A figure of panels in a grid. The chart adds name, title and sentence.
    pub fn new(columns: usize, panels: Vec<Panel>, caption: String, table: Table) -> Self {
        let legend = legend(panels.iter().flat_map(|panel| &panel.marks));
        Figure {
            legend,
            ..Figure::of(Body::Panels { columns, panels }, caption, table)
        }
    }

    /// A figure without a legend.
    pub(super) fn of(body: Body, caption: String, table: Table) -> Self {
        Figure {
            name: "",
            title: "",
            about: "",
            place: Section::Results,
            legend: Vec::new(),
            body,
            caption,
            table,
        }
    }
}

/// A legend entry for each name and look. A name with several colours is grey.
fn legend<'a>(marks: impl Iterator<Item = &'a Mark>) -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    for mark in marks {
        let (Some(name), Some(look)) = (&mark.name, mark.shape.look()) else {
            continue;
        };
        match keys.iter_mut().find(|key| key.name == *name) {
            Some(key) if key.color != mark.color => key.color = Color::Grey,
            Some(_) => {}
            None => keys.push(Key {
                name: name.clone(),
                color: mark.color,
                strength: mark.strength,
                look,
            }),
        }
    }
    keys.sort_by_key(|key| key.look);
    keys
}

impl Panel {
    pub fn new(height: f64, x: Axis, y: Axis, marks: Vec<Mark>) -> Self {
        Panel {
            heading: String::new(),
            note: String::new(),
            height,
            x,
            y,
            rows: Vec::new(),
            marks,
        }
    }

    /// The figure with this panel alone.
    pub(super) fn figure(self, caption: String, table: Table) -> Figure {
        Figure::new(1, vec![self], caption, table)
    }

    pub fn headed(self, heading: impl Into<String>) -> Self {
        let heading = heading.into();
        Panel { heading, ..self }
    }

    /// A small panel with a note below its heading.
    pub(super) fn noted(self, note: String) -> Self {
        Panel { note, ..self }
    }

    /// A panel of rows under a heading, which may be empty. `marks` draws one row at its height.
    pub(super) fn of_rows<Row>(
        heading: &str,
        x: Axis,
        rows: &[Row],
        texts: impl Fn(&Row) -> (String, String),
        marks: impl Fn(&Row, f64) -> Vec<Mark>,
    ) -> Self {
        let count = rows.len() as f64;
        let places = (0..rows.len()).map(|index| count - index as f64 - 0.5);
        let marks = rows.iter().zip(places).flat_map(|(row, y)| marks(row, y));
        let height = SPACE_ABOVE + SPACE_BELOW + ROW_HEIGHT * count - space_of_heading(heading);
        Panel {
            heading: heading.to_owned(),
            rows: rows.iter().map(texts).collect(),
            ..Panel::new(height, x, Axis::of_rows(count), marks.collect())
        }
    }
}

impl Mark {
    fn new(color: Color, shape: Shape) -> Self {
        Mark {
            name: None,
            color,
            strength: 1.0,
            shape,
        }
    }

    pub fn line(color: Color, width: f64, points: Vec<[f64; 2]>) -> Self {
        Mark::new(color, Shape::Line { width, points })
    }

    pub(super) fn band(color: Color, strength: f64, edges: Vec<[f64; 3]>) -> Self {
        Mark::new(color, Shape::Band { edges }).faint(strength)
    }

    pub(super) fn level(color: Color, y: f64) -> Self {
        Mark::new(color, Shape::Level { y })
    }

    pub(super) fn dashes(color: Color, from: [f64; 2], to: [f64; 2]) -> Self {
        Mark::new(color, Shape::Dashes { from, to })
    }

    pub(super) fn divider(x: f64) -> Self {
        Mark::new(Color::Divider, Shape::Divider { x })
    }

    pub(super) fn bar(color: Color, from: [f64; 2], to: [f64; 2]) -> Self {
        Mark::new(color, Shape::Bar { from, to })
    }

    pub(super) fn dot(color: Color, x: f64, y: f64) -> Self {
        Mark::new(color, Shape::Dot { at: [x, y] })
    }

    pub(super) fn upright(color: Color, at: f64, ends: [f64; 2]) -> Self {
        Mark::interval(color, at, ends, true)
    }

    pub(super) fn across(color: Color, at: f64, ends: [f64; 2]) -> Self {
        Mark::interval(color, at, ends, false)
    }

    fn interval(color: Color, at: f64, [low, high]: [f64; 2], is_upright: bool) -> Self {
        let shape = Shape::Interval {
            at,
            low,
            high,
            is_upright,
        };
        Mark::new(color, shape)
    }

    pub(super) fn text(x: f64, y: f64, text: String) -> Self {
        Mark::new(Color::Ink, Shape::Text { at: [x, y], text })
    }

    /// Gives the mark a name in the legend.
    pub fn named(self, name: impl Into<String>) -> Self {
        let name = Some(name.into());
        Mark { name, ..self }
    }

    pub(super) fn faint(self, strength: f64) -> Self {
        Mark { strength, ..self }
    }
}

impl Shape {
    /// Its look in the legend; `None` if this shape is never in the legend, or nothing of it is drawn.
    fn look(&self) -> Option<Swatch> {
        let is_seen = |values: &[f64]| values.iter().all(|value| value.is_finite());
        let (look, is_drawn) = match self {
            Shape::Line { points, .. } => (Swatch::Line, points.iter().any(|point| is_seen(point))),
            Shape::Band { edges } => (Swatch::Area, edges.iter().any(|edge| is_seen(edge))),
            Shape::Level { .. } | Shape::Dashes { .. } => (Swatch::Dashes, true),
            Shape::Divider { .. } => (Swatch::Divider, true),
            Shape::Bar { .. } => (Swatch::Area, true),
            Shape::Dot { .. } => (Swatch::Dot, true),
            Shape::Interval { .. } => (Swatch::Interval, true),
            Shape::Text { .. } => return None,
        };
        is_drawn.then_some(look)
    }
}

impl Serialize for Color {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let name = match self {
            Color::Ink => "ink",
            Color::Grey => "grey",
            Color::Divider => "divider",
            Color::Start => "start",
            Color::Tuned => "tuned",
            Color::Best => "best",
            Color::Published => "published",
            Color::Reference => "reference",
            Color::Row(index) => {
                return serializer.collect_str(&format_args!("row-{}", index % ROWS));
            }
        };
        serializer.serialize_str(name)
    }
}

/// Points as columns of numbers. Seven digits are enough to draw them, and keep the page of a long search small.
fn columns<S: Serializer, const N: usize>(
    points: &[[f64; N]],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let column = |place: usize| points.iter().map(move |point| rounded(point[place]));
    serializer.collect_seq((0..N).map(|place| column(place).collect::<Vec<f64>>()))
}

/// Rounds to seven digits.
fn rounded(value: f64) -> f64 {
    if value.is_finite() {
        format!("{value:.6e}").parse().unwrap_or(value)
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_legend_has_each_name_once_by_its_look() {
        let marks = [
            Mark::dot(Color::Start, 0.0, 0.0).named("dot"),
            Mark::line(Color::Row(0), 1.0, vec![[0.0, 1.0]]).named("line"),
            Mark::line(Color::Ink, 1.0, vec![[0.0, f64::NAN]]).named("nothing is drawn"),
            Mark::line(Color::Row(1), 1.0, vec![[0.0, 1.0]]).named("line"),
            Mark::dot(Color::Ink, 0.0, 0.0),
        ];
        let legend = legend(marks.iter());
        let keys = legend.iter().map(|key| (key.name.as_str(), key.color));
        let expected = [("line", Color::Grey), ("dot", Color::Start)];
        assert!(keys.eq(expected), "{legend:?}");
    }

    #[test]
    fn json_has_columns_of_short_numbers() {
        let points = vec![[0.0, 1.0 / 3.0], [1.0, f64::NAN]];
        let mark = Mark::line(Color::Row(8), 2.0, points).named("a");
        let json = serde_json::to_string(&mark).unwrap();
        assert_eq!(
            json,
            "{\"name\":\"a\",\"color\":\"row-1\",\"strength\":1.0,\"shape\":\"line\",\"width\":2.0,\
             \"points\":[[0.0,1.0],[0.3333333,null]]}"
        );
    }
}
