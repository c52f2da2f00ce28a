//! Campaigns that grow at the pace of a test: executed as always, with real files, but each generation waits until
//! the test permits it.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use tiletune::Session;
use tiletune::evaluation::{Only, Order, Sink, SinkClosed};
use tiletune::random::{GameRng, fold};
use tiletune::{
    Batch, Campaign, Control, EvaluationError, Evaluator, GameRecord, GameResult, NullObserver,
    Progress, Run, RunError, Source, Weights,
};

/// Scores that depend on the weight of empty cells and the seed alone.
pub struct MadeUp;

impl Evaluator for MadeUp {
    fn play(
        &self,
        _: Order,
        candidates: &[Weights],
        seeds: &[u64],
        progress: &Progress,
        sink: &mut Sink,
    ) -> Result<(), EvaluationError<SinkClosed>> {
        for (candidate, weights) in candidates.iter().enumerate() {
            if progress.is_stopped() {
                return Err(EvaluationError::Interrupted);
            }
            let value = ["empty", "empty_cells"]
                .iter()
                .find_map(|name| weights.get(name));
            let value = value.unwrap().ln_1p();
            let game = |&seed: &u64| {
                let noise = weights
                    .iter()
                    .fold(seed, |hash, (_, value)| fold(hash, value.to_bits()));
                let noise = f64::from(GameRng::new(noise).below(1000)) / 1000.0;
                GameRecord {
                    seed,
                    result: GameResult::scored((20_000.0 + 2_000.0 * (value + noise)) as u64),
                    moves: 100,
                    leaf_evaluations: 0,
                }
            };
            let games: Vec<GameRecord> = seeds.iter().map(game).collect();
            progress.add_games(games.len() as u64);
            sink(Batch {
                candidate,
                first_game: 0,
                games: &games,
            })?;
        }
        Ok(())
    }
}

/// An evaluator that waits for a permit at each call, until nobody gives any more.
struct Paced<E> {
    evaluator: E,
    permits: Mutex<Receiver<()>>,
}

impl<Of: Evaluator> Evaluator for Paced<Of> {
    fn play(
        &self,
        order: Order,
        candidates: &[Weights],
        seeds: &[u64],
        progress: &Progress,
        sink: &mut Sink,
    ) -> Result<(), EvaluationError<SinkClosed>> {
        let _ = self.permits.lock().unwrap().recv();
        self.evaluator
            .play(order, candidates, seeds, progress, sink)
    }
}

/// A campaign that is executed by a thread of the test.
pub struct Growing {
    permits: Option<Sender<()>>,
    thread: Option<JoinHandle<Result<(), RunError>>>,
    progress: Arc<Progress>,
}

impl Growing {
    /// Begins a run in a folder, with the evaluator that `make` makes for the campaign. Nothing is played yet.
    pub fn begin<E: Evaluator>(
        text: &str,
        root: &Path,
        make: impl FnOnce(&Campaign) -> E + Send + 'static,
    ) -> Self {
        let source = Source::new("growing.toml", text);
        let campaign = Campaign::resolve(&source, Path::new("")).unwrap();
        let run = Run::begin(&campaign, text, root, Session::now(1)).unwrap();
        let (permits, receiver) = channel();
        let progress = Arc::new(Progress::default());
        let watched = progress.clone();
        let thread = std::thread::spawn(move || {
            let evaluator = Paced {
                evaluator: make(&campaign),
                permits: Mutex::new(receiver),
            };
            let mut unobserved = NullObserver;
            let mut control = Control::new(&watched, &mut unobserved);
            let only = Only::new(&campaign.player, &evaluator);
            run.execute(&campaign, &only, &mut control).map(drop)
        });
        Growing {
            permits: Some(permits),
            thread: Some(thread),
            progress,
        }
    }

    /// Lets it play some generations.
    pub fn play(&self, generations: usize) {
        let permits = self.permits.as_ref().unwrap();
        (0..generations).for_each(|_| permits.send(()).unwrap());
    }

    /// Lets it play to its end, or to a request to stop.
    pub fn finish(mut self) -> Result<(), RunError> {
        self.permits = None;
        self.thread.take().unwrap().join().unwrap()
    }

    /// Requests a stop, and waits for it.
    pub fn interrupt(self) {
        self.progress.request_stop();
        let ended = self.finish();
        assert!(matches!(ended, Err(RunError::Interrupted)), "{ended:?}");
    }
}
