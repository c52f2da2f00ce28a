//! Chart: the scores of the hold-out games, start against tuned weights.
//!
//! It shows the share of games that reach each score. A histogram would depend on its bins and a
//! density on its bandwidth; this curve depends on the games alone.

use crate::chart::axis::Axis;
use crate::chart::figure::{Color, Figure, Mark, Panel};
use crate::chart::table::table;
use crate::chart::{Chart, Section, caption};
use crate::number::compact;
use tiletune_engine::record::GameRecord;
use tiletune_tuning::results::RunData;
use tiletune_tuning::stats::summary::median;

pub(super) const CHART: Chart = Chart {
    name: "score-distribution",
    title: "Share of hold-out games that reach a score",
    about: "For each score the share of hold-out games that reached it, start weights against tuned \
            weights; the curve further to the right is the better one. The axis ends where 0.5 % of the \
            games are left.",
    place: Section::Results,
    draw,
};

/// Opacity of the bands.
const BAND: f64 = 0.15;
/// The axis ends at the score that at most this share of the games of each set reach.
const LEFT: f64 = 0.005;
/// Steps that are narrower than this share of the axis are invisible, so they are not drawn.
const FINEST: f64 = 1.0 / 4000.0;

/// The distribution of the scores of one set of weights.
struct Distribution {
    /// The scores that occur, ascending, each with the share of games that reach it.
    steps: Vec<(f64, f64)>,
    /// Whether scores are points of 0 or more. The scores of a program can be any numbers.
    has_unit: bool,
    mean: f64,
    median: f64,
    /// Half the height of the band that contains the whole true curve with 95 % confidence.
    half_band: f64,
}

fn draw(data: &RunData) -> Option<Figure> {
    let sets = [
        ("start", Color::Start, distribution(&data.hold_out_start)?),
        ("tuned", Color::Tuned, distribution(&data.hold_out_tuned)?),
    ];
    let (range, title) = axis(&sets[0].2, &sets[1].2);
    let x = Axis::between(title, range, 8);
    let y = Axis::shares("share of games with at least this score", 1.0);
    let mut marks = Vec::new();
    for (name, color, set) in &sets {
        let corners = set.corners(range);
        if set.has_band() {
            let edges = corners.iter().map(|&[score, share]| {
                let (low, high) = set.band(share);
                [score, low, high]
            });
            let band = Mark::band(*color, BAND, edges.collect());
            marks.push(band.named("95 % confidence band of the whole curve"));
        }
        let (mean, median) = (compact(set.mean), compact(set.median));
        let name = format!("{name} weights: mean {mean}, median {median}");
        marks.push(Mark::line(*color, 2.0, corners).named(name));
    }
    let means = sets.iter();
    marks.extend(means.map(|(_, color, set)| {
        Mark::dashes(*color, [set.mean, 0.0], [set.mean, 1.0]).named("mean")
    }));
    let panel = Panel::new(420.0, x, y, marks);
    let steps = sets.iter().flat_map(|(name, _, set)| {
        let steps = set.steps.iter();
        steps.map(move |&(score, share)| (*name, score, share, set.band(share)))
    });
    let table = table!(steps, |(name, score, share, (low, high))| {
        "weights": name,
        "score": score,
        "share_at_least": share,
        "low": low,
        "high": high,
    });
    let bands = "Confidence bands: Dvoretzky–Kiefer–Wolfowitz.";
    let caption = format!("{} {bands}", caption::of_hold_out(data));
    Some(panel.figure(caption, table))
}

/// The distribution of the scores of games with a result. `None` without games, and for games of two players, which have
/// no scores.
fn distribution(games: &[GameRecord]) -> Option<Distribution> {
    let of_one_player = games
        .iter()
        .filter(|game| game.outcome().is_none() && game.missing().is_none());
    let mut scores: Vec<f64> = of_one_player.map(GameRecord::value).collect();
    scores.sort_by(f64::total_cmp);
    let total = scores.len() as f64;
    let mut steps: Vec<(f64, f64)> = Vec::new();
    for (below, score) in scores.iter().enumerate() {
        if steps.last().is_none_or(|(last, _)| last < score) {
            steps.push((*score, 1.0 - below as f64 / total));
        }
    }
    (!scores.is_empty()).then(|| Distribution {
        steps,
        has_unit: games.iter().any(|game| game.numbers().is_none()),
        mean: scores.iter().sum::<f64>() / total,
        median: median(&scores),
        half_band: ((2.0_f64 / 0.05).ln() / (2.0 * total)).sqrt(),
    })
}

impl Distribution {
    fn lowest(&self) -> f64 {
        self.steps.first().map_or(0.0, |(score, _)| *score)
    }

    fn highest(&self) -> f64 {
        self.steps.last().map_or(0.0, |(score, _)| *score)
    }

    /// The score at which the axis may end.
    fn end(&self) -> f64 {
        let mut steps = self.steps.iter();
        let rare = steps.find(|(_, share)| *share <= LEFT);
        rare.map_or(self.highest(), |(score, _)| score.max(self.mean))
    }

    fn band(&self, share: f64) -> (f64, f64) {
        (
            (share - self.half_band).max(0.0),
            (share + self.half_band).min(1.0),
        )
    }

    /// With fewer than eight games the band would fill the panel.
    fn has_band(&self) -> bool {
        self.half_band < 0.5
    }

    /// The corners of the staircase from the left end of the axis to the right.
    fn corners(&self, (begin, last): (f64, f64)) -> Vec<[f64; 2]> {
        let mut corners = vec![[begin, 1.0]];
        let (mut drawn, mut level) = (f64::NEG_INFINITY, 1.0);
        let steps = self.steps.iter().take_while(|(score, _)| *score <= last);
        for (index, &(score, share)) in steps.enumerate() {
            if index > 0 && score - drawn >= (last - begin) * FINEST {
                let before = self.steps[index - 1].0;
                corners.extend([[before, level], [before, share]]);
                (drawn, level) = (before, share);
            }
        }
        let highest = self.highest();
        if highest > last {
            corners.push([last, level]);
        } else {
            corners.extend([[highest, level], [highest, 0.0], [last, 0.0]]);
        }
        corners
    }
}

/// Range and title of the horizontal axis.
fn axis(start: &Distribution, tuned: &Distribution) -> ((f64, f64), &'static str) {
    let highest = start.end().max(tuned.end());
    let lowest = start.lowest().min(tuned.lowest());
    if start.has_unit {
        return ((0.0, (highest * 1.03).max(10.0)), "score (points)");
    }
    // The smallest margin that gives different numbers at the ticks.
    let least = 1e-6 * highest.abs().max(lowest.abs()).max(1e-6);
    let margin = (0.03 * (highest - lowest)).max(least);
    ((lowest - margin, highest + margin), "score")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiletune_engine::record::GameResult;

    fn games(scores: &[u64]) -> Vec<GameRecord> {
        let game = |score: &u64| GameRecord {
            seed: 0,
            result: GameResult::scored_with_tile(*score, 2),
            moves: 1,
            leaf_evaluations: 0,
        };
        scores.iter().map(game).collect()
    }

    #[test]
    fn shares_count_the_games_that_reach_a_score() {
        let found = distribution(&games(&[4, 2, 4, 8])).expect("there are games");
        assert_eq!(found.steps, [(2.0, 1.0), (4.0, 0.75), (8.0, 0.25)]);
        assert_eq!(found.mean, 4.5);
        assert!(distribution(&[]).is_none());
    }

    #[test]
    fn the_axis_ends_before_the_rarest_scores() {
        let scores: Vec<u64> = (1..=1000).collect();
        let found = distribution(&games(&scores)).expect("there are games");
        let end = found.end();
        assert!((995.0..=997.0).contains(&end), "{end}");
        let corners = found.corners((0.0, end));
        let [x, share] = corners[corners.len() - 1];
        assert!(x == end && (0.004..0.01).contains(&share), "{share}");
        let few = distribution(&games(&[1, 2, 3])).expect("there are games");
        assert_eq!(few.end(), 3.0);
    }

    #[test]
    fn the_staircase_falls_at_every_score() {
        let found = distribution(&games(&[2, 4, 8])).expect("there are games");
        let third = 1.0 / 3.0;
        let near = |corners: Vec<[f64; 2]>, expected: &[(f64, f64)]| {
            assert_eq!(corners.len(), expected.len());
            for ([x, y], (at, share)) in corners.into_iter().zip(expected) {
                assert!(x == *at && (y - share).abs() < 1e-12, "({x}, {y})");
            }
        };
        let expected = [
            (0.0, 1.0),
            (2.0, 1.0),
            (2.0, 2.0 * third),
            (4.0, 2.0 * third),
            (4.0, third),
            (8.0, third),
            (8.0, 0.0),
            (10.0, 0.0),
        ];
        near(found.corners((0.0, 10.0)), &expected);
    }
}
