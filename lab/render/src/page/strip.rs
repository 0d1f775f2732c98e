//! Lengths of time as ticks on one axis from zero.

use std::time::Duration;

use maud::{Markup, html};
use wire::{counted, duration};

use crate::Axis;

/// Ticks within this share of the axis, in percent, cannot be told apart.
const ONE_TICK: f64 = 1.5;

/// A label behind a tick further right than this, in percent, would leave the picture.
const ROOM: f64 = 80.0;

/// A label on the axis further right than this ends at its tick, in percent.
const LAST: f64 = 95.0;

/// Sets of lengths in ascending order, each with a label and in a line of its own. One axis for
/// all lines shows whether the lengths of a set differ, and how two sets compare. A set that is
/// empty has an empty line.
#[must_use]
pub fn strip(sets: &[(&str, &[Duration])]) -> Markup {
    let lengths = sets.iter().flat_map(|(_, lengths)| *lengths);
    let axis = Axis::reaching(lengths.max().copied().unwrap_or_default());
    let share = |length: Duration| 100.0 * length.as_secs_f64() / axis.length.as_secs_f64();
    let x = |length: Duration| format!("{:.2}%", share(length));
    html! {
        div.strip {
            @for (label, lengths) in sets {
                span { (label) }
                svg role="img" aria-label={ (label) ": " (in_words(lengths)) } {
                    @for tick in &axis.ticks {
                        line.rule x1=(x(tick.at)) x2=(x(tick.at)) y2="100%" {}
                    }
                    line.base x2="100%" y1="50%" y2="50%" {}
                    @for length in *lengths {
                        line.length x1=(x(*length)) x2=(x(*length)) y1="12%" y2="88%" {}
                    }
                    @if let [first, .., last] = lengths && share(*last) - share(*first) <= ONE_TICK {
                        @let is_behind = share(*last) <= ROOM;
                        text.lasted x=(x(if is_behind { *last } else { *first })) dx=(if is_behind { 7 } else { -7 })
                            y="50%" text-anchor=(if is_behind { "start" } else { "end" }) {
                            "all " (lengths.len())
                        }
                    }
                }
            }
            span {}
            svg.scale aria-hidden="true" {
                @for tick in &axis.ticks {
                    text x=(x(tick.at)) y="70%" text-anchor=(anchor(share(tick.at))) { (tick.label) }
                }
            }
        }
    }
}

fn anchor(share: f64) -> &'static str {
    if share <= 0.0 {
        "start"
    } else if share >= LAST {
        "end"
    } else {
        "middle"
    }
}

/// The lengths for those who do not see them.
fn in_words(lengths: &[Duration]) -> String {
    let pauses = counted(lengths.len() as u64, "pause");
    match lengths {
        [] => "none".to_owned(),
        [only] => format!("{pauses} of {}", duration(*only)),
        [first, .., last] => format!("{pauses} from {} to {}", duration(*first), duration(*last)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    fn millis(lengths: &[u64]) -> Vec<Duration> {
        lengths.iter().copied().map(Duration::from_millis).collect()
    }

    #[test]
    fn equal_lengths_are_one_tick_that_says_so() {
        let equal = millis(&[501, 502, 502, 504]);

        let strip = strip(&[("4 first pauses", &equal)]).into_string();

        assert_eq!(strip.matches(r#"class="length""#).count(), 4);
        assert!(strip.contains(">all 4</text>"), "{strip}");
        let words = r#"aria-label="4 first pauses: 4 pauses from 501 ms to 504 ms""#;
        assert!(strip.contains(words), "{strip}");
    }

    proptest! {
        #[test]
        fn every_length_is_on_the_axis_of_all_sets(
            mut sets in vec(vec(0..200_000_u64, 0..12), 1..4),
        ) {
            for lengths in &mut sets {
                lengths.sort_unstable();
            }
            let sets: Vec<_> = sets.iter().map(|lengths| millis(lengths)).collect();
            let labelled: Vec<_> = sets.iter().map(|lengths| ("set", &**lengths)).collect();

            let strip = strip(&labelled).into_string();

            let places: Vec<f64> = strip
                .split(r#"class="length" x1=""#)
                .skip(1)
                .map(|rest| rest.split_once('%').expect("a share").0.parse().expect("a number"))
                .collect();
            prop_assert_eq!(places.len(), sets.iter().map(Vec::len).sum::<usize>());
            prop_assert!(places.iter().all(|place| (0.0..=100.0).contains(place)));
            // The order of all lengths is that of their places.
            let mut pairs: Vec<_> = sets.iter().flatten().zip(&places).collect();
            pairs.sort_by_key(|(length, _)| **length);
            prop_assert!(pairs.is_sorted_by_key(|(_, place)| **place));
        }
    }
}
