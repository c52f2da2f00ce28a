//! The rules of Stacks, a solitaire with the cards 2, 4, 8, 16, 32 and 64.
//!
//! Each card goes on one of four columns, and the next card is known. A card on an equal one merges with it to a card
//! of twice the value, which can merge with the one below, and so on. A merge scores the value of its new card. A column
//! holds eight cards. The game ends when no column takes the card.

use std::fmt;

use serde::{Deserialize, Serialize};
use tiletune::player::interactive::{
    Control, InteractiveGame, Motion, SinglePlayerInteractive, seed_needed,
};
use tiletune::player::options::Options;
use tiletune::player::single_player::SinglePlayerGame;
use tiletune::player::view::{Cell, Grid};
use tiletune::player::{Format, GameEntry, Players, PositionError, position};
use tiletune::random::GameRng;
use tiletune::{GameRecord, GameResult};

/// Name, one sentence, number of players. The other fields are not needed to tune: which numbers are cards, for charts
/// and for objectives as `share-reaching-1024`; positions as JSON; games in the browser.
pub static STACKS: GameEntry = GameEntry {
    is_tile: |number| number > 1 && number.is_power_of_two(),
    format: Format::of::<Position>(),
    start_interactive: Some(start_interactive),
    ..GameEntry::new(
        "stacks",
        "cards on four columns; equal ones merge",
        Players::One,
    )
};

pub const HEIGHT: usize = 8;

/// The cards of a column from below, by rank: 1 is the card 2, 2 is the card 4; 0 is a free place.
pub type Column = [u8; HEIGHT];

/// Cards of a higher rank cannot occur: four columns have no room for what they would be merged from.
const MAX_RANK: u8 = 40;

/// What the player sees.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    pub columns: [Column; 4],
    /// The rank of the card to put down, and that of the card after it.
    pub cards: [u8; 2],
}

/// Puts the card on a column, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move(pub usize);

pub const MOVES: [Move; 4] = [Move(0), Move(1), Move(2), Move(3)];

impl fmt::Display for Move {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{}", self.0 + 1)
    }
}

pub fn cards_on(column: &Column) -> usize {
    column.iter().take_while(|&&card| card > 0).count()
}

impl Position {
    /// The position after the first card is put on a column, with an unknown card (0) behind the second, and the
    /// points for the merges. `None` if the column is full.
    pub fn after(mut self, Move(chosen): Move) -> Option<(Position, u64)> {
        let column = &mut self.columns[chosen];
        let (mut card, mut points) = (self.cards[0], 0);
        let mut height = cards_on(column);
        while height > 0 && column[height - 1] == card {
            height -= 1;
            column[height] = 0;
            card += 1;
            points += value(card);
        }
        *column.get_mut(height)? = card;
        self.cards = [self.cards[1], 0];
        Some((self, points))
    }
}

/// The value of a card by its rank; 0 for a free place.
fn value(rank: u8) -> u64 {
    if rank == 0 { 0 } else { 1 << rank }
}

// How it looks in the terminal and in the browser, and which positions a user may ask for.
impl position::Position for Position {
    fn grid(&self) -> Grid {
        let rows = (0..HEIGHT).rev();
        let cards = rows.flat_map(|row| self.columns.iter().map(move |column| column[row]));
        Grid {
            columns: self.columns.len(),
            cells: cards.map(cell).collect(),
            footer: MOVES.iter().map(Move::to_string).collect(),
            frame: [90, 90, 100],
        }
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        let [card, next] = self.cards.map(value);
        vec![("card", card), ("next_card", next)]
    }

    fn check(&self) -> Result<(), String> {
        let mut cards = self.columns.iter().flatten().chain(&self.cards);
        if let Some(card) = cards.find(|&&card| card > MAX_RANK) {
            return Err(format!(
                "{card} is no rank of a card: 0 (none) to {MAX_RANK}"
            ));
        }
        if self.cards.contains(&0) {
            return Err("`cards` has the ranks of the next two cards, from 1".to_owned());
        }
        let has_gap = |column: &Column| column[cards_on(column)..].iter().any(|&card| card > 0);
        match self.columns.iter().position(has_gap) {
            Some(number) => Err(format!(
                "column {} has a free place below a card",
                number + 1
            )),
            None => Ok(()),
        }
    }
}

fn cell(rank: u8) -> Cell {
    let ground = match rank {
        0 => [55, 55, 62],
        rank => [250, 245 - 14 * rank.min(12), 220 - 17 * rank.min(12)],
    };
    Cell {
        text: match rank {
            0 => String::new(),
            rank => value(rank).to_string(),
        },
        ground,
        ink: [20, 20, 20],
    }
}

/// A game in progress. Its cards follow from its seed, whatever the moves are.
#[derive(Clone)]
pub struct Game {
    position: Position,
    score: u64,
    moves: u32,
    rng: GameRng,
}

impl Game {
    pub fn new(seed: u64) -> Self {
        let mut rng = GameRng::new(seed);
        let cards = [draw(&mut rng), draw(&mut rng)];
        Game {
            position: Position {
                columns: Default::default(),
                cards,
            },
            score: 0,
            moves: 0,
            rng,
        }
    }
}

/// The rank of a random card: 2 to 64.
fn draw(rng: &mut GameRng) -> u8 {
    1 + rng.below(6) as u8
}

impl SinglePlayerGame for Game {
    type Position = Position;
    type Move = Move;

    fn position(&self) -> Position {
        self.position
    }

    fn play(&mut self, chosen: Move) -> bool {
        let Some((mut position, points)) = self.position.after(chosen) else {
            return false;
        };
        position.cards[1] = draw(&mut self.rng);
        self.position = position;
        self.score += points;
        self.moves += 1;
        true
    }

    fn record(&self, seed: u64, leaf_evaluations: u64) -> GameRecord {
        let cards = self.position.columns.iter().flatten();
        let largest = cards.copied().max().map_or(0, value);
        GameRecord {
            seed,
            result: GameResult::scored_with_tile(self.score, largest as u32),
            moves: self.moves,
            leaf_evaluations,
        }
    }
}

fn start_interactive(
    _: &Options,
    seed: Option<u64>,
) -> Result<Box<dyn InteractiveGame>, PositionError> {
    let game = Game::new(seed.ok_or_else(seed_needed)?);
    // What moved is not shown as an animation.
    let motion = |_, _, _| Motion::default();
    let game = SinglePlayerInteractive::new(game, &MOVES, Control::Columns, motion);
    Ok(Box::new(game))
}
