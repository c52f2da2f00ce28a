//! The sheet every chart is drawn on: title, legend, space for the panels, caption.
//!
//! Lengths are CSS pixels. Inside, the drawing is finer by [`FINENESS`], because plotters rounds to
//! whole units, which would make curves jagged.

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, PathElement, Rectangle, Text};
use plotters::prelude::SVGBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontTransform, IntoTextStyle, RGBAColor, ShapeStyle};

use super::legend::{self, Legend};
use super::{DrawError, font, palette, panel};

/// Width of every chart.
pub(super) const WIDTH: f64 = 960.0;
/// Units of the drawing to a CSS pixel.
const FINENESS: f64 = 4.0;
pub(super) const MARGIN: f64 = 20.0;
const LEGEND_TOP: f64 = 50.0;
/// From the panels to the middle of the caption's first line.
const CAPTION_GAP: f64 = 24.0;
const CAPTION_SIZE: f64 = 11.0;
const CAPTION_ROW: f64 = 16.0;

/// Radius of a dot.
pub(super) const DOT: f64 = 4.5;

/// The outcome of a drawing step.
pub(super) type Drawn = Result<(), DrawError>;

/// What stands around the panels.
pub(super) struct Layout<'a> {
    pub(super) title: &'a str,
    pub(super) legend: Vec<Legend>,
    pub(super) caption: String,
    pub(super) body_height: f64,
}

/// A rectangle on the page.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Frame {
    /// What is left within for a panel when its labels stand around it.
    pub(super) fn inside(self) -> Self {
        Frame {
            left: self.left + panel::LEFT,
            top: self.top + panel::ABOVE,
            right: self.right - 16.0,
            bottom: self.bottom - panel::BELOW,
        }
    }

    /// One of the equal cells of a grid, counted row by row.
    pub(super) fn cell(self, columns: usize, rows: usize, index: usize) -> Self {
        let width = (self.right - self.left) / columns as f64;
        let height = (self.bottom - self.top) / rows as f64;
        let left = self.left + width * (index % columns) as f64;
        let top = self.top + height * (index / columns) as f64;
        Frame {
            left,
            top,
            right: left + width,
            bottom: top + height,
        }
    }

    /// The upper and the lower part, parted at a share of the height.
    pub(super) fn stacked(self, share: f64) -> [Self; 2] {
        let middle = self.top + share * (self.bottom - self.top);
        [
            Frame {
                bottom: middle,
                ..self
            },
            Frame {
                top: middle,
                ..self
            },
        ]
    }
}

/// A piece of text and how it hangs on its point.
#[derive(Clone, Copy)]
pub(super) struct Label<'a> {
    pub(super) text: &'a str,
    pub(super) size: f64,
    pub(super) color: RGBAColor,
    pub(super) bold: bool,
    pub(super) across: HPos,
    pub(super) along: VPos,
    pub(super) upward: bool,
}

impl<'a> Label<'a> {
    /// Dark text to the right of its point, centred on its height.
    pub(super) fn new(text: &'a str, size: f64) -> Self {
        let (across, along) = (HPos::Left, VPos::Center);
        Label {
            text,
            size,
            color: palette::INK,
            bold: false,
            across,
            along,
            upward: false,
        }
    }
}

/// The sheet while it is drawn on.
pub(super) struct Page<'a> {
    pub(super) area: DrawingArea<SVGBackend<'a>, Shift>,
    /// The space between legend and caption.
    pub(super) body: Frame,
}

/// Draws title, legend and caption, lets `body` draw between them, and returns the SVG text.
pub(super) fn draw(
    layout: &Layout<'_>,
    body: impl FnOnce(&Page<'_>) -> Drawn,
) -> Result<String, DrawError> {
    let legend = legend::rows(&layout.legend)?;
    let caption = wrap(&layout.caption, CAPTION_SIZE, WIDTH - 2.0 * MARGIN)?;
    let top = LEGEND_TOP + legend::ROW * legend.len() as f64;
    let bottom = top + layout.body_height.ceil();
    let height = bottom + CAPTION_GAP + CAPTION_ROW * caption.len() as f64;

    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, (units(WIDTH) as u32, units(height) as u32))
        .into_drawing_area();
    area.fill(&palette::PAPER)?;
    let frame = Frame {
        left: MARGIN,
        top,
        right: WIDTH - MARGIN,
        bottom,
    };
    let page = Page { area, body: frame };
    let title = Label {
        bold: true,
        ..Label::new(layout.title, 17.0)
    };
    page.text((MARGIN, 24.0), title)?;
    legend::draw(&page, &legend, LEGEND_TOP)?;
    for (row, line) in caption.iter().enumerate() {
        let y = bottom + CAPTION_GAP + CAPTION_ROW * row as f64;
        page.text(
            (MARGIN, y),
            Label {
                color: palette::GREY,
                ..Label::new(line, CAPTION_SIZE)
            },
        )?;
    }
    body(&page)?;
    page.area.present()?;
    drop(page);
    Ok(with_page_size(&svg, height, layout.title))
}

impl Page<'_> {
    pub(super) fn text(&self, point: (f64, f64), label: Label<'_>) -> Drawn {
        let mut style = font::font(units_exact(label.size), label.bold)?
            .into_text_style(&self.area)
            .pos(Pos::new(label.across, label.along));
        style.color = label.color.to_backend_color();
        if label.upward {
            style = style.transform(FontTransform::Rotate270);
        }
        // XML has no place for control characters, not even escaped.
        let text = label.text.replace(char::is_control, " ");
        Ok(self
            .area
            .draw(&Text::new(text, point_units(point), style))?)
    }

    pub(super) fn rectangle(&self, frame: Frame, style: ShapeStyle) -> Drawn {
        let corners = [(frame.left, frame.top), (frame.right, frame.bottom)];
        Ok(self
            .area
            .draw(&Rectangle::new(corners.map(point_units), style))?)
    }

    pub(super) fn dot(&self, center: (f64, f64), color: RGBAColor) -> Drawn {
        let dot = Circle::new(point_units(center), units(DOT), color.filled());
        Ok(self.area.draw(&dot)?)
    }

    pub(super) fn segment(&self, from: (f64, f64), to: (f64, f64), style: ShapeStyle) -> Drawn {
        Ok(self
            .area
            .draw(&PathElement::new([from, to].map(point_units), style))?)
    }
}

/// A line of a width in pixels.
pub(super) fn pen(color: RGBAColor, width: f64) -> ShapeStyle {
    ShapeStyle {
        color,
        filled: false,
        stroke_width: units(width) as u32,
    }
}

/// A length as whole units of the drawing.
pub(super) fn units(length: f64) -> i32 {
    units_exact(length).round() as i32
}

/// Width of a text in pixels.
pub(super) fn text_width(text: &str, size: f64, bold: bool) -> Result<f64, DrawError> {
    Ok(font::width(text, units_exact(size), bold)? / FINENESS)
}

/// The text, or as much of it as fits with an ellipsis.
pub(super) fn fitted(text: &str, size: f64, bold: bool, space: f64) -> Result<String, DrawError> {
    let mut shown = text.to_owned();
    let mut kept = text.chars().count();
    while kept > 1 && text_width(&shown, size, bold)? > space {
        kept -= 1;
        shown = text.chars().take(kept).chain(['…']).collect();
    }
    Ok(shown)
}

fn units_exact(length: f64) -> f64 {
    length * FINENESS
}

fn point_units((x, y): (f64, f64)) -> (i32, i32) {
    (units(x), units(y))
}

/// Breaks a text between words into lines that fit; a word that is too long is cut.
fn wrap(text: &str, size: f64, space: f64) -> Result<Vec<String>, DrawError> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        if let Some(line) = lines.last_mut() {
            let longer = format!("{line} {word}");
            if text_width(&longer, size, false)? <= space {
                *line = longer;
                continue;
            }
        }
        lines.push(fitted(word, size, false, space)?);
    }
    Ok(lines)
}

/// Gives the drawing its size in pixels and a name for screen readers.
fn with_page_size(svg: &str, height: f64, title: &str) -> String {
    let drawing = svg.split_once(">\n").map_or("", |(_, drawing)| drawing);
    let (wide, high) = (units(WIDTH), units(height));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {wide} {high}\" role=\"img\" aria-label=\"{title}\">\n{drawing}"
    )
}

impl<E: std::error::Error + Send + Sync> From<plotters::drawing::DrawingAreaErrorKind<E>>
    for DrawError
{
    fn from(cause: plotters::drawing::DrawingAreaErrorKind<E>) -> Self {
        DrawError::Svg(cause.to_string())
    }
}
