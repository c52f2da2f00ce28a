//! Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Failure;
use crate::evaluation::Progress;

/// Lets Ctrl-C end the games in flight and then the program; a second one ends it at once.
pub(super) fn stop_on_interrupt(progress: &Arc<Progress>) -> Result<(), Failure> {
    stop_on_interrupt_after(progress, || ())
}

/// [`stop_on_interrupt`], where something must be put in order before the program ends at once.
pub(super) fn stop_on_interrupt_after(
    progress: &Arc<Progress>,
    put_in_order: impl Fn() + Send + 'static,
) -> Result<(), Failure> {
    let progress = progress.clone();
    let asked = AtomicBool::new(false);
    ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::SeqCst) {
            put_in_order();
            std::process::exit(130);
        }
        progress.request_stop();
    })
    .map_err(|error| Failure::Failed(format!("cannot watch for Ctrl-C: {error}")))
}
