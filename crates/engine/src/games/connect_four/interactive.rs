//! Interactive games of gravity four in a row: the caller chooses the moves of both sides. With a seed the game
//! begins after the opening of this seed. Without a seed it begins with the empty board.

use std::sync::Arc;

use crate::games::connect_four::players::rules;
use crate::games::connect_four::rules::{BoardPosition, Column, Match, Rules, Side};
use crate::player::interactive::{Control, Ending, InteractiveGame, Motion};
use crate::player::options::Options;
use crate::player::position::{Position, PositionError};
use crate::record::Outcome;

/// See [`StartInteractive`](crate::player::StartInteractive).
///
/// # Errors
/// If the options describe no valid board. Callers check the options first.
pub fn start_interactive(
    options: &Options,
    seed: Option<u64>,
) -> Result<Box<dyn InteractiveGame>, PositionError> {
    let rules = rules(options).map_err(|error| PositionError(error.to_string()))?;
    let game = match seed {
        Some(seed) => Match::new(rules, seed),
        None => Match::from_the_start(rules, Side::First),
    };
    Ok(Box::new(BothSides { game, last: None }))
}

/// A game in progress, and the stone of the last move.
struct BothSides {
    game: Match,
    last: Option<u64>,
}

impl BothSides {
    fn rules(&self) -> &Rules {
        self.game.rules()
    }

    /// The cell into which a stone falls in a column; `None` if the column is full or the game is over.
    fn stone(&self, column: usize) -> Option<u64> {
        if self.game.outcome().is_some() {
            return None;
        }
        let column = u32::try_from(column).ok()?;
        let column = Some(column).filter(|column| *column < self.rules().columns())?;
        self.rules().stone(self.game.turn().position, column)
    }

    /// The indices of these cells, counted row by row from the top.
    fn numbers(&self, cells: u64) -> Vec<usize> {
        let rules = self.rules();
        let all = (0..rules.rows()).flat_map(|row| (0..rules.columns()).map(move |at| (row, at)));
        let held = all.enumerate();
        let held = held.filter(|(_, (row, column))| rules.cell(*row, *column) & cells != 0);
        held.map(|(number, _)| number).collect()
    }
}

impl InteractiveGame for BothSides {
    fn moves(&self) -> Vec<String> {
        let columns = (0..self.rules().columns()).map(Column);
        columns.map(|column| column.to_string()).collect()
    }

    fn control(&self) -> Control {
        Control::Columns
    }

    fn is_legal(&self, chosen: usize) -> bool {
        self.stone(chosen).is_some()
    }

    fn play(&mut self, chosen: usize) -> bool {
        let stone = self.stone(chosen);
        if let Some(stone) = stone {
            self.game.play(stone);
            self.last = Some(stone);
        }
        stone.is_some()
    }

    fn position(&self) -> Arc<dyn Position> {
        Arc::new(BoardPosition {
            rules: *self.rules(),
            turn: self.game.turn(),
        })
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        vec![("to_move", self.game.turn().to_move.number().into())]
    }

    fn motion(&self) -> Motion {
        Motion {
            moved: Vec::new(),
            appeared: self
                .last
                .map(|stone| self.numbers(stone))
                .unwrap_or_default(),
        }
    }

    fn ended(&self) -> Option<Ending> {
        let winner = match self.game.outcome()? {
            Outcome::Draw => return Some(Ending::Drawn),
            Outcome::Win => self.game.side(),
            Outcome::Loss => self.game.side().opponent(),
        };
        let lines = self
            .rules()
            .winning_lines(self.game.turn().stones_of(winner));
        Some(Ending::Won {
            by: winner.number(),
            cells: self.numbers(lines),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::connect_four::rules::samples::RULES;
    use crate::random::GameRng;
    use std::collections::BTreeSet;

    /// All cells of the winning lines of player `of`, found cell by cell.
    fn slow_lines(rules: &Rules, numbers: &[u8], of: u8) -> BTreeSet<usize> {
        let (rows, columns) = (rules.rows() as i32, rules.columns() as i32);
        let number = |row: i32, column: i32| {
            let is_inside = (0..rows).contains(&row) && (0..columns).contains(&column);
            is_inside.then(|| numbers[(row * columns + column) as usize])
        };
        let mut cells = BTreeSet::new();
        for start in 0..rows * columns {
            for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                let steps = 0..rules.connect() as i32;
                let line = steps.map(|step| {
                    (
                        start / columns + step * down,
                        start % columns + step * right,
                    )
                });
                if line
                    .clone()
                    .all(|(row, column)| number(row, column) == Some(of))
                {
                    cells.extend(line.map(|(row, column)| (row * columns + column) as usize));
                }
            }
        }
        cells
    }

    #[test]
    fn random_games_end_with_the_lines_of_the_slow_rule() {
        let mut wins = 0;
        for (number, [rows, columns, connect]) in (0..).zip(RULES) {
            let rules = Rules::new(rows, columns, connect).unwrap();
            let mut rng = GameRng::new(number);
            for _ in 0..200 {
                let game = Match::from_the_start(rules, Side::First);
                let mut table = BothSides { game, last: None };
                while table.ended().is_none() {
                    let column = rng.below(columns) as usize;
                    let before = table.game.turn().numbers(&rules);
                    assert_eq!(table.is_legal(column), before[column] == 0);
                    if table.play(column) {
                        let after = table.game.turn().numbers(&rules);
                        let changed = (0..after.len()).filter(|&cell| before[cell] != after[cell]);
                        assert_eq!(table.motion().appeared, changed.collect::<Vec<_>>());
                    }
                }
                assert!((0..columns as usize).all(|column| !table.is_legal(column)));
                let numbers = table.game.turn().numbers(&rules);
                let lines = [1, 2].map(|of| slow_lines(&rules, &numbers, of));
                match table.ended() {
                    Some(Ending::Won { by, cells }) => {
                        wins += 1;
                        assert_eq!(lines[usize::from(by) - 1], cells.into_iter().collect());
                        assert!(lines[2 - usize::from(by)].is_empty());
                    }
                    _ => assert!(lines.iter().all(BTreeSet::is_empty) && !numbers.contains(&0)),
                }
            }
        }
        assert!(wins > 500, "{wins}");
    }
}
