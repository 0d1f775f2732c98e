use std::{collections::BTreeMap, time::Duration};

use proptest::{collection::vec, prelude::*, sample::subsequence};

use super::{lane::Part, *};
use crate::{Axis, Tick, page::STYLE};

const SECOND: Duration = Duration::from_secs(1);

/// Ten columns of a second, with a band, a hairline and a tick.
fn ground() -> Ground {
    Ground {
        axis: Axis {
            length: 10 * SECOND,
            ticks: vec![Tick {
                at: 5 * SECOND,
                label: "5 s".to_owned(),
            }],
        },
        column: SECOND,
        has_gaps: false,
        bands: vec![2 * SECOND..4 * SECOND],
        hairlines: vec![8 * SECOND],
    }
}

fn series(fill: Fill, values: &[f64]) -> Series {
    Series {
        fill,
        values: values.to_vec(),
    }
}

/// Any stack, whose series are in any order.
fn any_columns() -> impl Strategy<Value = Columns> {
    let fills = subsequence(Fill::ALL.to_vec(), 0..=Fill::ALL.len()).prop_shuffle();
    let series = fills.prop_flat_map(|fills| {
        let of_fill = |fill| {
            let values = vec(prop_oneof![Just(0.0), 0.0..300.0], 0..14);
            values.prop_map(move |values| Series { fill, values })
        };
        fills.into_iter().map(of_fill).collect::<Vec<_>>()
    });
    let line = proptest::option::of(vec(0.0..300.0, 0..14));
    let top = proptest::option::of(0.0..200.0);
    (series, line, top).prop_map(|(series, line, top)| Columns {
        series,
        line,
        top,
        unit: "/s",
        ..Columns::default()
    })
}

fn by_column(parts: &[Part]) -> BTreeMap<usize, Vec<Part>> {
    let mut columns = BTreeMap::<_, Vec<_>>::new();
    for part in parts {
        columns.entry(part.column).or_default().push(*part);
    }
    columns
}

/// The numbers of an attribute of all elements of a picture.
fn shares(picture: &str, attribute: &str) -> Vec<f64> {
    let start = format!(" {attribute}=\"");
    let values = picture.split(&start).skip(1);
    let values = values.filter_map(|rest| rest.split_once('"'));
    values
        .filter_map(|(value, _)| value.strip_suffix('%')?.parse().ok())
        .collect()
}

proptest! {
    /// In each column the parts stand on each other from the ground up, in the order of the looks,
    /// and each is as high as its value unless the scale cuts it.
    #[test]
    fn the_heights_of_a_stack_add_up_in_a_fixed_order(columns in any_columns()) {
        let parts = columns.parts();

        for (column, parts) in by_column(&parts) {
            let mut below = 0.0;
            for part in &parts {
                prop_assert!((part.from - below).abs() < 1e-9, "{parts:?}");
                below = part.to;
            }
            prop_assert!(parts.is_sorted_by_key(|part| part.fill), "{parts:?}");
            let sum: f64 = columns.series.iter().filter_map(|series| series.values.get(column)).sum();
            let (_, highest) = columns.highest().expect("a part");
            let top = columns.top.filter(|top| *top > 0.0).unwrap_or(highest / 0.92);
            let expected = 100.0 * (sum / top).min(1.0);
            prop_assert!((below - expected).abs() < 1e-6, "{sum} of {top}: {parts:?}");
        }
    }

    #[test]
    fn nothing_is_drawn_outside_the_cell(columns in any_columns(), has_gaps: bool) {
        let ground = Ground { has_gaps, ..ground() };

        for picture in [columns.draw(&ground), columns.small(&ground)] {
            let picture = picture.into_string();
            for attribute in ["x", "y", "x1", "x2", "y1", "y2", "width", "height"] {
                for share in shares(&picture, attribute) {
                    prop_assert!((0.0..=100.0).contains(&share), "{attribute} {share} in {picture}");
                }
            }
            for rect in picture.split("<rect").skip(1).filter_map(|rect| rect.split_once('>')) {
                let share = |attribute| shares(rect.0, attribute).iter().sum::<f64>();
                prop_assert!(share("x") + share("width") <= 100.02, "{}", rect.0);
                prop_assert!(share("y") + share("height") <= 100.02, "{}", rect.0);
            }
        }
    }

    #[test]
    fn a_spread_is_in_its_cell_and_its_tail_is_never_below_its_median(
        durations in vec((0_u64..1_000_000, 0_u64..1_000_000), 0..14),
    ) {
        let columns = durations.iter().map(|(one, other)| {
            let [one, other] = [one, other].map(|millis| Duration::from_millis(*millis));
            Some((one.min(other), one.max(other)))
        });
        let spread = Spread { columns: columns.collect(), ..Spread::default() };

        let picture = spread.draw(&ground()).into_string();

        let circles = shares(&picture, "cy");
        prop_assert_eq!(circles.len(), 2 * durations.len().min(10));
        for pair in circles.chunks(2) {
            prop_assert!(pair[0] >= pair[1], "{pair:?}");
            prop_assert!(pair.iter().all(|share| (0.0..=100.0).contains(share)), "{pair:?}");
        }
    }
}

#[test]
fn a_lane_draws_its_columns_on_what_happened() {
    let columns = Columns {
        title: "calls".to_owned(),
        series: vec![
            series(Fill::Failed, &[0.0, 2.0]),
            series(Fill::Good, &[1.0, 2.0]),
        ],
        line: Some(vec![4.0, 0.0]),
        levels: vec![Level {
            value: 2.0,
            label: "capacity".to_owned(),
        }],
        top: None,
        unit: "/s",
    };

    let picture = columns.draw(&ground()).into_string();

    insta::assert_snapshot!(picture.replace("><", ">\n<"), @r#"
    <svg class="cols" role="img" aria-label="calls">
    <line class="rule" x1="50.00%" x2="50.00%" y2="100%">
    </line>
    <rect class="band" x="20.00%" width="20.00%" height="100%">
    </rect>
    <line class="hair" x1="80.00%" x2="80.00%" y2="100%">
    </line>
    <g class="fill-good">
    <rect x="0.00%" width="10.00%" y="77.00%" height="23.00%">
    </rect>
    <rect x="10.00%" width="10.00%" y="54.00%" height="46.00%">
    </rect>
    </g>
    <g class="fill-failed">
    <rect x="10.00%" width="10.00%" y="8.00%" height="46.00%">
    </rect>
    </g>
    <svg viewBox="0 0 10 100" preserveAspectRatio="none" width="100%" height="100%">
    <path class="line" d="M0 8H1V100H2">
    </path>
    </svg>
    <line class="level" x2="100%" y1="54.00%" y2="54.00%">
    </line>
    <text class="tick" x="100%" dx="-4" y="54.00%" dy="-4" text-anchor="end">capacity</text>
    <text class="tick peak" x="0" dx="4" y="1em">4/s</text>
    </svg>
    "#);
}

#[test]
fn the_highest_value_is_printed_at_the_left_edge_of_its_own_scale() {
    let columns = Columns {
        series: vec![series(Fill::Good, &[0.0, 97.0])],
        unit: " in 15 s",
        ..Columns::default()
    };

    let picture = columns.draw(&ground()).into_string();

    let label = r#"<text class="tick peak" x="0" dx="4" y="1em">97 in 15 s</text>"#;
    assert!(picture.contains(label), "{picture}");
    let nothing = Columns::default().draw(&ground()).into_string();
    assert!(!nothing.contains("peak"), "{nothing}");
}

#[test]
fn a_peak_that_is_cut_is_printed_beside_it() {
    let of = |line: &[f64]| Columns {
        line: Some(line.to_vec()),
        top: Some(100.0),
        unit: "/s",
        ..Columns::default()
    };
    let late = of(&[0.0, 0.0, 0.0, 793.0, 60.0]);
    let early = of(&[793.0, 60.0]);
    let uncut = of(&[100.0]);

    let [late, early, uncut] =
        [late, early, uncut].map(|columns| columns.draw(&ground()).into_string());

    let before = r#"x="30.00%" dx="-4" y="1em" text-anchor="end">793/s<"#;
    assert!(late.contains(before), "{late}");
    let after = r#"x="10.00%" dx="4" y="1em">793/s<"#;
    assert!(early.contains(after), "{early}");
    assert!(!uncut.contains("peak"), "{uncut}");
}

#[test]
fn a_mark_leads_to_what_happened_and_tells_how_many() {
    let mark = |went_well: &[Option<bool>]| Mark {
        at: 5 * SECOND,
        went_well: went_well.to_vec(),
        words: "flaky".to_owned(),
        href: "/runs/1".to_owned(),
    };

    let marks = ground().marks(&[mark(&[Some(true), Some(false), Some(true)]), mark(&[None])]);

    let marks = marks.into_string();
    for expected in [
        r#"<a href="/runs/1"><title>flaky</title><text x="50.00%""#,
        r#"<tspan class="ok">✓2</tspan> <tspan class="no">✗</tspan>"#,
        r#"<tspan class="soft">·</tspan>"#,
    ] {
        assert!(marks.contains(expected), "{expected} in {marks}");
    }
}

#[test]
fn a_label_at_an_end_of_the_axis_stays_inside() {
    let labelled = |seconds: u32| {
        let mut ground = ground();
        ground.axis.ticks = vec![Tick {
            at: seconds * SECOND,
            label: "now".to_owned(),
        }];
        ground.labels(&[]).into_string()
    };

    assert!(labelled(0).contains(r#"text-anchor="start">now"#));
    assert!(labelled(4).contains(r#"text-anchor="middle">now"#));
    assert!(labelled(10).contains(r#"text-anchor="end">now"#));
}

#[test]
fn no_two_looks_are_alike() {
    let look = |fill: Fill| {
        let rule = format!(".{} {{ fill: ", fill.class());
        let (_, rest) = STYLE.split_once(&rule).expect("a rule");
        rest.split_once(';').expect("its end").0
    };

    for one in Fill::ALL {
        for other in Fill::ALL {
            assert_eq!(look(one) == look(other), one == other, "{one:?} {other:?}");
        }
    }
}
