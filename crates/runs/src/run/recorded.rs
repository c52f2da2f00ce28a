//! Evaluators for a run whose games are all recorded: no game is repeated to check the player.

use std::convert::Infallible;

use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::record::{GameRecord, Unrepeated};
use tiletune_tuning::evaluation::{
    EvaluationError, Evaluator, EvaluatorFactory, FactoryError, Order, Progress, Sink, SinkClosed,
};

/// Evaluators for a complete run of a program. It needs no game, so it must not start a program, which may be gone.
pub(super) struct RecordedFactory<'a>(pub(super) &'a dyn EvaluatorFactory);

impl EvaluatorFactory for RecordedFactory<'_> {
    fn evaluator(&self, player: &PlayerSpec) -> Result<Box<dyn Evaluator + '_>, FactoryError> {
        Ok(Box::new(RecordedEvaluator(self.0.evaluator(player)?)))
    }

    fn threads(&self) -> usize {
        self.0.threads()
    }

    fn is_here(&self) -> bool {
        self.0.is_here()
    }

    fn all_threads(&self) -> usize {
        self.0.all_threads()
    }
}

struct RecordedEvaluator<'a>(Box<dyn Evaluator + 'a>);

impl Evaluator for RecordedEvaluator<'_> {
    fn play(
        &self,
        order: Order,
        candidates: &[Weights],
        seeds: &[u64],
        progress: &Progress,
        sink: &mut Sink,
    ) -> Result<(), EvaluationError<SinkClosed>> {
        self.0.play(order, candidates, seeds, progress, sink)
    }

    /// A complete run is not continued, so it does not matter whether the program still plays as it did.
    fn repeats(
        &self,
        _recorded: &GameRecord,
        _weights: &Weights,
        _progress: &Progress,
    ) -> Result<bool, EvaluationError<Infallible>> {
        Ok(true)
    }

    fn refusal(&self, weights: &Weights) -> Option<String> {
        self.0.refusal(weights)
    }

    fn unrepeated(&self) -> Option<Unrepeated> {
        self.0.unrepeated()
    }
}
