//! The remarks on a comparison.

use std::time::Duration;

use serde::Serialize;
use wire::duration;

use super::{BrokenRule, Effect, time::Time};
use crate::{run::ScenarioRun, trace::SpanName};

/// A sentence about two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// The sentence.
    pub text: String,
    /// A command to try, as arguments of `lab`.
    pub command: Option<&'static str>,
}

pub(super) fn remarks(
    runs: [&ScenarioRun; 2],
    effects: &[Effect],
    broken: [&[BrokenRule]; 2],
) -> Vec<Remark> {
    let same = effects.iter().all(|effect| !effect.differs);
    let same = same.then(|| Remark {
        text: "The two runs had the same effects.".to_owned(),
        command: None,
    });
    let mut without = runs
        .iter()
        .filter_map(|run| run.client.without.zip(Some(run)));
    let without = without.next().map(|(defence, run)| Remark {
        text: defence.remark(run.scenario),
        command: None,
    });
    let remarks = same.into_iter().chain(without);
    remarks.chain(waiting(runs, broken)).collect()
}

/// The shortest noticeable difference between two waits: timers are not more precise.
const NOTICEABLE: Duration = Duration::from_millis(10);

/// A client that waits looks slower, as long as it is alone. There is no remark if the second
/// client waited longer and broke no rule: its waits may have been unnecessary.
fn waiting(runs: [&ScenarioRun; 2], broken: [&[BrokenRule]; 2]) -> Option<Remark> {
    let [first, second] = runs.map(|run| (run, Time::of(run)));
    let is_second = second.1.waited > first.1.waited;
    let ((slow_run, slow), (_, quick)) = if is_second {
        (second, first)
    } else {
        (first, second)
    };
    let in_vain = is_second && broken[1].is_empty();
    let longer = slow.waited - quick.waited;
    if longer < NOTICEABLE || slow.taken < quick.taken || in_vain {
        return None;
    }
    let spans = slow_run.traces.iter().flat_map(|trace| &trace.spans);
    let calls = spans.filter(|span| span.name == SpanName::Operation);
    let in_total = if calls.count() > 1 {
        " in total, over all its calls"
    } else {
        ""
    };
    Some(Remark {
        text: format!(
            "{} waited {} longer{in_total}. For one caller, waiting only costs time. The benefit \
             shows only when many clients share a service:",
            slow_run.client.heading(),
            duration(longer),
        ),
        command: Some("storm"),
    })
}
