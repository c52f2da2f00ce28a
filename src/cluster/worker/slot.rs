//! The slots of a worker. Each slot takes one task after another, plays it and sends the records. There are more slots
//! than threads: while a thread plays, other slots fetch the next task and send the previous records. So a thread does
//! not wait for messages.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_nats::RequestErrorKind;
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::{self, AckKind};
use futures_util::StreamExt;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Semaphore, SemaphorePermit, watch};

use super::{PAUSE, TICK, WorkerState, stopped};
use crate::Catalogue;
use crate::cluster::messages::{Answer, Columns, Start, TaskResult, json, unpack};
use crate::cluster::nats::{CONSUMER, stream_name, task_of};
use crate::cluster::task::Job;
use crate::evaluation::Progress;
use crate::lock::locked;
use crate::prepare::Reported;
use crate::stop::Stop;

/// Timeout of a pull request on the server.
const PULL: Duration = Duration::from_secs(5);

/// Interval of in-progress acknowledgements.
const ALIVE: Duration = Duration::from_secs(3);

/// Timeout of a request to a coordinator.
const ANSWER: Duration = Duration::from_secs(5);

/// Time for retries of sending a result. After it the coordinator has ended, or has published the task again.
const PERSISTENCE: Duration = Duration::from_secs(20);

/// Slots per thread: one fetches a task, one plays, one sends.
const SLOTS: usize = 3;

/// Semaphores that the slots share.
pub(super) struct SlotPermits {
    /// Permits to take a task. A permit is returned when most of the task is played. A worker that takes tasks earlier
    /// keeps them from idle workers.
    take: Semaphore,
    play: Semaphore,
}

impl SlotPermits {
    pub(super) fn of(threads: usize) -> Self {
        SlotPermits {
            take: Semaphore::new(threads),
            play: Semaphore::new(threads),
        }
    }
}

/// The number of slots for a number of threads.
pub(super) fn slots(threads: usize) -> usize {
    SLOTS * threads
}

impl WorkerState {
    /// Plays one task after another until the worker ends.
    pub(super) async fn slot(self: Arc<Self>, mut ends: watch::Receiver<bool>) {
        let mut consumer = None;
        let mut queue_is_new = self.queue_is_new.subscribe();
        while !*ends.borrow() && !self.progress.is_stopped() {
            if !self.has_run() {
                tokio::time::sleep(TICK).await;
                continue;
            }
            let taking = tokio::select! {
                _ = ends.changed() => return,
                Ok(taking) = self.permits.take.acquire() => taking,
            };
            let message = tokio::select! {
                // Check the end first: a task that was fetched must not be dropped.
                biased;
                _ = ends.changed() => return,
                Ok(()) = queue_is_new.changed() => {
                    consumer = None;
                    continue;
                }
                message = self.next(&mut consumer) => message,
            };
            match message {
                Some(message) => self.take(message, taking).await,
                None => tokio::time::sleep(TICK).await,
            }
        }
    }

    /// The next task of the queue; `None` if there is none now.
    async fn next(
        &self,
        consumer: &mut Option<Consumer<pull::Config>>,
    ) -> Option<jetstream::Message> {
        let begin = Instant::now();
        let taken = self.try_next(consumer).await;
        if taken.is_none() && begin.elapsed() < PULL / 2 {
            // The stream does not exist, or was deleted.
            *consumer = None;
            tokio::time::sleep(PAUSE).await;
        }
        taken
    }

    async fn try_next(
        &self,
        consumer: &mut Option<Consumer<pull::Config>>,
    ) -> Option<jetstream::Message> {
        if consumer.is_none() {
            let context = jetstream::new(self.client.clone());
            let stream = stream_name(self.worker.build.name());
            *consumer = context
                .get_consumer_from_stream(CONSUMER, stream)
                .await
                .ok();
        }
        let pull = consumer.as_ref()?.batch().max_messages(1).expires(PULL);
        let mut messages = pull.messages().await.ok()?;
        // The reply "no messages" can be lost, so the timeout is also local.
        let next = tokio::time::timeout(PULL + PAUSE, messages.next()).await;
        next.ok()??.ok()
    }

    /// Waits for an idle thread. `None` if the worker ends before.
    async fn turn(&self, message: &jetstream::Message) -> Option<SemaphorePermit<'_>> {
        let mut alive = tokio::time::interval(ALIVE);
        let mut ticks = tokio::time::interval(TICK);
        loop {
            tokio::select! {
                turn = self.permits.play.acquire() => return turn.ok(),
                _ = alive.tick() => { let _ = message.ack_with(AckKind::Progress).await; }
                _ = ticks.tick() => if self.progress.is_stopped() { return None },
            }
        }
    }

    /// Plays a task, unless the coordinator answers that it is done.
    async fn take(&self, message: jetstream::Message, taking: SemaphorePermit<'_>) {
        let Some(turn) = self.turn(&message).await else {
            return give_back(&message).await;
        };
        let subject = message.subject.to_string();
        let Some((run, task)) = task_of(&subject) else {
            let _ = message.ack_with(AckKind::Term).await;
            return;
        };
        let start = Start {
            worker: self.name.clone(),
            task,
        };
        let build = self.worker.build.name();
        let asked = format!("tiletune.start.{build}.{run}");
        match self.ask(asked, json(&start)).await {
            Ok(Answer::Play) => {}
            Ok(Answer::Done) => {
                let _ = message.ack().await;
                return;
            }
            Ok(Answer::Barred(why)) => return self.be_barred(&message, run, why).await,
            // The run has ended.
            Err(RequestErrorKind::NoResponders) => {
                let _ = message.ack_with(AckKind::Term).await;
                return;
            }
            Err(_) => return give_back(&message).await,
        }
        let held = (run.to_owned(), task.evaluation, task.number);
        locked(&self.held).insert(held.clone());
        let played = self.play(&message, taking).await;
        drop(turn);
        if let Some(played) = played {
            let result = format!(
                "tiletune.result.{build}.{run}.{}.{}",
                task.evaluation, task.number
            );
            self.send(&message, result, run, &played).await;
        } else {
            give_back(&message).await;
        }
        locked(&self.held).remove(&held);
    }

    /// Sends a request to a coordinator, and returns the answer.
    async fn ask(&self, subject: String, bytes: Vec<u8>) -> Result<Answer, RequestErrorKind> {
        let request = async_nats::Request::new()
            .payload(bytes.into())
            .timeout(Some(ANSWER));
        let answer = tokio::select! {
            answer = self.client.send_request(subject, request) => answer,
            () = stopped(&self.progress) => return Err(RequestErrorKind::Other),
        };
        let answer = answer.map_err(|error| error.kind())?;
        serde_json::from_slice(&answer.payload).map_err(|_| RequestErrorKind::Other)
    }

    async fn be_barred(&self, message: &jetstream::Message, run: &str, why: String) {
        give_back(message).await;
        locked(&self.barred).get_or_insert((run.to_owned(), why));
    }

    /// Plays the task of a message. `None` if the worker ends before.
    async fn play(
        &self,
        message: &jetstream::Message,
        taking: SemaphorePermit<'_>,
    ) -> Option<TaskResult> {
        let bytes = message.payload.clone();
        let rules = TaskRules {
            catalogue: self.worker.catalogue.clone(),
            allowed: self.worker.commands.clone(),
            folder: self.folder.clone(),
            threads: self.worker.threads,
            messages: self.messages.clone(),
            progress: self.progress.clone(),
            ends_soon: AtomicBool::new(false),
        };
        let rules = Arc::new(rules);
        let stops = Arc::new(AtomicBool::new(false));
        let (stop, play, given) = (stops.clone(), self.play, rules.clone());
        let mut playing = tokio::task::spawn_blocking(move || {
            let begin = Instant::now();
            let games = play(&bytes, &given, Stop::when(&stop));
            (games, begin.elapsed().as_secs_f64())
        });
        let mut taking = Some(taking);
        let mut alive = tokio::time::interval(ALIVE);
        let mut ticks = tokio::time::interval(TICK);
        let (games, seconds) = loop {
            tokio::select! {
                played = &mut playing => break played.ok()?,
                _ = alive.tick() => { let _ = message.ack_with(AckKind::Progress).await; }
                _ = ticks.tick() => {
                    stops.store(self.progress.is_stopped(), Ordering::SeqCst);
                    if rules.ends_soon.load(Ordering::SeqCst) {
                        taking = None;
                    }
                }
            }
        };
        drop(taking);
        if self.progress.is_stopped() {
            return None;
        }
        let games = games.map(|columns| self.maybe_falsified(columns));
        Some(TaskResult {
            worker: self.name.clone(),
            seconds,
            games,
        })
    }

    /// The records, or falsified ones if a test requests it.
    fn maybe_falsified(&self, columns: Columns) -> Columns {
        let number = self.tasks.fetch_add(1, Ordering::SeqCst);
        match self.worker.falsify_after {
            Some(after) if number >= after => columns.falsified(),
            _ => columns,
        }
    }

    /// Sends the records. Retries until the coordinator answers or [`PERSISTENCE`] is over.
    async fn send(
        &self,
        message: &jetstream::Message,
        subject: String,
        run: &str,
        played: &TaskResult,
    ) {
        let bytes = played.message(self.client.server_info().max_payload);
        let begin = Instant::now();
        while begin.elapsed() < PERSISTENCE {
            match self.ask(subject.clone(), bytes.clone()).await {
                Ok(Answer::Barred(why)) => return self.be_barred(message, run, why).await,
                Ok(_) => {
                    let _ = message.ack().await;
                    return;
                }
                Err(_) if self.progress.is_stopped() => break,
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
            let _ = message.ack_with(AckKind::Progress).await;
        }
        give_back(message).await;
    }
}

/// Inputs and outputs of playing a task.
pub(in crate::cluster) struct TaskRules {
    /// The known games and players.
    pub(in crate::cluster) catalogue: Catalogue,
    /// The commands of programs that may be started.
    pub(in crate::cluster) allowed: Vec<String>,
    /// Working folder of programs.
    pub(in crate::cluster) folder: PathBuf,
    /// Number of threads of the worker.
    pub(in crate::cluster) threads: usize,
    /// Messages for the user.
    pub(in crate::cluster) messages: UnboundedSender<String>,
    /// Counts the games.
    pub(in crate::cluster) progress: Arc<Progress>,
    /// Set when three quarters of the games are played.
    pub(in crate::cluster) ends_soon: AtomicBool,
}

impl TaskRules {
    /// Counts played games. `before` is the number of earlier games of the task, `all` the number of all games.
    pub(in crate::cluster) fn count(&self, games: usize, before: usize, all: usize) {
        self.progress.add_games(games as u64);
        if 4 * (before + games) >= 3 * all {
            self.ends_soon.store(true, Ordering::SeqCst);
        }
    }
}

/// A function that plays a packed task.
pub(in crate::cluster) type PlayTask = fn(&[u8], &TaskRules, Stop) -> Result<Columns, String>;

/// Negative acknowledgement: the task is redelivered at once.
async fn give_back(message: &jetstream::Message) {
    let _ = message.ack_with(AckKind::Nak(None)).await;
}

/// The records of a packed task, or the reason why there are none.
pub(super) fn play(bytes: &[u8], rules: &TaskRules, stop: Stop) -> Result<Columns, String> {
    let text = unpack(bytes).ok_or("the task is damaged")?;
    let job = Job::decode(&rules.catalogue, &text, &rules.allowed, &rules.folder)?;
    let (all, before) = (job.seeds().count(), Cell::new(0));
    let reported = Reported {
        threads: rules.threads,
        stop,
        // A worker that ends says nothing more.
        say: &|text| drop(rules.messages.send(text.to_owned())),
    };
    let games = job.play(&reported, |games| {
        rules.count(games, before.get(), all);
        before.set(before.get() + games);
    });
    games.map(|games| Columns::of(&games))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::messages::pack;
    use crate::cluster::task::Evaluation;
    use crate::heuristic::weights::Weights;
    use tokio::sync::mpsc;

    #[test]
    fn what_is_no_task_is_not_played() {
        let played = |bytes: &[u8]| play(bytes, &rules(), Stop::never());
        assert_eq!(played(b"x").unwrap_err(), "the task is damaged");
        assert!(played(&pack(b"{}")).is_err());
    }

    fn rules() -> TaskRules {
        rules_with(mpsc::unbounded_channel().0)
    }

    fn rules_with(messages: UnboundedSender<String>) -> TaskRules {
        TaskRules {
            catalogue: Catalogue::builtin(),
            allowed: Vec::new(),
            folder: "/".into(),
            threads: 2,
            messages,
            progress: Arc::default(),
            ends_soon: AtomicBool::new(false),
        }
    }

    #[test]
    fn the_solution_of_a_board_is_announced_once() {
        let player = "name = 'perfect'\nboard = '2x4'\nspawn = '2:1'";
        let player = Catalogue::builtin().player(&toml::from_str(player).unwrap());
        let evaluation = Evaluation {
            player: &player.unwrap(),
            candidates: &[Weights::default()],
            seeds: &[1, 2],
        };
        let (messages, mut said) = mpsc::unbounded_channel();
        let rules = rules_with(messages);
        for games in [0..1, 1..2] {
            let task = pack(&evaluation.job(games).encode().unwrap());
            assert!(play(&task, &rules, Stop::never()).is_ok());
        }
        let announced = said.try_recv().unwrap();
        assert!(announced.starts_with("solving "), "{announced}");
        assert!(announced.contains(" MB of memory, "), "{announced}");
        assert!(announced.contains(" with 2 threads"), "{announced}");
        assert!(said.try_recv().is_err());
    }

    #[test]
    fn the_next_task_is_taken_when_this_one_ends_soon() {
        let rules = rules();
        let counted = [(1, 0), (1, 1), (1, 2)].map(|(games, before)| {
            rules.count(games, before, 4);
            rules.ends_soon.load(Ordering::SeqCst)
        });
        assert_eq!(counted, [false, false, true]);
        assert_eq!(rules.progress.games(), 3);
    }
}
