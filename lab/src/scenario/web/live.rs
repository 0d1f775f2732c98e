//! A side of a run that is not over: what its recorder knows.

use std::time::Duration;

use scenario::{Client, View, recorder::Recorder};
use serde::{Serialize, Serializer, ser::SerializeStruct};

/// A side that is running, or could not continue.
#[derive(Clone, Debug)]
pub(super) struct Live {
    pub(super) client: Client,
    pub(super) terms: Vec<String>,
    pub(super) recorder: Recorder,
}

impl Live {
    /// The rows and counters so far, and the time of the run.
    pub(super) fn so_far(&self) -> (View, Duration) {
        let view = View::so_far(self.client, &self.recorder.snapshot());
        (view, self.recorder.now())
    }
}

/// The members of a run that are known before its end.
impl Serialize for Live {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut side = serializer.serialize_struct("Live", 3)?;
        side.serialize_field("client", &self.client)?;
        side.serialize_field("terms", &self.terms)?;
        side.serialize_field("view", &self.so_far().0)?;
        side.end()
    }
}
