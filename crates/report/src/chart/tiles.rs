//! The largest tiles of games as an axis, for games whose tiles double.

use std::collections::BTreeSet;

use super::axis::Axis;
use crate::number::as_power;

/// Every tile that occurs, and the tiles between them by doubling; ascending. Empty for games without tiles.
pub(super) struct Tiles(Vec<u32>);

impl Tiles {
    /// The range of the tiles that occur.
    pub(super) fn spanning(seen: impl IntoIterator<Item = u32>) -> Self {
        let seen: BTreeSet<u32> = seen.into_iter().filter(|tile| *tile > 0).collect();
        let mut tiles: Vec<u32> = Vec::new();
        for tile in seen {
            while let Some(between) = tiles.last().filter(|last| tile / 2 > **last) {
                tiles.push(between * 2);
            }
            tiles.push(tile);
        }
        Tiles(tiles)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().copied()
    }

    /// Place of a tile on the axis. Tiles are 1 apart.
    pub(super) fn place(&self, tile: u32) -> f64 {
        self.0.partition_point(|other| *other < tile) as f64
    }

    /// The axis; see [`label`].
    pub(super) fn axis(&self, title: &str) -> Axis {
        Axis::named(title, self.iter().map(label).collect())
    }

    /// The axis in log2 of the tile, with or without the tile itself. If a tile is not a power of 2, the axis of
    /// [`Tiles::axis`].
    pub(super) fn log2_axis(&self, with_tiles: bool) -> Axis {
        if !self.0.iter().all(|tile| tile.is_power_of_two()) {
            return self.axis("largest tile");
        }
        let name = |tile: u32| {
            if with_tiles {
                format!("{}\n{tile}", tile.ilog2())
            } else {
                tile.ilog2().to_string()
            }
        };
        let title = if with_tiles {
            "log2 of the largest tile, and the tile"
        } else {
            "log2 of the largest tile"
        };
        Axis::named(title, self.iter().map(name).collect())
    }
}

/// A tile, and below it its number of doublings.
fn label(tile: u32) -> String {
    format!("{tile}\n{}", as_power(tile).unwrap_or_default())
}

/// log2 of a tile, as in the table of a chart: an integer for a power of 2.
pub(super) fn log2(tile: u32) -> f64 {
    f64::from(tile).log2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_between_tiles_are_filled() {
        let tiles = |seen: &[u32]| Tiles::spanning(seen.iter().copied()).0;
        assert_eq!(tiles(&[128, 1024, 256]), [128, 256, 512, 1024]);
        assert_eq!(tiles(&[384, 3072, 384]), [384, 768, 1536, 3072]);
        assert_eq!(tiles(&[0, 2, 3, 12]), [2, 3, 6, 12]);
        assert!(Tiles::spanning([0]).is_empty());
        let tiles = Tiles::spanning([96, 768]);
        assert_eq!(
            [96, 192, 768].map(|tile| tiles.place(tile)),
            [0.0, 1.0, 3.0]
        );
    }

    #[test]
    fn log2_is_whole_where_a_tile_is_a_power_of_2() {
        for rank in 0..16 {
            assert_eq!(log2(1 << rank), f64::from(rank));
        }
    }
}
