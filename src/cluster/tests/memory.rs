//! A cluster in memory: server, workers, faults and time are simulated, and everything is determined by one seed. The
//! games are real: workers decode tasks, play them and encode the records.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::time::Duration;

use crate::cluster::messages::{
    Answer, Columns, Heartbeat, RunState, Start, TaskId, TaskResult, json, pack, unpack,
};
use crate::cluster::task::Job;
use crate::cluster::transport::{CheckedTask, ReplySubject, Transport, TransportEvent};
use crate::prepare::Reported;
use crate::random::GameRng;
use crate::stop::Stop;

/// The simulated faults, each as a share of messages or workers in percent, unless it says otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Faults {
    pub(super) lost: u32,
    pub(super) repeated: u32,
    /// Largest delay of a message in milliseconds.
    pub(super) delay: u32,
    /// A worker dies during a task, and returns after some seconds.
    pub(super) deaths: u32,
    /// The server loses all tasks when it accepts one.
    pub(super) wipes: u32,
    /// Number of workers that send wrong games.
    pub(super) liars: usize,
    /// Share of the tasks of these workers that they falsify.
    pub(super) falsified: u32,
    /// No worker exists before this time, in seconds.
    pub(super) absent: u32,
}

/// Timeout of a simulated worker for an answer.
const ANSWER: Duration = Duration::from_secs(5);

/// Number of times that a worker sends a result.
const RESULTS: u32 = 4;

const BEAT: Duration = Duration::from_secs(1);

enum SimulatedEvent {
    Queued(TaskId, Vec<u8>),
    Heard(TransportEvent),
    Answered(usize, u64, Answer),
    GivesUp(usize, u64),
    Finished(usize, u64),
    Beats(usize),
    Returns(usize),
}

#[derive(Clone)]
enum Activity {
    Nothing,
    Asking(TaskId, Vec<u8>),
    Playing(TaskId, Vec<u8>),
    /// The packed result, and how often it was sent.
    Sending(TaskId, Vec<u8>, u32),
}

struct SimulatedWorker {
    activity: Activity,
    is_alive: bool,
    /// Changes with each new activity, so that outdated events are recognised.
    epoch: u64,
    is_barred: bool,
}

pub(super) struct Memory {
    now: Duration,
    number: u64,
    pending: BTreeMap<(Duration, u64), SimulatedEvent>,
    events: VecDeque<TransportEvent>,
    /// The queue of the server: order and bytes of each task.
    queue: BTreeMap<TaskId, (u64, Vec<u8>)>,
    workers: Vec<SimulatedWorker>,
    faults: Faults,
    rng: GameRng,
    open: u64,
}

impl Memory {
    pub(super) fn new(workers: usize, faults: Faults, seed: u64) -> Self {
        let worker = || SimulatedWorker {
            activity: Activity::Nothing,
            is_alive: false,
            epoch: 0,
            is_barred: false,
        };
        let mut memory = Memory {
            now: Duration::ZERO,
            number: 0,
            pending: BTreeMap::new(),
            events: VecDeque::new(),
            queue: BTreeMap::new(),
            workers: (0..workers).map(|_| worker()).collect(),
            faults,
            rng: GameRng::new(seed),
            open: 0,
        };
        for worker in 0..workers {
            let absent = Duration::from_secs(faults.absent.into());
            memory.after(absent, SimulatedEvent::Returns(worker));
        }
        memory
    }

    fn after(&mut self, delay: Duration, happens_next: SimulatedEvent) {
        self.number += 1;
        self.pending
            .insert((self.now + delay, self.number), happens_next);
    }

    fn happens(&mut self, percent: u32) -> bool {
        self.rng.below(100) < percent
    }

    /// Sends a message that may be lost, late or repeated.
    fn send(&mut self, make: impl Fn() -> SimulatedEvent) {
        if self.happens(self.faults.lost) {
            return;
        }
        let copies = 1 + u32::from(self.happens(self.faults.repeated));
        for _ in 0..copies {
            let delay = self.rng.below(self.faults.delay + 1);
            self.after(Duration::from_millis(delay.into()), make());
        }
    }

    fn do_next(&mut self, worker: usize, activity: Activity) -> u64 {
        self.workers[worker].activity = activity;
        self.workers[worker].epoch += 1;
        self.workers[worker].epoch
    }

    /// Gives tasks to idle workers.
    fn dispatch(&mut self) {
        for worker in 0..self.workers.len() {
            let one = &self.workers[worker];
            let is_idle =
                one.is_alive && !one.is_barred && matches!(one.activity, Activity::Nothing);
            let first = self.queue.iter().min_by_key(|(_, (order, _))| *order);
            let Some(task) = first.map(|(task, _)| *task).filter(|_| is_idle) else {
                continue;
            };
            let Some((_, bytes)) = self.queue.remove(&task) else {
                continue;
            };
            let epoch = self.do_next(worker, Activity::Asking(task, bytes));
            let start = Start {
                worker: name(worker),
                task,
            };
            let reply_to = reply_to(worker, epoch);
            self.send(|| {
                SimulatedEvent::Heard(TransportEvent::Start(start.clone(), reply_to.clone()))
            });
            self.after(ANSWER, SimulatedEvent::GivesUp(worker, epoch));
        }
    }

    fn enqueue(&mut self, task: TaskId, bytes: Vec<u8>) {
        self.number += 1;
        self.queue.insert(task, (self.number, bytes));
    }

    fn happen(&mut self, happens_next: SimulatedEvent) {
        match happens_next {
            SimulatedEvent::Queued(task, bytes) => {
                self.enqueue(task, bytes);
                if self.happens(self.faults.wipes) {
                    self.queue.clear();
                    self.events.push_back(TransportEvent::Reconnected);
                }
            }
            SimulatedEvent::Heard(event) => self.hear(event),
            SimulatedEvent::Answered(worker, epoch, answer) => self.answered(worker, epoch, answer),
            SimulatedEvent::GivesUp(worker, epoch) if self.workers[worker].epoch == epoch => {
                self.give_up(worker);
            }
            SimulatedEvent::Finished(worker, epoch) if self.workers[worker].epoch == epoch => {
                self.finish(worker);
            }
            SimulatedEvent::Beats(worker) => self.beat(worker),
            SimulatedEvent::Returns(worker) => {
                self.do_next(worker, Activity::Nothing);
                self.workers[worker].is_alive = true;
                self.beat(worker);
            }
            SimulatedEvent::GivesUp(..) | SimulatedEvent::Finished(..) => {}
        }
        self.dispatch();
    }

    /// Delivers a message to the coordinator. If the evaluation is closed, answers it instead.
    fn hear(&mut self, event: TransportEvent) {
        let of_other = match &event {
            TransportEvent::Start(start, reply_to) => {
                (start.task.evaluation != self.open).then_some(reply_to)
            }
            TransportEvent::Result(task, _, reply_to) => {
                (task.evaluation != self.open).then_some(reply_to)
            }
            _ => None,
        };
        match of_other.cloned() {
            Some(reply_to) => self.answer(reply_to, Answer::Done),
            None => self.events.push_back(event),
        }
    }

    fn answered(&mut self, worker: usize, epoch: u64, answer: Answer) {
        if self.workers[worker].epoch != epoch {
            return;
        }
        let activity = self.workers[worker].activity.clone();
        match (activity, answer) {
            (_, Answer::Barred(_)) => {
                self.workers[worker].is_barred = true;
                self.do_next(worker, Activity::Nothing);
            }
            (Activity::Asking(task, bytes), Answer::Play) => {
                let epoch = self.do_next(worker, Activity::Playing(task, bytes));
                let time = Duration::from_millis(u64::from(100 + self.rng.below(2000)));
                if self.happens(self.faults.deaths) {
                    self.workers[worker].is_alive = false;
                    let rest = Duration::from_secs(u64::from(1 + self.rng.below(20)));
                    self.after(time + rest, SimulatedEvent::Returns(worker));
                } else {
                    self.after(time, SimulatedEvent::Finished(worker, epoch));
                }
            }
            _ => {
                self.do_next(worker, Activity::Nothing);
            }
        }
    }

    fn give_up(&mut self, worker: usize) {
        match self.workers[worker].activity.clone() {
            Activity::Asking(task, bytes) => {
                self.do_next(worker, Activity::Nothing);
                self.enqueue(task, bytes);
            }
            Activity::Sending(task, bytes, sent) if sent < RESULTS => {
                self.send_result(worker, task, bytes, sent + 1);
            }
            _ => {
                self.do_next(worker, Activity::Nothing);
            }
        }
    }

    fn finish(&mut self, worker: usize) {
        let Activity::Playing(task, bytes) = self.workers[worker].activity.clone() else {
            return;
        };
        let text = unpack(&bytes).unwrap();
        let job = Job::decode(&crate::Catalogue::builtin(), &text, &[], Path::new("/")).unwrap();
        let columns = Columns::of(&job.play(&Reported::quiet(Stop::never()), |_| ()).unwrap());
        let lies = worker < self.faults.liars && self.happens(self.faults.falsified);
        let played = TaskResult {
            worker: name(worker),
            seconds: 0.02 * job.seeds().count() as f64,
            games: Ok(if lies { columns.falsified() } else { columns }),
        };
        self.send_result(worker, task, pack(&json(&played)), 1);
    }

    fn send_result(&mut self, worker: usize, task: TaskId, bytes: Vec<u8>, sent: u32) {
        let epoch = self.do_next(worker, Activity::Sending(task, bytes.clone(), sent));
        let reply_to = reply_to(worker, epoch);
        self.send(|| {
            SimulatedEvent::Heard(TransportEvent::Result(
                task,
                bytes.clone(),
                reply_to.clone(),
            ))
        });
        self.after(ANSWER, SimulatedEvent::GivesUp(worker, epoch));
    }

    fn beat(&mut self, worker: usize) {
        if !self.workers[worker].is_alive {
            return;
        }
        let held = match &self.workers[worker].activity {
            Activity::Playing(task, _) | Activity::Sending(task, ..) => Some(*task),
            Activity::Nothing | Activity::Asking(..) => None,
        };
        let held = held.map(|task| ("r".to_owned(), task.evaluation, task.number));
        let beat = Heartbeat {
            worker: name(worker),
            build: "b".into(),
            threads: 1,
            holds: held.into_iter().collect(),
            ..Heartbeat::default()
        };
        self.send(|| SimulatedEvent::Heard(TransportEvent::Heartbeat(beat.clone())));
        self.after(BEAT, SimulatedEvent::Beats(worker));
    }
}

fn name(worker: usize) -> String {
    format!("w{worker}")
}

fn reply_to(worker: usize, epoch: u64) -> ReplySubject {
    ReplySubject(format!("{worker} {epoch}"))
}

impl Transport for Memory {
    fn now(&self) -> Duration {
        self.now
    }

    fn open(&mut self, evaluation: u64) {
        self.open = evaluation;
    }

    fn publish(&mut self, task: TaskId, _attempt: u32, bytes: Vec<u8>) {
        self.send(|| SimulatedEvent::Queued(task, bytes.clone()));
    }

    fn answer(&mut self, reply_to: ReplySubject, answer: Answer) {
        let (worker, epoch) = reply_to.0.split_once(' ').unwrap();
        let (worker, epoch) = (worker.parse().unwrap(), epoch.parse().unwrap());
        self.send(|| SimulatedEvent::Answered(worker, epoch, answer.clone()));
    }

    fn check(&mut self, task: TaskId, job: Job) {
        let checked = || CheckedTask {
            games: job.play(&Reported::quiet(Stop::never()), |_| ()).ok(),
            repeats: true,
        };
        let time = Duration::from_millis(u64::from(self.rng.below(3000)));
        self.after(
            time,
            SimulatedEvent::Heard(TransportEvent::CheckedTask(task, checked())),
        );
    }

    fn poll(&mut self, wait: Duration) -> Option<TransportEvent> {
        let end = self.now + wait;
        while self.events.is_empty() {
            let next = self.pending.first_key_value().map(|((time, _), _)| *time);
            if next.is_none_or(|time| time > end) {
                self.now = end;
                return None;
            }
            if let Some(((time, _), happens_next)) = self.pending.pop_first() {
                self.now = time;
                self.happen(happens_next);
            }
        }
        self.events.pop_front()
    }

    fn close(&mut self, _has_rest: bool) {
        self.open = 0;
    }

    fn tell(&mut self, _state: RunState) {}
}
