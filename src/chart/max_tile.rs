//! Chart: histogram of the largest tile on the hold-out games, start against tuned weights.

use std::collections::BTreeMap;

use plotters::style::Color;
use plotters::style::text_anchor::HPos;

use super::axis::Axis;
use super::legend::{Legend, Mark};
use super::number::{as_power, grouped};
use super::page::{self, Drawn, Label, Layout, Page};
use super::palette::{INK, START, TUNED};
use super::panel::Panel;
use super::table::{Table, cell};
use super::{Chart, DrawError, Figure, caption};
use crate::record::{GameRecord, RunData};
use crate::stats::intervals::{Interval, wilson_interval};

const TITLE: &str = "Largest tile at the end of the hold-out games";

pub(super) const CHART: Chart = Chart {
    name: "max-tile",
    title: TITLE,
    about: "Share of hold-out games that ended with each largest tile, start weights against tuned \
            weights.",
    draw,
};

/// Width of a bar; a tile is 1 wide.
const BAR: f64 = 0.38;
/// Above this many tiles the shares in figures would collide.
const LABELLED_TILES: usize = 11;

/// The share of games that ended with a tile, and its 95 % interval.
struct Share {
    games: u32,
    share: f64,
    low: f64,
    high: f64,
}

fn draw(data: &RunData) -> Result<Option<Figure>, DrawError> {
    let sets = [
        count_tiles(&data.hold_out_start),
        count_tiles(&data.hold_out_tuned),
    ];
    let tiles = tiles(&sets);
    if sets.iter().any(BTreeMap::is_empty) || tiles.iter().all(|tile| *tile == 0) {
        return Ok(None);
    }
    let [start, tuned] = sets.map(|counts| shares(&counts, &tiles));
    let layout = Layout {
        title: TITLE,
        legend: vec![
            Legend::new(Mark::Area, START, "start weights"),
            Legend::new(Mark::Area, TUNED, "tuned weights"),
            Legend::new(Mark::Line, INK, "95 % interval (Wilson)"),
        ],
        caption: caption::of_hold_out(data),
        body_height: 420.0,
    };
    let svg = page::draw(&layout, |page| draw_panel(page, &tiles, &start, &tuned))?;
    let mut table = Table::new(["weights", "max_tile", "games", "share", "low", "high"]);
    for (name, shares) in [("start", &start), ("tuned", &tuned)] {
        for (
            tile,
            Share {
                games,
                share,
                low,
                high,
            },
        ) in tiles.iter().zip(shares)
        {
            let numbers = [*share, *low, *high].map(cell);
            let keys = [cell(name), cell(tile), cell(games)];
            table.row(keys.into_iter().chain(numbers));
        }
    }
    Ok(Some(Figure { svg, table }))
}

fn count_tiles(games: &[GameRecord]) -> BTreeMap<u32, u32> {
    let mut counts = BTreeMap::new();
    for game in games {
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
        while let Some(between) = tiles.last().filter(|last| **last > 0 && tile / 2 > **last) {
            tiles.push(between * 2);
        }
        tiles.push(tile);
    }
    tiles
}

fn shares(counts: &BTreeMap<u32, u32>, tiles: &[u32]) -> Vec<Share> {
    let total: u32 = counts.values().sum();
    let share = |tile| {
        let games = counts.get(tile).copied().unwrap_or(0);
        let share = f64::from(games) / f64::from(total);
        let Interval { low, high } = wilson_interval(share, total.into());
        Share {
            games,
            share,
            low,
            high,
        }
    };
    tiles.iter().map(share).collect()
}

fn draw_panel(page: &Page<'_>, tiles: &[u32], start: &[Share], tuned: &[Share]) -> Drawn {
    let name = |tile: &u32| format!("{tile}\n{}", as_power(*tile).unwrap_or_default());
    let highest = start
        .iter()
        .chain(tuned)
        .map(|share| share.high)
        .fold(0.0, f64::max);
    let x = Axis::named("largest tile", tiles.iter().map(name).collect());
    let y = Axis::shares("share of games", highest * 1.08);
    let panel = Panel::new(page, page.body.inside(), x, y)?;
    for (offset, shares, color) in [(-BAR / 2.0, start, START), (BAR / 2.0, tuned, TUNED)] {
        for (place, share) in shares.iter().enumerate() {
            let x = place as f64 + offset;
            let (left, right) = (x - BAR / 2.0, x + BAR / 2.0);
            panel.bar((left, 0.0), (right, share.share), color.filled())?;
            if share.games == 0 {
                continue;
            }
            panel.whisker(x, share.low, share.high, INK)?;
            if tiles.len() <= LABELLED_TILES
                && let Some((x, y)) = panel.on_page(x, share.high)
            {
                let text = grouped(share.share * 100.0, 1);
                let label = Label {
                    across: HPos::Center,
                    ..Label::new(&text, 10.0)
                };
                page.text((x, y - 8.0), label)?;
            }
        }
    }
    Ok(())
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
        assert_eq!(tiles(&[seen(&[0, 2, 3, 12])]), [0, 2, 3, 6, 12]);
    }

    #[test]
    fn shares_add_up() {
        let counts = BTreeMap::from([(2, 1), (4, 3)]);
        let shares = shares(&counts, &[2, 4, 8]);
        assert_eq!(shares.iter().map(|share| share.share).sum::<f64>(), 1.0);
        assert!(
            shares
                .iter()
                .all(|share| share.low <= share.share && share.share <= share.high)
        );
    }
}
