//! Which player a command is about: the same flags for every command.

use std::path::PathBuf;

use clap::Args;

use super::Failure;
use crate::config::weights_file;
use crate::heuristic::Form;
use crate::heuristic::weights::Weights;
use crate::player::config::Opponents;
use crate::player::depth::Depth;
use crate::player::{self, Config, Entry};

#[derive(Args)]
pub(super) struct PlayerArgs {
    /// The player (see `tiletune list players`).
    #[arg(long)]
    player: String,
    /// The game.
    #[arg(long, default_value_t = player::default_game())]
    game: String,
    /// Weights file; without it the player's published weights.
    #[arg(long)]
    weights: Option<PathBuf>,
    /// Look-ahead in the player's own unit: a number, or `adaptive`.
    #[arg(long)]
    depth: Option<Depth>,
    /// Path probability below which the search stops; 0 for none.
    #[arg(long)]
    cutoff: Option<f64>,
    /// Whether the original's transposition table is used.
    #[arg(long, value_name = "BOOL")]
    table: Option<bool>,
    /// Let 4s appear in a game that has only 2s otherwise.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    fours: Option<bool>,
    /// Count the tiles ahead from 1, whatever the next one is.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    count_from_one: Option<bool>,
    /// Form of the feature `smooth`: `published` or `intended`.
    #[arg(long, value_name = "FORM")]
    smooth_form: Option<Form>,
    /// Form of the feature `repeat`: `published` or `intended`.
    #[arg(long, value_name = "FORM")]
    repeat_form: Option<Form>,
    /// Whom it plays against in a game of two; of several, with commas between them, every opening meets one by lot.
    #[arg(long, value_name = "PLAYERS")]
    opponent: Option<Opponents>,
    /// Look-ahead of opponents that take a depth.
    #[arg(long, value_name = "DEPTH")]
    opponent_depth: Option<Depth>,
    /// Rows of the board, where that can be chosen.
    #[arg(long)]
    rows: Option<u32>,
    /// Columns of the board, where that can be chosen.
    #[arg(long)]
    columns: Option<u32>,
    /// Stones in line that win, where that can be chosen.
    #[arg(long, value_name = "N")]
    connect: Option<u32>,
}

/// A player that was asked for, found sound.
pub(super) struct Chosen {
    pub(super) config: Config,
    pub(super) entry: &'static Entry,
    pub(super) weights: Weights,
}

impl PlayerArgs {
    pub(super) fn choose(self) -> Result<Chosen, Failure> {
        let config = Config {
            name: self.player,
            game: self.game,
            depth: self.depth,
            cutoff: self.cutoff,
            table: self.table,
            fours: self.fours,
            count_from_one: self.count_from_one,
            smooth_form: self.smooth_form,
            repeat_form: self.repeat_form,
            opponent: self.opponent,
            opponent_depth: self.opponent_depth,
            rows: self.rows,
            columns: self.columns,
            connect: self.connect,
        };
        let entry = config
            .entry()
            .map_err(|error| Failure::Usage(error.to_string()))?;
        let weights = match self.weights {
            None => weights_file::published(entry),
            Some(_) if entry.published.is_none() => {
                let message = format!("player `{}` has no weights", entry.name);
                return Err(Failure::Usage(message));
            }
            Some(path) => weights_file::read(&path, entry)?,
        };
        Ok(Chosen {
            config,
            entry,
            weights,
        })
    }
}
