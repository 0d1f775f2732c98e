//! Locking the state of the web UI.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex. A panic leaves none of those here with invalid content.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
