//! The charts of a run and their files in its directory.

use std::path::Path;

use super::{RunDirectory, RunError, StoreError, atomic, remove_all};
use tiletune_engine::stop::Stop;
use tiletune_report::chart::{Chart, Rendered};

/// Extensions of the files of a chart.
const CHART_FILES: [&str; 3] = ["svg", "png", "csv"];

/// Draws every chart of `all` that has its data.
///
/// # Errors
/// If `stop` is requested, or a drawing library fails.
pub fn draw_charts<Data>(
    all: &[Chart<Data>],
    data: &Data,
    stop: Stop,
) -> Result<Vec<Rendered>, RunError> {
    let mut drawn = Vec::with_capacity(all.len());
    for chart in all {
        let rendered = stop.complete(chart.render(data)?);
        drawn.extend(rendered.ok_or(RunError::Interrupted)?);
    }
    Ok(drawn)
}

/// Writes the drawn charts and removes the files of the other charts of `all`.
///
/// # Errors
/// If a file cannot be written or removed.
pub fn write_charts<Data>(
    directory: &RunDirectory,
    all: &[Chart<Data>],
    drawn: &[Rendered],
) -> Result<(), StoreError> {
    let folder = directory.output("charts");
    std::fs::create_dir_all(&*folder).map_err(StoreError::io(&folder))?;
    for chart in drawn {
        let contents = [chart.svg.as_bytes(), &chart.png, chart.csv.as_bytes()];
        for (extension, contents) in CHART_FILES.into_iter().zip(contents) {
            directory.write(&format!("charts/{}.{extension}", chart.name), contents)?;
        }
    }
    let is_drawn = |name: &str| drawn.iter().any(|chart| chart.name == name);
    let others = all.iter().filter(|chart| !is_drawn(chart.name));
    let files = others.flat_map(|chart| {
        CHART_FILES.map(|extension| directory.output(&format!("charts/{}.{extension}", chart.name)))
    });
    remove_all(&files.collect::<Vec<_>>())
}

/// Removes the files of a chart from a folder, where there are any.
///
/// # Errors
/// If a file cannot be removed.
pub fn remove_chart(folder: &Path, name: &str) -> Result<(), StoreError> {
    for extension in CHART_FILES {
        atomic::remove(&folder.join(format!("{name}.{extension}")))?;
    }
    Ok(())
}
