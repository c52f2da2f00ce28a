//! The random tiles of a game: which tiles appear, and how often.

use std::fmt;
use std::str::FromStr;

use crate::games::sliding::MAX_RANK;
pub use crate::games::sliding::chance::MOST_TILES;

/// Probabilities are whole numbers of this part of 1, so that means over random tiles are exact.
const UNIT: u32 = 1_000_000;

/// A random tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpawnTile {
    /// Rank of the tile: 1 for a 2, 2 for a 4.
    pub rank: u8,
    /// Its probability times [`Spawn::total`].
    pub weight: u32,
    /// A tile of at least this rank appears if the 32 random bits are below this number.
    below: u64,
}

/// The random tiles of a game, each with its probability.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Spawn {
    tiles: [SpawnTile; MOST_TILES],
    count: u8,
    total: u32,
}

/// The reason why there is no [`Spawn`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpawnError {
    /// The text does not have the form of a spawn.
    #[error("`{0}` is not a tile and its probability: write such as 2:0.9,4:0.1")]
    Text(String),
    /// A number is not a tile.
    #[error("{0} is not a tile: a power of 2 from 2 to {most}", most = 1u32 << MAX_RANK)]
    Tile(String),
    /// A tile occurs twice.
    #[error("the tile {0} is there twice")]
    Twice(u64),
    /// A number is not a probability.
    #[error(
        "the probability of {tile} is {probability}: it must be from 0 to 1, with at most six digits after the point"
    )]
    Probability {
        /// The tile.
        tile: u64,
        /// The number.
        probability: f64,
    },
    /// The probabilities do not add up to 1.
    #[error("the probabilities of the random tiles add up to {0}, not to 1")]
    Sum(f64),
    /// There are too many different tiles.
    #[error("{0} different random tiles: at most {MOST_TILES}")]
    Many(usize),
}

impl Spawn {
    /// The random tiles of 2048: a 2 (probability 0.9) or a 4 (0.1).
    pub const USUAL: Spawn = Spawn::of_weights(&[(1, 9), (2, 1)]);

    /// The random tiles with these probabilities, given as pairs of a tile and its probability. A tile of
    /// probability 0 is left out.
    ///
    /// # Errors
    /// If a tile or a probability is not allowed, or if the probabilities do not add up to 1.
    pub fn new(tiles: impl IntoIterator<Item = (u64, f64)>) -> Result<Self, SpawnError> {
        let mut weights: Vec<(u8, u32)> = Vec::new();
        for (tile, probability) in tiles {
            let rank = tile.checked_ilog2().unwrap_or(0);
            if !tile.is_power_of_two() || !(1..=u32::from(MAX_RANK)).contains(&rank) {
                return Err(SpawnError::Tile(tile.to_string()));
            }
            if weights.iter().any(|(known, _)| u32::from(*known) == rank) {
                return Err(SpawnError::Twice(tile));
            }
            let scaled = probability * f64::from(UNIT);
            let is_whole = (scaled - scaled.round()).abs() < 1e-6;
            if !(0.0..=1.0).contains(&probability) || !is_whole {
                return Err(SpawnError::Probability { tile, probability });
            }
            weights.push((rank as u8, scaled.round() as u32));
        }
        let sum: u64 = weights.iter().map(|(_, weight)| u64::from(*weight)).sum();
        if sum != u64::from(UNIT) {
            return Err(SpawnError::Sum(sum as f64 / f64::from(UNIT)));
        }
        weights.retain(|(_, weight)| *weight > 0);
        if weights.len() > MOST_TILES {
            return Err(SpawnError::Many(weights.len()));
        }
        weights.sort_unstable();
        let divisor = weights
            .iter()
            .fold(0, |so_far, (_, weight)| common(so_far, *weight));
        for (_, weight) in &mut weights {
            *weight /= divisor;
        }
        Ok(Spawn::of_weights(&weights))
    }

    /// The random tiles with these ranks, in ascending order, and weights, which must not be 0.
    const fn of_weights(weights: &[(u8, u32)]) -> Self {
        let nothing = SpawnTile {
            rank: 0,
            weight: 0,
            below: 0,
        };
        let mut tiles = [nothing; MOST_TILES];
        let (mut total, mut at) = (0, 0);
        while at < weights.len() {
            total += weights[at].1;
            at += 1;
        }
        let mut larger: u64 = 0;
        while at > 0 {
            at -= 1;
            let (rank, weight) = weights[at];
            larger += weight as u64;
            let below = (larger << 32) / total as u64;
            tiles[at] = SpawnTile {
                rank,
                weight,
                below,
            };
        }
        Spawn {
            tiles,
            count: weights.len() as u8,
            total,
        }
    }

    /// The random tiles, in the order of their ranks.
    #[inline(always)]
    pub fn tiles(&self) -> &[SpawnTile] {
        &self.tiles[..usize::from(self.count)]
    }

    /// The sum of all weights.
    #[inline(always)]
    pub fn total(&self) -> u32 {
        self.total
    }

    /// The probability of a random tile.
    pub fn probability(&self, tile: &SpawnTile) -> f64 {
        f64::from(tile.weight) / f64::from(self.total)
    }

    /// The rank of the random tile for 32 random bits.
    #[inline(always)]
    pub fn rank(&self, bits: u32) -> u8 {
        let mut tiles = self.tiles().iter().rev();
        // The bits are always below the number of the smallest tile.
        let chosen = tiles.find(|tile| u64::from(bits) < tile.below);
        chosen.map_or(self.tiles[0].rank, |tile| tile.rank)
    }
}

/// The greatest common divisor.
fn common(one: u32, other: u32) -> u32 {
    match other {
        0 => one,
        _ => common(other, one % other),
    }
}

/// The form of the command line, such as `2:0.9,4:0.1`.
impl fmt::Display for Spawn {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        for (number, tile) in self.tiles().iter().enumerate() {
            let comma = if number == 0 { "" } else { "," };
            let probability = self.probability(tile);
            write!(formatter, "{comma}{}:{probability}", 1u32 << tile.rank)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Spawn {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "Spawn({self})")
    }
}

impl FromStr for Spawn {
    type Err = SpawnError;

    fn from_str(text: &str) -> Result<Self, SpawnError> {
        let tile = |part: &str| {
            let refused = || SpawnError::Text(part.trim().to_owned());
            let (tile, probability) = part.split_once([':', '=']).ok_or_else(refused)?;
            let tile = tile.trim().parse().map_err(|_| refused())?;
            let probability = probability.trim().parse().map_err(|_| refused())?;
            Ok((tile, probability))
        };
        let tiles: Result<Vec<(u64, f64)>, SpawnError> = text.split(',').map(tile).collect();
        Spawn::new(tiles?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spawns_are_read_and_written() {
        for (text, written, total) in [
            ("2:0.9,4:0.1", "2:0.9,4:0.1", 10),
            ("4:0.1, 2:0.90", "2:0.9,4:0.1", 10),
            ("2=0.8,4=0.15,8=0.05", "2:0.8,4:0.15,8:0.05", 20),
            ("2:1", "2:1", 1),
            ("2:1,4:0", "2:1", 1),
            ("2:0.333333,4:0.666667", "2:0.333333,4:0.666667", 1_000_000),
        ] {
            let spawn: Spawn = text.parse().unwrap();
            assert_eq!(
                (spawn.to_string(), spawn.total()),
                (written.to_owned(), total)
            );
            assert_eq!(spawn.to_string().parse(), Ok(spawn));
        }
        assert_eq!("2:0.9,4:0.1".parse(), Ok(Spawn::USUAL));
        for (text, said) in [
            ("", "is not a tile and its probability"),
            ("2", "is not a tile and its probability"),
            ("2:a", "is not a tile and its probability"),
            ("3:1", "3 is not a tile"),
            ("1:1", "1 is not a tile"),
            ("65536:1", "65536 is not a tile"),
            ("2:0.5,2:0.5", "2 is there twice"),
            ("2:0.9", "add up to 0.9, not to 1"),
            ("2:1.5", "must be from 0 to 1"),
            ("2:-0.5,4:1.5", "must be from 0 to 1"),
            ("2:NaN", "must be from 0 to 1"),
            ("2:0.3333333,4:0.6666667", "at most six digits"),
        ] {
            let error = text.parse::<Spawn>().unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn random_bits_choose_tiles_as_often_as_said() {
        // The rule of 2048 as it was before there were others: a 4 below a tenth of all numbers.
        let four_below = (0.1 * 4_294_967_296.0) as u32;
        for bits in [0, four_below - 1, four_below, u32::MAX] {
            let expected = if bits < four_below { 2 } else { 1 };
            assert_eq!(Spawn::USUAL.rank(bits), expected);
        }
        let spawn: Spawn = "2:0.8,4:0.15,16:0.05".parse().unwrap();
        let mut counts = [0_u32; 5];
        let number = 1 << 16;
        for sample in 0..number {
            counts[usize::from(spawn.rank(sample << 16))] += 1;
        }
        for tile in spawn.tiles() {
            let expected = spawn.probability(tile) * f64::from(number);
            assert!((f64::from(counts[usize::from(tile.rank)]) - expected).abs() < 2.0);
        }
        assert_eq!(counts.iter().sum::<u32>(), number);
    }
}
