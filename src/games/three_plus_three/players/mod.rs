//! The players of 3+3, and what they share: positions as `advise` reads them, and one way of playing,
//! watching and asking them.
//!
//! In: as for 2048, and the tile to come, `"next": 1` or `2`. Out: as for 2048; the values of the
//! freedom players are `[largest tile, freedom]`.

mod expectimax;
mod random;

pub use expectimax::EXPECTIMAX;
pub use random::RANDOM;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::games::sliding::Stepped;
use crate::games::sliding::rows::MAX_RANK;
use crate::games::sliding::solitaire::Policy;
use crate::games::sliding::{Opinion, board_of};
use crate::games::three_plus_three::rules;
use crate::games::three_plus_three::rules::{Game, Position, rank_of, tile_of};
use crate::player::Player;
use crate::player::advice::NotAPosition;
use crate::player::playing::{Playing, Shown};
use crate::player::view::Grid;
use crate::record::GameRecord;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    board: Vec<Value>,
    next: u8,
    #[serde(default)]
    seed: u64,
}

/// A position, and the seed of what a player draws by lot.
fn parse(text: &str) -> Result<(Position, u64), NotAPosition> {
    let Wire { board, next, seed } =
        serde_json::from_str(text).map_err(|error| NotAPosition(error.to_string()))?;
    if ![1, 2].contains(&next) {
        return Err(NotAPosition(format!("next {next} is neither 1 nor 2")));
    }
    let allowed = format!("1, 2 or 3·2^k up to {}", tile_of(MAX_RANK));
    let board = board_of(&board, rank_of, &allowed)?;
    Ok((Position { board, next }, seed))
}

impl Shown for Position {
    fn wire(&self) -> Map<String, Value> {
        let pairs = [("board", json!(self.tiles())), ("next", json!(self.next))];
        Map::from_iter(pairs.map(|(key, value)| (key.to_owned(), value)))
    }

    fn grid(&self) -> Grid {
        Position::grid(*self)
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        vec![("next", self.next.into())]
    }
}

/// What sets players apart: how they search, and what they say of a position.
pub(in crate::games::three_plus_three) trait Mind:
    Send + Sync
{
    /// A search that lasts as long as a game.
    type Search<'a>: Policy<Position>
    where
        Self: 'a;

    /// The search for the game that `seed` names.
    fn search(&self, seed: u64) -> Self::Search<'_>;

    /// What it thinks of a position; chooses as the search does.
    fn opinion(&self, search: &mut Self::Search<'_>, position: Position) -> Opinion;

    /// See [`Player::play`].
    fn play(&self, seed: u64) -> GameRecord {
        rules::play(seed, &mut self.search(seed))
    }
}

/// A player with such a mind.
pub(in crate::games::three_plus_three) struct Solo<M>(pub M);

impl<M: Mind> Player for Solo<M> {
    fn play(&self, seed: u64) -> GameRecord {
        self.0.play(seed)
    }

    fn begin(&self, seed: u64) -> Box<dyn Playing + '_> {
        let opinion = |search: &mut M::Search<'_>, position| self.0.opinion(search, position);
        let search = self.0.search(seed);
        Box::new(Stepped::new(seed, Game::new(seed), search, opinion))
    }

    fn advise(&self, position: &str) -> Result<Value, NotAPosition> {
        let (position, seed) = parse(position)?;
        Ok(self.0.opinion(&mut self.0.search(seed), position).answer())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_legal_positions_are_taken() {
        let line = |tile: &str, next: &str| {
            format!(r#"{{"board":[0,1,2,{tile},0,0,0,0,0,0,0,0,0,0,0,12288],"next":{next}}}"#)
        };
        let (position, seed) = parse(&line("3", "2")).unwrap();
        assert_eq!(position.tiles()[..4], [0, 1, 2, 3]);
        assert_eq!((position.next, seed), (2, 0));
        for (tile, next, said) in [
            (
                "4",
                "1",
                "4 is no tile: 0 (empty) or 1, 2 or 3·2^k up to 12288",
            ),
            ("24576", "1", "24576 is no tile"),
            ("-1", "1", "-1 is no tile"),
            ("3", "3", "next 3 is neither 1 nor 2"),
            ("3", "0", "next 0 is neither 1 nor 2"),
            ("3", "null", "invalid type"),
        ] {
            let error = parse(&line(tile, next)).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
        let without_next = r#"{"board":[0,1,2,3,0,0,0,0,0,0,0,0,0,0,0,0]}"#;
        assert!(parse(without_next).is_err());
    }
}
