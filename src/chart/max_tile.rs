//! Chart: histogram of the largest tile on the hold-out games, start against tuned weights.

use std::collections::BTreeMap;

use super::endings::{Ending, figure};
use super::number::as_power;
use super::{Chart, DrawError, Figure};
use crate::record::{GameRecord, RunData};

const TITLE: &str = "Largest tile at the end of the hold-out games";

pub(super) const CHART: Chart = Chart {
    name: "max-tile",
    title: TITLE,
    about: "Share of hold-out games that ended with each largest tile, start weights against tuned \
            weights.",
    draw,
};

fn draw(data: &RunData) -> Result<Option<Figure>, DrawError> {
    let sets = [&data.hold_out_start, &data.hold_out_tuned].map(|games| count_tiles(games));
    let ending = |tile: u32| Ending {
        key: tile.to_string(),
        label: format!("{tile}\n{}", as_power(tile).unwrap_or_default()),
        games: [0, 1].map(|set: usize| sets[set].get(&tile).copied().unwrap_or(0)),
    };
    let endings: Vec<Ending> = tiles(&sets).into_iter().map(ending).collect();
    figure(data, TITLE, ("max_tile", "largest tile"), &endings)
}

/// Games by their largest tile; games without tiles are left out.
fn count_tiles(games: &[GameRecord]) -> BTreeMap<u32, u32> {
    let mut counts = BTreeMap::new();
    for game in games.iter().filter(|game| game.max_tile > 0) {
        *counts.entry(game.max_tile).or_insert(0) += 1;
    }
    counts
}

/// Every tile that occurs and, by doubling, those between that nobody stopped at.
fn tiles(sets: &[BTreeMap<u32, u32>]) -> Vec<u32> {
    let mut seen: Vec<u32> = sets.iter().flat_map(BTreeMap::keys).copied().collect();
    seen.sort_unstable();
    seen.dedup();
    let mut tiles: Vec<u32> = Vec::new();
    for tile in seen {
        while let Some(between) = tiles.last().filter(|last| tile / 2 > **last) {
            tiles.push(between * 2);
        }
        tiles.push(tile);
    }
    tiles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_between_tiles_are_filled() {
        let seen = |tiles: &[u32]| tiles.iter().map(|tile| (*tile, 1)).collect();
        assert_eq!(
            tiles(&[seen(&[128]), seen(&[1024, 256])]),
            [128, 256, 512, 1024]
        );
        assert_eq!(tiles(&[seen(&[2, 3, 12])]), [2, 3, 6, 12]);
    }
}
