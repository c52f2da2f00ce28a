//! Charts of how hold-out games ended, by largest tile or by outcome. Each ending has two bars: the shares of games of
//! the start weights and of the tuned weights.

use std::collections::BTreeMap;

use crate::chart::axis::Axis;
use crate::chart::figure::{Color, Figure, Mark, Panel};
use crate::chart::table::table;
use crate::chart::tiles::Tiles;
use crate::chart::{Chart, Section, caption};
use crate::number::grouped;
use tiletune_engine::record::{GameRecord, Outcome};
use tiletune_tuning::results::{RunData, Share};
use tiletune_tuning::stats::games::share;

pub(super) const MAX_TILE: Chart = Chart {
    name: "max-tile",
    title: "Largest tile at the end of the hold-out games",
    about: "Share of hold-out games that ended with each largest tile, start weights against tuned \
            weights.",
    place: Section::Results,
    draw: max_tile,
};

pub(super) const OUTCOMES: Chart = Chart {
    name: "outcomes",
    title: "How the hold-out games ended",
    about: "Share of hold-out games between two players that were lost, drawn and won, start weights \
            against tuned weights; intervals over openings.",
    place: Section::Results,
    draw: outcomes,
};

/// Width of a bar. Endings are 1 apart.
const BAR: f64 = 0.38;
/// The largest tiles begin with the first one that has at least this share of the games of a set.
const SHOWN: f64 = 0.003;
/// With more endings the printed shares would overlap.
const MOST_LABELLED: usize = 11;

/// A way in which games end, and the number of these games.
struct Ending {
    /// Its name in the table.
    key: String,
    /// The text below its bars.
    label: String,
    /// Games with start and with tuned weights.
    games: [u32; 2],
}

fn max_tile(data: &RunData) -> Option<Figure> {
    let sets = [&data.hold_out_start, &data.hold_out_tuned].map(|games| count_tiles(games));
    let ending = |tile: u32| Ending {
        key: tile.to_string(),
        label: tile.to_string(),
        games: [0, 1].map(|set: usize| sets[set].get(&tile).copied().unwrap_or(0)),
    };
    let tiles = Tiles::spanning(sets.iter().flat_map(BTreeMap::keys).copied());
    let endings: Vec<Ending> = tiles.iter().map(ending).collect();
    let mut figure = figure(data, "largest tile", &endings, 1, "max_tile", first_shown)?;
    let first = first_shown(&endings);
    if first > 0 {
        let tile = &endings[first].key;
        let hidden = format!(
            " Tiles below {tile} have less than 0.3 % of the games; the CSV file has them."
        );
        figure.caption += &hidden;
    }
    Some(figure)
}

/// The number of the first ending that is not rare in both sets.
fn first_shown(endings: &[Ending]) -> usize {
    let total = |set: usize| -> u32 { endings.iter().map(|ending| ending.games[set]).sum() };
    let totals = [total(0), total(1)].map(f64::from);
    let is_shown = |ending: &Ending| {
        let mut sets = ending.games.iter().zip(totals);
        sets.any(|(games, total)| f64::from(*games) >= SHOWN * total)
    };
    endings.iter().position(is_shown).unwrap_or(0)
}

/// Games by their largest tile; games without tiles are left out.
fn count_tiles(games: &[GameRecord]) -> BTreeMap<u32, u32> {
    let mut counts = BTreeMap::new();
    for tile in games.iter().filter_map(GameRecord::max_tile) {
        *counts.entry(tile).or_insert(0) += 1;
    }
    counts
}

fn outcomes(data: &RunData) -> Option<Figure> {
    let sets = [&data.hold_out_start, &data.hold_out_tuned];
    let ending = |outcome: Outcome| Ending {
        key: outcome.name().to_owned(),
        label: match outcome {
            Outcome::Loss => "lost".into(),
            Outcome::Draw => "drawn".into(),
            Outcome::Win => "won".into(),
        },
        games: sets.map(|games| {
            let ended = games.iter().filter(|game| game.outcome() == Some(outcome));
            ended.count() as u32
        }),
    };
    let endings = Outcome::ALL.map(ending);
    figure(
        data,
        "for the player under test",
        &endings,
        2,
        "outcome",
        |_| 0,
    )
}

/// The chart of all endings. `axis` is the title of the axis, `column` the name of the endings in the table. If two
/// games share an opening, an observation is two games. `first` is the number of the first ending that is drawn.
fn figure(
    data: &RunData,
    axis: &str,
    endings: &[Ending],
    games_an_observation: u32,
    column: &'static str,
    first: fn(&[Ending]) -> usize,
) -> Option<Figure> {
    let first = first(endings);
    let shares = |set| shares(endings, set, games_an_observation);
    let sets = [
        ("start", Color::Start, shares(0)?),
        ("tuned", Color::Tuned, shares(1)?),
    ];
    let highest = sets.iter().flat_map(|(_, _, shares)| shares);
    let highest = highest.map(|share| share.high).fold(0.0, f64::max);
    let y = Axis::shares("share of games", highest * 1.08);
    let drawn = &endings[first..];
    let names = drawn.iter().map(|ending| ending.label.clone()).collect();
    let x = Axis::named(axis, names);
    let marks = sets.iter().zip([-BAR, 0.0]);
    let marks =
        marks.flat_map(|((name, color, shares), left)| bars(name, *color, &shares[first..], left));
    let panel = Panel::new(420.0, x, y, marks.collect());
    let rows = sets.iter().flat_map(|(name, _, shares)| {
        let shares = endings.iter().zip(shares);
        shares.map(move |(ending, share)| (*name, &ending.key, share))
    });
    let table = table!(rows, |(name, key, share)| {
        "weights": name,
        column: key,
        "games": share.games,
        "share": share.share,
        "low": share.low,
        "high": share.high,
    });
    Some(panel.figure(caption::of_hold_out(data), table))
}

/// The bars of one set of games. The first bar begins at `left`.
fn bars(name: &str, color: Color, shares: &[Share], left: f64) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (place, share) in shares.iter().enumerate() {
        let left = place as f64 + left;
        let bar = Mark::bar(color, [left, 0.0], [left + BAR, share.share]);
        marks.push(bar.named(format!("{name} weights")));
        if share.games == 0 {
            continue;
        }
        let middle = left + BAR / 2.0;
        let interval = Mark::upright(Color::Ink, middle, [share.low, share.high]);
        marks.push(interval.named("95 % interval (exact)"));
        if shares.len() <= MOST_LABELLED {
            let text = match share.share * 100.0 {
                ..0.05 => "<0.1".to_owned(),
                percent => grouped(percent, 1),
            };
            marks.push(Mark::text(middle, share.high, text));
        }
    }
    marks
}

/// The shares of one set of games; `None` without games.
fn shares(endings: &[Ending], set: usize, games_an_observation: u32) -> Option<Vec<Share>> {
    let total: u32 = endings.iter().map(|ending| ending.games[set]).sum();
    let of = |ending: &Ending| share(ending.games[set], total, games_an_observation);
    (total > 0).then(|| endings.iter().map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up() {
        let ending = |games| Ending {
            key: String::new(),
            label: String::new(),
            games: [games, 0],
        };
        let endings = [ending(1), ending(3), ending(0)];
        let shares = shares(&endings, 0, 1).expect("there are games");
        assert_eq!(shares.iter().map(|share| share.share).sum::<f64>(), 1.0);
        let holds = |share: &Share| share.low <= share.share && share.share <= share.high;
        assert!(shares.iter().all(holds));
        assert!(super::shares(&endings, 1, 1).is_none());
    }
}
