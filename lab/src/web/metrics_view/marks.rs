//! The runs as marks on the axis of the lanes.

use std::time::Duration;

use render::columns::Mark;

use super::{history::History, page::Shown};
use crate::scenario::web::RunMark;

/// Marks that are closer than this would overlap: they are one, with its numbers. In a presentation
/// they are larger.
const APART: Duration = Duration::from_secs(90);
const APART_PRESENTED: Duration = Duration::from_secs(150);

/// The most names of runs that a mark tells.
const NAMED: usize = 5;

/// A run, with the time since the start of the process at which it began.
pub(super) type TimedRun = (Duration, RunMark);

/// The starts of the runs that are shown.
pub(super) fn starts(history: &History, runs: &[TimedRun]) -> Vec<Duration> {
    let starts = runs.iter().filter_map(|(at, _)| history.on_axis(*at));
    starts.collect()
}

/// The marks of the runs that are shown. While endings are hidden no mark has one.
pub(super) fn marks(history: &History, runs: &[TimedRun], shown: Shown) -> Vec<Mark> {
    let placed = runs
        .iter()
        .filter_map(|(at, run)| Some((history.on_axis(*at)?, run)));
    let apart = if shown.modes.present {
        APART_PRESENTED
    } else {
        APART
    };
    let mut groups: Vec<(Duration, Vec<&RunMark>)> = Vec::new();
    for (at, run) in placed {
        match groups.last_mut() {
            Some((first, group)) if at.saturating_sub(*first) < apart => group.push(run),
            _ => groups.push((at, vec![run])),
        }
    }
    let marks = groups.into_iter().map(|(at, group)| Mark {
        at,
        went_well: group
            .iter()
            .map(|run| run.is_good.filter(|_| !shown.modes.predict))
            .collect(),
        words: words(&group, shown),
        href: match &group[..] {
            [run] => shown.modes.link(format!("/runs/{}", run.id)),
            _ => shown.modes.link("/runs"),
        },
    });
    marks.collect()
}

fn words(group: &[&RunMark], shown: Shown) -> String {
    let words = group.iter().take(NAMED).map(|run| match run.is_good {
        _ if shown.modes.predict => run.scenario.to_owned(),
        Some(true) => format!("{} as expected", run.scenario),
        Some(false) => format!("{} not as expected", run.scenario),
        None => run.scenario.to_owned(),
    });
    let more = group.len().checked_sub(NAMED).filter(|more| *more > 0);
    let more = more.map(|more| format!("{more} more"));
    words.chain(more).collect::<Vec<_>>().join(", ")
}
