//! Handling of Ctrl-C and SIGTERM.

use std::process::exit;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::{Context, Failure, message};
use crate::evaluation::Progress;
use crate::lock::locked;

/// The exit code of an interrupted program.
pub(super) const INTERRUPTED: u8 = 130;

/// The message of an interrupted command that keeps no results.
pub(super) const NOTHING_TO_RESUME: &str = "interrupted; there is nothing to resume";

/// Time after a stop request until a message shows how to end at once.
const PATIENCE: Duration = Duration::from_secs(1);

/// The message after this time.
const WAITS: &str = "stopping; press Ctrl-C again to end at once";

/// Time after the message until the program ends in any case. All work checks the stop request; this is for work that
/// takes longer, for example on a busy machine. A run can be resumed even if its process ends this way.
const LAST: Duration = Duration::from_millis(800);

/// The message at such an end.
static LAST_WORDS: Mutex<Option<String>> = Mutex::new(None);

/// Sets the message for the case that the program ends before it has noticed the stop request. It says how to continue.
pub(super) fn set_last_words(words: &str) {
    *locked(&LAST_WORDS) = Some(words.to_owned());
}

/// Makes writing beyond the largest file size (`ulimit -f`) an error, instead of a signal that ends the program without
/// a message. Threads that start later inherit this.
#[cfg(unix)]
pub(super) fn report_large_files() {
    use nix::sys::signal::{SigSet, Signal};
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGXFSZ);
    // This fails only for unknown signals.
    let _ = signals.thread_block();
}

/// Other systems do not have this signal.
#[cfg(not(unix))]
pub(super) fn report_large_files() {}

/// A second signal within this time is part of the same request: `timeout` and some shells signal a program twice,
/// directly and with its process group.
const ONE_REQUEST: Duration = Duration::from_millis(200);

/// Handles Ctrl-C and SIGTERM. The first signal requests a stop. A later one calls `clean_up` and ends the program at
/// once. If the stop takes long, `message` shows that, and the program later ends in the same way.
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
        // This thread must be free for the second interrupt, so another thread waits. If it cannot start, there is no
        // message.
        let _ = thread::Builder::new().spawn(wait);
    })
}

impl Context {
    /// A progress that Ctrl-C and SIGTERM stop. Messages go to stderr.
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

/// Installs a handler of Ctrl-C and SIGTERM.
pub(super) fn handle(handler: impl FnMut() + Send + 'static) -> Result<(), Failure> {
    let handled = ctrlc::set_handler(handler);
    handled.map_err(|error| Failure::Failed(format!("cannot handle Ctrl-C: {error}")))
}
