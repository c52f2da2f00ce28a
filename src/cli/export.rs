//! `tiletune export`: prints weights in other formats.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::run_path::{named_weights, weights_path};
use super::{Context, Failure};
use crate::campaign;
use crate::config::shipped::Wanted;
use crate::config::weights_file;
use crate::export;
use crate::report::deeper;
use crate::run::{StoreError, atomic};

#[derive(Args)]
#[command(after_help = "\
--json: the same as --format json: one object; other formats are refused.

Examples:
  tiletune export results/mine --format c-header
      on stdout
  tiletune export results/mine --tuned --format toml
      the tuned weights, even if they are not shown to be better
  tiletune export depth-1 --format json
      weights that ship with tiletune
  tiletune export results/mine --json --out weights.json
      into a file")]
pub(super) struct Export {
    /// Weights file, run directory (its best.toml: the tuned weights if they are shown to be better than the start
    /// weights, else these), or RUN:tuned. A run can be named as in `results`, or `last`; weights of
    /// `tiletune list weights` by their name.
    #[arg(value_parser = weights_path)]
    source: PathBuf,
    /// Of a run directory, the tuned weights in any case (its tuned.toml).
    #[arg(long)]
    tuned: bool,
    /// Output format [default: toml, with --json json].
    #[arg(long)]
    format: Option<Format>,
    /// Output file (default: stdout).
    #[arg(long)]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Weights file.
    Toml,
    /// One JSON object.
    Json,
    /// Table with the columns weight and value.
    Csv,
    /// One constant per weight for C and C++, tiletune_empty for the weight empty.
    CHeader,
}

impl Export {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let named = match self.tuned {
            true if !self.source.is_dir() => {
                let message = format!("--tuned: {} is not a run directory", self.source.display());
                return Err(Failure::Usage(message));
            }
            true => weights_file::tuned(&self.source),
            false => self.source.clone(),
        };
        let found = named_weights(context, &named, Wanted::default())?;
        let path = match found.shipped {
            Some(_) => named.clone(),
            None => weights_file::locate(&named)?,
        };
        let source = found.source;
        let (file, player, weights) = weights_file::parse_with(context.catalogue, &source)?;
        let format = match (self.format, context.json) {
            (Some(Format::Json), _) | (None, true) => Format::Json,
            (None, false) => Format::Toml,
            (Some(format), false) => format,
            (Some(_), true) => {
                let message = "--json is --format json; give one of them";
                return Err(Failure::usage(message));
            }
        };
        let text = match format {
            Format::Toml => export::toml(&file),
            Format::Json => export::json(&file),
            Format::Csv => export::csv(&file),
            Format::CHeader => export::c_header(&file, &weights, &player.parameters())
                .map_err(|misfit| Failure::Usage(format!("{}: {misfit}", path.display())))?,
        };
        match self.out {
            Some(out) if is_same(&out, &path) => {
                let message = format!(
                    "--out {} is the file to export; choose another one",
                    out.display()
                );
                return Err(Failure::Usage(message));
            }
            Some(out) => {
                let wrote = if out.is_file() { "replaced" } else { "wrote" };
                write(&out, &text).map_err(Failure::usage)?;
                context.message(format!("{wrote} {}", out.display()));
            }
            None => std::io::stdout().write_all(text.as_bytes())?,
        }
        if let Some(unmeasured) = campaign::unmeasured_in(&file, player.entry) {
            context.message(deeper::unmeasured(unmeasured));
        }
        if let Some(note) = weights_file::start_instead_of_tuned(&named) {
            context.message(note);
        }
        Ok(())
    }
}

/// Whether two paths name the same file.
fn is_same(one: &Path, other: &Path) -> bool {
    let [one, other] = [one, other].map(std::fs::canonicalize);
    one.is_ok_and(|one| other.is_ok_and(|other| one == other))
}

/// Writes a file atomically. A pipe or a device is written directly.
fn write(out: &Path, text: &str) -> Result<(), StoreError> {
    let is_special = std::fs::metadata(out).is_ok_and(|metadata| !metadata.is_file());
    if is_special {
        return std::fs::write(out, text).map_err(StoreError::io(out));
    }
    atomic::sweep_abandoned(atomic::folder_of(out));
    atomic::write(out, text)
}
