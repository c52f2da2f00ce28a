//! Figures of panels: the positions of the panels, their headings, and the names and values of their rows.

use super::error::{DrawError, Drawn};
use super::legend::LegendEntry;
use super::palette::GREY;
use super::panel::{Axes, SPACE_LEFT};
use super::sheet::{Layout, draw_sheet};
use super::surface::{Frame, Label, Surface, fitted, text_width};
use crate::chart::figure::{Figure, Panel, space_of_heading};

const HEADING_SIZE: f64 = 12.0;
const TEXT_SIZE: f64 = 11.0;
/// Space for the names of rows.
const NAMES: f64 = 190.0;
/// Smallest space for the values of rows.
const VALUES: f64 = 76.0;

/// The figure as SVG text.
pub(super) fn svg(figure: &Figure, columns: usize, panels: &[Panel]) -> Result<String, DrawError> {
    let rows: Vec<&[Panel]> = panels.chunks(columns.max(1)).collect();
    let height = |row: &&[Panel]| row.first().map_or(0.0, |panel| panel.height);
    let layout = Layout {
        title: figure.title,
        legend: figure.legend.iter().map(LegendEntry::of).collect(),
        caption: &figure.caption,
        body_height: rows.iter().map(height).sum(),
    };
    draw_sheet(&layout, |surface| {
        let mut top = surface.body.top;
        for row in rows {
            let bottom = top + height(&row);
            for (index, panel) in row.iter().enumerate() {
                let of_row = Frame {
                    top,
                    bottom,
                    ..surface.body
                };
                draw_panel(surface, of_row.column(columns, index), panel)?;
            }
            top = bottom;
        }
        Ok(())
    })
}

fn draw_panel(surface: &Surface<'_>, cell: Frame, panel: &Panel) -> Drawn {
    let frame = match panel {
        Panel { rows, .. } if !rows.is_empty() => frame_of_rows(cell, panel)?,
        Panel { note, .. } if !note.is_empty() => Frame {
            left: cell.left + 66.0,
            top: cell.top + 46.0,
            right: cell.right - 14.0,
            bottom: cell.bottom - 42.0,
        },
        _ => cell.inside(),
    };
    let axes = Axes::new(surface, frame, [&panel.x, &panel.y])?;
    for mark in &panel.marks {
        axes.mark(surface, mark)?;
    }
    draw_heading(surface, cell, frame, panel)?;
    draw_rows(surface, frame, panel)
}

/// Draws the heading above the axis, or beside the title of the axis if there is one.
fn draw_heading(surface: &Surface<'_>, cell: Frame, frame: Frame, panel: &Panel) -> Drawn {
    let Panel {
        heading, note, y, ..
    } = panel;
    if heading.is_empty() {
        return Ok(());
    }
    let (left, baseline) = match (note.is_empty(), y.title.is_empty()) {
        (false, _) => (cell.left + 2.0, cell.top + 14.0),
        (true, true) => (frame.left, frame.top - 14.0),
        (true, false) => ((frame.left + frame.right) / 2.0, frame.top - 14.0),
    };
    let space = cell.right - left - 12.0;
    let heading = fitted(heading, HEADING_SIZE, true, space)?;
    surface.text((left, baseline), Label::new(&heading, HEADING_SIZE).bold())?;
    if note.is_empty() {
        return Ok(());
    }
    let note = fitted(note, TEXT_SIZE, false, space)?;
    let note = Label::new(&note, TEXT_SIZE).colored(GREY);
    surface.text((left, baseline + 16.0), note)
}

/// The space between the names and the values.
fn frame_of_rows(cell: Frame, panel: &Panel) -> Result<Frame, DrawError> {
    let mut widest = VALUES;
    for (_, value) in &panel.rows {
        widest = widest.max(text_width(value, TEXT_SIZE, false)? + 12.0);
    }
    let inside = cell.inside();
    Ok(Frame {
        left: inside.left + NAMES - SPACE_LEFT,
        top: inside.top - space_of_heading(&panel.heading),
        right: inside.right - widest,
        ..inside
    })
}

fn draw_rows(surface: &Surface<'_>, frame: Frame, panel: &Panel) -> Drawn {
    let right = surface.body.right - 16.0;
    let height = (frame.bottom - frame.top) / panel.rows.len() as f64;
    for (index, (name, value)) in panel.rows.iter().enumerate() {
        let middle = frame.top + height * (index as f64 + 0.5);
        let name = fitted(name, TEXT_SIZE, false, NAMES - 16.0)?;
        for (x, text) in [(frame.left - 8.0, name.as_str()), (right, value)] {
            surface.text((x, middle), Label::new(text, TEXT_SIZE).to_the_left())?;
        }
    }
    Ok(())
}
