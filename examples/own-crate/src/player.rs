//! A player of Stacks with a heuristic of four weights. It puts down the two known cards in its mind, in all ways, and
//! makes the move after which a position has the largest value.

use tiletune::Weights;
use tiletune::heuristic::Parameter;
use tiletune::player::options::Options;
use tiletune::player::single_player::{MoveValues, SinglePlayer};
use tiletune::player::{Explanation, Player, PlayerEntry};

use crate::rules::{Game, HEIGHT, MOVES, Move, Position, STACKS, cards_on};

/// Name, game, one sentence, weights, and the function that builds it.
pub static STACKER: PlayerEntry = PlayerEntry::new(
    "stacker",
    &STACKS,
    "looks two cards ahead and values positions by four terms",
    parameters,
    build,
);

/// The weights: name, meaning, default, and the bounds in which they are tuned.
fn parameters() -> Vec<Parameter> {
    let weight = |name, meaning, default| Parameter::new(name, meaning, default, -10.0, 10.0);
    vec![
        weight("room", "free places", 1.0),
        weight(
            "upside_down",
            "ranks by which cards lie on smaller ones",
            -1.0,
        ),
        weight(
            "gaps",
            "ranks missing between a card and the one on it",
            -0.5,
        ),
        weight("tops", "different cards on top", 0.5),
    ]
}

fn build(_: &Options, weights: &Weights) -> Result<Box<dyn Player>, String> {
    let known = parameters();
    let weights = known.iter().map(|known| weights.value(known)).collect();
    Ok(Box::new(SinglePlayer(Stacker { weights })))
}

/// The player: its weights, in the order of [`parameters`].
struct Stacker {
    weights: Vec<f64>,
}

impl Stacker {
    fn value(&self, position: &Position) -> f64 {
        let terms = terms(position).into_iter();
        terms
            .zip(&self.weights)
            .map(|(term, weight)| term * weight)
            .sum()
    }
}

impl MoveValues for Stacker {
    type Game = Game;

    fn game(&self, seed: u64) -> Game {
        Game::new(seed)
    }

    fn values(&self, position: Position) -> Vec<(Move, Option<f64>)> {
        // A position without a move is the worst one.
        let best_reply = |position: Position| {
            let replies = MOVES.iter().filter_map(|&reply| position.after(reply));
            let values = replies.map(|(after, _)| self.value(&after));
            values.fold(f64::NEG_INFINITY, f64::max)
        };
        let value = |chosen| position.after(chosen).map(|(after, _)| best_reply(after));
        MOVES.map(|chosen| (chosen, value(chosen))).into()
    }

    // For `advise --explain`, and *What each term gives* in the browser.
    fn explain(&self, position: Position) -> Option<Explanation<Move>> {
        let points = |of: &Position| {
            let parts = terms(of).into_iter().zip(&self.weights);
            let names = parameters().into_iter().map(|known| known.key);
            names
                .zip(parts.map(|(term, weight)| term * weight))
                .collect()
        };
        let legal = |&chosen| Some((chosen, points(&position.after(chosen)?.0)));
        Some(MOVES.iter().filter_map(legal).collect())
    }
}

/// The terms of a position, in the order of [`parameters`].
fn terms(position: &Position) -> [f64; 4] {
    let (mut room, mut upside_down, mut gaps) = (0, 0, 0);
    let mut tops = Vec::<u8>::new();
    for column in &position.columns {
        let cards = &column[..cards_on(column)];
        room += HEIGHT - cards.len();
        for pair in cards.windows(2) {
            let step = i32::from(pair[0]) - i32::from(pair[1]);
            upside_down += (-step).max(0);
            gaps += (step - 1).max(0);
        }
        tops.extend(cards.last());
    }
    tops.sort_unstable();
    tops.dedup();
    [
        room as f64,
        upside_down.into(),
        gaps.into(),
        tops.len() as f64,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiletune::{Catalogue, PlayerConfig, Stop};

    fn position(columns: [&[u8]; 4], cards: [u8; 2]) -> Position {
        let column = |cards: &[u8]| std::array::from_fn(|row| cards.get(row).copied().unwrap_or(0));
        Position {
            columns: columns.map(column),
            cards,
        }
    }

    #[test]
    fn equal_cards_merge_down_the_column() {
        let before = position([&[9, 3, 2, 1], &[], &[], &[]], [1, 5]);
        let (after, points) = before.after(Move(0)).unwrap();
        assert_eq!(after.columns[0], [9, 4, 0, 0, 0, 0, 0, 0]);
        assert_eq!(points, 4 + 8 + 16);
    }

    #[test]
    fn a_full_column_takes_only_an_equal_card() {
        let before = position([&[1, 2, 1, 2, 1, 2, 1, 2], &[], &[], &[]], [2, 5]);
        assert!(before.after(Move(0)).is_some());
        let before = Position {
            cards: [3, 5],
            ..before
        };
        assert!(before.after(Move(0)).is_none());
    }

    #[test]
    fn terms_are_counted() {
        // Free places; 5 on 4; 3 missing between 4 and 2, and 3 and 2 between 4 and 1.
        let of = position([&[4, 5], &[4, 2], &[4, 1], &[1]], [1, 1]);
        assert_eq!(terms(&of), [25.0, 1.0, 3.0, 3.0]);
    }

    #[test]
    fn a_game_is_the_same_each_time() {
        let catalogue = Catalogue::new([&STACKS], [&STACKER]);
        let spec = catalogue
            .player(&PlayerConfig::new("stacker", None))
            .unwrap();
        let player = spec.build(&Weights::default()).unwrap();
        let game = player.play(7, Stop::never()).unwrap();
        assert!(game.moves > 30 && game.score() > Some(100));
        assert_eq!(player.play(7, Stop::never()).unwrap(), game);
    }
}
