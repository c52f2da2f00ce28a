//! `tiletune init`: prints a campaign file as a starting point, or the JSON schema of files.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{Context, Failure};
use crate::Catalogue;
use crate::config::{Source, heuristic_file, schema, template};
use crate::player::{PlayerConfig, PlayerSpec};

/// The game of external programs.
const EXTERNAL: &str = "external";

/// A campaign file for a program, as a starting point.
const PROGRAM: &str = include_str!("../../configs/program.toml");

#[derive(Args)]
#[command(after_help = "\
--json: refused, because a campaign file is TOML; --schema prints one object.

Examples:
  tiletune init > my.toml
      a campaign of 2048
  tiletune init --game three-plus-three > three.toml
      another game
  tiletune init --heuristic my-terms.toml > my.toml
      a campaign for terms of your own
  tiletune init --schema > campaign.schema.json
      for editors: begin my.toml with #:schema campaign.schema.json")]
pub(super) struct Init {
    /// The game; `external` for a program of your own.
    #[arg(long)]
    game: Option<String>,
    /// The player whose weights the campaign tunes [default: the first of the game that has weights].
    #[arg(long)]
    player: Option<String>,
    /// A heuristic file whose weights the campaign tunes; by a player of its game.
    #[arg(long, value_name = "FILE", conflicts_with = "schema")]
    heuristic: Option<PathBuf>,
    /// Print the JSON schema (draft 7) of campaign or experiment files instead, for editors.
    #[arg(
        long,
        value_name = "FILES",
        num_args = 0..=1,
        default_missing_value = "campaign",
        conflicts_with_all = ["game", "player"]
    )]
    schema: Option<Files>,
}

/// The kinds of files that have a schema.
#[derive(Clone, Copy, ValueEnum)]
enum Files {
    /// Files of `tiletune tune`.
    Campaign,
    /// Files of `tiletune ablate`.
    Experiment,
}

impl Init {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        if self.schema.is_none() {
            context.refuse_json("a campaign file is TOML; --schema prints JSON")?;
        }
        let catalogue = context.catalogue;
        let text = match self.schema {
            Some(files) => {
                let schema = match files {
                    Files::Campaign => schema::of_campaigns(catalogue),
                    Files::Experiment => schema::of_experiments(catalogue),
                };
                format!("{schema:#}\n")
            }
            None if self.is_of_program(catalogue) => PROGRAM.to_owned(),
            None => self.campaign(catalogue)?,
        };
        Ok(std::io::stdout().write_all(text.as_bytes())?)
    }

    fn is_of_program(&self, catalogue: &Catalogue) -> bool {
        let is_known = catalogue.games().iter().any(|game| game.name == EXTERNAL);
        is_known && self.game.as_deref() == Some(EXTERNAL)
    }

    fn campaign(self, catalogue: &Catalogue) -> Result<String, Failure> {
        let (game, name) = (self.game.as_deref(), self.player.as_deref());
        let player = match &self.heuristic {
            None => own_player(catalogue, game, name)?,
            Some(file) => {
                heuristic_file::first_player(catalogue, &Source::read(file)?, game, name)?
            }
        };
        of_player(catalogue, &player, self.heuristic.as_deref())
    }
}

/// A player with its own terms: by default the first one with weights of the default game.
pub(super) fn own_player(
    catalogue: &Catalogue,
    game: Option<&str>,
    player: Option<&str>,
) -> Result<PlayerSpec, Failure> {
    let game = game.unwrap_or(catalogue.default_game().name);
    let first = || catalogue.first_with_weights(game).map(|entry| entry.name);
    // An unknown game has no players, and the catalogue reports that.
    let name = player.or_else(first).unwrap_or_default();
    let player = catalogue.player(&PlayerConfig::new(name, Some(game)));
    player.map_err(Failure::usage)
}

/// The campaign that tunes the weights of a player; `file` is its heuristic file, if it has one.
pub(super) fn of_player(
    catalogue: &Catalogue,
    player: &PlayerSpec,
    file: Option<&Path>,
) -> Result<String, Failure> {
    let text = template::campaign(catalogue, player, file);
    text.map_err(|error| Failure::Usage(error.message))
}
