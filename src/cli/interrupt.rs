//! Ctrl-C and SIGTERM.

use std::process::exit;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::{Context, Failure, message};
use crate::evaluation::Progress;
use crate::lock::locked;

/// The exit code of an interrupted program.
pub(super) const INTERRUPTED: u8 = 130;

/// The message of an interrupted command whose work is not kept.
pub(super) const NOTHING_TO_RESUME: &str = "interrupted; there is nothing to resume";

/// Time after a request to stop until a message says how to end at once.
const PATIENCE: Duration = Duration::from_secs(1);

/// The message after this time.
const WAITS: &str = "stopping; press Ctrl-C again to end at once";

/// Time after the message until the program ends in any case. Everything reads the request to stop; this is for what
/// still takes longer, for example on a busy machine. A run can be resumed whenever its process ends.
const LAST: Duration = Duration::from_millis(800);

/// What is said at such an end.
static LAST_WORDS: Mutex<Option<String>> = Mutex::new(None);

/// Sets what is said if the program ends before it has noticed the request to stop: how to continue.
pub(super) fn set_last_words(words: &str) {
    *locked(&LAST_WORDS) = Some(words.to_owned());
}

/// Makes writing beyond the largest size of files (`ulimit -f`) an error, instead of a signal that ends the program
/// without a message. Threads that begin later inherit this.
#[cfg(unix)]
pub(super) fn report_large_files() {
    use nix::sys::signal::{SigSet, Signal};
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGXFSZ);
    // It fails for unknown signals only.
    let _ = signals.thread_block();
}

/// Other systems have no such signal.
#[cfg(not(unix))]
pub(super) fn report_large_files() {}

/// A second signal within this time is the same request: `timeout` and some shells signal a program both by itself
/// and with its group.
const ONE_REQUEST: Duration = Duration::from_millis(200);

/// Handles Ctrl-C and SIGTERM. The first one requests a stop. A later one calls `clean_up` and ends
/// the program at once; if the stop takes long, `message` says so, and the program ends in the same way.
pub(super) fn stop_on_interrupt(
    progress: &Arc<Progress>,
    message: impl Fn(&str) + Clone + Send + 'static,
    clean_up: impl Fn() + Clone + Send + 'static,
) -> Result<(), Failure> {
    let progress = progress.clone();
    let mut requested: Option<Instant> = None;
    handle(move || {
        if let Some(requested) = requested {
            if requested.elapsed() < ONE_REQUEST {
                return;
            }
            clean_up();
            exit(INTERRUPTED.into());
        }
        requested = Some(Instant::now());
        progress.request_stop();
        let (message, clean_up) = (message.clone(), clean_up.clone());
        let wait = move || {
            thread::sleep(PATIENCE);
            message(WAITS);
            thread::sleep(LAST);
            clean_up();
            let words = locked(&LAST_WORDS).take();
            message(words.as_deref().unwrap_or(NOTHING_TO_RESUME));
            exit(INTERRUPTED.into());
        };
        // Not on this thread, which must be free for the second interrupt. Without a thread there is no
        // message.
        let _ = thread::Builder::new().spawn(wait);
    })
}

impl Context {
    /// A progress that Ctrl-C and SIGTERM stop, with messages on stderr.
    pub(super) fn progress(self) -> Result<Arc<Progress>, Failure> {
        let progress = Arc::default();
        stop_on_interrupt(&progress, move |text| self.message(text), || ())?;
        Ok(progress)
    }
}

/// Handles Ctrl-C and SIGTERM of a command that has nothing to finish: the program ends at once.
pub(super) fn end_on_interrupt() -> Result<(), Failure> {
    handle(|| {
        message(NOTHING_TO_RESUME);
        exit(INTERRUPTED.into());
    })
}

/// Handles Ctrl-C and SIGTERM.
pub(super) fn handle(handler: impl FnMut() + Send + 'static) -> Result<(), Failure> {
    let handled = ctrlc::set_handler(handler);
    handled.map_err(|error| Failure::Failed(format!("cannot handle Ctrl-C: {error}")))
}
