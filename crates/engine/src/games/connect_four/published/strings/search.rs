//! The searches of the two players of xmxoxo/connect4, reproduced with their errors.
//!
//! Both rank the columns by value; among equal values, the column with the higher number comes first. A full
//! column has the value 0. They play the first column that is not full. A win does not end their search.

use crate::games::connect_four::heuristic::sum::StringValues;
use crate::games::connect_four::rules::{Bitboards, Policy, Side, Turn};

/// The version of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// The version of the article searches one stone deep and uses the changes of both scores. Player 1 ranks
    /// by own change + 2 x opponent's change. Player 2 ranks by -2 x opponent's change - own change. The
    /// intended formula is own change - opponent's change. With the wrong signs, player 1 is punished for
    /// blocking, and player 2 for its own gains.
    Article,
    /// The version of the repository searches two stones deep: own change minus the largest change of the
    /// opponent's score after a reply.
    Repository,
}

/// A published player on one board.
pub struct PublishedStrings<'a> {
    pub(in crate::games::connect_four) values: &'a StringValues,
    version: Version,
    evaluations: u64,
}

impl<'a> PublishedStrings<'a> {
    /// A player for one board. `values` must be those of the published weights.
    pub fn new(values: &'a StringValues, version: Version) -> Self {
        PublishedStrings {
            values,
            version,
            evaluations: 0,
        }
    }

    /// The value of each column; 0 for a full column.
    pub fn column_values(&mut self, turn: Turn) -> Vec<i64> {
        let rules = *self.values.rules();
        let before = self.values.scores(turn.position);
        let columns = 0..rules.columns();
        columns
            .map(|column| match rules.stone(turn.position, column) {
                None => 0,
                Some(stone) => match self.version {
                    Version::Article => self.article(turn, stone, before),
                    Version::Repository => self.repository(turn.position, stone, before),
                },
            })
            .collect()
    }

    fn article(&mut self, turn: Turn, stone: u64, [own, other]: [i64; 2]) -> i64 {
        self.evaluations += 1;
        let [other_after, own_after] = self.values.scores(turn.position.after(stone));
        let (own, other) = (own_after - own, other_after - other);
        match turn.to_move {
            Side::First => own + 2 * other,
            Side::Second => -2 * other - own,
        }
    }

    fn repository(&mut self, position: Bitboards, stone: u64, [own, other]: [i64; 2]) -> i64 {
        let next = position.after(stone);
        self.evaluations += 1;
        let own_change = self.values.score(next.other, next) - own;
        let replies = self.values.rules().from_the_middle(next);
        let scores = replies.map(|reply| {
            self.evaluations += 1;
            let after = next.after(reply);
            self.values.score(after.other, after)
        });
        // After the last stone of the game there is no reply to subtract.
        own_change - scores.max().map_or(0, |score| score - other)
    }

    /// The columns that are not full, counted from 0, with their values, in the order in which the program
    /// ranks them.
    pub fn ranking(&mut self, turn: Turn) -> Vec<(u32, i64)> {
        let values = self.column_values(turn);
        let mut ranked: Vec<(u32, i64)> = (0..).zip(values).collect();
        ranked.sort_by_key(|&(column, value)| std::cmp::Reverse((value, column)));
        let has_room = |column| self.values.rules().stone(turn.position, column).is_some();
        let open = ranked
            .iter()
            .map(|&(column, _)| column)
            .filter(|&column| has_room(column));
        match self.version {
            Version::Article => ranked
                .iter()
                .copied()
                .filter(|&(column, _)| has_room(column))
                .collect(),
            // An error of the original: it deletes full columns but not their values, so that later columns get
            // values of other columns.
            Version::Repository => open.zip(ranked.iter().map(|&(_, value)| value)).collect(),
        }
    }
}

impl Policy for PublishedStrings<'_> {
    fn choose(&mut self, turn: Turn) -> u64 {
        let (column, _) = self.ranking(turn)[0];
        let stone = self.values.rules().stone(turn.position, column);
        stone.unwrap_or_else(|| unreachable!("full columns are not ranked"))
    }

    fn leaf_evaluations(&self) -> u64 {
        self.evaluations
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::connect_four::heuristic::StringWeights;
    use crate::games::connect_four::rules::Rules;
    use crate::games::vectors;
    use crate::heuristic::weights::Weights;

    #[test]
    fn rankings_are_those_of_the_original() {
        // Vectors from runs of the original program.
        let rules = Rules::published();
        let values = StringValues::new(rules, &StringWeights::new(&Weights::default()));
        let mut compared = 0;
        for record in vectors::records("connect_four_positions.jsonl") {
            let numbers: Vec<u8> = serde_json::from_value(record["b"].clone()).unwrap();
            for (version, name) in [(Version::Article, "article"), (Version::Repository, "repo")] {
                for side in Side::BOTH {
                    let turn = Turn::of_numbers(&rules, &numbers, side).unwrap();
                    let mut player = PublishedStrings::new(&values, version);
                    let expected = record[name][side.number().to_string()].clone();
                    let mut expected: Vec<(u32, i64)> = serde_json::from_value(expected).unwrap();
                    // The list of the article contains full columns too.
                    expected
                        .retain(|&(column, _)| rules.stone(turn.position, column - 1).is_some());
                    let ranking = player.ranking(turn).into_iter();
                    let ranking: Vec<(u32, i64)> =
                        ranking.map(|(column, value)| (column + 1, value)).collect();
                    assert_eq!(ranking, expected, "{record}");
                    compared += 1;
                }
            }
        }
        assert_eq!(compared, 4 * 111);
    }
}
