//! A game of gravity four in a row, move by move. One step is one stone of either side.

use crate::games::connect_four::players::agent::GameAgent;
use crate::games::connect_four::rules::{BoardPosition, Column, Match};
use crate::player::{Analysis, Session, Step};
use crate::stop::Stop;

/// The opponent of the player under test.
pub(super) enum Opponent<'a> {
    Agent(Box<dyn GameAgent + 'a>),
    /// A person. The value is the chosen column; `None` until the person has chosen.
    Person(Option<Column>),
}

/// A game in progress.
pub(super) struct MatchSession<'a> {
    seed: u64,
    game: Match,
    player: Box<dyn GameAgent + 'a>,
    opponent: Opponent<'a>,
    stop: Stop<'a>,
}

impl<'a> MatchSession<'a> {
    pub(super) fn new(
        seed: u64,
        game: Match,
        player: Box<dyn GameAgent + 'a>,
        opponent: Opponent<'a>,
        stop: Stop<'a>,
    ) -> Self {
        MatchSession {
            seed,
            game,
            player,
            opponent,
            stop,
        }
    }

    /// The current position as a step, without an analysis.
    fn shown(&self) -> Step {
        let (rules, turn) = (*self.game.rules(), self.game.turn());
        let counts = [
            ("player", u64::from(self.game.side().number())),
            ("to_move", u64::from(turn.to_move.number())),
        ];
        Step::new(BoardPosition { rules, turn }, self.game.moves(), counts)
    }

    /// Plays the best move of an analysis and returns the step; `None` if a stop is requested.
    fn made(&mut self, analysis: Analysis<Column>) -> Option<Step> {
        let analysis = self.stop.complete(analysis)?;
        let shown = self.shown();
        if let Some(column) = analysis.best {
            let stone = self.game.rules().stone(self.game.turn().position, column.0);
            self.game.play(stone.unwrap_or_default());
        }
        Some(Step {
            analysis: analysis.named(),
            ..shown
        })
    }

    /// The columns that are not full.
    fn open(&self) -> impl Iterator<Item = Column> {
        let (rules, turn) = (*self.game.rules(), self.game.turn());
        let columns = 0..rules.columns();
        let open = columns.filter(move |&column| rules.stone(turn.position, column).is_some());
        open.map(Column)
    }
}

impl Session for MatchSession<'_> {
    fn step(&mut self) -> Option<Step> {
        let turn = self.game.turn();
        if self.game.outcome().is_some() {
            // The final position is analysed too, so that it can be shown with values.
            let analysis = self.player.analyze(turn);
            return Some(Step {
                ended: Some(self.game.record(self.seed, self.player.leaf_evaluations())),
                ..self.made(analysis)?
            });
        }
        if turn.to_move == self.game.side() {
            let analysis = self.player.analyze(turn);
            return self.made(analysis);
        }
        match &mut self.opponent {
            Opponent::Agent(agent) => {
                let analysis = agent.analyze(turn);
                self.made(analysis)
            }
            Opponent::Person(chosen) => match chosen.take() {
                None => Some(Step {
                    asked: self.open().map(|column| column.to_string()).collect(),
                    ..self.shown()
                }),
                best => self.made(Analysis {
                    best,
                    ..Analysis::default()
                }),
            },
        }
    }

    fn answer(&mut self, chosen: &str) {
        // If the column is full or unknown, the next step asks the person again.
        let column = self.open().find(|column| column.to_string() == chosen);
        if let Opponent::Person(next) = &mut self.opponent {
            *next = column;
        }
    }
}
