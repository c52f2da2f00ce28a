//! The drawing surface: text, rectangles, dots and lines at places in CSS pixels.
//!
//! plotters rounds every place to a whole unit, which would make curves jagged. So a pixel has [`FINENESS`] units here,
//! and the view box of the SVG scales them back.

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, PathElement, Rectangle, Text};
use plotters::prelude::SVGBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontTransform, IntoTextStyle, RGBAColor, ShapeStyle};

use super::error::{DrawError, Drawn};
use super::{font, palette};

pub(super) const WIDTH: f64 = 960.0;
/// Space around the content.
pub(super) const MARGIN: f64 = 20.0;
pub(super) const DOT: f64 = 4.5;
/// Units of the drawing per CSS pixel.
const FINENESS: f64 = 4.0;

/// A rectangle on the page.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Frame {
    /// One of several equal columns of this rectangle.
    pub(super) fn column(self, columns: usize, index: usize) -> Self {
        let width = (self.right - self.left) / columns as f64;
        let left = self.left + width * index as f64;
        let right = left + width;
        Frame {
            left,
            right,
            ..self
        }
    }
}

/// A text with its position relative to its point.
#[derive(Clone, Copy)]
pub(super) struct Label<'a> {
    text: &'a str,
    size: f64,
    color: RGBAColor,
    bold: bool,
    across: HPos,
    along: VPos,
    upward: bool,
}

impl<'a> Label<'a> {
    /// Dark text to the right of its point, vertically centred on it.
    pub(super) fn new(text: &'a str, size: f64) -> Self {
        Label {
            text,
            size,
            color: palette::INK,
            bold: false,
            across: HPos::Left,
            along: VPos::Center,
            upward: false,
        }
    }

    pub(super) fn bold(self) -> Self {
        Label { bold: true, ..self }
    }

    pub(super) fn colored(self, color: RGBAColor) -> Self {
        Label { color, ..self }
    }

    pub(super) fn centered(self) -> Self {
        let across = HPos::Center;
        Label { across, ..self }
    }

    pub(super) fn to_the_left(self) -> Self {
        let across = HPos::Right;
        Label { across, ..self }
    }

    pub(super) fn above(self) -> Self {
        let along = VPos::Bottom;
        Label { along, ..self }
    }

    /// Turned text that runs upwards from its point.
    pub(super) fn upward(self) -> Self {
        let upward = true;
        Label { upward, ..self }
    }
}

/// The page while it is drawn.
pub(super) struct Surface<'a> {
    pub(super) area: DrawingArea<SVGBackend<'a>, Shift>,
    /// The space between legend and caption.
    pub(super) body: Frame,
}

impl<'a> Surface<'a> {
    /// A white page of [`WIDTH`] and this height. The drawing is written into `svg`.
    pub(super) fn new(svg: &'a mut String, height: f64, body: Frame) -> Result<Self, DrawError> {
        let size = (units(WIDTH) as u32, units(height) as u32);
        let area = SVGBackend::with_string(svg, size).into_drawing_area();
        area.fill(&palette::PAPER)?;
        Ok(Surface { area, body })
    }

    pub(super) fn text(&self, point: (f64, f64), label: Label<'_>) -> Drawn {
        let mut style = font::font(units_exact(label.size), label.bold)?
            .into_text_style(&self.area)
            .pos(Pos::new(label.across, label.along));
        style.color = label.color.to_backend_color();
        if label.upward {
            style = style.transform(FontTransform::Rotate270);
        }
        // XML allows no control characters, not even escaped ones.
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

/// The text, or as much of it as fits, around an ellipsis.
pub(super) fn fitted(text: &str, size: f64, bold: bool, space: f64) -> Result<String, DrawError> {
    let characters: Vec<char> = text.chars().collect();
    let mut shown = text.to_owned();
    let mut kept = characters.len();
    while kept > 1 && text_width(&shown, size, bold)? > space {
        kept -= 1;
        shown = shortened(&characters, kept);
    }
    Ok(shown)
}

/// `kept` characters of a text around an ellipsis. Names with a common start, such as paths, often differ only at the
/// end, so most of the kept characters are from the end.
fn shortened(text: &[char], kept: usize) -> String {
    let first = kept / 3;
    let (beginning, end) = (&text[..first], &text[text.len() - (kept - first)..]);
    beginning.iter().chain(&['…']).chain(end).collect()
}

fn units_exact(length: f64) -> f64 {
    length * FINENESS
}

fn point_units((x, y): (f64, f64)) -> (i32, i32) {
    (units(x), units(y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_cut_keeps_its_end() {
        let cut = |name: &str| fitted(name, 11.0, false, 174.0).unwrap();
        let [one, other] = [0, 1].map(|depth| {
            let name = format!("../repo/configs/weights/expectimax-depth-{depth}.toml");
            cut(&name)
        });
        assert!(one.starts_with("../repo"), "{one}");
        assert!(one.contains('…') && one.ends_with("-depth-0.toml"), "{one}");
        assert!(other.ends_with("-depth-1.toml"), "{other}");
        assert!(text_width(&one, 11.0, false).unwrap() <= 174.0);
        assert_eq!(cut("expectimax-depth-0.toml"), "expectimax-depth-0.toml");
        assert_eq!(fitted("long", 11.0, false, 1.0).unwrap(), "…g");
        assert_eq!(fitted("", 11.0, false, 1.0).unwrap(), "");
    }
}
