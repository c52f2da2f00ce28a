//! The steps of a game that have been shown, to go back and to jump among them.

use crate::player::session::Step;

/// The steps so far, the one that is shown, and where the user wants to go.
#[derive(Default)]
pub(super) struct History {
    steps: Vec<Step>,
    /// Index of the shown step.
    at: usize,
    /// Number of moves before the step to go to.
    goal: Option<u32>,
    /// Whether the end of the game is only wanted to know the largest loss.
    is_for_loss: bool,
}

impl History {
    /// The step that is shown; `None` before the first one.
    pub(super) fn shown(&self) -> Option<&Step> {
        self.steps.get(self.at)
    }

    /// The last step that the player has made.
    pub(super) fn last(&self) -> Option<&Step> {
        self.steps.last()
    }

    /// The shown step, whose moves of a person can be taken.
    pub(super) fn shown_mut(&mut self) -> Option<&mut Step> {
        self.steps.get_mut(self.at)
    }

    /// Whether the last step of the game is shown.
    pub(super) fn has_ended(&self) -> bool {
        self.shown().is_some_and(|step| step.ended.is_some())
    }

    /// Whether more steps are needed to reach the goal.
    pub(super) fn is_jumping(&self) -> bool {
        self.goal.is_some()
    }

    /// Shows the next of the known steps. Returns whether there is one.
    pub(super) fn forward(&mut self) -> bool {
        let is_known = self.at + 1 < self.steps.len();
        self.at += usize::from(is_known);
        is_known
    }

    /// Shows the step before.
    pub(super) fn back(&mut self) {
        self.goal = None;
        self.is_for_loss = false;
        self.at = self.at.saturating_sub(1);
    }

    /// Adds a step and shows it.
    pub(super) fn push(&mut self, step: Step) {
        self.steps.push(step);
        self.at = self.steps.len() - 1;
        self.arrive();
    }

    /// Goes to the step after a number of moves: at once if it is known, otherwise as soon as the player has made them.
    /// A game that ends before is shown at its end.
    pub(super) fn go_to(&mut self, moves: u32) {
        self.is_for_loss = false;
        self.seek(moves);
    }

    /// Goes to the step with whose move, and what came by chance after it, the player's value of the position fell most;
    /// from such a step to the one with the next smaller loss, and from the last of them to the first again. The player
    /// makes the rest of the game before.
    pub(super) fn go_to_loss(&mut self) {
        if self.last().is_some_and(|step| step.ended.is_some()) {
            let losses = self.losses();
            let now = losses.iter().position(|at| *at == self.at);
            let next = now.map_or(0, |now| (now + 1) % losses.len());
            self.at = losses.get(next).copied().unwrap_or(self.at);
        } else {
            self.is_for_loss = true;
            self.seek(u32::MAX);
        }
    }

    /// By how much the value falls with the move of a step; `None` if that is not known. Negative if it rises.
    fn loss(&self, at: usize) -> Option<f64> {
        let value = |at: usize| self.steps.get(at)?.analysis.value_of_best();
        Some(value(at)? - value(at + 1)?)
    }

    /// By how much the value falls with the move of the shown step.
    pub(super) fn loss_of_shown(&self) -> Option<f64> {
        self.loss(self.at).filter(|loss| *loss > 0.0)
    }

    /// The steps with a loss, the largest one first.
    fn losses(&self) -> Vec<usize> {
        let all = (0..self.steps.len()).filter_map(|at| Some((at, self.loss(at)?)));
        let mut falling: Vec<(usize, f64)> = all.filter(|(_, loss)| *loss > 0.0).collect();
        falling.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        falling.into_iter().map(|(at, _)| at).collect()
    }

    fn seek(&mut self, moves: u32) {
        let first = self.steps.first().map_or(0, |step| step.moves);
        let place = moves.saturating_sub(first) as usize;
        self.at = place.min(self.steps.len().saturating_sub(1));
        self.goal = Some(moves);
        self.arrive();
    }

    /// Forgets a goal that is reached or can no longer be reached.
    fn arrive(&mut self) {
        let is_reached = |step: &Step| {
            let is_there = self.goal.is_some_and(|goal| step.moves >= goal);
            is_there || step.ended.is_some()
        };
        if self.shown().is_some_and(is_reached) {
            self.goal = None;
            if std::mem::take(&mut self.is_for_loss) {
                self.go_to_loss();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::rules::Board;
    use crate::player::analysis::MoveValue;
    use crate::record::{GameRecord, GameResult};

    fn step(moves: u32) -> Step {
        Step::new(Board::default(), moves, [])
    }

    fn shown(history: &History) -> Option<u32> {
        history.shown().map(|step| step.moves)
    }

    #[test]
    fn a_game_goes_back_and_jumps() {
        let mut history = History::default();
        history.back();
        assert_eq!((shown(&history), history.forward()), (None, false));
        (0..4).for_each(|moves| history.push(step(moves)));
        history.back();
        history.back();
        assert_eq!(shown(&history), Some(1));
        assert!(history.forward());
        assert_eq!(shown(&history), Some(2));
        history.go_to(0);
        assert_eq!((shown(&history), history.is_jumping()), (Some(0), false));
        history.go_to(5);
        assert_eq!((shown(&history), history.is_jumping()), (Some(3), true));
        history.push(step(4));
        assert!(history.is_jumping());
        history.push(step(5));
        assert_eq!((shown(&history), history.is_jumping()), (Some(5), false));
        history.go_to(99);
        history.back();
        assert!(!history.is_jumping(), "going back ends a jump");
        assert_eq!(
            (shown(&history), history.last().unwrap().moves),
            (Some(4), 5)
        );
    }

    fn last_step(moves: u32) -> Step {
        let result = GameResult::Score {
            score: 0,
            max_tile: None,
            capped: false,
        };
        let record = GameRecord {
            seed: 1,
            moves,
            result,
            leaf_evaluations: 0,
        };
        Step {
            ended: Some(record),
            ..step(moves)
        }
    }

    #[test]
    fn a_jump_beyond_the_end_shows_the_end() {
        let mut history = History::default();
        history.push(step(0));
        history.go_to(1000);
        history.push(last_step(1));
        assert!(!history.is_jumping() && history.has_ended());
        history.go_to(1000);
        assert!(!history.is_jumping() && history.has_ended());
        history.back();
        assert!(!history.has_ended());
    }

    #[test]
    fn the_losses_are_shown_from_the_largest_to_the_smallest() {
        let valued = |moves, value| {
            let mut step = step(moves);
            step.analysis.best = Some("up".into());
            step.analysis.values = vec![("up".into(), Some(MoveValue::One(value)))];
            step
        };
        let mut history = History::default();
        history.push(valued(0, 10.0));
        // The game is not over, so its rest is played first.
        history.go_to_loss();
        assert!(history.is_jumping());
        for (moves, value) in [(1, 9.0), (2, 12.0), (3, 7.0), (4, f64::INFINITY)] {
            history.push(valued(moves, value));
            assert!(history.is_jumping());
        }
        history.push(last_step(5));
        let shown_loss = |history: &History| (shown(history), history.loss_of_shown());
        assert!(!history.is_jumping());
        assert_eq!(shown_loss(&history), (Some(2), Some(5.0)));
        history.go_to_loss();
        assert_eq!(shown_loss(&history), (Some(0), Some(1.0)));
        history.go_to_loss();
        assert_eq!(shown_loss(&history), (Some(2), Some(5.0)));
        // From any other step it is the largest one.
        history.go_to(1);
        assert_eq!(shown_loss(&history), (Some(1), None));
        history.go_to_loss();
        assert_eq!(shown(&history), Some(2));
    }

    #[test]
    fn a_game_without_losses_is_shown_at_its_end() {
        let mut history = History::default();
        history.go_to_loss();
        history.push(step(0));
        history.push(last_step(1));
        assert_eq!(shown(&history), Some(1));
        history.go_to_loss();
        assert_eq!(shown(&history), Some(1));
    }
}
