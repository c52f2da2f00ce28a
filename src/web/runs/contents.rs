//! What can be taken from a run: its candidates as a table, its files, and the best runs of the folder. This module must
//! not write a file.

use std::sync::Arc;

use axum::extract::{self, Path};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, HeaderName};
use axum::response::IntoResponse;
use axum::{Json, Router, routing::get};

use super::{RequestedRun, damaged};
use crate::campaign::{CandidateList, candidates};
use crate::config::Source;
use crate::config::campaign::Campaign;
use crate::config::weights_file::{BEST, TUNED};
use crate::overview::best::{BestRuns, best};
use crate::overview::list_by;
use crate::run::RunDirectory;
use crate::web::app::{App, beside};
use crate::web::followed::place;
use crate::web::refusal::Refusal;

/// Number of candidates of a table.
const MOST_CANDIDATES: usize = 200;
/// The name of the archive of all tables.
const TABLES: &str = "tables.tar";
/// Largest archive of tables, in bytes. Larger runs are copied from their folder.
const LARGEST: u64 = 512 * 1024 * 1024;

/// The files that can be fetched, with their content types.
const FILES: [(&str, &str); 6] = [
    (BEST, "application/toml"),
    (TUNED, "application/toml"),
    ("config.toml", "application/toml"),
    ("resolved.toml", "application/toml"),
    ("report.html", "text/html; charset=utf-8"),
    (TABLES, "application/x-tar"),
];

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/api/best", get(ranking))
        .route("/api/runs/{run}/candidates", get(table))
        .route("/api/runs/{run}/files/{file}", get(file))
}

/// Names of the files of a run that can be fetched now. The list of files of a long run is not read for that.
pub(super) fn names(root: &std::path::Path) -> Vec<&'static str> {
    let names = FILES.iter().map(|(name, _)| *name);
    let is_there = |name: &&str| match *name {
        TABLES => root.join("tables").is_dir(),
        name => root.join(name).is_file(),
    };
    names.filter(is_there).collect()
}

/// The names of the tables of a run.
fn tables(directory: &RunDirectory) -> Vec<String> {
    let folder = directory.path("tables");
    let mut names = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => names.push(directory.name_of(&entry.path())),
                _ => {}
            }
        }
    }
    names.retain(|name| name.ends_with(".parquet") && directory.part(name.as_str()).exists());
    names.sort();
    names
}

async fn ranking(
    extract::State(app): extract::State<Arc<App>>,
) -> Result<Json<Vec<BestRuns>>, Refusal> {
    let ranking = beside(move || {
        if !app.results.is_dir() {
            return Ok(Vec::new());
        }
        let list = &app.watch.list;
        let found = list_by(&app.results, true, &mut |path| list.overview(path));
        let ranked = found.and_then(|found| best(&found));
        let mut ranked = ranked.map_err(|error| damaged(&app, &error))?;
        for run in ranked.iter_mut().flat_map(|group| &mut group.runs) {
            run.path = place::name(&app.results, &run.path).into();
        }
        Ok(ranked)
    });
    ranking.await.map(Json)
}

async fn table(
    extract::State(app): extract::State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Json<CandidateList>, Refusal> {
    let list = beside(move || {
        let run = RequestedRun::find(&app, &name)?;
        if run.watched.plan.kind().name != Campaign::KIND.name {
            return Err(Refusal::wrong("only a campaign has candidates"));
        }
        let read = || {
            run.read()?;
            let generations = run.watched.lock().follower.generations().to_vec();
            let directory = RunDirectory::open(&run.root)?;
            Ok((directory, generations))
        };
        let read: Result<_, crate::run::StoreError> = read();
        let (directory, generations) = read.map_err(|error| damaged(&app, &error))?;
        let source = Source::read(&directory.resolved_path()).map_err(Refusal::wrong)?;
        let campaign = Campaign::resolve_with(&app.catalogue, &source, &run.root);
        let campaign = campaign.map_err(|error| damaged(&app, &error))?;
        let list = candidates(&campaign, &directory, &generations, MOST_CANDIDATES);
        list.map_err(|error| damaged(&app, &error))
    });
    list.await.map(Json)
}

async fn file(
    extract::State(app): extract::State<Arc<App>>,
    Path((name, file)): Path<(String, String)>,
) -> Result<impl IntoResponse, Refusal> {
    let known = FILES.iter().find(|(known, _)| *known == file);
    let unknown = || Refusal::unknown(format!("the run has no file `{file}` to fetch"));
    let &(file, kind) = known.ok_or_else(unknown)?;
    let contents = beside(move || {
        let run = RequestedRun::find(&app, &name)?;
        let directory = RunDirectory::open(&run.root).map_err(|error| damaged(&app, &error))?;
        if !names(&run.root).contains(&file) {
            return Err(Refusal::unknown(format!(
                "the run has no file `{file}` yet"
            )));
        }
        let short = name.rsplit('/').next().unwrap_or_default().to_owned();
        let contents = match file {
            TABLES => archive(&directory),
            file => directory.part(file).read(),
        };
        let contents = contents.map_err(|error| damaged(&app, &error))?;
        Ok((short, contents))
    });
    let (run, contents) = contents.await?;
    Ok((attached(&run, file, kind), contents))
}

/// The headers of a file of a run that is downloaded.
pub(in crate::web) fn attached(run: &str, file: &str, kind: &str) -> [(HeaderName, String); 2] {
    let safe = |c: char| {
        if c.is_ascii_alphanumeric() || "-_.".contains(c) {
            c
        } else {
            '-'
        }
    };
    let name: String = format!("{run}-{file}").chars().map(safe).collect();
    let attached = format!("attachment; filename=\"{name}\"");
    [
        (CONTENT_TYPE, kind.to_owned()),
        (CONTENT_DISPOSITION, attached),
    ]
}

/// The tables as a tar archive. Each table is checked against the list of files as it is read.
fn archive(directory: &RunDirectory) -> Result<Vec<u8>, crate::run::StoreError> {
    let mut archive = Vec::new();
    for name in tables(directory) {
        let contents = directory.part(name.as_str()).read()?;
        if (archive.len() + contents.len()) as u64 > LARGEST {
            let path = directory.path("tables");
            return Err(crate::run::StoreError::unusable(
                &path,
                "the tables are too large to be fetched; copy the folder",
            ));
        }
        archive.extend(header(&name, contents.len()));
        archive.extend(&contents);
        archive.resize(archive.len().next_multiple_of(512), 0);
    }
    archive.extend([0; 1024]);
    Ok(archive)
}

/// The header of a file in a tar archive (POSIX ustar): fields of fixed length with octal numbers. Names of tables are
/// shorter than its limit of 100 bytes.
fn header(name: &str, size: usize) -> [u8; 512] {
    let mut header = [0_u8; 512];
    let mut write = |at: usize, text: &str| {
        let room = &mut header[at..];
        let bytes = text.as_bytes();
        room[..bytes.len()].copy_from_slice(bytes);
    };
    write(0, &name[..name.len().min(100)]);
    write(100, "0000644\0");
    write(108, "0000000\0");
    write(116, "0000000\0");
    write(124, &format!("{size:011o}\0"));
    write(136, "00000000000\0");
    write(148, "        ");
    write(156, "0");
    write(257, "ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_those_of_tar() {
        let header = header("tables/train/generation-00000.parquet", 1234);
        assert_eq!(&header[124..136], b"00000002322\0");
        assert_eq!(&header[257..265], b"ustar\x0000");
        // The sum of the header with spaces in the place of the sum.
        let mut blank = header;
        blank[148..156].fill(b' ');
        let sum: u32 = blank.iter().map(|byte| u32::from(*byte)).sum();
        assert_eq!(
            std::str::from_utf8(&header[148..154]).unwrap(),
            format!("{sum:06o}")
        );
    }
}
