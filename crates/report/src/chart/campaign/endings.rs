//! How hold-out games ended: for each ending a bar with the share of games of the start weights, and
//! one of the tuned weights. Shared by the charts of tiles and of outcomes.

use crate::chart::draw::{
    Axis, Color, DrawError, Drawn, INK, Label, Layout, Legend, Mark, Page, Panel, START, TUNED,
};
use crate::chart::{Figure, Table, caption, cell};
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
pub(super) fn figure(
    data: &RunData,
    title: &str,
    kind: &Kind,
    endings: &[Ending],
) -> Result<Option<Figure>, DrawError> {
    let sets = [0, 1].map(|set| shares(endings, set, kind.games_an_observation));
    if sets.iter().any(Option::is_none) {
        return Ok(None);
    }
    let [start, tuned] = sets.map(Option::unwrap_or_default);
    let layout = Layout {
        title,
        legend: vec![
            Legend::new(Mark::Area, START, "start weights"),
            Legend::new(Mark::Area, TUNED, "tuned weights"),
            Legend::new(Mark::Line, INK, "95 % interval (exact)"),
        ],
        caption: caption::of_hold_out(data),
        body_height: 420.0,
    };
    let names = endings.iter().map(|ending| ending.label.clone()).collect();
    let axis = Axis::named(kind.axis, names);
    let mut table = Table::new(["weights", kind.column, "games", "share", "low", "high"]);
    for (name, shares) in [("start", &start), ("tuned", &tuned)] {
        for (ending, of) in endings.iter().zip(shares) {
            let numbers = [of.share, of.interval.low, of.interval.high].map(cell);
            let keys = [cell(name), cell(&ending.key), cell(of.games)];
            table.row(keys.into_iter().chain(numbers));
        }
    }
    Figure::new(&layout, table, |page| {
        draw_panel(page, axis, &start, &tuned)
    })
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

fn draw_panel(page: &Page<'_>, x: Axis, start: &[Share], tuned: &[Share]) -> Drawn {
    let highest = start
        .iter()
        .chain(tuned)
        .map(|share| share.interval.high)
        .fold(0.0, f64::max);
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
            let Interval { low, high } = share.interval;
            panel.whisker(x, low, high, INK)?;
            if shares.len() <= MOST_LABELLED
                && let Some((x, y)) = panel.on_page(x, high)
            {
                let text = match share.share * 100.0 {
                    ..0.05 => "<0.1".to_owned(),
                    percent => grouped(percent, 1),
                };
                page.text((x, y - 8.0), Label::new(&text, 10.0).centered())?;
            }
        }
    }
    Ok(())
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
