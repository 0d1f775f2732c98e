//! The four counters of the lessons, as tiles of the overview.

use maud::{Markup, html};
use render::{
    columns::{Columns, Fill, Series},
    page::Tile,
};

use super::{MetricsView, lanes::LANES, page::ground};
use crate::web::modes::Modes;

/// The looks of the counters, in the order of the lanes.
const FILLS: [Fill; 4] = [Fill::Plain, Fill::Wait, Fill::Failed, Fill::Dotted];

/// The tiles, each with its number since the start, and its columns of the last 15 minutes.
pub(crate) fn tiles(view: &MetricsView, modes: Modes) -> Markup {
    let (newest, recently, columns) = view.with_sample(|sampled| {
        let history = &sampled.history;
        (*history.newest(), history.recently(), history.columns())
    });
    let href = modes.link("/metrics-view");
    let ground = ground(&[], false);
    html! {
        section.tiles aria-label="Counters, since the start and in the last 15 minutes" {
            @for (number, (lane, fill)) in LANES.iter().zip(FILLS).enumerate() {
                @let change = match recently.total(number) {
                    0 if newest.total(number) == 0 => "none yet".to_owned(),
                    rise => format!("+{rise} in 15 min"),
                };
                @let picture = Columns {
                    series: vec![Series {
                        fill,
                        values: columns.iter().map(|column| column.total(number) as f64).collect(),
                    }],
                    ..Columns::default()
                };
                (Tile {
                    name: lane.title,
                    number: newest.total(number),
                    change: &change,
                    picture: picture.small(&ground),
                    href: &href,
                }.draw())
            }
        }
    }
}
