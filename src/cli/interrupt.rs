//! Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Failure;
use crate::evaluation::Progress;

/// What is said after the first Ctrl-C.
const WAITS: &str = "waiting for the games in flight to end; a second Ctrl-C ends at once";

/// Lets Ctrl-C end the games in flight and then the program, which it says by `say`; a second one
/// ends it at once.
pub(super) fn stop_on_interrupt(
    progress: &Arc<Progress>,
    say: impl Fn(&str) + Send + 'static,
) -> Result<(), Failure> {
    watch(progress, move || say(WAITS), || ())
}

/// The same without a word, where something must be put in order before the program ends at once.
pub(super) fn stop_on_interrupt_after(
    progress: &Arc<Progress>,
    put_in_order: impl Fn() + Send + 'static,
) -> Result<(), Failure> {
    watch(progress, || (), put_in_order)
}

fn watch(
    progress: &Arc<Progress>,
    first: impl Fn() + Send + 'static,
    second: impl Fn() + Send + 'static,
) -> Result<(), Failure> {
    let progress = progress.clone();
    let asked = AtomicBool::new(false);
    ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::SeqCst) {
            second();
            std::process::exit(130);
        }
        // Before the request, so that it stands before what the program says at its end.
        first();
        progress.request_stop();
    })
    .map_err(|error| Failure::Failed(format!("cannot watch for Ctrl-C: {error}")))
}
