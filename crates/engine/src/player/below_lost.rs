//! Checks whether a user's heuristic gives many positions a value below the value of a lost position.

use super::depth::Depth;
use super::{Extension, MoveValue, PlayerSpec};
use crate::heuristic::weights::Weights;
use crate::stop::Stop;

/// The seed of the sampled game.
const SEED: u64 = 1;

/// Largest number of sampled positions.
const MOST_POSITIONS: u32 = 1000;

/// If a larger share of positions is below the value of a lost position, the search is misled.
const MANY: f64 = 0.05;

/// The number of positions of a game, and of those whose value is below that of a lost position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BelowLost {
    /// Number of positions whose value is below that of a lost position.
    pub below: u32,
    /// Number of all sampled positions.
    pub positions: u32,
}

/// Plays one game without look-ahead, with a heuristic of the user, and counts the positions whose static value
/// is below that of a lost position. A search gives such positions at least the value of a lost one, so it does
/// not avoid losing. Returns `None` if such positions are rare. Returns `None` also for players without such a
/// search: at depth 0 a player does not see lost positions.
pub fn many_below_lost(player: &PlayerSpec, weights: &Weights) -> Option<BelowLost> {
    let Extension::Heuristic(heuristic) = player.extension()? else {
        return None;
    };
    let lost = heuristic.value_of_lost()?;
    if player.depth()? == Depth::Fixed(0) {
        return None;
    }
    let player = player.with_depth(Depth::Fixed(0))?.build(weights).ok()?;
    let mut game = player.begin(SEED, Stop::never());
    let mut found = BelowLost {
        below: 0,
        positions: 0,
    };
    while let Some(step) = game.step() {
        if step.ended.is_some() || found.positions == MOST_POSITIONS {
            break;
        }
        if let Some(MoveValue::One(value)) = step.analysis.evaluation {
            found.positions += 1;
            found.below += u32::from(value < lost);
        }
    }
    let is_many = f64::from(found.below) > MANY * f64::from(found.positions);
    is_many.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::{Catalogue, PlayerConfig};

    /// The result for a heuristic with these terms, given as name, expression and weight.
    fn found(game: &str, terms: &[(&str, &str, f64)], depth: Depth) -> Option<BelowLost> {
        let catalogue = Catalogue::builtin();
        let player = catalogue.player(&PlayerConfig::new("expectimax", Some(game)));
        let terms = terms.iter().map(|(name, value, weight)| {
            format!(
                "[[term]]\nname = '{name}'\ndoc = 'x'\nvalue = '{value}'\n\
                 weight = {{ default = {weight:?}, min = -1e6, max = 1e6 }}\n"
            )
        });
        let text = format!("about = 'x'\n{}", terms.collect::<String>());
        let table: toml::Table = toml::from_str(&text).unwrap();
        let player = player.unwrap().with_heuristic(&table).unwrap();
        many_below_lost(&player.with_depth(depth).unwrap(), &Weights::default())
    }

    #[test]
    fn values_below_that_of_a_lost_board_are_found() {
        const EMPTY: (&str, &str, f64) = ("empty", "count(cells where r == 0)", 100.0);
        const TILES: (&str, &str, f64) = ("tiles", "-sum(cells, r)", 300.0);
        const LOST: (&str, &str, f64) = ("lost_penalty", "1", 1e5);
        for game in ["2048", "three-plus-three"] {
            let [deep, deeper] = [2, 3].map(Depth::Fixed);
            assert_eq!(found(game, &[EMPTY], deep), None);
            let negative = found(game, &[EMPTY, TILES], deep).unwrap();
            assert!(negative.below > 10 && negative.below <= negative.positions);
            assert!(negative.positions <= MOST_POSITIONS);
            assert_eq!(found(game, &[EMPTY, TILES], deeper), Some(negative));
            assert_eq!(found(game, &[EMPTY, TILES, LOST], deep), None);
            let at_once = Depth::Fixed(0);
            assert_eq!(found(game, &[EMPTY, TILES], at_once), None);
        }
    }

    #[test]
    fn it_says_nothing_of_players_with_their_own_terms() {
        let player = Catalogue::builtin().player(&PlayerConfig::new("expectimax", None));
        let weights = Weights::default();
        assert_eq!(many_below_lost(&player.unwrap(), &weights), None);
    }
}
