//! The agent of one side of a game: it chooses moves and analyses positions.

use crate::games::connect_four::heuristic::StringWeights;
use crate::games::connect_four::heuristic::sum::StringValues;
use crate::games::connect_four::published::strings::search::{PublishedStrings, Version};
use crate::games::connect_four::rules::{Column, Policy, Rules, Side, Turn};
use crate::games::connect_four::search::RandomStones;
use crate::games::connect_four::search::alpha_beta::{AlphaBeta, WIN, is_decided};
use crate::games::connect_four::search::perfect::Perfect;
use crate::heuristic::weights::Weights;
use crate::player::analysis::{Analysis, MoveValue};
use crate::stop::Stop;

/// The names of all agents. They are also the names of the catalogue's players.
pub(super) const NAMES: [&str; 5] = [
    "strings",
    "strings-repository",
    "strings-article",
    "perfect",
    "random",
];

/// An agent: it plays one side. It can play many games.
pub(super) struct Agent {
    kind: AgentKind,
    weights: StringWeights,
    values: StringValues,
}

#[derive(Clone, Copy)]
enum AgentKind {
    Strings { depth: u8 },
    Published(Version),
    Perfect,
    Random,
}

/// An agent during one game.
pub(super) trait GameAgent: Policy {
    /// Analyses a position. The best move is the move of [`Policy::choose`].
    fn analyze(&mut self, turn: Turn) -> Analysis<Column>;
}

impl Agent {
    /// `name` must be one of [`NAMES`], and `weights` must fit it. Agents without a depth ignore `depth`.
    pub(super) fn new(rules: Rules, name: &str, depth: u8, weights: &Weights) -> Self {
        let kind = match name {
            "strings" => AgentKind::Strings { depth },
            "strings-repository" => AgentKind::Published(Version::Repository),
            "strings-article" => AgentKind::Published(Version::Article),
            "perfect" => AgentKind::Perfect,
            "random" => AgentKind::Random,
            _ => unreachable!("`{name}` plays no gravity four: names are checked before"),
        };
        let weights = StringWeights::new(weights);
        Agent {
            kind,
            weights,
            values: StringValues::new(rules, &weights),
        }
    }

    /// The same agent for another board.
    pub(super) fn on(&self, rules: Rules) -> Self {
        Agent {
            kind: self.kind,
            weights: self.weights,
            values: StringValues::new(rules, &self.weights),
        }
    }

    pub(super) fn rules(&self) -> &Rules {
        self.values.rules()
    }

    /// The agent for one game. `seed` seeds its random choices. Its search ends at the latest when `stop` is
    /// requested.
    pub(super) fn for_game<'a>(&'a self, seed: u64, stop: Stop<'a>) -> Box<dyn GameAgent + 'a> {
        match self.kind {
            AgentKind::Strings { depth } => {
                Box::new(AlphaBeta::new(&self.values, depth).until(stop))
            }
            AgentKind::Published(version) => Box::new(PublishedStrings::new(&self.values, version)),
            AgentKind::Perfect => Box::new(Perfect::new(*self.rules()).until(stop)),
            AgentKind::Random => Box::new(RandomStones::new(*self.rules(), seed)),
        }
    }
}

/// An analysis of a position. `search` returns the best stone and the values by column; it is called only if
/// the game is not over.
fn analysis(
    rules: &Rules,
    turn: Turn,
    search: impl FnOnce() -> (u64, Vec<Option<f64>>),
) -> Analysis<Column> {
    let (best, values) = if rules.is_over(turn.position) {
        (None, vec![None; rules.columns() as usize])
    } else {
        let (best, values) = search();
        (Some(Column(rules.column_of(best))), values)
    };
    Analysis {
        best,
        values: by_column(values),
        ..Analysis::default()
    }
}

fn by_column(values: Vec<Option<f64>>) -> Vec<(Column, Option<MoveValue>)> {
    let columns = (0..).map(Column);
    columns
        .zip(values.into_iter().map(|value| value.map(MoveValue::One)))
        .collect()
}

/// Scores of player 1 and of player 2.
fn scores(values: &StringValues, turn: Turn) -> Option<MoveValue> {
    let score = |side| values.score(turn.stones_of(side), turn.position) as f64;
    Some(MoveValue::Two(Side::BOTH.map(score)))
}

impl GameAgent for AlphaBeta<'_> {
    fn analyze(&mut self, turn: Turn) -> Analysis<Column> {
        let shown = |value: i64| match value {
            value if !is_decided(value) => value as f64,
            WIN.. => f64::INFINITY,
            _ => f64::NEG_INFINITY,
        };
        let analysis = analysis(self.values.rules(), turn, || {
            let values = self.column_values(turn.position).into_iter();
            let values = values.map(|value| value.map(shown)).collect();
            (self.best(turn.position), values)
        });
        Analysis {
            evaluation: scores(self.values, turn),
            ..analysis
        }
    }
}

impl GameAgent for PublishedStrings<'_> {
    /// The original program also gives values to positions in which the game is over.
    fn analyze(&mut self, turn: Turn) -> Analysis<Column> {
        let rules = self.values.rules();
        let mut values = vec![None; rules.columns() as usize];
        for (column, value) in self.ranking(turn) {
            values[column as usize] = Some(value as f64);
        }
        let is_over = rules.is_over(turn.position);
        Analysis {
            best: (!is_over).then(|| Column(rules.column_of(self.choose(turn)))),
            values: by_column(values),
            evaluation: scores(self.values, turn),
            search_end: None,
        }
    }
}

impl GameAgent for Perfect<'_> {
    fn analyze(&mut self, turn: Turn) -> Analysis<Column> {
        let rules = self.rules;
        analysis(&rules, turn, || {
            let scores = self.column_scores(turn.position).into_iter();
            let values = scores.map(|score| score.map(f64::from)).collect();
            (self.best(turn.position), values)
        })
    }
}

impl GameAgent for RandomStones {
    fn analyze(&mut self, turn: Turn) -> Analysis<Column> {
        let rules = *self.rules();
        analysis(&rules, turn, || {
            let columns = 0..rules.columns();
            let open = columns.map(|column| rules.stone(turn.position, column).map(|_| 0.0));
            (self.choose(turn), open.collect())
        })
    }
}
