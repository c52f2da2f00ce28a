//! A game of gravity four in a row, move by move. A step is a stone of either side.

use crate::games::connect_four::format::{Opinion, wire};
use crate::games::connect_four::players::Thinker;
use crate::games::connect_four::rules::Game;
use crate::player::advice::Worth;
use crate::player::playing::{Playing, Step};

/// Who plays against the player under test.
pub(super) enum Rival<'a> {
    Thinker(Box<dyn Thinker + 'a>),
    /// A person, with the column, from 0, that it has chosen.
    Person(Option<u32>),
}

impl Rival<'_> {
    /// A person who has not chosen yet.
    pub(super) const PERSON: Self = Rival::Person(None);
}

/// A game in progress.
pub(super) struct Steps<'a> {
    seed: u64,
    game: Game,
    player: Box<dyn Thinker + 'a>,
    rival: Rival<'a>,
}

impl<'a> Steps<'a> {
    pub(super) fn new(
        seed: u64,
        game: Game,
        player: Box<dyn Thinker + 'a>,
        rival: Rival<'a>,
    ) -> Self {
        Steps {
            seed,
            game,
            player,
            rival,
        }
    }

    /// The position, about which nothing is thought yet.
    fn shown(&self) -> Step {
        let (rules, turn) = (self.game.rules(), self.game.turn());
        Step {
            position: wire(rules, turn),
            grid: turn.grid(rules),
            moves: self.game.moves(),
            counts: vec![
                ("player", u64::from(self.game.side().number())),
                ("to_move", u64::from(turn.to_move.number())),
            ],
            chosen: None,
            values: Vec::new(),
            evaluation: None,
            asked: Vec::new(),
            ended: None,
        }
    }

    /// The step of a side that has thought about its move.
    fn made(&mut self, opinion: Opinion) -> Step {
        let shown = self.shown();
        let columns = opinion.values.iter().enumerate();
        let values = columns.map(|(column, value)| (name(column as u32), value.map(Worth::One)));
        let rules = *self.game.rules();
        Step {
            values: values.collect(),
            evaluation: opinion.evaluation.map(Worth::Two),
            chosen: opinion.chosen.map(|stone| {
                self.game.play(stone);
                name(rules.column_of(stone))
            }),
            ..shown
        }
    }

    /// Columns, from 0, in which a stone can be dropped.
    fn open(&self) -> impl Iterator<Item = u32> {
        let (rules, turn) = (*self.game.rules(), self.game.turn());
        let columns = 0..rules.columns();
        columns.filter(move |&column| rules.stone(turn.position, column).is_some())
    }
}

/// The name of a column that is counted from 0.
fn name(column: u32) -> String {
    (column + 1).to_string()
}

impl Playing for Steps<'_> {
    fn step(&mut self) -> Step {
        let turn = self.game.turn();
        if self.game.outcome().is_some() {
            // What the player thinks of the end it still says.
            let opinion = self.player.opinion(turn);
            return Step {
                ended: Some(self.game.record(self.seed, self.player.leaf_evaluations())),
                ..self.made(opinion)
            };
        }
        if turn.to_move == self.game.side() {
            let opinion = self.player.opinion(turn);
            return self.made(opinion);
        }
        match &mut self.rival {
            Rival::Thinker(thinker) => {
                let opinion = thinker.opinion(turn);
                self.made(opinion)
            }
            Rival::Person(chosen) => match chosen.take() {
                None => Step {
                    asked: self.open().map(name).collect(),
                    ..self.shown()
                },
                Some(column) => {
                    let rules = *self.game.rules();
                    self.made(Opinion {
                        chosen: rules.stone(turn.position, column),
                        values: Vec::new(),
                        evaluation: None,
                    })
                }
            },
        }
    }

    fn answer(&mut self, chosen: &str) {
        // Where no stone can fall the person is asked again.
        let column = self.open().find(|&column| name(column) == chosen);
        if let Rival::Person(next) = &mut self.rival {
            *next = column;
        }
    }
}
