//! Chart: histogram of the largest tile on the hold-out games, start against tuned weights.

use std::collections::BTreeMap;

use super::endings::{Ending, Kind, figure};
use crate::chart::Chart;
use crate::chart::figure::Figure;
use crate::chart::tiles::{Tiles, label};
use tiletune_engine::record::GameRecord;
use tiletune_tuning::results::RunData;

pub(super) const CHART: Chart = Chart {
    name: "max-tile",
    title: "Largest tile at the end of the hold-out games",
    about: "Share of hold-out games that ended with each largest tile, start weights against tuned \
            weights.",
    draw,
};

fn draw(data: &RunData) -> Option<Figure> {
    let sets = [&data.hold_out_start, &data.hold_out_tuned].map(|games| count_tiles(games));
    let ending = |tile: u32| Ending {
        key: tile.to_string(),
        label: label(tile),
        games: [0, 1].map(|set: usize| sets[set].get(&tile).copied().unwrap_or(0)),
    };
    let tiles = Tiles::spanning(sets.iter().flat_map(BTreeMap::keys).copied());
    let endings: Vec<Ending> = tiles.iter().map(ending).collect();
    let kind = Kind {
        column: "max_tile",
        axis: "largest tile",
        games_an_observation: 1,
    };
    figure(data, &kind, &endings)
}

/// Games by their largest tile; games without tiles are left out.
fn count_tiles(games: &[GameRecord]) -> BTreeMap<u32, u32> {
    let mut counts = BTreeMap::new();
    for tile in games.iter().filter_map(GameRecord::max_tile) {
        *counts.entry(tile).or_insert(0) += 1;
    }
    counts
}
