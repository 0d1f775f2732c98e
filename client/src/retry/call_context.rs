//! The input of a call for the retry rules.

use std::{sync::Arc, time::Duration};

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
    pub(super) observer: Arc<dyn CallObserver>,
}
