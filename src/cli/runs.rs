//! `tiletune runs`: lists the runs in a folder, or shows one run with its plan, results, files and further commands.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use comfy_table::{CellAlignment, Table};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::run_path::{RESULTS, run_path};
use super::{Context, Failure, text};
use crate::export::seeds_as_text;
use crate::number::{compact, count};
use crate::overview::best::{BestRuns, best};
use crate::overview::commands::commands;
use crate::overview::{FolderEntry, Overview, list, overview, resolved};
use crate::run::RunDirectory;
use crate::run::kind::with_article;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "\
States: running; killed (its process ended without writing a final state), interrupted, failed: `tiletune resume` continues \
them; complete.
A folder that is no run or cannot be read is listed with the reason.

--json: an array with an object for each run; of `runs show` one object; of `runs best` an array with an object for \
each game, board, player and objective.

Examples:
  tiletune runs
      all runs in results/
  tiletune runs results/mine
      the runs of a series
  tiletune runs show results/mine
      one run
  tiletune runs best
      the best run for each game, board and player")]
pub(super) struct Runs {
    #[command(subcommand)]
    what: Option<RunsCommand>,
    /// Folder with run directories, or a run directory with runs inside.
    #[arg(default_value = RESULTS)]
    folder: PathBuf,
    /// The same folder, as `tiletune serve` names it.
    #[arg(long, value_name = "DIR", conflicts_with = "folder")]
    results: Option<PathBuf>,
    /// List also the runs in folders of this folder and inside of other runs.
    #[arg(long)]
    nested: bool,
}

#[derive(Subcommand)]
enum RunsCommand {
    /// Show a run: what it is, its plan, state, results, files, and the commands that go on from it.
    Show {
        /// Run directory, its name in `results`, or `last`.
        #[arg(value_parser = run_path)]
        run: PathBuf,
    },
    /// Rank the runs by the hold-out games of the weights that they recommend, for each game, board, player and
    /// objective.
    Best {
        /// Folder with run directories.
        #[arg(default_value = RESULTS)]
        folder: PathBuf,
    },
}

impl Runs {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        match self.what {
            Some(RunsCommand::Show { run }) => show(&run, context),
            Some(RunsCommand::Best { folder }) => {
                let ranked = best(&entries(&folder, true, context)?)?;
                context.print(|| ranked.clone(), || ranking(&folder, &ranked))
            }
            None => self.list(context),
        }
    }

    fn list(&self, context: Context) -> Result<(), Failure> {
        let folder = self.results.as_ref().unwrap_or(&self.folder);
        let found = entries(folder, self.nested, context)?;
        let json = || found.iter().map(Listed::new).collect::<Vec<_>>();
        context.print(json, || listing(folder, &found))
    }
}

/// The entries of a folder.
fn entries(folder: &Path, nested: bool, context: Context) -> Result<Vec<FolderEntry>, Failure> {
    // The default folder is created with the first run, so it may be missing.
    let is_to_come = folder == Path::new(RESULTS) && !folder.exists();
    if !folder.is_dir() && !is_to_come {
        let folder = folder.display();
        let message = format!("{folder}: no such folder; name a folder with run directories");
        return Err(Failure::Usage(message));
    }
    Ok(if is_to_come {
        Vec::new()
    } else {
        list(context.kinds, folder, nested)?
    })
}

/// A table of the best runs of each group.
fn ranking(folder: &Path, groups: &[BestRuns]) -> String {
    if groups.is_empty() {
        let folder = folder.display();
        return format!("no runs with hold-out games in {folder}");
    }
    let mut parts = Vec::new();
    for group in groups {
        let board = Some(&group.board).filter(|board| !board.is_empty());
        let board = board.map_or(String::new(), |board| format!(", {board}"));
        let heading = format!(
            "{}{board}, {}: {}",
            group.game, group.player, group.objective
        );
        let mut table =
            text::table(&["run", "depth", "weights", "value", "95 % interval", "games"]);
        for run in &group.runs {
            let path = run.path.strip_prefix(folder).unwrap_or(&run.path);
            let interval = run.interval.map(|ends| ends.map(compact).join(" to "));
            table.add_row([
                path.display().to_string(),
                run.depth.clone().unwrap_or_default(),
                if run.is_tuned { "tuned" } else { "start" }.to_owned(),
                compact(run.value),
                interval.unwrap_or_default(),
                count(run.games),
            ]);
        }
        parts.push(format!("{heading}\n{table}"));
    }
    parts.push(
        "Runs have hold-out games of their own, and the first of many is lucky, too: `tiletune compare` decides between \
         two of them."
            .to_owned(),
    );
    parts.join("\n\n")
}

/// A run or another folder, as `tiletune runs` prints it.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Listed<'a> {
    Run(&'a Overview),
    Other {
        /// The folder.
        path: &'a Path,
        /// Why it is no run, or cannot be read.
        error: &'a str,
    },
}

impl<'a> Listed<'a> {
    fn new(found: &'a FolderEntry) -> Self {
        match found {
            FolderEntry::Run(run) => Listed::Run(run),
            FolderEntry::Other { path, reason } => Listed::Other {
                path,
                error: reason,
            },
        }
    }
}

/// What `tiletune runs show` prints.
#[derive(Serialize, JsonSchema)]
pub(super) struct ShownRun<'a> {
    #[serde(flatten)]
    run: &'a Overview,
    /// The resolved configuration.
    #[schemars(with = "BTreeMap<String, Value>")]
    plan: Value,
    /// How often it was resumed.
    resumed: usize,
    /// End of the last session, UTC; null while it runs.
    ended: Option<&'a str>,
    /// Version of the program that began the run.
    version: &'a str,
    /// The files and folders of the run with their sizes.
    files: Vec<ListedFile<'a>>,
    /// Commands that go on from this run.
    commands: Vec<&'a str>,
}

/// A file or folder of a run.
#[derive(Serialize, JsonSchema)]
struct ListedFile<'a> {
    /// Its name.
    name: &'a str,
    /// Size of the files.
    bytes: u64,
}

/// A table of the runs, then a line for each other folder.
fn listing(folder: &Path, found: &[FolderEntry]) -> String {
    let header = ["run", "kind", "state", "game", "player", "result", "size"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    let mut others = Vec::new();
    for one in found {
        match one {
            FolderEntry::Run(run) => {
                let path = run.path.strip_prefix(folder).unwrap_or(&run.path);
                rows.push(vec![
                    path.display().to_string(),
                    run.kind.clone(),
                    run.state.name().to_owned(),
                    run.game.clone(),
                    run.players.join(", "),
                    run.headline.clone(),
                    size(run.bytes),
                ]);
            }
            FolderEntry::Other { reason, .. } => others.push(reason.as_str()),
        }
    }
    let others = others.join("\n");
    let table = table_of_runs(&rows);
    match (rows.len() == 1, others.is_empty()) {
        (true, true) => format!("no runs in {}", folder.display()),
        (true, false) => others,
        (false, true) => table.to_string(),
        (false, false) => format!("{table}\n{others}"),
    }
}

/// The columns of [`listing`] that a narrow terminal leaves out, first the one that is missed least.
const LESS: [usize; 5] = [6, 3, 1, 4, 2];

/// The table of a header and rows. `--json` has the columns that a narrow terminal leaves out.
fn table_of_runs(rows: &[Vec<String>]) -> Table {
    let kept = match text::columns(&std::io::stdout()) {
        Some(columns) => text::fitting(rows, &LESS, columns),
        None => (0..rows[0].len()).collect(),
    };
    let cells = |row: &Vec<String>| -> Vec<String> {
        kept.iter().map(|&column| row[column].clone()).collect()
    };
    let header = cells(&rows[0]);
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut table = text::table(&header);
    // Only sizes are numbers.
    for column in table.column_iter_mut().take(6) {
        column.set_cell_alignment(CellAlignment::Left);
    }
    table.add_rows(rows[1..].iter().map(cells));
    text::keep_words(&mut table);
    table
}

/// A size as `820 B`, `12 kB` or `3.4 MB`.
fn size(bytes: u64) -> String {
    let mut size = bytes as f64;
    let mut unit = "B";
    for larger in ["kB", "MB", "GB"] {
        if size < 1000.0 {
            break;
        }
        size /= 1000.0;
        unit = larger;
    }
    if unit == "B" || size >= 10.0 {
        format!("{size:.0} {unit}")
    } else {
        format!("{size:.1} {unit}")
    }
}

fn show(root: &Path, context: Context) -> Result<(), Failure> {
    let run = overview(context.kinds, root)?;
    let directory = RunDirectory::open(root)?;
    let plan = resolved(&directory)?;
    let manifest = directory.manifest()?;
    let session = manifest.last_session();
    let files = files(root);
    let kind = context.kinds.of(&directory)?;
    let commands = commands(&run, kind, &directory)?;
    let json = || {
        let mut plan = json!(plan);
        seeds_as_text(&mut plan);
        let files = files.iter();
        let commands = commands.iter();
        ShownRun {
            run: &run,
            plan,
            resumed: manifest.resumed.len(),
            ended: session.end.as_deref(),
            version: &manifest.first.version,
            files: files
                .map(|(name, bytes)| ListedFile {
                    name,
                    bytes: *bytes,
                })
                .collect(),
            commands: commands.map(|(command, _)| command.as_str()).collect(),
        }
    };
    let text = || {
        let end = session
            .end
            .as_deref()
            .map_or(String::new(), |end| format!(", ended {end}"));
        let mut lines = vec![
            format!(
                "{} `{}`, {}",
                with_article(&run.kind),
                run.name,
                run.state.name()
            ),
            format!(
                "began {}{end}; resumed {} times",
                run.start,
                manifest.resumed.len()
            ),
            String::new(),
        ];
        if let Some(why) = plan.get("why").and_then(toml::Value::as_str) {
            lines.extend([why.trim().to_owned(), String::new()]);
        }
        lines.push("Plan".to_owned());
        flatten("", &plan, &mut lines);
        lines.extend([String::new(), format!("Results: {}", run.headline)]);
        let results = run.results.iter();
        lines.extend(results.map(|(what, value)| format!("  {what}: {value}")));
        lines.extend([String::new(), format!("Files, {} in all", size(run.bytes))]);
        let shown = files
            .iter()
            .map(|(name, bytes)| format!("  {name}   {}", size(*bytes)));
        lines.extend(shown);
        lines.extend([String::new(), "Commands".to_owned()]);
        lines.extend(
            commands
                .iter()
                .map(|(command, what)| format!("  {command}\n      {what}")),
        );
        lines.join("\n")
    };
    context.print(json, text)
}

/// The keys that [`flatten`] leaves out, because they are shown elsewhere or are too long.
const NOT_SHOWN: [&str; 4] = ["why", "name", "heuristic", "values"];

/// A line `key = value` for every value of a table. For tables with keys of the user, and for lists of tables, only the
/// names.
fn flatten(prefix: &str, table: &toml::Table, lines: &mut Vec<String>) {
    for (key, value) in table {
        let is_top = prefix.is_empty();
        if NOT_SHOWN.contains(&key.as_str()) && (is_top || key == "values") {
            continue;
        }
        match value {
            toml::Value::Table(parameters) if is_top && key == "parameters" => {
                let names: Vec<&str> = parameters.keys().map(String::as_str).collect();
                lines.push(format!("  {key}: {}", names.join(", ")));
            }
            toml::Value::Table(inner) => flatten(&format!("{prefix}{key}."), inner, lines),
            toml::Value::Array(rows) if rows.iter().any(toml::Value::is_table) => {
                let names = rows
                    .iter()
                    .filter_map(|row| row.get("name").and_then(toml::Value::as_str));
                let names: Vec<&str> = names.collect();
                lines.push(format!("  {key}: {}", names.join(", ")));
            }
            value => lines.push(format!("  {prefix}{key} = {value}")),
        }
    }
}

/// The files and folders of the run directory with their sizes.
fn files(root: &Path) -> Vec<(String, u64)> {
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    let mut files: Vec<(String, u64)> = entries
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                (format!("{name}/"), crate::overview::size(&entry.path()))
            } else {
                (name, entry.metadata().map_or(0, |file| file.len()))
            }
        })
        .collect();
    files.sort();
    files
}
