//! The charts of a run and their files in its directory.

use std::path::Path;

use serde::Serialize;

use super::{ReportSummary, RunDirectory, RunError, StoreError, atomic, remove_all};
use tiletune_engine::stop::Stop;
use tiletune_report::chart::{Chart, Rendered};
use tiletune_report::report::{Block, html};

/// Extensions of the files of a chart.
const CHART_FILES: [&str; 3] = ["svg", "png", "csv"];

/// Draws every chart of `all` that has its data, and removes the files of the others.
///
/// # Errors
/// If `stop` is requested, a drawing library fails, or a file cannot be written or removed.
pub fn draw_charts<Data>(
    directory: &RunDirectory,
    all: &[Chart<Data>],
    data: &Data,
    stop: Stop,
) -> Result<Vec<Rendered>, RunError> {
    let folder = directory.output("charts");
    std::fs::create_dir_all(&*folder).map_err(StoreError::io(&folder))?;
    let files = |name: &str| CHART_FILES.map(|extension| format!("charts/{name}.{extension}"));
    let mut drawn = Vec::with_capacity(all.len());
    for chart in all {
        let rendered = stop.complete(chart.render(data)?);
        drawn.extend(rendered.ok_or(RunError::Interrupted)?);
    }
    for chart in &drawn {
        let contents = [chart.svg.as_bytes(), &chart.png, chart.csv.as_bytes()];
        for (file, contents) in files(chart.name).iter().zip(contents) {
            directory.write(file, contents)?;
        }
    }
    let is_drawn = |name: &str| drawn.iter().any(|chart| chart.name == name);
    let others = all.iter().filter(|chart| !is_drawn(chart.name));
    let files = others.flat_map(|chart| files(chart.name));
    remove_all(
        &files
            .map(|file| directory.output(&file))
            .collect::<Vec<_>>(),
    )?;
    Ok(drawn)
}

/// Writes `report.html`.
///
/// # Errors
/// If it cannot be written.
pub fn write_report(
    directory: &RunDirectory,
    title: &str,
    blocks: &[Block],
    charts: &[Rendered],
) -> Result<ReportSummary, StoreError> {
    directory.write("report.html", html(title, blocks))?;
    Ok(ReportSummary {
        charts: charts.iter().map(|chart| chart.name).collect(),
        note: None,
    })
}

/// Writes a report that belongs to no run into a folder, which is created: its results as `<name>.json`, its charts in
/// the folder `charts`, and `report.html`.
///
/// # Errors
/// If a file cannot be written.
pub fn write_folder(
    folder: &Path,
    (name, results): (&str, &impl Serialize),
    drawn: &[Rendered],
    (title, blocks): (&str, &[Block]),
) -> Result<(), StoreError> {
    let charts = folder.join("charts");
    std::fs::create_dir_all(&charts).map_err(StoreError::io(&charts))?;
    for chart in drawn {
        let contents = [chart.svg.as_bytes(), &chart.png, chart.csv.as_bytes()];
        for (extension, contents) in CHART_FILES.iter().zip(contents) {
            atomic::write(
                &charts.join(format!("{}.{extension}", chart.name)),
                contents,
            )?;
        }
    }
    let path = folder.join(format!("{name}.json"));
    let json = serde_json::to_string_pretty(results);
    let json = json.map_err(|error| StoreError::unusable(&path, error.to_string()))?;
    atomic::write(&path, json + "\n")?;
    atomic::write(&folder.join("report.html"), html(title, blocks))
}

/// Removes the files of a chart from a folder, if they exist.
///
/// # Errors
/// If a file cannot be removed.
pub fn remove_chart(folder: &Path, name: &str) -> Result<(), StoreError> {
    for extension in CHART_FILES {
        atomic::remove(&folder.join(format!("{name}.{extension}")))?;
    }
    Ok(())
}
