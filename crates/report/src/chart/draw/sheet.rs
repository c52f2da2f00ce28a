//! The sheet of every chart: title, legend, space for the panels, caption.

use plotters::style::RGBAColor;

use super::error::{DrawError, Drawn};
use super::legend::{self, LegendEntry};
use super::palette;
use super::surface::{Frame, Label, MARGIN, Surface, WIDTH, fitted, text_width, units};

const LEGEND_TOP: f64 = 50.0;
/// Distance from the panels to the middle of the caption's first line.
const CAPTION_GAP: f64 = 24.0;
const CAPTION_SIZE: f64 = 11.0;
const CAPTION_ROW: f64 = 16.0;

/// Title, caption and legend around the panels.
pub(super) struct Layout<'a> {
    pub(super) title: &'a str,
    pub(super) legend: Vec<LegendEntry>,
    pub(super) caption: &'a str,
    pub(super) body_height: f64,
}

/// Draws title, legend and caption. `body` draws between them. Returns the SVG text.
pub(super) fn draw_sheet(
    layout: &Layout<'_>,
    body: impl FnOnce(&Surface<'_>) -> Drawn,
) -> Result<String, DrawError> {
    let legend = legend::rows(&layout.legend)?;
    let caption = wrap(layout.caption, CAPTION_SIZE, WIDTH - 2.0 * MARGIN)?;
    let top = LEGEND_TOP + legend::ROW * legend.len() as f64;
    let bottom = top + layout.body_height.ceil();
    let height = bottom + CAPTION_GAP + CAPTION_ROW * caption.len() as f64;

    let mut svg = String::new();
    let frame = Frame {
        left: MARGIN,
        top,
        right: WIDTH - MARGIN,
        bottom,
    };
    let surface = Surface::new(&mut svg, height, frame)?;
    surface.text((MARGIN, 24.0), Label::new(layout.title, 17.0).bold())?;
    legend::draw(&surface, &legend, LEGEND_TOP)?;
    for (row, line) in caption.iter().enumerate() {
        let y = bottom + CAPTION_GAP + CAPTION_ROW * row as f64;
        let line = Label::new(line, CAPTION_SIZE).colored(palette::GREY);
        surface.text((MARGIN, y), line)?;
    }
    body(&surface)?;
    surface.area.present()?;
    drop(surface);
    Ok(with_page_size(&svg, height, layout.title))
}

/// Breaks a text between words into lines that fit. A word that is too long is cut.
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

/// Adds the size in pixels and a name for screen readers, because plotters cannot write them.
fn with_page_size(svg: &str, height: f64, title: &str) -> String {
    let drawing = svg.split_once(">\n").map_or("", |(_, drawing)| drawing);
    let (wide, high) = (units(WIDTH), units(height));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {wide} {high}\" role=\"img\" aria-label=\"{title}\">\n<style>{}</style>\n{drawing}",
        on_dark()
    )
}

/// The style rules that change the colours of the drawing for readers who prefer dark pages. A colour of the drawing is
/// an attribute, which any rule replaces.
fn on_dark() -> String {
    let hex =
        |RGBAColor(red, green, blue, _): RGBAColor| format!("#{red:02X}{green:02X}{blue:02X}");
    let rules = palette::ON_DARK.iter().map(|&(light, dark)| {
        let (light, dark) = (hex(light), hex(dark));
        format!("svg [fill=\"{light}\"]{{fill:{dark}}}svg [stroke=\"{light}\"]{{stroke:{dark}}}")
    });
    let rules: String = rules.collect();
    format!("@media (prefers-color-scheme:dark){{{rules}}}")
}

/// The drawing without its style, for viewers without style rules, and for print, which must not use the dark colours.
pub(super) fn without_style(svg: &str) -> String {
    match (svg.split_once("<style>"), svg.split_once("</style>")) {
        (Some((before, _)), Some((_, after))) => before.to_owned() + after,
        _ => svg.to_owned(),
    }
}
