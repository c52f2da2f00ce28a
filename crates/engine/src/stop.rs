//! The request to end a computation before its result is known. This module must not know what is
//! computed or who requests the end.

use std::sync::atomic::{AtomicBool, Ordering};

/// A handle to a request to stop, cheap to copy and to read.
///
/// What takes long reads it now and then. Once it is requested, a search returns any value at once. The
/// caller that passed the handle in reads it as well and discards what was computed. The request is never
/// withdrawn, so a caller that reads `false` after a search knows that the search read `false`, too.
///
/// ```
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use tiletune_engine::stop::Stop;
///
/// let flag = AtomicBool::new(false);
/// let stop = Stop::when(&flag);
/// assert!(!stop.is_requested());
/// flag.store(true, Ordering::Relaxed);
/// assert!(stop.is_requested());
/// assert!(!Stop::never().is_requested());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Stop<'a>(Option<&'a AtomicBool>);

impl<'a> Stop<'a> {
    /// No stop will be requested.
    pub const fn never() -> Self {
        Stop(None)
    }

    /// A stop is requested once `flag` is true. It must then stay true.
    pub const fn when(flag: &'a AtomicBool) -> Self {
        Stop(Some(flag))
    }

    /// Whether the stop is requested.
    #[inline]
    pub fn is_requested(self) -> bool {
        // Relaxed: a thread that has read `true` never reads `false` again, and nothing else is published
        // by the flag.
        self.0.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// A result that was computed under this handle; `None` if it is requested, because the result may
    /// then be that of an unfinished search.
    #[inline]
    pub fn complete<T>(self, result: T) -> Option<T> {
        (!self.is_requested()).then_some(result)
    }
}
