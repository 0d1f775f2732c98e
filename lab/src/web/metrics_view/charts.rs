//! The charts as HTML: a row for each line, with its numbers.
//!
//! Each line has a scale of its own, and ends at the number in the last column of its row. On a
//! common scale one event beside a hundred cannot be seen, and lines cross.

use std::time::Duration;

use client::telemetry::CALL_DURATION_BUCKETS;
use maud::{Markup, html};
use render::page::{ValueAxis, short};
use wire::duration;

use super::{
    SECOND,
    history::{CHARTS, Charted, Counted, History, Lines, Sample, bound},
};
use crate::scenario::web::RunMark;

const MINUTE: Duration = Duration::from_secs(60);

/// The quantiles that are shown, with their names.
const QUANTILES: [(&str, f64); 2] = [("half of them took", 0.5), ("99 % of them took", 0.99)];

/// The name of the sum of all parts.
const ALL: &str = "all";

/// The last bound of the durations, in seconds.
const LONGEST: f64 = match CALL_DURATION_BUCKETS {
    [.., last] => last,
};

/// The scale of every line, in percent of its height: above it is room for the marks.
const AXIS: ValueAxis = ValueAxis {
    top: 140.0,
    labelled: Vec::new(),
};

/// The least distance of two marks, and the width of what can be pressed, in percent of the width
/// of a line.
const APART: f64 = 12.0;

/// What all charts show: the samples that are kept, and the runs.
struct Shown<'a> {
    history: &'a History,
    newest: &'a Sample,
    oldest: &'a Sample,
    runs: &'a [RunMark],
}

/// A line of a chart, with its numbers.
struct Curve<'a> {
    name: &'a str,
    /// The seconds since the left edge, and the value from then on.
    points: Vec<(f64, Option<f64>)>,
    /// The last is that of its right end.
    numbers: Vec<String>,
    /// The runs that moved it, the oldest first.
    runs: Vec<&'a RunMark>,
}

/// All charts, with marks for these runs, and a link to `/metrics` of this service; nothing before
/// the first sample.
pub(super) fn charts(history: &History, runs: &[RunMark], service: &str) -> Markup {
    let samples = history.samples();
    let (Some(oldest), Some(newest)) = (samples.front(), samples.back()) else {
        return html! {};
    };
    let shown = Shown {
        history,
        newest,
        oldest,
        runs,
    };
    let metrics = format!("{service}/metrics");
    let (lessons, others) = CHARTS.split_at(4);
    html! {
        p { "The same numbers, as Prometheus reads them: " a href=(metrics) { (metrics) } }
        div { @for (number, charted) in (0..).zip(lessons) { (shown.chart(number, charted)) } }
        div { @for (number, charted) in (4..).zip(others) { (shown.chart(number, charted)) } }
    }
}

impl<'a> Shown<'a> {
    fn chart(&self, number: usize, charted: &Charted) -> Markup {
        let counted = self.history.counted(number);
        if charted.lines == Lines::Quantiles {
            let curves = QUANTILES.map(|(name, share)| self.quantile(name, share, &counted));
            return self.figure(number, charted, &["top of line", "last minute"], &curves);
        }
        let mut curves = Vec::new();
        if let Lines::Each(by) = charted.lines {
            let moved = counted.iter().filter(|part| part.of(self.newest) > 0);
            curves.extend(moved.map(|part| {
                let runs = self.runs_of(charted, Some((by, part.label)));
                self.rise(part.label, &[*part], runs)
            }));
        }
        curves.push(self.rise(ALL, &counted, self.runs_of(charted, None)));
        let numbers: &[_] = if self.is_since_start() {
            &["since start"]
        } else {
            &["since start", "last 15 min"]
        };
        self.figure(number, charted, numbers, &curves)
    }

    /// The runs of the time shown that moved a counter, or the part of it with this value of this
    /// label.
    fn runs_of(&self, charted: &Charted, part: Option<(&str, &str)>) -> Vec<&'a RunMark> {
        // The age of a run is taken a moment after the newest sample, so that one of the first
        // second seems older than all samples.
        let shown = self.newest.at - self.oldest.at;
        let is_shown = |run: &&RunMark| self.is_since_start() || run.ago <= shown;
        let runs = self.runs.iter().filter(is_shown);
        runs.filter(|run| run.moved(charted.metric, part)).collect()
    }

    /// What counters rose by since the left edge.
    fn rise<'b>(&self, name: &'b str, parts: &[Counted<'_>], runs: Vec<&'b RunMark>) -> Curve<'b> {
        let sum = |sample: &Sample| -> u64 { parts.iter().map(|part| part.of(sample)).sum() };
        let rise = |sample| sum(sample).saturating_sub(sum(self.oldest));
        let samples = self.history.samples().iter();
        let mut numbers = vec![sum(self.newest).to_string()];
        if !self.is_since_start() {
            numbers.push(format!("+{}", rise(self.newest)));
        }
        Curve {
            name,
            points: samples
                .map(|sample| (self.x(sample), Some(rise(sample) as f64)))
                .collect(),
            numbers,
            runs,
        }
    }

    /// The time that this share of the calls of each minute did not exceed.
    fn quantile(&self, name: &'static str, share: f64, buckets: &[Counted<'_>]) -> Curve<'static> {
        let samples = self.history.samples();
        let mut minute_before = samples.iter().peekable();
        let of_each_minute = samples.iter().map(|sample| {
            let is_older = |old: &&Sample| old.at + MINUTE < sample.at;
            while minute_before.next_if(is_older).is_some() {}
            let from = minute_before.peek().copied().unwrap_or(sample);
            // The calls before the oldest sample are not known, unless there were none.
            let is_whole = self.is_since_start() || sample.at - self.oldest.at >= MINUTE;
            let bound = quantile(share, buckets, from, sample).filter(|_| is_whole);
            // What no bucket bounds is drawn above all others.
            (self.x(sample), bound.map(|bound| bound.min(2.0 * LONGEST)))
        });
        let points: Vec<_> = of_each_minute.collect();
        let last = points.last().and_then(|(_, bound)| *bound);
        Curve {
            name,
            numbers: [highest(&points), last].map(at_most).into(),
            points,
            runs: Vec::new(),
        }
    }

    /// A chart with a row for each line, below the names of their numbers.
    fn figure(
        &self,
        number: usize,
        charted: &Charted,
        numbers: &[&str],
        curves: &[Curve<'_>],
    ) -> Markup {
        let title = format!("chart-{number}-title");
        html! {
            figure id={ "chart-" (number) } {
                h2 id=(title) { (charted.title) " " code { (charted.metric) } }
                p { (charted.question) }
                table aria-labelledby=(title) {
                    thead { tr {
                        td {}
                        td {}
                        @for number in numbers { th.num scope="col" { (number) } }
                    } }
                    tbody { @for curve in curves { (self.row(number, curve)) } }
                    tfoot { tr {
                        td {}
                        td { p.times { span { (self.beginning()) } span { "now" } } }
                    } }
                }
            }
        }
    }

    fn row(&self, number: usize, curve: &Curve<'_>) -> Markup {
        let highest = highest(&curve.points);
        let unit = highest.filter(|highest| *highest > 0.0).unwrap_or(1.0);
        let percent = |value: f64| 100.0 * value / unit;
        let points = curve.points.iter();
        let points = points.map(|(x, value)| (*x, value.map(percent)));
        let seconds = self.seconds();
        let width = short(seconds);
        html! {
            // The page knows the row again by its id when others come above it.
            tr id={ "chart-" (number) "-" (curve.name.replace(' ', "-")) } {
                th scope="row" {
                    // A narrow column may break a long name.
                    @for (at, word) in curve.name.split('_').enumerate() {
                        @if at > 0 { "_" wbr; }
                        (word)
                    }
                    " "
                    small {
                        (meaning(curve.name).unwrap_or_default())
                        @if let Some(run) = curve.runs.last() {
                            " " a href={ "/runs/" (run.id) } { "▼ " (run.scenario) }
                            @if curve.runs.len() > 1 { " and " (curve.runs.len() - 1) " earlier" }
                        }
                    }
                }
                td {
                    svg.plot aria-hidden="true" {
                        svg viewBox={ "0 0 " (width) " " (AXIS.top) } preserveAspectRatio="none"
                            width="100%" height="100%" {
                            path.rule d={ "M0 " (AXIS.top) "h" (width) } {}
                            path.line d=(AXIS.steps(points, seconds)) {}
                        }
                        @for (run, at) in self.apart(&curve.runs) {
                            @let [left, x] = [at - APART / 2.0, at].map(|at| format!("{}%", short(at)));
                            a.run href={ "/runs/" (run.id) } tabindex="-1" {
                                title { (run.scenario) " began here: open the run" }
                                rect x=(left) width={ (APART) "%" } height="100%" {}
                                line x1=(x) x2=(x) y2="100%" {}
                                text x=(x) dy=".75em" text-anchor="middle" { "▼" }
                            }
                        }
                    }
                }
                @for number in &curve.numbers { td.num { (number) } }
            }
        }
    }

    /// Whether all is shown: the first sample was taken at the start.
    fn is_since_start(&self) -> bool {
        self.oldest.at < SECOND
    }

    /// The left edge in words.
    fn beginning(&self) -> String {
        match (self.newest.at - self.oldest.at).as_secs() {
            seconds @ 0..60 => format!("−{seconds} s"),
            seconds => format!("−{} min", (seconds + 30) / 60),
        }
    }

    /// The seconds from the left edge to a sample.
    fn x(&self, sample: &Sample) -> f64 {
        (sample.at - self.oldest.at).as_secs_f64()
    }

    /// The time shown: a second at least, so that there is a width.
    fn seconds(&self) -> f64 {
        self.x(self.newest).max(1.0)
    }

    /// The runs that a person can point at, with their horizontal positions in percent: of runs
    /// that lie too near to each other, the newest.
    fn apart<'b>(&self, runs: &[&'b RunMark]) -> Vec<(&'b RunMark, f64)> {
        let mut apart = Vec::new();
        let mut limit = 100.0;
        for run in runs.iter().rev() {
            let at = (100.0 * (1.0 - run.ago.as_secs_f64() / self.seconds())).max(0.0);
            if at <= limit {
                apart.push((*run, at));
                limit = at - APART;
            }
        }
        apart.reverse();
        apart
    }
}

/// The meaning of the source of a wait, of a reason to give up, or of the outcome of a call.
pub(super) fn meaning(label: &str) -> Option<&'static str> {
    Some(match label {
        "backoff" => "the client chose it",
        "retry_after" => "the service asked for it",
        "tls" => "no secure connection",
        "not_eligible" => "the request might take effect twice",
        "retry_after_over_budget" => "the service asked to wait too long",
        "attempts_exhausted" => "no attempt left",
        "deadline" => "no time left for the wait",
        "retry_budget_empty" => "too many retries of late",
        "page_limit" => "too many pages",
        "item_limit" => "too many items",
        "ok" => "a valid response",
        "http_error" => "an error status",
        "response_error" => "an invalid response",
        "contract_error" => "the listing loops, or exceeds a limit of the client",
        "transport_error" => "no whole response",
        "cancelled" => "the caller left",
        _ => return None,
    })
}

/// The lowest bound of a bucket that this share of the observations between two samples does not
/// exceed, in seconds; infinite beyond the last bound, and none without observations.
pub(super) fn quantile(
    share: f64,
    buckets: &[Counted<'_>],
    from: &Sample,
    to: &Sample,
) -> Option<f64> {
    let count = |bucket: &Counted<'_>| bucket.of(to).saturating_sub(bucket.of(from));
    let all = buckets.last().map(count).filter(|all| *all > 0)?;
    let rank = (share * all as f64).ceil() as u64;
    let found = buckets.iter().find(|bucket| count(bucket) >= rank)?;
    bound(found.label)
}

/// The highest value of a line.
fn highest(points: &[(f64, Option<f64>)]) -> Option<f64> {
    let values = points.iter().filter_map(|(_, value)| *value);
    values.max_by(f64::total_cmp)
}

/// A quantile in words.
fn at_most(bound: Option<f64>) -> String {
    let length = |seconds| duration(Duration::from_secs_f64(seconds));
    match bound {
        None => "no call".to_owned(),
        Some(bound) if bound > LONGEST => format!("> {}", length(LONGEST)),
        Some(bound) => format!("≤ {}", length(bound)),
    }
}
