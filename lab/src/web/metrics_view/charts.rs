//! The charts as HTML: by how much each counter rose in the time shown, and its numbers below.

use std::{slice, time::Duration};

use client::telemetry::CALL_DURATION_BUCKETS;
use maud::{Markup, html};
use render::page::{ValueAxis, short};
use wire::duration;

use super::history::{CHARTS, Charted, Counted, History, Lines, Sample, bound};
use crate::scenario::web::RunMark;

const MINUTE: Duration = Duration::from_secs(60);

/// The times that the charts may show: the first that all samples fit into, up to the last.
const SPANS: [Duration; 4] = [
    MINUTE,
    Duration::from_secs(2 * 60),
    Duration::from_secs(5 * 60),
    Duration::from_secs(15 * 60),
];

/// The quantiles that are shown, with their names.
const QUANTILES: [(&str, f64); 2] = [("half", 0.5), ("99 %", 0.99)];

/// The name of the sum of all parts.
const ALL: &str = "all";

/// The last bound of the durations, in seconds.
const LONGEST: f64 = match CALL_DURATION_BUCKETS {
    [.., last] => last,
};

/// How far an axis goes beyond its values, so that no line lies on the edge.
const HEADROOM: f64 = 1.1;

/// The least distance of two marks, in percent of the width.
const APART: f64 = 4.0;

/// Of how many scenarios the newest run that moved a counter is named.
const NAMED: usize = 4;

/// The time that all charts show: it ends with the newest sample.
struct Shown<'a> {
    history: &'a History,
    newest: &'a Sample,
    oldest: &'a Sample,
    span: Duration,
}

/// A line of a chart, with its numbers.
struct Curve {
    name: String,
    /// The number of its look.
    look: usize,
    /// The seconds since the left edge, and the value from then on.
    points: Vec<(f64, Option<f64>)>,
    now: String,
    change: String,
}

/// All charts, with marks for these runs; nothing before the first sample.
pub(super) fn charts(history: &History, runs: &[RunMark]) -> Markup {
    let samples = history.samples();
    let (Some(oldest), Some(newest)) = (samples.front(), samples.back()) else {
        return html! {};
    };
    let fits = |span: &Duration| newest.at - oldest.at <= *span;
    let shown = Shown {
        history,
        newest,
        oldest,
        span: SPANS
            .into_iter()
            .find(fits)
            .unwrap_or(newest.at - oldest.at),
    };
    html! {
        @for (number, charted) in CHARTS.iter().enumerate() {
            @let counted = history.counted(number);
            @if charted.lines == Lines::Quantiles {
                (shown.durations(number, charted, &counted))
            } @else {
                (shown.counters(number, charted, &counted, runs))
            }
        }
    }
}

impl Shown<'_> {
    /// The chart of a counter: what it rose by since the left edge.
    fn counters(
        &self,
        number: usize,
        charted: &Charted,
        counted: &[Counted<'_>],
        runs: &[RunMark],
    ) -> Markup {
        let all = self.curve(ALL, 0, counted);
        let of_a_label = (0..)
            .zip(counted)
            .filter(|_| matches!(charted.lines, Lines::Each(_)));
        let moved = of_a_label.filter(|(_, part)| part.of(self.newest) > 0);
        let parts: Vec<_> = moved
            .map(|(look, part)| self.curve(part.label, look, &[*part]))
            .collect();
        // Before its first event a chart of several lines has the one of the sum, at zero.
        let drawn = if parts.is_empty() {
            slice::from_ref(&all)
        } else {
            &parts
        };
        // A counter never falls.
        let rises = drawn.iter().filter_map(|curve| curve.points.last()?.1);
        let axis = ValueAxis::including(HEADROOM * rises.fold(0.0, f64::max));
        let marks: Vec<_> = runs
            .iter()
            .filter(|run| run.moved(charted.metric))
            .collect();
        let plot = html! {
            (axis.grid(|rise| format!("+{rise:.0}")))
            (self.lines(&axis, drawn))
            @for (run, at) in self.apart(&marks) {
                a.run href={ "/runs/" (run.id) } tabindex="-1" {
                    title { (run.scenario) " began here: open the run" }
                    line.reach x1={ (at) "%" } x2={ (at) "%" } y2="100%" {}
                    line x1={ (at) "%" } x2={ (at) "%" } y2="100%" {}
                    text x={ (at) "%" } dy="-.2em" text-anchor="middle" { "▼" }
                }
            }
        };
        let mut named: Vec<&RunMark> = Vec::new();
        for run in marks.iter().rev() {
            if named.iter().all(|other| other.scenario != run.scenario) {
                named.push(run);
            }
        }
        named.truncate(NAMED);
        let below = html! {
            @if !named.is_empty() {
                p.remark {
                    "Runs that moved it: "
                    @for (at, run) in named.iter().enumerate() {
                        @if at > 0 { ", " }
                        a href={ "/runs/" (run.id) } { (run.scenario) }
                        " " (roughly(run.ago)) " ago"
                    }
                }
            }
        };
        let rows = parts.iter().chain([&all]);
        let table = self.table(number, "in all", rows);
        self.figure(number, charted, &plot, &table, &below)
    }

    /// The chart of the durations of calls.
    fn durations(&self, number: usize, charted: &Charted, buckets: &[Counted<'_>]) -> Markup {
        let samples = self.history.samples();
        let curves = (0..).zip(QUANTILES).map(|(look, (name, share))| {
            let of = |from: &Sample, to: &Sample| quantile(share, buckets, from, to);
            let mut minute_before = samples.iter().peekable();
            let of_each_minute = samples.iter().map(|sample| {
                let is_older = |old: &&Sample| old.at + MINUTE < sample.at;
                while minute_before.next_if(is_older).is_some() {}
                let from = minute_before.peek().copied().unwrap_or(sample);
                (self.x(sample), of(from, sample))
            });
            let of_each_minute: Vec<_> = of_each_minute.collect();
            let now = of_each_minute.last().and_then(|(_, bound)| *bound);
            let points = of_each_minute.into_iter();
            Curve {
                name: name.to_owned(),
                look,
                points: points
                    .map(|(x, bound)| (x, bound.map(|bound| 1_000.0 * bound.min(LONGEST))))
                    .collect(),
                now: at_most(now),
                change: at_most(of(self.oldest, self.newest)),
            }
        });
        let curves: Vec<_> = curves.collect();
        let values = curves.iter().flat_map(|curve| &curve.points);
        let most = values.filter_map(|(_, value)| *value).fold(0.0, f64::max);
        let axis = ValueAxis::including(HEADROOM * most.max(10.0));
        let plot = html! {
            (axis.grid(|millis| duration(Duration::from_millis(millis as u64))))
            (self.lines(&axis, &curves))
        };
        let table = self.table(number, "last minute", curves.iter());
        self.figure(number, charted, &plot, &table, &html! {})
    }

    fn curve(&self, name: &str, look: usize, parts: &[Counted<'_>]) -> Curve {
        let sum = |sample: &Sample| -> u64 { parts.iter().map(|part| part.of(sample)).sum() };
        let rise = |sample| sum(sample).saturating_sub(sum(self.oldest));
        let samples = self.history.samples().iter();
        Curve {
            name: name.to_owned(),
            look,
            points: samples
                .map(|sample| (self.x(sample), Some(rise(sample) as f64)))
                .collect(),
            now: sum(self.newest).to_string(),
            change: format!("+{}", rise(self.newest)),
        }
    }

    fn figure(
        &self,
        number: usize,
        charted: &Charted,
        plot: &Markup,
        table: &Markup,
        below: &Markup,
    ) -> Markup {
        let title = format!("chart-{number}-title");
        html! {
            figure id={ "chart-" (number) } {
                h2 id=(title) { (charted.title) " " code { (charted.metric) } }
                p { (charted.question) }
                svg.plot role="group" aria-labelledby=(title) {
                    (plot)
                    text y="100%" dy="1.2em" { (self.ago()) " ago" }
                    text x="100%" y="100%" dy="1.2em" text-anchor="end" { "now" }
                }
                (table)
                (below)
            }
        }
    }

    fn lines(&self, axis: &ValueAxis, curves: &[Curve]) -> Markup {
        let seconds = self.span.as_secs_f64();
        let view = format!("0 0 {} {}", short(seconds), short(axis.top));
        html! {
            svg viewBox=(view) preserveAspectRatio="none" width="100%" height="100%" {
                @for curve in curves {
                    path class=(look(curve)) d=(axis.steps(curve.points.iter().copied(), seconds)) {}
                }
            }
        }
    }

    /// The numbers of a chart: also the legend, if it has several lines.
    fn table<'a>(&self, number: usize, now: &str, rows: impl Iterator<Item = &'a Curve>) -> Markup {
        html! {
            table.numbers-now aria-labelledby={ "chart-" (number) "-title" } {
                thead { tr {
                    td {}
                    th.number scope="col" { (now) }
                    th.number scope="col" { "last " (self.ago()) }
                } }
                tbody {
                    @for curve in rows {
                        tr {
                            th scope="row" {
                                @if curve.name != ALL {
                                    svg.plot.sample aria-hidden="true" viewBox="0 0 4 2" {
                                        path class=(look(curve)) d="M0 1h4" {}
                                    }
                                    " "
                                }
                                // A narrow column may break a long name.
                                @for (at, word) in curve.name.split('_').enumerate() {
                                    @if at > 0 { "_" wbr; }
                                    (word)
                                }
                                @if let Some(meaning) = meaning(&curve.name) {
                                    " " small { (meaning) }
                                }
                            }
                            td.number { (curve.now) }
                            td.number { (curve.change) }
                        }
                    }
                }
            }
        }
    }

    /// The seconds from the left edge to a sample. A process that is younger than the time shown
    /// has nothing at the left.
    fn x(&self, sample: &Sample) -> f64 {
        self.span.as_secs_f64() - (self.newest.at - sample.at).as_secs_f64()
    }

    /// The runs that a person can point at, with their horizontal positions in percent: of runs
    /// that lie too near to each other, the newest.
    fn apart<'a>(&self, runs: &[&'a RunMark]) -> Vec<(&'a RunMark, String)> {
        let mut apart = Vec::new();
        let mut limit = 100.0;
        for run in runs.iter().rev() {
            let share = run.ago.as_secs_f64() / self.span.as_secs_f64();
            let at = 100.0 * (1.0 - share);
            if (0.0..=limit).contains(&at) {
                apart.push((*run, short(at)));
                limit = at - APART;
            }
        }
        apart
    }

    fn ago(&self) -> String {
        format!("{} min", self.span.as_secs() / 60)
    }
}

fn look(curve: &Curve) -> String {
    format!("look-{}", curve.look)
}

/// The meaning of a reason to give up, or of the outcome of a call.
pub(super) fn meaning(label: &str) -> Option<&'static str> {
    Some(match label {
        "tls" => "TLS would fail again",
        "not_eligible" => "must not be repeated",
        "retry_after_over_budget" => "asked to wait too long",
        "attempts_exhausted" => "no attempt left",
        "deadline" => "no time left for the wait",
        "retry_budget_empty" => "too many retries of all calls",
        "page_limit" => "too many pages",
        "item_limit" => "too many items",
        "ok" => "as promised",
        "http_error" => "an error status",
        "response_error" => "not what was promised",
        "contract_error" => "a listing goes wrong",
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

/// A time that has passed, in seconds or minutes.
fn roughly(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds => format!("{} min", seconds / 60),
    }
}

/// A quantile in words.
fn at_most(bound: Option<f64>) -> String {
    let length = |seconds| duration(Duration::from_secs_f64(seconds));
    match bound {
        None => "—".to_owned(),
        Some(bound) if bound > LONGEST => format!("> {}", length(LONGEST)),
        Some(bound) => format!("≤ {}", length(bound)),
    }
}
