//! `tiletune play`: shows one game. This module selects the game and compares it with its record.
//! [`terminal`] shows it on a terminal, [`plain`] writes it as lines.

mod history;
mod painting;
pub(super) mod plain;
mod screen;
mod terminal;

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use terminal::{FASTEST, SLOWEST};

use super::numbers::{speed, whole};
use super::player_args::{Chosen, PlayerArgs};
use super::positions::GivenPosition;
use super::run_path::run_path;
use super::{Context, Failure};
use crate::player::format::Format;
use crate::player::options::OptionScope;
use crate::player::session::Session;
use crate::player::{FromPosition, Player, PlayerSpec};
use crate::prepare::Reported;
use crate::program::Program;
use crate::random::{Players, Stream};
use crate::record::{GameRecord, GameResult};
use crate::run::{RecordedPlayer, RunDirectory, ShownGame};
use crate::stop::Stop;

/// The ways to select a game.
const USAGE: &str = "\
tiletune play [--player <PLAYER>] [--seed <SEED>] [--game-index <I>] [OPTIONS]
       tiletune play --game <GAME> --player <PLAYER> --human <first|second> [OPTIONS]
       tiletune play --run <RUN> --generation <G> --candidate <C> [--game-index <I>] [OPTIONS]
       tiletune play --run <RUN> --finalist <F> [--game-index <I>] [OPTIONS]
       tiletune play --run <RUN> --hold-out <start|tuned> [--at-depth <D>] [--game-index <I>] [OPTIONS]";

const WHICH_OF_RUN: &str = "which game of the run? Give --generation G --candidate C, --finalist F, or \
                            --hold-out start or tuned";

#[derive(Args)]
#[command(override_usage = USAGE)]
#[command(after_help = "\
On a terminal the game is shown with the value of every move. Keys: space starts and pauses, s or the \
right arrow makes one step, the left arrow goes back, home and end go to the start and the end, a number \
and enter go to that move, l goes to the move with which the player's value of the position fell most and, \
pressed again, to the next smaller loss, + and - change the speed, q quits. With --human, a number key makes that \
move; the arrows select a move and enter makes it. If stdin or stdout is not a terminal, every move is \
printed immediately as a line of text, or with --json as a line of JSON. A game of a run directory is \
compared with its record; the exit code is 1 if the game differs.

--json: one object on a line for each move, then one with the result.

Examples:
  tiletune play --player expectimax --depth 2
      watch a game
  tiletune play --position 2,4,8,16,0,0,2,4,0,0,0,2,0,0,0,0
      play on from a board
  tiletune play --game connect-four --player strings --human first
      play against it
  tiletune play --run results/mine --hold-out tuned --game-index 3
      a recorded game")]
pub(super) struct Play {
    #[command(flatten)]
    player: Option<PlayerArgs>,
    /// Seed as in `evaluate`; with --human: seed of the random numbers of `random`.
    #[arg(
        long,
        default_value_t = 1,
        conflicts_with = "run",
        value_parser = whole(0..=u64::MAX)
    )]
    seed: u64,
    /// Index of the game of a seed, a candidate or the hold-out games, counted from 0.
    #[arg(long, value_name = "I", default_value_t = 0, value_parser = whole(0..=u32::MAX))]
    game_index: u32,
    /// Play on from this position, in any form that `advise` takes; the seed decides what comes by chance. Four in a row:
    /// the player is to move, or with an odd --game-index its opponent.
    #[arg(long, value_name = "BOARD", conflicts_with = "run")]
    position: Option<String>,
    /// Run directory of a recorded game; with --candidate, --finalist or --hold-out.
    #[arg(long, value_name = "RUN", conflicts_with = "PlayerArgs", value_parser = run_path)]
    run: Option<PathBuf>,
    /// Generation of the candidate, counted from 0.
    #[arg(long, value_name = "G", requires = "run", requires = "candidate", value_parser = whole(0..=u32::MAX))]
    generation: Option<u32>,
    /// Candidate of the generation, counted from 0.
    #[arg(long, value_name = "C", requires = "run", requires = "generation", value_parser = whole(0..=u32::MAX))]
    candidate: Option<u32>,
    /// Finalist of the race, counted from 0.
    #[arg(
        long,
        value_name = "F",
        requires = "run",
        conflicts_with = "generation",
        value_parser = whole(0..=u32::MAX)
    )]
    finalist: Option<u32>,
    /// Hold-out game of the start or the tuned weights.
    #[arg(
        long,
        value_name = "WEIGHTS",
        requires = "run",
        conflicts_with_all = ["generation", "finalist"]
    )]
    hold_out: Option<HoldOut>,
    /// The hold-out game at this other search depth (`validation.deeper` of the campaign).
    #[arg(long, value_name = "D", requires = "hold_out", value_parser = whole(0..=u8::MAX))]
    at_depth: Option<u8>,
    /// Play against the player; you move first or second. In a pipe your moves are lines on stdin.
    #[arg(
        long,
        value_name = "SIDE",
        conflicts_with_all = ["run", "game_index", "position"]
    )]
    human: Option<Human>,
    /// Initial number of moves per second on a terminal.
    #[arg(long, value_name = "MOVES", default_value_t = 4.0, value_parser = speed(SLOWEST..=FASTEST))]
    speed: f64,
}

#[derive(Clone, Copy, ValueEnum)]
enum HoldOut {
    Start,
    Tuned,
}

/// The side of the person.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Human {
    First,
    Second,
}

/// A game to show.
struct GameToShow {
    player: Box<dyn Player>,
    format: Format,
    seed: u64,
    /// Names of game and player.
    game: &'static str,
    player_name: &'static str,
    /// Player and game in words.
    title: String,
    /// The side of the person, if one plays against the player.
    human: Option<Human>,
    /// The record of the game, if it is one of a run.
    recorded: Option<GameRecord>,
    /// The player before it was built.
    spec: PlayerSpec,
}

impl GameToShow {
    fn begin<'a>(&'a self, stop: Stop<'a>) -> Box<dyn Session + 'a> {
        let (player, seed) = (&self.player, self.seed);
        let begin = |human| player.begin_against_person(seed, human == Human::First, stop);
        let against_person = self.human.and_then(begin);
        against_person.unwrap_or_else(|| player.begin(seed, stop))
    }

    /// Why a program gave no result; `None` if it did not fail.
    fn failure(&self) -> Option<Failure> {
        let failure = self.spec.program().and_then(Program::failure);
        failure.map(Failure::Failed)
    }
}

impl Play {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let speed = self.speed;
        let watched = self.watched(context)?;
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

    fn watched(self, context: Context) -> Result<GameToShow, Failure> {
        let watched = self.chosen(context)?;
        let reported = Reported {
            threads: std::thread::available_parallelism().map_or(1, Into::into),
            // An interrupt ends the program.
            stop: Stop::never(),
            say: &|line| context.message(line),
        };
        let _ = reported.prepare_players(&[&watched.spec]);
        Ok(watched)
    }

    fn chosen(self, context: Context) -> Result<GameToShow, Failure> {
        match (self.player, self.run) {
            (_, Some(run)) => {
                let of_generation = self.generation.zip(self.candidate);
                let played_by = match (of_generation, self.finalist, self.hold_out) {
                    (_, Some(finalist), _) => RecordedPlayer::Finalist(finalist),
                    (Some((generation, candidate)), ..) => RecordedPlayer::Candidate {
                        generation,
                        candidate,
                    },
                    (.., Some(hold_out)) => RecordedPlayer::HoldOut {
                        weights: match hold_out {
                            HoldOut::Start => "start",
                            HoldOut::Tuned => "tuned",
                        },
                        depth: self.at_depth,
                    },
                    _ => return Err(Failure::Usage(WHICH_OF_RUN.into())),
                };
                recorded(context, run, played_by, self.game_index)
            }
            (player, None) => {
                let player = player.unwrap_or_default();
                let Chosen { player, weights } = player.choose(context)?;
                if self.human.is_some() {
                    check_against_person(&player)?;
                }
                let (seed, index) = (self.seed, self.game_index);
                let mut built = player.build(&weights).map_err(Failure::Failed)?;
                if let Some(text) = &self.position {
                    built = Box::new(from_position(built, text, &player)?);
                }
                Ok(GameToShow {
                    seed: (player.players()).game_seed(seed, Stream::Evaluate, 0, index.into()),
                    title: match self.human {
                        Some(side) => {
                            let stone = ["●", "○"][side as usize];
                            format!("{}: against you ({stone})", player.describe_alone())
                        }
                        None if self.position.is_some() => {
                            format!(
                                "{}: from a given position, game {index} of seed {seed}",
                                player.describe()
                            )
                        }
                        None => format!("{}: game {index} of seed {seed}", player.describe()),
                    },
                    game: player.entry.game.name,
                    player_name: player.entry.name,
                    player: built,
                    format: player.entry.game.format,
                    human: self.human,
                    recorded: None,
                    spec: player,
                })
            }
        }
    }
}

/// A player whose games begin from the position of `--position`.
fn from_position(
    built: Box<dyn Player>,
    text: &str,
    player: &PlayerSpec,
) -> Result<FromPosition, Failure> {
    let wrong = |reason: String| Failure::Usage(format!("--position: {reason}"));
    let given = GivenPosition::read(text, 1, player).map_err(wrong)?;
    let from = FromPosition::new(built.into(), given.position, 0);
    from.map_err(|error| wrong(error.to_string()))
}

/// Checks that a person can be the opponent of the player.
fn check_against_person(player: &PlayerSpec) -> Result<(), Failure> {
    if player.players() != Players::Two {
        let message = format!(
            "--human: {} is not a game of two players; `tiletune serve --open` has a page to play it yourself",
            player.entry.game.name
        );
        return Err(Failure::Usage(message));
    }
    let mut options = player.entry.options.iter();
    match options.find(|option| {
        option.scope == OptionScope::Opponents && player.options.given(option).is_some()
    }) {
        Some(option) => Err(Failure::Usage(format!(
            "the argument '--human <SIDE>' cannot be used with '--{}'",
            option.flag()
        ))),
        None => Ok(()),
    }
}

fn recorded(
    context: Context,
    run: PathBuf,
    played_by: RecordedPlayer,
    game: u32,
) -> Result<GameToShow, Failure> {
    let directory = RunDirectory::open(&run)?;
    let plan = context.kinds.plan(context.catalogue, &directory)?;
    let ShownGame {
        player,
        weights,
        record,
        title,
    } = plan.recorded_game(&directory, played_by, game)?;
    Ok(GameToShow {
        game: player.entry.game.name,
        player_name: player.entry.name,
        player: player.build(&weights).map_err(Failure::Failed)?,
        format: player.entry.game.format,
        seed: record.seed,
        title,
        human: None,
        recorded: Some(record),
        spec: player,
    })
}

/// Whether a game has the recorded result and number of moves.
fn is_same(recorded: &GameRecord, played: &GameRecord) -> bool {
    (&recorded.result, recorded.moves) == (&played.result, played.moves)
}

/// Prints the result of a game, and compares it with its record.
fn conclude(watched: &GameToShow, played: &GameRecord) -> Result<(), Failure> {
    let mut out = std::io::stdout();
    writeln!(out, "{}", facts(played))?;
    if let GameResult::Numbers(_) = played.result {
        let message =
            "a program answers with numbers: tiletune sees no board and no moves of its game";
        super::message(message);
    }
    check(watched.recorded.as_ref(), played)?;
    if watched.recorded.is_some() {
        writeln!(out, "the same as recorded")?;
    }
    Ok(())
}

fn facts(record: &GameRecord) -> String {
    let came_to = match &record.result {
        GameResult::Score {
            score,
            max_tile: Some(max_tile),
            ..
        } => format!("score {score}, largest tile {max_tile}"),
        GameResult::Score { score, .. } => format!("score {score}"),
        GameResult::Numbers(numbers) => {
            let numbers = numbers.all().map(|(name, value)| format!("{name} {value}"));
            return numbers.collect::<Vec<_>>().join(", ");
        }
        GameResult::Outcome(outcome) => format!("a {} for the program", outcome.name()),
    };
    format!("{came_to}, {} moves", record.moves)
}

/// Compares a game with its record, if it has one.
///
/// # Errors
/// If they differ.
fn check(recorded: Option<&GameRecord>, played: &GameRecord) -> Result<(), Failure> {
    let Some(recorded) = recorded.filter(|recorded| !is_same(recorded, played)) else {
        return Ok(());
    };
    Err(Failure::Failed(format!(
        "the game differs from its record: {}. The run's manifest.json names the build and the \
         processor that started it",
        facts(recorded)
    )))
}
