//! Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Failure;
use crate::evaluation::Progress;

/// The message after the first Ctrl-C.
const WAITS: &str = "waiting for running games to end; press Ctrl-C again to stop immediately";

/// Handles Ctrl-C. The first one passes a message to `message` and requests a stop, so that the
/// program ends after the games that are running. The second one calls `clean_up` and ends the program
/// immediately.
pub(super) fn stop_on_interrupt(
    progress: &Arc<Progress>,
    message: impl Fn(&str) + Send + 'static,
    clean_up: impl Fn() + Send + 'static,
) -> Result<(), Failure> {
    let progress = progress.clone();
    let was_interrupted = AtomicBool::new(false);
    ctrlc::set_handler(move || {
        if was_interrupted.swap(true, Ordering::SeqCst) {
            clean_up();
            std::process::exit(130);
        }
        // Before the request, so that this message precedes the last messages of the program.
        message(WAITS);
        progress.request_stop();
    })
    .map_err(|error| Failure::Failed(format!("cannot handle Ctrl-C: {error}")))
}
