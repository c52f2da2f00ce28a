//! A cluster in memory: server, workers, faults and time are simulated, and everything follows from one seed.
//! The games are real: workers decode tasks, play them and encode the records.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::time::Duration;

use crate::cluster::messages::{
    Answer, Beat, Columns, Played, RunState, Start, TaskId, json, pack, unpack,
};
use crate::cluster::task::Job;
use crate::cluster::transport::{Checked, Event, Ticket, Transport};
use crate::random::GameRng;
use crate::stop::Stop;

/// What goes wrong, each as a share of messages or workers in percent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Faults {
    pub(super) lost: u32,
    pub(super) repeated: u32,
    /// Largest delay of a message in milliseconds.
    pub(super) delay: u32,
    /// A worker dies in a task, and comes back after some seconds.
    pub(super) deaths: u32,
    /// The server loses all tasks this often when it takes one.
    pub(super) wipes: u32,
    /// This many of the workers send false games.
    pub(super) liars: usize,
    /// Liars falsify this share of their tasks.
    pub(super) falsified: u32,
    /// No worker is there before this time, in seconds.
    pub(super) absent: u32,
}

/// A simulated worker does not wait longer for an answer.
const ANSWER: Duration = Duration::from_secs(5);

/// It sends a result this often.
const RESULTS: u32 = 4;

const BEAT: Duration = Duration::from_secs(1);

enum Happening {
    Queued(TaskId, Vec<u8>),
    Heard(Event),
    Answered(usize, u64, Answer),
    GivesUp(usize, u64),
    Finished(usize, u64),
    Beats(usize),
    Returns(usize),
}

#[derive(Clone)]
enum Doing {
    Nothing,
    Asking(TaskId, Vec<u8>),
    Playing(TaskId, Vec<u8>),
    /// The packed result, and how often it was sent.
    Sending(TaskId, Vec<u8>, u32),
}

struct Simulated {
    doing: Doing,
    is_alive: bool,
    /// Changes with what it does, so that what is out of date is recognised.
    epoch: u64,
    is_barred: bool,
}

pub(super) struct Memory {
    now: Duration,
    number: u64,
    happenings: BTreeMap<(Duration, u64), Happening>,
    events: VecDeque<Event>,
    /// The queue of the server: order and bytes of each task.
    queue: BTreeMap<TaskId, (u64, Vec<u8>)>,
    workers: Vec<Simulated>,
    faults: Faults,
    rng: GameRng,
    open: u64,
}

impl Memory {
    pub(super) fn new(workers: usize, faults: Faults, seed: u64) -> Self {
        let worker = || Simulated {
            doing: Doing::Nothing,
            is_alive: false,
            epoch: 0,
            is_barred: false,
        };
        let mut memory = Memory {
            now: Duration::ZERO,
            number: 0,
            happenings: BTreeMap::new(),
            events: VecDeque::new(),
            queue: BTreeMap::new(),
            workers: (0..workers).map(|_| worker()).collect(),
            faults,
            rng: GameRng::new(seed),
            open: 0,
        };
        for worker in 0..workers {
            let absent = Duration::from_secs(faults.absent.into());
            memory.after(absent, Happening::Returns(worker));
        }
        memory
    }

    fn after(&mut self, delay: Duration, happening: Happening) {
        self.number += 1;
        self.happenings
            .insert((self.now + delay, self.number), happening);
    }

    fn happens(&mut self, percent: u32) -> bool {
        self.rng.below(100) < percent
    }

    /// A message that may be lost, late or repeated.
    fn send(&mut self, make: impl Fn() -> Happening) {
        if self.happens(self.faults.lost) {
            return;
        }
        let copies = 1 + u32::from(self.happens(self.faults.repeated));
        for _ in 0..copies {
            let delay = self.rng.below(self.faults.delay + 1);
            self.after(Duration::from_millis(delay.into()), make());
        }
    }

    fn do_next(&mut self, worker: usize, doing: Doing) -> u64 {
        self.workers[worker].doing = doing;
        self.workers[worker].epoch += 1;
        self.workers[worker].epoch
    }

    /// Idle workers take tasks.
    fn dispatch(&mut self) {
        for worker in 0..self.workers.len() {
            let one = &self.workers[worker];
            let is_idle = one.is_alive && !one.is_barred && matches!(one.doing, Doing::Nothing);
            let first = self.queue.iter().min_by_key(|(_, (order, _))| *order);
            let Some(task) = first.map(|(task, _)| *task).filter(|_| is_idle) else {
                continue;
            };
            let Some((_, bytes)) = self.queue.remove(&task) else {
                continue;
            };
            let epoch = self.do_next(worker, Doing::Asking(task, bytes));
            let start = Start {
                worker: name(worker),
                task,
            };
            let ticket = ticket(worker, epoch);
            self.send(|| Happening::Heard(Event::Start(start.clone(), ticket.clone())));
            self.after(ANSWER, Happening::GivesUp(worker, epoch));
        }
    }

    fn enqueue(&mut self, task: TaskId, bytes: Vec<u8>) {
        self.number += 1;
        self.queue.insert(task, (self.number, bytes));
    }

    fn happen(&mut self, happening: Happening) {
        match happening {
            Happening::Queued(task, bytes) => {
                self.enqueue(task, bytes);
                if self.happens(self.faults.wipes) {
                    self.queue.clear();
                    self.events.push_back(Event::Reconnected);
                }
            }
            Happening::Heard(event) => self.hear(event),
            Happening::Answered(worker, epoch, answer) => self.answered(worker, epoch, answer),
            Happening::GivesUp(worker, epoch) if self.workers[worker].epoch == epoch => {
                self.give_up(worker);
            }
            Happening::Finished(worker, epoch) if self.workers[worker].epoch == epoch => {
                self.finish(worker);
            }
            Happening::Beats(worker) => self.beat(worker),
            Happening::Returns(worker) => {
                self.do_next(worker, Doing::Nothing);
                self.workers[worker].is_alive = true;
                self.beat(worker);
            }
            Happening::GivesUp(..) | Happening::Finished(..) => {}
        }
        self.dispatch();
    }

    /// A message reaches the coordinator, or is answered in its place.
    fn hear(&mut self, event: Event) {
        let of_other = match &event {
            Event::Start(start, ticket) => (start.task.evaluation != self.open).then_some(ticket),
            Event::Result(task, _, ticket) => (task.evaluation != self.open).then_some(ticket),
            _ => None,
        };
        match of_other.cloned() {
            Some(ticket) => self.answer(ticket, Answer::Done),
            None => self.events.push_back(event),
        }
    }

    fn answered(&mut self, worker: usize, epoch: u64, answer: Answer) {
        if self.workers[worker].epoch != epoch {
            return;
        }
        let doing = self.workers[worker].doing.clone();
        match (doing, answer) {
            (_, Answer::Barred(_)) => {
                self.workers[worker].is_barred = true;
                self.do_next(worker, Doing::Nothing);
            }
            (Doing::Asking(task, bytes), Answer::Play) => {
                let epoch = self.do_next(worker, Doing::Playing(task, bytes));
                let time = Duration::from_millis(u64::from(100 + self.rng.below(2000)));
                if self.happens(self.faults.deaths) {
                    self.workers[worker].is_alive = false;
                    let rest = Duration::from_secs(u64::from(1 + self.rng.below(20)));
                    self.after(time + rest, Happening::Returns(worker));
                } else {
                    self.after(time, Happening::Finished(worker, epoch));
                }
            }
            _ => {
                self.do_next(worker, Doing::Nothing);
            }
        }
    }

    fn give_up(&mut self, worker: usize) {
        match self.workers[worker].doing.clone() {
            Doing::Asking(task, bytes) => {
                self.do_next(worker, Doing::Nothing);
                self.enqueue(task, bytes);
            }
            Doing::Sending(task, bytes, sent) if sent < RESULTS => {
                self.send_result(worker, task, bytes, sent + 1);
            }
            _ => {
                self.do_next(worker, Doing::Nothing);
            }
        }
    }

    fn finish(&mut self, worker: usize) {
        let Doing::Playing(task, bytes) = self.workers[worker].doing.clone() else {
            return;
        };
        let text = unpack(&bytes).unwrap();
        let job = Job::decode(&crate::Catalogue::builtin(), &text, &[], Path::new("/")).unwrap();
        let columns = Columns::of(&job.play(Stop::never(), |_| ()).unwrap());
        let lies = worker < self.faults.liars && self.happens(self.faults.falsified);
        let played = Played {
            worker: name(worker),
            seconds: 0.02 * job.seeds().count() as f64,
            games: Ok(if lies { columns.falsified() } else { columns }),
        };
        self.send_result(worker, task, pack(&json(&played)), 1);
    }

    fn send_result(&mut self, worker: usize, task: TaskId, bytes: Vec<u8>, sent: u32) {
        let epoch = self.do_next(worker, Doing::Sending(task, bytes.clone(), sent));
        let ticket = ticket(worker, epoch);
        self.send(|| Happening::Heard(Event::Result(task, bytes.clone(), ticket.clone())));
        self.after(ANSWER, Happening::GivesUp(worker, epoch));
    }

    fn beat(&mut self, worker: usize) {
        if !self.workers[worker].is_alive {
            return;
        }
        let held = match &self.workers[worker].doing {
            Doing::Playing(task, _) | Doing::Sending(task, ..) => Some(*task),
            Doing::Nothing | Doing::Asking(..) => None,
        };
        let held = held.map(|task| ("r".to_owned(), task.evaluation, task.number));
        let beat = Beat {
            worker: name(worker),
            build: "b".into(),
            threads: 1,
            holds: held.into_iter().collect(),
            ..Beat::default()
        };
        self.send(|| Happening::Heard(Event::Beat(beat.clone())));
        self.after(BEAT, Happening::Beats(worker));
    }
}

fn name(worker: usize) -> String {
    format!("w{worker}")
}

fn ticket(worker: usize, epoch: u64) -> Ticket {
    Ticket(format!("{worker} {epoch}"))
}

impl Transport for Memory {
    fn now(&self) -> Duration {
        self.now
    }

    fn open(&mut self, evaluation: u64) {
        self.open = evaluation;
    }

    fn publish(&mut self, task: TaskId, _attempt: u32, bytes: Vec<u8>) {
        self.send(|| Happening::Queued(task, bytes.clone()));
    }

    fn answer(&mut self, ticket: Ticket, answer: Answer) {
        let (worker, epoch) = ticket.0.split_once(' ').unwrap();
        let (worker, epoch) = (worker.parse().unwrap(), epoch.parse().unwrap());
        self.send(|| Happening::Answered(worker, epoch, answer.clone()));
    }

    fn check(&mut self, task: TaskId, job: Job) {
        let checked = || Checked {
            games: job.play(Stop::never(), |_| ()),
            repeats: true,
        };
        let time = Duration::from_millis(u64::from(self.rng.below(3000)));
        self.after(time, Happening::Heard(Event::Checked(task, checked())));
    }

    fn poll(&mut self, wait: Duration) -> Option<Event> {
        let end = self.now + wait;
        while self.events.is_empty() {
            let next = self
                .happenings
                .first_key_value()
                .map(|((time, _), _)| *time);
            if next.is_none_or(|time| time > end) {
                self.now = end;
                return None;
            }
            if let Some(((time, _), happening)) = self.happenings.pop_first() {
                self.now = time;
                self.happen(happening);
            }
        }
        self.events.pop_front()
    }

    fn close(&mut self, _has_rest: bool) {
        self.open = 0;
    }

    fn tell(&mut self, _state: RunState) {}
}
