//! Simulates a storm, and sends its pictures while they grow.

use std::{
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use axum::body::Bytes;
use maud::Markup;
use serde_json::{Value, json};
use storm::{Plan, Progress, picture, picture_so_far, simulate, storm_begun, storm_over};
use tokio::sync::mpsc::UnboundedSender;

/// A storm to simulate.
pub(super) struct LiveStorm {
    pub(super) id: String,
    pub(super) plan: Plan,
    /// The policies that the reader expects to be right.
    pub(super) guess: Vec<String>,
    /// Receives events in the event stream format of the HTML standard.
    pub(super) frames: UnboundedSender<Bytes>,
    pub(super) is_cancelled: Arc<AtomicBool>,
}

/// The time between two states of a picture: not noticeable to a person.
const GATHER: Duration = Duration::from_millis(40);

impl LiveStorm {
    /// Simulates the storm. `keep` gets the report before the reader learns that the
    /// storm is over, or none if the simulation failed.
    pub(super) fn simulate(&self, keep: impl FnOnce(Option<String>)) {
        self.tell(
            "begun",
            json!({
                "id": self.id,
                "seed": self.plan.seed,
                "html": storm_begun(&self.plan).into_string(),
            }),
        );
        let mut sent = Instant::now();
        let simulated = simulate(&self.plan, |heard| {
            match heard {
                Progress::Steps(number, steps) if sent.elapsed() >= GATHER => {
                    self.tell_picture(number, picture_so_far(&self.plan, number, steps));
                    sent = Instant::now();
                }
                Progress::Steps(..) => {}
                Progress::Ended(number, run) => {
                    self.tell_picture(number, picture(&self.plan.settings, number, run));
                }
            }
            if self.is_over() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        let storm = match simulated {
            Ok(storm) => storm,
            Err(error) => {
                keep(None);
                return self.tell("failed", error.to_string().into());
            }
        };
        keep(Some(storm::html_storm(&storm)));
        self.tell(
            "over",
            json!({
                "result": storm.result(),
                "html": storm_over(&storm, &self.guess).into_string(),
            }),
        );
    }

    /// Whether nobody reads the frames any more.
    fn is_over(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed) || self.frames.is_closed()
    }

    fn tell_picture(&self, number: usize, picture: Markup) {
        let html = picture.into_string();
        self.tell("picture", json!({ "picture": number, "html": html }));
    }

    fn tell(&self, kind: &str, data: Value) {
        // serde writes JSON without line breaks, so one line of data is enough.
        let frame = format!("event: {kind}\ndata: {data}\n\n");
        // A reader that has gone is noticed between two steps.
        let _ = self.frames.send(frame.into());
    }
}
