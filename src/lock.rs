//! Locks of data that stay valid when a thread with the lock panics.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The data behind a mutex.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
