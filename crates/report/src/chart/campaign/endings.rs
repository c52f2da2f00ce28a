//! How hold-out games ended: for each ending a bar with the share of games of the start weights, and
//! one of the tuned weights. Shared by the charts of tiles and of outcomes.

use crate::chart::axis::Axis;
use crate::chart::caption;
use crate::chart::figure::{Color, Figure, Mark, Panel};
use crate::chart::table::{Table, cell};
use crate::number::grouped;
use tiletune_tuning::results::RunData;
use tiletune_tuning::stats::intervals::{Interval, share_interval};

/// Width of a bar; an ending is 1 wide.
const BAR: f64 = 0.38;
/// With more endings than this the printed shares would overlap.
const MOST_LABELLED: usize = 11;

/// A way for games to end, and how many ended so.
pub(super) struct Ending {
    /// Its name in the table.
    pub(super) key: String,
    /// The text below its bars.
    pub(super) label: String,
    /// Games with start and with tuned weights.
    pub(super) games: [u32; 2],
}

/// What kind of endings they are.
pub(super) struct Kind {
    /// Name of the column in the table.
    pub(super) column: &'static str,
    /// Title of the axis.
    pub(super) axis: &'static str,
    /// Games to an observation: 2 where two games share an opening, so that they are not independent.
    pub(super) games_an_observation: u32,
}

/// The chart of all endings.
pub(super) fn figure(data: &RunData, kind: &Kind, endings: &[Ending]) -> Option<Figure> {
    let shares = |set| shares(endings, set, kind.games_an_observation);
    let sets = [
        ("start", Color::Start, shares(0)?),
        ("tuned", Color::Tuned, shares(1)?),
    ];
    let highest = sets.iter().flat_map(|(_, _, shares)| shares);
    let highest = highest.map(|share| share.interval.high).fold(0.0, f64::max);
    let y = Axis::shares("share of games", highest * 1.08);
    let names = endings.iter().map(|ending| ending.label.clone()).collect();
    let x = Axis::named(kind.axis, names);
    let marks = sets.iter().zip([-BAR, 0.0]);
    let marks = marks.flat_map(|((name, color, shares), left)| bars(name, *color, shares, left));
    let panel = Panel::new(420.0, x, y, marks.collect());
    let rows = sets.iter().flat_map(|(name, _, shares)| {
        let shares = endings.iter().zip(shares);
        shares.map(move |(ending, share)| (*name, &ending.key, share))
    });
    let table = Table::of(
        rows,
        &[
            ("weights", &|(name, ..)| cell(name)),
            (kind.column, &|(_, key, _)| cell(key)),
            ("games", &|(.., of)| cell(of.games)),
            ("share", &|(.., of)| cell(of.share)),
            ("low", &|(.., of)| cell(of.interval.low)),
            ("high", &|(.., of)| cell(of.interval.high)),
        ],
    );
    Some(Figure::new(
        1,
        vec![panel],
        caption::of_hold_out(data),
        table,
    ))
}

/// The bars of one set of games; the first begins at `left`.
fn bars(name: &str, color: Color, shares: &[Share], left: f64) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (place, share) in shares.iter().enumerate() {
        let left = place as f64 + left;
        let bar = Mark::bar(color, [left, 0.0], [left + BAR, share.share]);
        marks.push(bar.named(format!("{name} weights")));
        if share.games == 0 {
            continue;
        }
        let Interval { low, high } = share.interval;
        let middle = left + BAR / 2.0;
        let interval = Mark::upright(Color::Ink, middle, [low, high]);
        marks.push(interval.named("95 % interval (exact)"));
        if shares.len() <= MOST_LABELLED {
            let text = match share.share * 100.0 {
                ..0.05 => "<0.1".to_owned(),
                percent => grouped(percent, 1),
            };
            marks.push(Mark::text(middle, high, text));
        }
    }
    marks
}

/// The share of games that ended in one way, and its 95 % interval.
struct Share {
    games: u32,
    share: f64,
    interval: Interval,
}

/// Shares of one set of games; `None` without games.
fn shares(endings: &[Ending], set: usize, games_an_observation: u32) -> Option<Vec<Share>> {
    let total: u32 = endings.iter().map(|ending| ending.games[set]).sum();
    let share = |ending: &Ending| {
        let games = ending.games[set];
        let observed = f64::from(games) / f64::from(games_an_observation);
        Share {
            games,
            share: f64::from(games) / f64::from(total),
            interval: share_interval(observed, total.div_ceil(games_an_observation).into()),
        }
    };
    (total > 0).then(|| endings.iter().map(share).collect())
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
        let holds =
            |share: &Share| share.interval.low <= share.share && share.share <= share.interval.high;
        assert!(shares.iter().all(holds));
        assert!(super::shares(&endings, 1, 1).is_none());
    }
}
