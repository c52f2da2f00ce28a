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
            None if self.game.as_deref() == Some(EXTERNAL) => PROGRAM.to_owned(),
            None => self.campaign(catalogue)?,
        };
        Ok(std::io::stdout().write_all(text.as_bytes())?)
    }

    fn campaign(self, catalogue: &Catalogue) -> Result<String, Failure> {
        let player = match &self.heuristic {
            None => self.own_player(catalogue)?,
            Some(file) => {
                let (game, name) = (self.game.as_deref(), self.player.as_deref());
                heuristic_file::first_player(catalogue, &Source::read(file)?, game, name)?
            }
        };
        of_player(catalogue, &player, self.heuristic.as_deref())
    }

    /// The player of the flags, with its own terms.
    fn own_player(&self, catalogue: &Catalogue) -> Result<PlayerSpec, Failure> {
        let default_game = catalogue.default_game().name;
        let game = self.game.as_deref().unwrap_or(default_game);
        let name = self.player.as_deref().unwrap_or_else(|| {
            let mut players = catalogue.players_of(game);
            let first = players.find(|entry| entry.published.is_some());
            // An unknown game has no players, and the catalogue reports that.
            first.map_or("", |entry| entry.name)
        });
        let player = catalogue.player(&PlayerConfig::new(name, Some(game)));
        player.map_err(Failure::usage)
    }
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
