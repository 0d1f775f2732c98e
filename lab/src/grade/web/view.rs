//! The card as the web UI shows it: texts, marks and bars.

use std::{collections::HashSet, ops::Range};

use grade::{
    CaseChart, CaseGrade, CaseRow, InFlight, OpenCase, OpenCases, RuleGrade, Task, TaskGrade, all,
};
use judge::rules::{self, TOLERANCE, Verdict};
use render::{Mark, Scale};
use serde::Serialize;
use wire::WireRecord;

/// The number of columns that the time of a case is divided into.
const COLUMNS: usize = 100;

/// The most requests of a case that are shown.
const ROWS: usize = 40;

/// The number of columns of the requests in flight.
const IN_FLIGHT: usize = 40;

/// The tasks, with their results so far.
#[derive(Debug, Serialize)]
pub(super) struct CardView {
    /// None if no card is open.
    id: Option<String>,
    /// The card's seed and the rules that are judged, in words.
    terms: Option<String>,
    tasks: Vec<TaskView>,
}

#[derive(Debug, Serialize)]
struct TaskView {
    name: &'static str,
    request: String,
    text: &'static str,
    goal: &'static str,
    hint: &'static str,
    scenario: &'static str,
    /// The number of requests to all cases.
    requests: u64,
    /// Failed if a rule was broken. Nothing passes here: goals are not judged.
    mark: Option<Mark>,
    /// The requests so far, in words.
    summary: String,
    cases: Vec<CaseView>,
    rules: Vec<RuleView>,
}

#[derive(Debug, Serialize)]
struct CaseView {
    /// Its number among the cases of its task, starting at 0.
    number: usize,
    name: &'static str,
    url: String,
    token: Option<String>,
    /// A command for a terminal that sends a request to it; it contains the URL.
    curl: String,
    rows: Vec<RowView>,
    /// The requests that are not shown, in words; null if all are shown.
    remark: Option<String>,
}

#[derive(Debug, Serialize)]
struct RowView {
    seq: u64,
    at: String,
    label: String,
    /// Failed if this request broke a rule.
    mark: Option<Mark>,
    /// The columns of the pause before this request; a long pause has parts cut out.
    pause: Vec<Range<usize>>,
    bar: Range<usize>,
}

#[derive(Debug, Serialize)]
struct RuleView {
    id: &'static str,
    mark: Option<Mark>,
    verdict: String,
    level: String,
    source: &'static str,
    found: Option<String>,
    text: &'static str,
    why: &'static str,
    hint: &'static str,
}

impl CardView {
    /// The results of the cases so far.
    pub(super) fn of(id: &str, cases: &OpenCases) -> Self {
        let mut open = cases.cases();
        let tasks = all().zip(cases.grades()).map(|(task, grade)| {
            let open: Vec<_> = open.by_ref().take(grade.cases.len()).collect();
            TaskView::of(task, &grade, &open)
        });
        let tolerance = wire::duration(TOLERANCE);
        Self {
            id: Some(id.to_owned()),
            terms: Some(format!(
                "seed {} · waits may be {tolerance} short",
                cases.seed()
            )),
            tasks: tasks.collect(),
        }
    }

    /// The tasks while no card is open.
    pub(super) fn closed() -> Self {
        let tasks = all().map(TaskView::closed);
        Self {
            id: None,
            terms: None,
            tasks: tasks.collect(),
        }
    }
}

impl TaskView {
    fn closed(task: &Task) -> Self {
        let words = &task.words;
        let practice = if task.is_for_practice() {
            " · for practice"
        } else {
            ""
        };
        Self {
            name: words.name,
            request: format!("{} …{}{practice}", words.request, words.path),
            text: words.text,
            goal: words.goal,
            hint: words.hint,
            scenario: words.scenario,
            requests: 0,
            mark: None,
            summary: String::new(),
            cases: Vec::new(),
            rules: Vec::new(),
        }
    }

    fn of(task: &Task, grade: &TaskGrade, open: &[OpenCase<'_>]) -> Self {
        let broken = grade.broken().flat_map(|rule| &rule.judgement.requests);
        let broken: HashSet<_> = broken.map(|it| (it.case, it.seq)).collect();
        let cases = open.iter().zip(&grade.cases);
        let rules: Vec<_> = grade.rules.iter().filter_map(RuleView::of).collect();
        let mut wires = grade.cases.iter().map(|case| &case.wire);
        let requests = match grade.requests() {
            0 => {
                let refused = wires.find_map(WireRecord::refusals_in_words);
                refused.unwrap_or_else(|| "no request yet".to_owned())
            }
            requests => wire::counted(requests, "request"),
        };
        let of_rules = grade.rules_in_words().filter(|_| grade.requests() > 0);
        Self {
            requests: grade.requests(),
            mark: grade.broken().next().is_some().then_some(Mark::Failed),
            summary: match of_rules {
                Some(rules) => format!("{requests} · {rules}"),
                None => requests,
            },
            cases: cases
                .map(|(open, case)| CaseView::of(open, case, &broken))
                .collect(),
            rules,
            ..Self::closed(task)
        }
    }
}

impl CaseView {
    fn of(open: &OpenCase<'_>, case: &CaseGrade, broken: &HashSet<(usize, u64)>) -> Self {
        let chart = CaseChart::new(&case.wire, ROWS);
        let scale = chart.scale(COLUMNS);
        let shown = chart.rows.len();
        let left_out = chart.left_out.as_ref();
        let left_out = left_out.map(|it| format!("{shown} requests are shown, and {it}"));
        let in_flight = InFlight::of(&case.wire, IN_FLIGHT).map(|it| it.to_string());
        let remarks: Vec<_> = left_out.into_iter().chain(in_flight).collect();
        let rows = chart.rows.iter();
        let rows =
            rows.map(|row| RowView::of(row, &scale, broken.contains(&(open.number, row.seq))));
        Self {
            number: open.number,
            name: open.name,
            url: open.url.to_owned(),
            token: open.token.map(str::to_owned),
            curl: open.curl(),
            rows: rows.collect(),
            remark: (!remarks.is_empty()).then(|| remarks.join(". ")),
        }
    }
}

impl RowView {
    fn of(row: &CaseRow, scale: &Scale, is_broken: bool) -> Self {
        let bar = scale.bar(row.arrived, row.ended);
        Self {
            seq: row.seq,
            at: wire::duration(row.arrived),
            label: row.label.clone(),
            mark: is_broken.then_some(Mark::Failed),
            pause: row.pause.map_or_else(Vec::new, |from| {
                let from = scale.bar(from, row.arrived).start;
                pieces(from..bar.start, scale)
            }),
            bar,
        }
    }
}

impl RuleView {
    fn of(rule: &RuleGrade) -> Option<Self> {
        let known = rules::find(rule.id)?;
        let judgement = &rule.judgement;
        Some(Self {
            id: rule.id,
            mark: match judgement.verdict {
                Verdict::Kept => Some(Mark::Ok),
                Verdict::Broken => Some(Mark::Failed),
                Verdict::Skipped | Verdict::NotExercised | Verdict::CannotTell => None,
            },
            verdict: judgement.verdict.to_string(),
            level: rule.level.to_string(),
            source: rule.source,
            found: judgement.found.clone(),
            text: known.text,
            why: known.why,
            hint: known.hint,
        })
    }
}

/// The columns of a pause, without the parts that the scale cuts out.
fn pieces(pause: Range<usize>, scale: &Scale) -> Vec<Range<usize>> {
    let mut from = pause.start;
    let mut pieces = Vec::new();
    for cut in scale.cuts(&pause) {
        pieces.push(from..cut.start);
        from = cut.end;
    }
    pieces.push(from..pause.end);
    pieces
}
