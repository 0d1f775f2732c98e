//! Simulates a storm, and sends each column of each picture once it is complete.

use std::{
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use axum::body::Bytes;
use serde_json::{Value, json};
use storm::{
    Plan, Progress, Setup, Step, StormFrame, StormPicture, simulate, storm_figures, storm_learnt,
    storm_terms,
};
use tokio::sync::mpsc::UnboundedSender;

/// A storm to simulate.
pub(super) struct LiveStorm {
    pub(super) id: String,
    pub(super) plan: Plan,
    /// Receives events in the event stream format of the HTML standard.
    pub(super) frames: UnboundedSender<Bytes>,
    pub(super) is_cancelled: Arc<AtomicBool>,
}

/// The minimum capacity of a message. The reading thread frees it, and allocators cache
/// smaller freed blocks for that thread: glibc up to 1 032 bytes. One such block, allocated
/// at the peak of a storm, would prevent the memory around it from being released.
const LEAST: usize = 2 * 1024;

impl LiveStorm {
    /// Simulates the storm. `keep` gets the report before the reader learns that the
    /// storm is over, or none if the simulation failed.
    pub(super) fn simulate(&self, keep: impl FnOnce(Option<String>)) {
        let settings = &self.plan.settings;
        let frame = StormFrame::of(settings);
        let story = self.plan.words();
        let pictures = StormPicture::begun(&story, settings, &self.plan.policies);
        self.tell(
            "begun",
            json!({
                "id": self.id,
                "seed": self.plan.seed,
                "terms": storm_terms(settings, &self.plan.policies),
                "frame": frame,
                "pictures": pictures,
            }),
        );
        let mut pictures = pictures.into_iter();
        let simulated = simulate(&self.plan, |heard| {
            match heard {
                Progress::Steps(picture, steps) => self.tell_columns(picture, &frame, steps),
                Progress::Ended(picture, run) => {
                    let begun = pictures.next();
                    let mut ended = json!(
                        begun.map(|begun| { begun.ended(story.leads_with, settings, run, &frame) })
                    );
                    if let Some(ended) = ended.as_object_mut() {
                        ended.insert("picture".to_owned(), picture.into());
                    }
                    self.tell("ended", ended);
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
            // What was learnt has headings, each with a text.
            json!({
                "result": storm.result(),
                "figures": storm_figures(&storm),
                "learnt": storm_learnt(&storm),
                "right": storm.right_guess(),
                "scenario": storm.story.scenario,
                "rule": storm.story.rule,
            }),
        );
    }

    /// Whether nobody reads the frames any more.
    fn is_over(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed) || self.frames.is_closed()
    }

    /// Sends the column that the last step completes, if any.
    fn tell_columns(&self, picture: usize, frame: &StormFrame, steps: &[Step]) {
        let width = frame.steps_per_column;
        if !steps.len().is_multiple_of(width) {
            return;
        }
        if let Some(column) = steps.rchunks(width).next() {
            let setup = self.plan.policies.get(picture).map(|policy| &policy.setup);
            let curves = frame.curves(column, setup.unwrap_or(&Setup::DEFAULT));
            self.tell("columns", json!({ "picture": picture, "curves": curves }));
        }
    }

    fn tell(&self, kind: &str, data: Value) {
        // serde writes JSON without line breaks, so one line of data is enough.
        let mut frame = format!("event: {kind}\ndata: {data}\n\n");
        frame.reserve_exact(LEAST.saturating_sub(frame.len()));
        // A reader that has gone is noticed between two steps.
        let _ = self.frames.send(frame.into());
    }
}
