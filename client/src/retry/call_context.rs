//! The input of a call for the retry rules.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use http::Method;

use super::{
    call_settings::CallSettings, decision::Limits, eligibility::RepeatPermission,
    observer::CallObserver,
};
use crate::timeouts::Timeouts;

/// One call, from its first attempt to its last.
pub(super) struct CallContext {
    pub(super) method: Method,
    pub(super) settings: CallSettings,
    pub(super) limits: Limits,
    pub(super) permission: Option<RepeatPermission>,
    pub(super) timeouts: Timeouts,
    /// The start of the call, on the monotonic clock.
    pub(super) began: Duration,
    /// The deadline of the call.
    pub(super) deadline: Option<Duration>,
    pub(super) attempts: AttemptCount,
    pub(super) observer: Arc<dyn CallObserver>,
}

/// The number of requests that a call has sent so far.
///
/// As an extension of a request, it is incremented by the retry rules, and its clones
/// return the number even if the future of the call is dropped.
#[derive(Debug, Clone, Default)]
pub(crate) struct AttemptCount(Arc<AtomicU32>);

impl AttemptCount {
    /// Adds one and returns the new number.
    pub(super) fn add(&self) -> u32 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}
