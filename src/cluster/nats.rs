//! The transport of a coordinator over NATS: tasks in a JetStream work queue, all other messages as core messages. The
//! client has a separate thread; further threads perform spot checks. This module must not decide anything about games.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{self, DiscardPolicy, RetentionPolicy, StorageType, Stream};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, Message, Subscriber};
use futures_util::StreamExt;
use tokio::sync::mpsc as queue;

use super::Build;
use super::connection::{ConnectError, Server, runtime};
use super::messages::{Answer, Heartbeat, RunState, Start, TaskId, json};
use super::task::Job;
use super::transport::{CheckedTask, ReplySubject, Transport, TransportEvent};
use crate::lock::locked;
use crate::prepare::Reported;

/// The consumer of a task stream that all workers share.
pub(super) const CONSUMER: &str = "workers";

/// Redelivery timeout of a task without a progress acknowledgement.
const ACK_WAIT: Duration = Duration::from_secs(10);

/// Time before a stream that could not be made is tried once more.
const SECOND_TRY: Duration = Duration::from_millis(500);

/// Expiry of unused streams and consumers, and of tasks.
const EXPIRY: Duration = Duration::from_secs(3600);

/// Limits that are high enough for more than a thousand workers.
const MOST_PULLS: i64 = 100_000;

/// Timeout of the clean-up when the connection ends.
const FAREWELL: Duration = Duration::from_secs(1);

/// A server that lost the files of a stream reports this error for every task. nats-server 2.9 sometimes loses them if
/// a stream is deleted and created again at once, as between two runs.
const LOST_FILES: &str = "no such file or directory";

/// Time in which workers find a stream that was created again. Within it, further failures do not delete the stream
/// again.
const AFTER_REPAIR: Duration = Duration::from_secs(5);

/// Number of equal replays after which a program counts as repeatable.
const REPEATS: usize = 3;

/// The name of the stream of tasks of a build.
pub(super) fn stream_name(build: &str) -> String {
    format!("TILETUNE-{build}")
}

fn task_subject(build: &str, run: &str, task: TaskId) -> String {
    format!(
        "tiletune.task.{build}.{run}.{}.{}",
        task.evaluation, task.number
    )
}

/// Run and task in the subject of a task or of a result.
pub(super) fn task_of(subject: &str) -> Option<(&str, TaskId)> {
    let mut names = subject.split('.').skip(3);
    let run = names.next()?;
    let task = TaskId {
        evaluation: names.next()?.parse().ok()?,
        number: names.next()?.parse().ok()?,
    };
    Some((run, task))
}

/// Requests to the thread of the client.
enum ClientCommand {
    Publish(TaskId, u32, Vec<u8>),
    Answer(ReplySubject, Answer),
    Purge(u64),
    Tell(RunState),
    End(Sender<()>),
}

/// The connection of a coordinator.
pub(super) struct Nats {
    begin: Instant,
    commands: queue::UnboundedSender<ClientCommand>,
    events: Receiver<TransportEvent>,
    /// The open evaluation; 0 if none is open.
    open: Arc<AtomicU64>,
    jobs: Option<Sender<(TaskId, Job)>>,
    stops: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Nats {
    /// Connects, and creates the task stream of the build.
    pub(super) fn connect(
        server: &Server,
        build: &Build,
        run: &str,
        threads: usize,
    ) -> Result<Self, ConnectError> {
        let (commands, asked) = queue::unbounded_channel();
        let (sender, events) = mpsc::channel();
        let (connected, is_connected) = mpsc::channel();
        let open = Arc::new(AtomicU64::new(0));
        let link = Link {
            build: build.name().to_owned(),
            run: run.to_owned(),
            events: sender.clone(),
            open: open.clone(),
        };
        let server = server.clone();
        let client = spawn("nats", move || match runtime() {
            Ok(runtime) => runtime.block_on(link.live(&server, asked, &connected)),
            Err(error) => {
                let _ = connected.send(Err(error));
            }
        })?;
        let ended = || ConnectError::Unreachable("the client has ended".into());
        is_connected.recv().map_err(|_| ended())??;
        let (jobs, to_play) = mpsc::channel();
        let to_play = Arc::new(Mutex::new(to_play));
        let stops = Arc::new(AtomicBool::new(false));
        let mut all = vec![client];
        for _ in 0..threads {
            let (to_play, events, stops) = (to_play.clone(), sender.clone(), stops.clone());
            all.push(spawn("check", move || check(&to_play, &events, &stops))?);
        }
        Ok(Nats {
            begin: Instant::now(),
            commands,
            events,
            open,
            jobs: Some(jobs),
            stops,
            threads: all,
        })
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, ConnectError> {
    let thread = thread::Builder::new().name(name.to_owned()).spawn(work);
    thread.map_err(|error| ConnectError::Unreachable(format!("cannot start a thread: {error}")))
}

/// Performs spot checks until the channel is closed.
fn check(
    jobs: &Mutex<Receiver<(TaskId, Job)>>,
    events: &Sender<TransportEvent>,
    stops: &AtomicBool,
) {
    let next = || locked(jobs).recv();
    while let Ok((task, job)) = next() {
        let stop = crate::stop::Stop::when(stops);
        let reported = Reported {
            say: &|text| drop(events.send(TransportEvent::Announced(text.to_owned()))),
            ..Reported::quiet(stop)
        };
        let games = job.play(&reported, |_| ()).ok();
        // The games of a program can differ between replays.
        let is_program = job.player().program().is_some() && games.is_some();
        let again = (0..REPEATS)
            .filter(|_| is_program)
            .map(|_| job.play(&reported, |_| ()).ok());
        let repeats = again.into_iter().all(|again| again == games);
        if stop.is_requested() {
            return;
        }
        let _ = events.send(TransportEvent::CheckedTask(
            task,
            CheckedTask { games, repeats },
        ));
    }
}

impl Transport for Nats {
    fn now(&self) -> Duration {
        self.begin.elapsed()
    }

    fn open(&mut self, evaluation: u64) {
        self.open.store(evaluation, Ordering::SeqCst);
    }

    fn publish(&mut self, task: TaskId, attempt: u32, bytes: Vec<u8>) {
        let _ = self
            .commands
            .send(ClientCommand::Publish(task, attempt, bytes));
    }

    fn answer(&mut self, reply_to: ReplySubject, answer: Answer) {
        let _ = self.commands.send(ClientCommand::Answer(reply_to, answer));
    }

    fn check(&mut self, task: TaskId, job: Job) {
        if let Some(jobs) = &self.jobs {
            let _ = jobs.send((task, job));
        }
    }

    fn poll(&mut self, wait: Duration) -> Option<TransportEvent> {
        self.events.recv_timeout(wait).ok()
    }

    fn close(&mut self, has_rest: bool) {
        let evaluation = self.open.swap(0, Ordering::SeqCst);
        if has_rest {
            let _ = self.commands.send(ClientCommand::Purge(evaluation));
        }
    }

    fn tell(&mut self, state: RunState) {
        let _ = self.commands.send(ClientCommand::Tell(state));
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.stops.store(true, Ordering::SeqCst);
        self.jobs = None;
        let (sender, ended) = mpsc::channel();
        if self.commands.send(ClientCommand::End(sender)).is_ok() {
            // The server may be gone, so the wait is limited.
            let _ = ended.recv_timeout(FAREWELL);
        }
        // The first thread is that of the client. It is not joined, because it can hang on the server.
        for thread in self.threads.drain(1..) {
            let _ = thread.join();
        }
    }
}

/// The part that runs on the thread of the client.
#[derive(Clone)]
struct Link {
    build: String,
    run: String,
    events: Sender<TransportEvent>,
    open: Arc<AtomicU64>,
}

/// The shared state of the client's tasks.
#[derive(Clone)]
struct TaskQueue {
    context: Context,
    link: Link,
    /// Time at which the stream was last deleted because its files were lost.
    repaired: Arc<tokio::sync::Mutex<Option<Instant>>>,
}

impl Link {
    async fn live(
        self,
        server: &Server,
        commands: queue::UnboundedReceiver<ClientCommand>,
        connected: &Sender<Result<(), ConnectError>>,
    ) {
        match self.begin(server).await {
            Ok((client, queue, messages)) => {
                let _ = connected.send(Ok(()));
                self.serve(client, queue, messages, commands).await;
            }
            Err(error) => {
                let _ = connected.send(Err(error));
            }
        }
    }

    async fn begin(
        &self,
        server: &Server,
    ) -> Result<(Client, TaskQueue, [Subscriber; 3]), ConnectError> {
        let events = self.events.clone();
        let was_lost = Arc::new(AtomicBool::new(false));
        let client = server.connect(|options| {
            options
                .name("tiletune coordinator")
                .event_callback(move |event| {
                    let told = match event {
                        async_nats::Event::Disconnected => {
                            was_lost.store(true, Ordering::SeqCst);
                            Some(TransportEvent::Disconnected)
                        }
                        async_nats::Event::Connected if was_lost.load(Ordering::SeqCst) => {
                            Some(TransportEvent::Reconnected)
                        }
                        _ => None,
                    };
                    if let Some(event) = told {
                        let _ = events.send(event);
                    }
                    async {}
                })
        });
        let client = client.await?;
        let queue = TaskQueue {
            context: jetstream::new(client.clone()),
            link: self.clone(),
            repaired: Arc::default(),
        };
        queue.make().await.map_err(|error| {
            ConnectError::Refused(format!(
                "{}: cannot make a stream of tasks: {error}",
                server.shown()
            ))
        })?;
        let (build, run) = (&self.build, &self.run);
        let subjects = [
            format!("tiletune.start.{build}.{run}"),
            format!("tiletune.result.{build}.{run}.>"),
            "tiletune.worker.>".to_owned(),
        ];
        let lost =
            |error: String| ConnectError::Unreachable(format!("{}: {error}", server.shown()));
        let [starts, results, beats] = subjects;
        let subscribe = async |subject: String| {
            let subscribed = client.subscribe(subject).await;
            subscribed.map_err(|error| lost(error.to_string()))
        };
        let messages = [
            subscribe(starts).await?,
            subscribe(results).await?,
            subscribe(beats).await?,
        ];
        Ok((client, queue, messages))
    }

    async fn serve(
        &self,
        client: Client,
        queue: TaskQueue,
        messages: [Subscriber; 3],
        mut commands: queue::UnboundedReceiver<ClientCommand>,
    ) {
        let [mut starts, mut results, mut beats] = messages;
        let mut tick = tokio::time::interval(Duration::from_secs(1));
        let mut state = RunState {
            run: self.run.clone(),
            build: self.build.clone(),
            ..RunState::default()
        };
        loop {
            tokio::select! {
                Some(message) = starts.next() => self.started(&client, &message).await,
                Some(message) = results.next() => self.resulted(&client, message).await,
                Some(message) = beats.next() => {
                    if let Ok(beat) = serde_json::from_slice::<Heartbeat>(&message.payload) {
                        let _ = self.events.send(TransportEvent::Heartbeat(beat));
                    }
                }
                _ = tick.tick() => {
                    let subject = format!("tiletune.run.{}.{}", self.build, self.run);
                    let _ = client.publish(subject, json(&state).into()).await;
                }
                command = commands.recv() => match command {
                    Some(ClientCommand::Publish(task, attempt, bytes)) => {
                        let queue = queue.clone();
                        tokio::spawn(async move { queue.publish(task, attempt, bytes).await });
                    }
                    Some(ClientCommand::Answer(reply_to, answer)) => reply(&client, reply_to.0, &answer).await,
                    Some(ClientCommand::Purge(evaluation)) => {
                        let (queue, tasks) = (queue.clone(), format!("{evaluation}.>"));
                        tokio::spawn(async move { queue.purge(&tasks).await });
                    }
                    Some(ClientCommand::Tell(told)) => state = told,
                    Some(ClientCommand::End(ended)) => {
                        queue.remove().await;
                        let _ = client.flush().await;
                        let _ = ended.send(());
                        return;
                    }
                    None => return,
                },
            }
        }
    }

    /// Whether an evaluation is open. If not, answers that the task is done.
    async fn is_open(&self, client: &Client, evaluation: u64, reply_to: &str) -> bool {
        let is_open = self.open.load(Ordering::SeqCst) == evaluation;
        if !is_open {
            reply(client, reply_to.to_owned(), &Answer::Done).await;
        }
        is_open
    }

    async fn started(&self, client: &Client, message: &Message) {
        let start = serde_json::from_slice::<Start>(&message.payload);
        if let (Ok(start), Some(to)) = (start, &message.reply)
            && self.is_open(client, start.task.evaluation, to).await
        {
            let _ = self
                .events
                .send(TransportEvent::Start(start, ReplySubject(to.to_string())));
        }
    }

    async fn resulted(&self, client: &Client, message: Message) {
        if let (Some((_, task)), Some(to)) = (task_of(&message.subject), &message.reply)
            && self.is_open(client, task.evaluation, to).await
        {
            let bytes = message.payload.to_vec();
            let _ = self.events.send(TransportEvent::Result(
                task,
                bytes,
                ReplySubject(to.to_string()),
            ));
        }
    }
}

async fn reply(client: &Client, to: String, answer: &Answer) {
    // If the answer is lost, the worker asks again.
    let _ = client.publish(to, json(answer).into()).await;
}

impl TaskQueue {
    /// Creates the task stream and its consumer if they do not exist.
    async fn make(&self) -> Result<Stream, String> {
        let build = &self.link.build;
        let config = stream::Config {
            name: stream_name(build),
            description: Some("tasks of tiletune".into()),
            subjects: vec![format!("tiletune.task.{build}.>")],
            retention: RetentionPolicy::WorkQueue,
            // A retry replaces the earlier message.
            max_messages_per_subject: 1,
            discard: DiscardPolicy::Old,
            max_age: EXPIRY,
            storage: StorageType::File,
            duplicate_window: Duration::from_secs(60),
            num_replicas: 1,
            ..stream::Config::default()
        };
        let mut stream = self.context.get_or_create_stream(config.clone()).await;
        if stream.is_err() {
            // A server that has just started sometimes fails to create the store of its first stream.
            tokio::time::sleep(SECOND_TRY).await;
            stream = self.context.get_or_create_stream(config).await;
        }
        let stream = stream.map_err(|error| error.to_string())?;
        let consumer = pull::Config {
            durable_name: Some(CONSUMER.into()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: ACK_WAIT,
            max_ack_pending: MOST_PULLS,
            max_waiting: MOST_PULLS,
            inactive_threshold: EXPIRY,
            ..pull::Config::default()
        };
        let consumer = stream.get_or_create_consumer(CONSUMER, consumer).await;
        consumer.map_err(|error| error.to_string())?;
        Ok(stream)
    }

    async fn publish(&self, task: TaskId, attempt: u32, bytes: Vec<u8>) {
        let subject = task_subject(&self.link.build, &self.link.run, task);
        let id = format!(
            "{}-{}-{}-{attempt}",
            self.link.run, task.evaluation, task.number
        );
        let message = PublishMessage::build().payload(bytes.into()).message_id(id);
        let published = async {
            let acknowledged = self.context.send_publish(subject, message).await?;
            acknowledged.await
        };
        let Err(error) = published.await else { return };
        let (is_gone, why) = (
            matches!(error.kind(), PublishErrorKind::StreamNotFound),
            error.to_string(),
        );
        let made = if why.contains(LOST_FILES) {
            self.repair().await
        } else if is_gone {
            self.make().await.map(drop)
        } else {
            Err(why)
        };
        let why = made
            .err()
            .unwrap_or_else(|| "its stream of tasks was missing and is created again".into());
        let _ = self
            .link
            .events
            .send(TransportEvent::Unpublished(task, why));
    }

    /// Deletes the task stream, whose files are lost, and creates it again. All tasks that fail together call this.
    async fn repair(&self) -> Result<(), String> {
        let mut repaired = self.repaired.lock().await;
        if repaired.is_none_or(|time| time.elapsed() > AFTER_REPAIR) {
            let name = stream_name(&self.link.build);
            let deleted = self.context.delete_stream(name).await;
            deleted.map_err(|error| error.to_string())?;
            *repaired = Some(Instant::now());
        }
        self.make().await.map(drop)
    }

    /// Purges the tasks of the run whose subjects match `tasks`.
    async fn purge(&self, tasks: &str) -> Option<Stream> {
        let stream = self
            .context
            .get_stream(stream_name(&self.link.build))
            .await
            .ok()?;
        let tasks = format!(
            "tiletune.task.{}.{}.{tasks}",
            self.link.build, self.link.run
        );
        stream.purge().filter(tasks).await.ok()?;
        Some(stream)
    }

    /// Removes the tasks of the run, and the stream if it has no tasks of other runs. A run that begins at this time
    /// creates the stream again.
    async fn remove(&self) {
        let Some(stream) = self.purge(">").await else {
            return;
        };
        if let Ok(info) = stream.get_info().await
            && info.state.messages == 0
        {
            let _ = self
                .context
                .delete_stream(stream_name(&self.link.build))
                .await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalogue;
    use crate::cluster::task::Evaluation;
    use crate::heuristic::weights::Weights;

    #[test]
    fn a_spot_check_announces_the_solution_of_a_board() {
        let player = "name = 'perfect'\nboard = '2x4'\nspawn = '4:1'";
        let player = Catalogue::builtin().player(&toml::from_str(player).unwrap());
        let evaluation = Evaluation {
            player: &player.unwrap(),
            candidates: &[Weights::default()],
            seeds: &[1],
        };
        let task = TaskId {
            evaluation: 1,
            number: 0,
        };
        let (jobs, to_play) = mpsc::channel();
        jobs.send((task, evaluation.job(0..1))).unwrap();
        drop(jobs);
        let (sender, events) = mpsc::channel();
        check(&Mutex::new(to_play), &sender, &AtomicBool::new(false));
        let Ok(TransportEvent::Announced(announced)) = events.recv() else {
            panic!("the solution is announced first");
        };
        assert!(announced.starts_with("solving "), "{announced}");
        let last = events.try_iter().last();
        assert!(matches!(last, Some(TransportEvent::CheckedTask(of, _)) if of == task));
    }

    #[test]
    fn subjects_name_run_and_task() {
        let task = TaskId {
            evaluation: 12,
            number: 3,
        };
        let subject = task_subject("b", "r", task);
        assert_eq!(task_of(&subject), Some(("r", task)));
        assert_eq!(task_of("tiletune.result.b.r.12"), None);
    }
}
