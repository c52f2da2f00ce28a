//! Defines a game that tiletune does not know and tunes its player by an ordinary campaign.
//!
//! The game is Pig for one player, over ten turns. In a turn, each roll of a die adds points at risk.
//! A 1 loses these points and ends the turn. The player may hold instead of rolling: then the points
//! at risk are banked, and the turn ends. The score is the number of banked points.
//!
//! The player holds once the points at risk reach a limit: `hold_at`, plus `per_turn` for each turn
//! left. The best limit is known: 20 in every turn. There a roll loses on average what it wins.
//!
//! ```sh
//! cargo run --release --example own_game [RUN]
//! ```

use std::path::{Path, PathBuf};
use std::{error::Error, fmt};

use tiletune::Session;
use tiletune::heuristic::Parameter;
use tiletune::player::single_player::{MoveValues, SinglePlayer, SinglePlayerGame};
use tiletune::player::{GameEntry, Player, PlayerEntry, Players, options::Options, position};
use tiletune::random::GameRng;
use tiletune::results::Verdict;
use tiletune::{Campaign, Catalogue, Control, GameRecord, GameResult, Local, Progress, Run};
use tiletune::{NullObserver, Source, Weights};

/// What the player sees.
#[derive(Clone, Copy, Debug)]
struct Position {
    turns_left: u32,
    at_risk: u32,
}

// It could say here how it looks on a screen.
impl position::Position for Position {}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Move {
    Roll,
    Hold,
}

impl fmt::Display for Move {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{self:?}")
    }
}

/// A game in progress. Its dice follow from its seed.
struct Pig {
    position: Position,
    banked: u32,
    moves: u32,
    dice: GameRng,
}

impl Pig {
    fn end_turn(&mut self) {
        self.position.at_risk = 0;
        self.position.turns_left -= 1;
    }
}

impl SinglePlayerGame for Pig {
    type Position = Position;
    type Move = Move;

    fn position(&self) -> Position {
        self.position
    }

    fn play(&mut self, chosen: Move) -> bool {
        if self.position.turns_left == 0 {
            return false;
        }
        self.moves += 1;
        match chosen {
            Move::Hold => {
                self.banked += self.position.at_risk;
                self.end_turn();
            }
            Move::Roll => match self.dice.below(6) + 1 {
                1 => self.end_turn(),
                points => self.position.at_risk += points,
            },
        }
        true
    }

    fn record(&self, seed: u64, leaf_evaluations: u64) -> GameRecord {
        GameRecord {
            seed,
            result: GameResult::scored(self.banked.into()),
            moves: self.moves,
            leaf_evaluations,
        }
    }
}

/// The player, by its two weights.
struct Holder {
    hold_at: f64,
    per_turn: f64,
}

impl Holder {
    /// The limit less the points at risk. It rolls if this is above 0.
    fn room(&self, of: Position) -> f64 {
        self.hold_at + self.per_turn * f64::from(of.turns_left) - f64::from(of.at_risk)
    }
}

impl MoveValues for Holder {
    type Game = Pig;

    fn game(&self, seed: u64) -> Pig {
        let (turns_left, at_risk) = (10, 0);
        Pig {
            position: Position {
                turns_left,
                at_risk,
            },
            banked: 0,
            moves: 0,
            dice: GameRng::new(seed),
        }
    }

    // The move with the largest value is made. After the last turn no move is legal.
    fn values(&self, position: Position) -> Vec<(Move, Option<f64>)> {
        let is_legal = position.turns_left > 0;
        let values = [(Move::Hold, 0.0), (Move::Roll, self.room(position))];
        let legal = |(of, value)| (of, is_legal.then_some(value));
        values.map(legal).into()
    }
}

pub(crate) static PIG: GameEntry =
    GameEntry::new("pig", "ten turns of Pig for one player", Players::One);

pub(crate) static HOLDER: PlayerEntry = PlayerEntry::new(
    "holder",
    &PIG,
    "holds at a number of points",
    parameters,
    holder,
);

/// The default, the least and the largest value of each weight.
fn parameters() -> Vec<Parameter> {
    let limit = "points at risk at which it holds";
    vec![
        Parameter::new("hold_at", limit, 6.0, 0.0, 60.0),
        Parameter::new("per_turn", "added for each turn left", 0.0, -5.0, 5.0),
    ]
}

fn holder(_: &Options, weights: &Weights) -> Result<Box<dyn Player>, String> {
    let [hold_at, per_turn] = [0, 1].map(|index: usize| weights.value(&parameters()[index]));
    Ok(Box::new(SinglePlayer(Holder { hold_at, per_turn })))
}

pub(crate) const CAMPAIGN: &str = r#"
why = "an example: a game from outside of the crate"
name = "pig"
seed = 0
player = { name = "holder", game = "pig" }
evaluation = { games = 500 }
optimizer = { population = 10 }
budget = { generations = 25 }
validation = { games = 2000 }
parameters = { hold_at = {}, per_turn = {} }
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let root = std::env::args_os().nth(1);
    let root = root.map_or(folder.path().join("pig"), PathBuf::from);

    // The built-in games and this one. What follows is the same for any game.
    let catalogue = Catalogue::builtin().with_game(&PIG).with_player(&HOLDER);
    let source = Source::new("own_game.rs", CAMPAIGN);
    let campaign = Campaign::resolve_with(&catalogue, &source, Path::new(""))?;
    let local = Local::new(campaign.player.clone(), None)?;
    let run = Run::begin(
        &campaign,
        &source.text,
        &root,
        Session::now(local.threads()),
    )?;
    let (progress, mut observer) = (Progress::default(), NullObserver);
    let mut control = Control::new(&progress, &mut observer);
    let outcome = run.execute(&campaign, &local, &mut control)?;

    let validation = outcome.validation.ok_or("no hold-out games were played")?;
    let (start, tuned) = (&campaign.start, &outcome.recommendation.weights);
    println!("start: {start:.2}; mean score {:.1}", validation.start.mean);
    println!("tuned: {tuned:.2}; mean score {:.1}", validation.tuned.mean);
    let difference = validation.difference;
    println!("tuned - start, paired: {:.1}", difference.mean);
    if let Some([low, high]) = difference.interval() {
        println!("95 % interval {low:.1} to {high:.1}");
    }
    assert_eq!(validation.verdict(), Verdict::Better);
    Ok(())
}
