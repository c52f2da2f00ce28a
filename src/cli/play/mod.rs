//! `tiletune play`: one game, watched. Which game and whether it came out as recorded is decided
//! here; [`terminal`] shows it to a person, [`plain`] writes it down.

mod painting;
mod plain;
mod screen;
mod terminal;

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::player_args::{Chosen, PlayerArgs};
use super::{Context, Failure};
use crate::campaign::{self, PlayedBy};
use crate::config::campaign::Campaign;
use crate::player::format::Format;
use crate::player::options::Changes;
use crate::player::session::Session;
use crate::player::{Player, PlayerSpec};
use crate::random::{Players, Stream};
use crate::record::{GameRecord, GameResult};
use crate::run::{RunDirectory, plan_of};

/// What `--help` says below the flags.
const HELP: &str = "\
On a terminal the game is shown with the value of every move. Keys: space runs and pauses, s or the \
right arrow makes one step, + and - change the speed, q leaves; a person's move is its number, or \
the arrows and enter. Elsewhere every move is a line of \
text, or of JSON with --json, without delays. A game found in a run directory is checked against its \
record; the exit code is 1 if it comes out otherwise.";

/// Two ways to say which game.
const USAGE: &str = "\
tiletune play --player <PLAYER> [--seed <SEED>] [--game-index <I>] [OPTIONS]
       tiletune play --game <GAME> --player <PLAYER> --human <first|second> [OPTIONS]
       tiletune play --run <RUN> --generation <G> --candidate <C> [--game-index <I>] [OPTIONS]
       tiletune play --run <RUN> --finalist <F> [--game-index <I>] [OPTIONS]
       tiletune play --run <RUN> --hold-out <start|tuned> [--game-index <I>] [OPTIONS]";

#[derive(Args)]
#[command(override_usage = USAGE, after_help = HELP)]
pub(super) struct Play {
    #[command(flatten)]
    player: Option<PlayerArgs>,
    /// Seed of `evaluate`, whose game is played; with --human that of the lots which `random` draws.
    #[arg(long, default_value_t = 1, conflicts_with = "run")]
    seed: u64,
    /// Which of the games of a seed, a candidate or the hold-out, counted from 0.
    #[arg(long, value_name = "I", default_value_t = 0)]
    game_index: u32,
    /// Run directory of a recorded game; with --candidate or --hold-out.
    #[arg(long, value_name = "RUN", conflicts_with = "PlayerArgs")]
    run: Option<PathBuf>,
    /// Generation of the candidate, counted from 0.
    #[arg(long, value_name = "G", requires = "run", requires = "candidate")]
    generation: Option<u32>,
    /// Candidate of the generation, counted from 0.
    #[arg(long, value_name = "C", requires = "run", requires = "generation")]
    candidate: Option<u32>,
    /// A finalist of the race between restarts, counted from 0.
    #[arg(
        long,
        value_name = "F",
        requires = "run",
        conflicts_with = "generation"
    )]
    finalist: Option<u32>,
    /// A hold-out game of the start or the tuned weights.
    #[arg(
        long,
        value_name = "WEIGHTS",
        requires = "run",
        conflicts_with_all = ["generation", "finalist"]
    )]
    hold_out: Option<HoldOut>,
    /// Play against the player yourself, from the start of a game, and move first or second. In a
    /// pipe your moves are lines of the input.
    #[arg(
        long,
        value_name = "SIDE",
        conflicts_with_all = ["run", "game_index"]
    )]
    human: Option<Human>,
    /// Moves a second on a terminal, to begin with.
    #[arg(long, value_name = "MOVES", default_value_t = 4.0, value_parser = speed)]
    speed: f64,
}

#[derive(Clone, Copy, ValueEnum)]
enum HoldOut {
    Start,
    Tuned,
}

/// The side that a person has.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Human {
    First,
    Second,
}

fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok();
    let speed = speed.filter(|speed| (terminal::SLOWEST..=terminal::FASTEST).contains(speed));
    speed.ok_or_else(|| {
        let (slowest, fastest) = (terminal::SLOWEST, terminal::FASTEST);
        format!("moves a second are a number from {slowest} to {fastest}")
    })
}

/// A game that is about to be watched.
struct Watched {
    player: Box<dyn Player>,
    format: Format,
    seed: u64,
    /// What is played, in words.
    title: String,
    /// The person who plays against the player, if one does.
    human: Option<Human>,
    /// What the game came to when it was played before.
    recorded: Option<GameRecord>,
}

impl Watched {
    fn begin(&self) -> Box<dyn Session + '_> {
        let person_begins = self.human.map(|human| human == Human::First);
        let against_person = person_begins
            .and_then(|person_begins| self.player.begin_against_person(self.seed, person_begins));
        against_person.unwrap_or_else(|| self.player.begin(self.seed))
    }
}

impl Play {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let speed = self.speed;
        let watched = self.watched()?;
        let is_seen = std::io::stdout().is_terminal()
            && std::io::stdin().is_terminal()
            && std::env::var_os("TERM").is_none_or(|terminal| terminal != "dumb");
        if context.json {
            plain::write_json(&watched)
        } else if is_seen {
            terminal::watch(watched, speed)
        } else {
            plain::write_text(&watched)
        }
    }

    fn watched(self) -> Result<Watched, Failure> {
        match (self.player, self.run) {
            (_, Some(run)) => {
                let played_by = match (
                    self.generation,
                    self.candidate,
                    self.finalist,
                    self.hold_out,
                ) {
                    (_, _, Some(finalist), _) => PlayedBy::Finalist(finalist),
                    (Some(generation), Some(candidate), ..) => PlayedBy::Candidate {
                        generation,
                        candidate,
                    },
                    (.., Some(HoldOut::Start)) => PlayedBy::Start,
                    (.., Some(HoldOut::Tuned)) => PlayedBy::Tuned,
                    _ => return Err(Failure::Usage(
                        "which game of the run? --generation G --candidate C, --finalist F, or \
                         --hold-out start or tuned"
                            .into(),
                    )),
                };
                recorded(run, played_by, self.game_index)
            }
            (Some(player), None) => {
                let Chosen { player, weights } = player.choose()?;
                if self.human.is_some() {
                    check_against_person(&player)?;
                }
                Ok(Watched {
                    player: player.build(&weights),
                    format: player.entry.game.format,
                    seed: player.players().game_seed(
                        self.seed,
                        Stream::Evaluate,
                        0,
                        u64::from(self.game_index),
                    ),
                    title: match self.human {
                        Some(_) => format!("{}: against you", player.describe_alone()),
                        None => format!(
                            "{}: game {} of seed {}",
                            player.describe(),
                            self.game_index,
                            self.seed
                        ),
                    },
                    human: self.human,
                    recorded: None,
                })
            }
            (None, None) => Err(Failure::Usage(
                "which game? --player P --seed S, or --run RUN for a recorded one".into(),
            )),
        }
    }
}

/// Whether a person can be the player's opponent.
fn check_against_person(player: &PlayerSpec) -> Result<(), Failure> {
    if player.players() != Players::Two {
        let message = format!("{} is no game for two", player.entry.game.name);
        return Err(Failure::Usage(message));
    }
    let of_opponents = player.entry.options.iter();
    let mut of_opponents = of_opponents.filter(|option| option.changes == Changes::Opponents);
    match of_opponents.find(|option| player.options.given(option).is_some()) {
        Some(option) => Err(Failure::Usage(format!(
            "the argument '--human <SIDE>' cannot be used with '--{}'",
            option.flag()
        ))),
        None => Ok(()),
    }
}

fn recorded(run: PathBuf, played_by: PlayedBy, game: u32) -> Result<Watched, Failure> {
    let directory = RunDirectory::open(&run)?;
    let campaign: Campaign = plan_of(&directory)?;
    let (weights, record) = campaign::recorded_game(&campaign, &directory, played_by, game)?;
    let (described, name) = (campaign.player.describe(), &campaign.config.name);
    let title = match played_by {
        PlayedBy::Candidate {
            generation,
            candidate,
        } => format!(
            "{described}: {name}, generation {generation}, candidate {candidate}, game {game}"
        ),
        PlayedBy::Finalist(finalist) => {
            format!("{described}: {name}, finalist {finalist} of the race, game {game}")
        }
        PlayedBy::Start => format!("{described}: {name}, start weights, hold-out game {game}"),
        PlayedBy::Tuned => format!("{described}: {name}, tuned weights, hold-out game {game}"),
    };
    Ok(Watched {
        player: campaign.player.build(&weights),
        format: campaign.player.entry.game.format,
        seed: record.seed,
        title,
        human: None,
        recorded: Some(record),
    })
}

/// Whether a game came out as recorded.
fn is_same(recorded: &GameRecord, played: &GameRecord) -> bool {
    (recorded.result, recorded.moves) == (played.result, played.moves)
}

fn facts(record: &GameRecord) -> String {
    let came_to = match record.result {
        GameResult::Score {
            score,
            max_tile: Some(max_tile),
            ..
        } => format!("score {score}, largest tile {max_tile}"),
        GameResult::Score { score, .. } => format!("score {score}"),
        GameResult::Outcome(outcome) => format!("a {} for the program", outcome.name()),
    };
    format!("{came_to}, {} moves", record.moves)
}

/// Says on stdout that a game came out as recorded.
///
/// # Errors
/// If it did not.
fn compare(recorded: Option<&GameRecord>, played: &GameRecord) -> Result<(), Failure> {
    match recorded {
        None => Ok(()),
        Some(recorded) if is_same(recorded, played) => {
            writeln!(std::io::stdout(), "the same as recorded")?;
            Ok(())
        }
        Some(recorded) => Err(differs(recorded)),
    }
}

fn differs(recorded: &GameRecord) -> Failure {
    Failure::Failed(format!(
        "this program plays the game otherwise than recorded: {}. The build and the kind of \
         processor that began the run are in its manifest.json",
        facts(recorded)
    ))
}
