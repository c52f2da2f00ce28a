//! Cooperative cancellation of a computation. This module must not know what is computed or who requests the
//! stop.

use std::sync::atomic::{AtomicBool, Ordering};

/// A cancellation token, cheap to copy and to read.
///
/// A long computation reads the token regularly. After a request, a search may return any value. The caller
/// that passed the token reads it too and discards the result. A request is never withdrawn: if the caller
/// reads `false` after a search, the search read `false` as well.
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
    /// A token that never requests a stop.
    pub const fn never() -> Self {
        Stop(None)
    }

    /// A token that requests a stop as soon as `flag` is true. The flag must then stay true.
    pub const fn when(flag: &'a AtomicBool) -> Self {
        Stop(Some(flag))
    }

    /// True if a stop is requested.
    #[inline]
    pub fn is_requested(self) -> bool {
        // Relaxed is enough: the flag changes only from false to true, and no other data is published with it.
        self.0.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// The result of a computation that used this token; `None` if a stop is requested, because the result can
    /// then come from an unfinished search.
    #[inline]
    pub fn complete<T>(self, result: T) -> Option<T> {
        (!self.is_requested()).then_some(result)
    }
}
