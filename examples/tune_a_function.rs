//! Tunes the arguments of a noisy function instead of the weights of a player: an `Evaluator` of its own
//! takes the place of the games. Prints a line of JSON for each generation: the number of evaluations so
//! far, and the true value of the function at the mean of the search distribution.
//!
//! ```sh
//! cargo run --release --example tune_a_function -- sphere budget.games=20000 seed=1
//! ```
//!
//! The functions have ten arguments between 0 and 1. Their true values are between 0 and 1, which is the
//! value at the optimum. An evaluation multiplies the true value with a random number, uniform between 0
//! and 2: about the noise of a score of 2048.

use std::error::Error;
use std::path::Path;

use tiletune::evaluation::{Order, Sink, SinkClosed};
use tiletune::heuristic::Parameter;
use tiletune::player::position::{Position, PositionError};
use tiletune::player::{Analysis, GameEntry, Player, PlayerEntry, Players, Session as GameSession};
use tiletune::random::{GameRng, fold};
use tiletune::results::GenerationRow;
use tiletune::{Batch, Campaign, Catalogue, Control, EvaluationError, Evaluator, GameRecord};
use tiletune::{GameResult, Observer, Only, Progress, Run, Session, Source, Stop, Weights};

const ARGUMENTS: [&str; 10] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];

/// A true value of 1 is this score, since scores are whole numbers.
const ONE: f64 = 1e6;

/// Where every argument starts.
const START: f64 = 0.2;

type Function = fn(&[f64]) -> f64;

/// The loss of each function, 0 at the optimum. The true value is `exp(-loss)`.
const FUNCTIONS: [(&str, Function); 3] = [
    ("sphere", |x| {
        x.iter().map(|x| 0.6 * (x - 0.7).powi(2)).sum()
    }),
    // The weights of the squares go from 0.03 to 3.
    ("ellipsoid", |x| {
        let squares = x.iter().enumerate();
        squares
            .map(|(index, x)| 0.03 * 10f64.powf(index as f64 / 4.5) * (x - 0.7).powi(2))
            .sum()
    }),
    // A bent valley: each argument should be the square of the one before, the first one 0.9.
    ("valley", |x| {
        let bends = x.windows(2).map(|pair| (pair[1] - pair[0].powi(2)).powi(2));
        3.0 * bends.sum::<f64>() + (x[0] - 0.9).powi(2)
    }),
];

static GAME: GameEntry = GameEntry::new("function", "a noisy function", Players::One);

static ENTRY: PlayerEntry = PlayerEntry::new(
    "function",
    &GAME,
    "has arguments to tune",
    || {
        let argument = |&key: &&str| Parameter::new(key, "an argument", START, 0.0, 1.0);
        ARGUMENTS.iter().map(argument).collect()
    },
    |_, _| Ok(Box::new(Arguments)),
);

/// Any arguments can be used. The evaluator computes the function, so that no game is played.
struct Arguments;

impl Player for Arguments {
    fn play(&self, _: u64, _: Stop) -> Option<GameRecord> {
        None
    }

    fn begin<'a>(&'a self, _: u64, _: Stop<'a>) -> Box<dyn GameSession + 'a> {
        unreachable!("the evaluator plays no games")
    }

    fn analyze(
        &self,
        _: &dyn Position,
        _: u64,
        _: Stop,
    ) -> Result<Option<Analysis>, PositionError> {
        Ok(None)
    }
}

struct Noisy(Function);

impl Noisy {
    fn true_value(&self, arguments: &[f64]) -> f64 {
        (-(self.0)(arguments)).exp()
    }
}

impl Evaluator for Noisy {
    fn play(
        &self,
        _: Order,
        candidates: &[Weights],
        seeds: &[u64],
        progress: &Progress,
        sink: &mut Sink,
    ) -> Result<(), EvaluationError<SinkClosed>> {
        for (candidate, weights) in candidates.iter().enumerate() {
            let arguments = ARGUMENTS.map(|key| weights.get(key).unwrap_or(START));
            let value = self.true_value(&arguments);
            // Each candidate has noise of its own on a seed.
            let of = arguments.iter().fold(0, |hash, x| fold(hash, x.to_bits()));
            let evaluation = |&seed: &u64| {
                let noise = f64::from(GameRng::new(fold(of, seed)).below(1 << 20));
                GameRecord {
                    seed,
                    result: GameResult::scored((ONE * value * noise / f64::from(1 << 19)) as u64),
                    moves: 1,
                    leaf_evaluations: 1,
                }
            };
            let games: Vec<GameRecord> = seeds.iter().map(evaluation).collect();
            progress.add_games(games.len() as u64);
            sink(Batch {
                candidate,
                first_game: 0,
                games: &games,
            })?;
        }
        Ok(())
    }
}

/// Prints the generations.
struct Printer<'a> {
    function: &'a Noisy,
    evaluations: u64,
}

impl Observer for Printer<'_> {
    fn generation_ends(&mut self, row: &GenerationRow) {
        self.evaluations += u64::from(row.population) * u64::from(row.games);
        let (games, value) = (self.evaluations, self.function.true_value(&row.center));
        println!(r#"{{"games":{games},"value":{value:.5}}}"#);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut given = std::env::args().skip(1);
    let name = given.next().unwrap_or("sphere".into());
    let known = FUNCTIONS.iter().find(|(known, _)| *known == name);
    let function = Noisy(
        known
            .ok_or("the functions are sphere, ellipsoid and valley")?
            .1,
    );
    let mut text = String::from(
        r#"
        why = "an example: a function instead of games"
        name = "function"
        seed = 1
        player = { name = "function", game = "function" }
        budget = { games = 20000 }
        validation = { games = 0 }
        "#,
    );
    for key in ARGUMENTS {
        text += &format!("[parameters.{key}]\n");
    }
    // Further arguments are settings as in `tiletune tune --set`.
    let source = Source::new("tune_a_function.rs", text);
    let source = source.with_settings(&given.collect::<Vec<_>>())?;
    let catalogue = Catalogue::builtin().with_game(&GAME).with_player(&ENTRY);
    let campaign = Campaign::resolve_with(&catalogue, &source, Path::new(""))?;
    let folder = tempfile::tempdir()?;
    let run = Run::begin(
        &campaign,
        &source.text,
        &folder.path().join("run"),
        Session::now(1),
    )?;
    let (progress, mut printer) = (
        Progress::default(),
        Printer {
            function: &function,
            evaluations: 0,
        },
    );
    run.execute(
        &campaign,
        &Only::new(&campaign.player, &function),
        &mut Control::new(&progress, &mut printer),
    )?;
    Ok(())
}
