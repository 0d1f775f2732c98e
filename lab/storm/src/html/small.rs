//! The rows of a storm as small pictures, which lead to the whole storm.

use std::time::Duration;

use maud::{Markup, html as markup};
use render::{
    Axis,
    columns::{Columns, Fill, Ground, Series},
    page::marked,
};

use crate::{Incident, PolicyRun, Step, Storm, results::STEP};

use super::is_good;

/// The time that a column stands for.
const COLUMN: Duration = Duration::from_secs(1);

/// Each policy with its word as a sign, and a small picture: calls that succeeded, and work that
/// nobody waited for any more.
#[must_use]
pub fn small_pictures(storm: &Storm) -> Markup {
    let settings = &storm.settings;
    let has_incident = settings.incident != Incident::None;
    let incident = has_incident.then(|| settings.incident_starts..settings.incident_ends());
    let ground = Ground {
        axis: Axis {
            length: settings.length,
            ticks: Vec::new(),
        },
        column: COLUMN,
        bands: incident.into_iter().collect(),
        ..Ground::default()
    };
    let pictures: Vec<_> = storm.policies.iter().map(columns).collect();
    let highest = pictures.iter().filter_map(Columns::highest);
    let top = highest.map(|(_, highest)| highest).reduce(f64::max);
    markup! {
        @for (run, picture) in storm.policies.iter().zip(pictures) {
            p { (marked(is_good(run), &run.policy.name)) }
            (Columns { top, ..picture }.small(&ground))
        }
    }
}

fn columns(run: &PolicyRun) -> Columns {
    let steps = (COLUMN.as_millis() / STEP.as_millis()) as usize;
    let counted = |count: fn(&Step) -> u32| -> Vec<f64> {
        let columns = run.steps.chunks(steps);
        columns
            .map(|steps| steps.iter().map(count).map(f64::from).sum())
            .collect()
    };
    Columns {
        series: vec![
            Series {
                fill: Fill::Good,
                values: counted(|step| step.goodput),
            },
            Series {
                fill: Fill::Wasted,
                values: counted(|step| step.abandoned),
            },
        ],
        ..Columns::default()
    }
}
