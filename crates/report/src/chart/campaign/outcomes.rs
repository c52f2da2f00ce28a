//! Chart: how the hold-out games between two players ended, start against tuned weights.

use super::endings::{Ending, Kind, figure};
use crate::chart::Chart;
use crate::chart::figure::Figure;
use tiletune_engine::record::Outcome;
use tiletune_tuning::results::RunData;

pub(super) const CHART: Chart = Chart {
    name: "outcomes",
    title: "How the hold-out games ended",
    about: "Share of hold-out games between two players that were lost, drawn and won, start weights \
            against tuned weights; intervals over openings.",
    draw,
};

fn draw(data: &RunData) -> Option<Figure> {
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
    let kind = Kind {
        column: "outcome",
        axis: "for the player under test",
        games_an_observation: 2,
    };
    figure(data, &kind, &Outcome::ALL.map(ending))
}
