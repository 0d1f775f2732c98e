//! What is to be said about two runs beside each other.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Effect, time::Time};
use crate::{duration::duration, run::Run};

/// A sentence about two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Remark {
    /// The sentence.
    pub text: String,
    /// Where it leads to: arguments of `lab`.
    pub command: Option<&'static str>,
}

pub(super) fn remarks(runs: [&Run; 2], effects: &[Effect]) -> Vec<Remark> {
    let same = effects.iter().all(|effect| !effect.differs);
    let same = same.then(|| Remark {
        text: "The two came to the same.".to_owned(),
        command: None,
    });
    same.into_iter().chain(waiting(runs)).collect()
}

/// Who waits looks slower, as long as it is alone.
fn waiting(runs: [&Run; 2]) -> Option<Remark> {
    let times = runs.map(Time::of);
    let longer = usize::from(times[1].waited > times[0].waited);
    let (slow, quick) = (times[longer], times[1 - longer]);
    if slow.waited == quick.waited || slow.taken < quick.taken {
        return None;
    }
    Some(Remark {
        text: format!(
            "{} waited {} longer. To one caller a wait is lost time. What it does for a service \
             that many call, one client cannot show; many at once show it:",
            capital(&runs[longer].client.title()),
            duration(slow.waited - quick.waited),
        ),
        command: Some("storm"),
    })
}

fn capital(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
