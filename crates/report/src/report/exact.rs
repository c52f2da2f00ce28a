//! The report of `evaluate --exact`: the exact result of a player, and where it loses against perfect play.

use super::block::{Block, Table, figures};
use crate::chart::{Rendered, Section};
use crate::number::{grouped, several};
use tiletune_engine::player::exact::{Phase, Progress};
use tiletune_tuning::results::exact::{ExactResult, LossTable};

/// A share as text.
fn percent(share: f64) -> String {
    format!("{} %", grouped(100.0 * share, 2))
}

/// The whole report.
pub fn report(result: &ExactResult, drawn: &[Rendered]) -> Vec<Block> {
    let mut blocks = vec![
        Block::Note(format!("{}. No game was played.", result.player)),
        Block::Verdict(sentence(result)),
    ];
    blocks.extend(figures(drawn, Section::Results));
    if let Some(losses) = &result.losses {
        blocks.extend(tables(losses));
    }
    blocks
}

/// The result in a few sentences.
pub fn sentence(result: &ExactResult) -> String {
    let mut text = format!(
        "Exactly {} points and {} moves a game: {} of perfect play, which has {} points. {} can be reached.",
        grouped(result.mean, 6),
        grouped(result.moves, 2),
        percent(result.share()),
        grouped(result.perfect, 6),
        several(result.positions, "position"),
    );
    if let Some(losses) = &result.losses {
        let points = grouped(losses.points, 2);
        text += &match losses.situations.first().filter(|_| losses.points > 0.0) {
            None => " No move loses against perfect play.".to_owned(),
            Some(first) => format!(
                " A game loses {points} points, {} of them with {} and the largest tile {}.",
                percent(first.share),
                several(u64::from(first.empty_cells), "empty cell"),
                first.place()
            ),
        };
    }
    text
}

/// The progress of a computation in words.
pub fn progress_in_words(of: Progress) -> String {
    let states = grouped(of.states as f64, 0);
    match of.phase {
        Phase::Positions => format!("{states} positions found"),
        Phase::Values => format!("values of {states} positions computed"),
        Phase::Player => format!("moves of the player on {states} positions computed"),
    }
}

/// The losses by situation and by position.
fn tables(losses: &LossTable) -> impl Iterator<Item = Block> {
    let situations = losses.situations.iter().map(|of| {
        vec![
            ("empty cells", of.empty_cells.to_string()),
            ("largest tile", of.place().to_owned()),
            ("moves a game", grouped(of.moves, 2)),
            ("points lost", grouped(of.points, 2)),
            ("share of all", percent(of.share)),
        ]
    });
    let positions = losses.positions.iter().map(|of| {
        vec![
            ("position", of.board()),
            ("visits a game", grouped(of.visits, 4)),
            ("move", of.chosen.clone()),
            ("best", of.best.clone()),
            ("points of the move lost", grouped(of.loss, 1)),
            ("share of all", percent(of.share)),
        ]
    });
    let tables = [
        Table::new("Losses by situation", situations),
        Table::new("The largest losses by position", positions).noted(
            "Images of a position are counted together. `tiletune advise --explain=table` shows what each of its moves costs.",
        ),
    ];
    tables.into_iter().filter_map(Table::block)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::report::html;
    use tiletune_tuning::results::exact::{PositionRow, SituationRow};

    pub(crate) fn example() -> ExactResult {
        let situation = |empty_cells, largest_in_corner, points| SituationRow {
            empty_cells,
            largest_in_corner,
            moves: 2.0,
            points,
            share: points / 4.0,
        };
        let board = serde_json::json!({ "board": [2, 4, 8, 0] });
        let position = PositionRow {
            position: board.as_object().cloned().unwrap_or_default(),
            visits: 0.5,
            chosen: "left".into(),
            best: "up".into(),
            loss: 6.0,
            points: 3.0,
            share: 0.75,
        };
        ExactResult {
            player: "greedy, board 2x2 on 2048".into(),
            mean: 62.0,
            moves: 9.5,
            perfect: 66.0,
            largest: [(8, 0.25), (16, 0.75)].into(),
            positions: 454,
            losses: Some(LossTable {
                points: 4.0,
                situations: vec![situation(1, false, 3.0), situation(0, true, 1.0)],
                positions: vec![position],
            }),
        }
    }

    #[test]
    fn the_report_says_how_near_and_where_the_points_are_lost() {
        let result = example();
        let page = html("t", &report(&result, &[]));
        for words in [
            "93.94 % of perfect play",
            "A game loses 4.00 points, 75.00 % of them with 1 empty cell and the largest tile elsewhere.",
            "[2,4,8,0]",
        ] {
            assert!(page.contains(words), "{words}: {page}");
        }
        let none = ExactResult {
            losses: None,
            ..result
        };
        assert!(!sentence(&none).contains("loses"));
    }
}
