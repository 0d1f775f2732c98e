//! Properties of every picture of every timeline.

use std::collections::BTreeSet;

use proptest::{collection::vec, option, prelude::*, sample::select};
use unicode_width::UnicodeWidthStr;

use super::*;
use crate::timeline::text::label_of;

/// Any bar: overlapping, open, without length, far away.
fn any_bar() -> impl Strategy<Value = Bar> {
    let time = prop_oneof![0..50_u64, 0..5_000_u64, 0..10_000_000_u64, any::<u64>()];
    let parts = (
        select(&Kind::ALL[..]),
        time.clone(),
        option::of(time.clone()),
        option::of(time),
    );
    parts.prop_map(|(kind, from, lasts, longest)| {
        let from = ms(from);
        let until = |length| from.saturating_add(ms(length));
        Bar {
            kind,
            from,
            to: lasts.map(until),
            at_most: longest.filter(|_| kind == Kind::Wait).map(until),
        }
    })
}

/// Any row with a label of words.
fn any_row() -> impl Strategy<Value = Row> {
    let parts = (
        select(&Kind::ALL[..]),
        1..4_u32,
        any::<[bool; 2]>(),
        vec("[a-zé日]{1,14}", 1..9),
        vec(any_bar(), 0..4),
    );
    parts.prop_map(|(kind, level, [is_call, folded], words, bars)| Row {
        level,
        is_call,
        folded,
        note: words.join(" "),
        at: bars.first().map(|bar| bar.from).unwrap_or_default(),
        bars,
        ..row(kind, 0, 0, "row", "")
    })
}

fn any_timeline() -> impl Strategy<Value = Timeline> {
    (vec(any_row(), 0..30), any::<u64>(), 0..4_u64).prop_map(|(rows, now, remarks)| Timeline {
        now: ms(now),
        remarks: (0..remarks)
            .map(|number| format!("remark {number}"))
            .collect(),
        ..timeline(rows)
    })
}

proptest! {
    #[test]
    fn every_bar_is_within_the_axis(timeline in any_timeline()) {
        for picture in [page(&[&timeline], true), line(&[&timeline]).into_string()] {
            for element in elements(&picture, &["rect", "line"]) {
                let at = |attribute| percent_of(element, attribute);
                let start = at("x").or(at("x1"));
                let end = start.map(|start| at("x2").unwrap_or(start + at("width").unwrap_or(0.0)));
                for place in start.into_iter().chain(end) {
                    prop_assert!((0.0..=100.02).contains(&place), "{}", element);
                }
            }
        }
    }

    #[test]
    fn no_mark_of_a_list_hides_one_of_another_kind(moments in vec((0..2_000_u64, any::<bool>()), 1..5)) {
        let rows = moments.iter().enumerate().map(|(number, (at, is_good))| {
            let kind = if *is_good { Kind::Good } else { Kind::Failed };
            row(kind, *at, *at, &number.to_string(), "")
        });
        let timeline = timeline(rows.chain([row(Kind::Wait, 0, 2_000, "wait", "")]));

        let line = line(&[&timeline]).into_string();

        // In pixels of a list that is 300 wide.
        let marks = elements(&line, &["rect"]).filter(|element| element.contains("width=\"3\""));
        let places = marks.map(|element| {
            let shift = element.split_once("translate(").and_then(|(_, rest)| rest.split_once(')'));
            let shift = shift.map_or(0.0, |(shift, _)| shift.parse().expect("a number"));
            let from = 3.0 * percent_of(element, "x").expect("a place") + shift;
            (from, element.contains("good"))
        });
        let mut places: Vec<_> = places.collect();
        places.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        for pair in places.windows(2) {
            let [(one, is_good), (next, next_is_good)] = pair else { continue };
            prop_assert!(is_good == next_is_good || next - one > 2.9, "{:?}", places);
        }
    }

    #[test]
    fn text_and_page_have_the_same_rows_in_order(timeline in any_timeline(), folds: bool) {
        let ids: Vec<_> = timeline.rows.iter().map(|row| format!("row-{}", row.id)).collect();
        let labelled = timeline.rows.iter().map(|row| Row {
            label: format!("label{}", row.id),
            ..row.clone()
        });
        let labelled = Timeline { rows: labelled.collect(), ..timeline.clone() };
        let shown: Vec<_> = labelled.shown().map(|row| row.label.clone()).collect();

        let page = page(&[&timeline], folds);
        let [text] = text([&labelled.unfolded()], &Options::default());

        let drawn = values(&page, "id").into_iter().filter(|id| !id.starts_with("row-more"));
        prop_assert_eq!(drawn.collect::<Vec<_>>(), ids);
        let words = text.split_whitespace().filter(|word| word.starts_with("label"));
        let words = words.map(|word| word.trim_end_matches(['…', ',']).to_owned());
        prop_assert_eq!(words.collect::<Vec<_>>(), shown);
    }

    #[test]
    fn no_label_is_cut_inside_a_word(timeline in any_timeline(), width in 40..120_usize) {
        let options = Options { width, ..Options::default() };
        let timeline = Timeline { remarks: Vec::new(), ..timeline };

        let [text] = text([&timeline], &options);

        for (row, line) in timeline.rows.iter().zip(text.lines()) {
            let Some(kept) = line.strip_suffix('…') else { continue };
            let label = label_of(row);
            let words = || label.split_whitespace();
            let last = kept.split_whitespace().last().unwrap_or_default();
            let is_first = words().next().is_some_and(|first| first.starts_with(last));
            prop_assert!(is_first || words().any(|word| word == last), "{}", line);
        }
    }

    #[test]
    fn every_line_fits_the_width(timeline in any_timeline(), width in 0..200_usize, ascii: bool) {
        let options = Options { width, ascii, ..Options::default() };

        let [text] = text([&timeline], &options);

        for line in text.lines() {
            prop_assert!(line.width() <= width.max(Options::NARROWEST), "{}", line);
            prop_assert!(!ascii || line.is_ascii(), "{}", line);
        }
    }

    #[test]
    fn a_flood_is_cut_to_the_given_number_of_lines(timeline in any_timeline(), most in 3..20_usize) {
        let ids = |timeline: &Timeline| {
            let rows = timeline.rows.iter().map(|row| row.id.clone());
            rows.collect::<Vec<_>>()
        };
        let shown = |timeline: &Timeline| {
            let rows = timeline.shown().map(|row| row.id.clone());
            rows.collect::<BTreeSet<_>>()
        };

        let cut = timeline.clone().without_middle(most, |rows| rows.len().to_string());

        prop_assert!(cut.rows.len() + usize::from(cut.gap.is_some()) <= most);
        let (head, tail) = cut.ends();
        let mut all = ids(&timeline);
        let left_out: Vec<_> = all.drain(head.len()..all.len() - tail.len()).collect();
        prop_assert_eq!(ids(&cut), all);
        let said = cut.gap.as_ref().map_or("0", |gap| &gap.words);
        prop_assert_eq!(said, left_out.len().to_string());
        // No row is shown that was folded under another one.
        prop_assert!(shown(&cut).is_subset(&shown(&timeline)));
    }

    #[test]
    fn a_later_start_is_never_drawn_further_left(
        mut starts in vec(0..200_000_u64, 1..40),
        lengths in vec(0..20_000_u64, 40),
    ) {
        starts.sort_unstable();
        starts.dedup();
        let waits = starts.iter().zip(lengths);
        let waits = waits.map(|(start, length)| row(Kind::Wait, *start, start + length, "wait", ""));
        let timeline = timeline(waits);
        let options = Options { ascii: true, ..Options::default() };

        let [text] = text([&timeline], &options);
        let picture = page(&[&timeline], false);

        let columns: Vec<_> = text.lines().map(|row| row.find('|')).collect();
        prop_assert!(columns.is_sorted(), "{}", text);
        prop_assert!(text.lines().all(|row| row.contains("|.") || row.contains("|/")), "{}", text);
        let bars = elements(&picture, &["rect"]).filter(|bar| bar.contains("rx="));
        let places: Vec<_> = bars.take(starts.len()).filter_map(|bar| percent_of(bar, "x")).collect();
        prop_assert!(places.is_sorted(), "{:?}", places);
    }
}
