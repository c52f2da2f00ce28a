//! How hold-out games ended, as shares of them: a bar for the start weights and one for the tuned
//! weights over each way to end.

use plotters::style::Color;
use plotters::style::text_anchor::HPos;

use super::axis::Axis;
use super::legend::{Legend, Mark};
use super::number::grouped;
use super::page::{self, Drawn, Label, Layout, Page};
use super::palette::{INK, START, TUNED};
use super::panel::Panel;
use super::table::{Table, cell};
use super::{DrawError, Figure, caption};
use crate::record::RunData;
use crate::stats::intervals::{Interval, wilson_interval};

/// Width of a bar; an ending is 1 wide.
const BAR: f64 = 0.38;
/// Above this many endings the shares in figures would collide.
const MOST_LABELLED: usize = 11;

/// A way to end and how many games ended so.
pub(super) struct Ending {
    /// What the table calls it.
    pub(super) key: String,
    /// What stands below its bars.
    pub(super) label: String,
    /// Games with start and with tuned weights.
    pub(super) games: [u32; 2],
}

/// What the endings are.
pub(super) struct Kind {
    /// The table's column.
    pub(super) column: &'static str,
    /// What the axis says.
    pub(super) axis: &'static str,
    /// Games that are one observation: two of an opening are not independent of each other.
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
            Legend::new(Mark::Line, INK, "95 % interval (Wilson)"),
        ],
        caption: caption::of_hold_out(data),
        body_height: 420.0,
    };
    let names = endings.iter().map(|ending| ending.label.clone()).collect();
    let axis = Axis::named(kind.axis, names);
    let svg = page::draw(&layout, |page| draw_panel(page, axis, &start, &tuned))?;
    let mut table = Table::new(["weights", kind.column, "games", "share", "low", "high"]);
    for (name, shares) in [("start", &start), ("tuned", &tuned)] {
        for (ending, of) in endings.iter().zip(shares) {
            let numbers = [of.share, of.interval.low, of.interval.high].map(cell);
            let keys = [cell(name), cell(&ending.key), cell(of.games)];
            table.row(keys.into_iter().chain(numbers));
        }
    }
    Ok(Some(Figure { svg, table }))
}

/// The share of games that ended in one way, and its 95 % interval.
struct Share {
    games: u32,
    share: f64,
    interval: Interval,
}

/// Shares of one set of games; `None` of no games.
fn shares(endings: &[Ending], set: usize, games_an_observation: u32) -> Option<Vec<Share>> {
    let total: u32 = endings.iter().map(|ending| ending.games[set]).sum();
    let share = |ending: &Ending| {
        let games = ending.games[set];
        let share = f64::from(games) / f64::from(total);
        Share {
            games,
            share,
            interval: wilson_interval(share, total.div_ceil(games_an_observation).into()),
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
