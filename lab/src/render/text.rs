//! A run as text for a terminal: what was asked, what happened, what the wire
//! and the counters say, which expectations held, and why it matters.

use anstyle::{AnsiColor, Style};

use super::{Options, duration, waterfall};
use crate::{
    policy::Policy,
    run::{Pace, Run},
    scenario::Scenario,
};

/// The widest that sentences are set, however wide the terminal: longer lines
/// are hard to read.
const MEASURE: usize = 100;

/// The counters that every run shows, moved or not.
const HEADLINES: [&str; 4] = [
    "client_attempts_total",
    "client_retries_total",
    "client_give_ups_total",
    "client_cursor_loops_total",
];

/// Sets a run, and what its scenario teaches, as text.
#[must_use]
pub fn text(scenario: &Scenario, run: &Run, options: &Options) -> String {
    let page = Page {
        options,
        width: options.width.clamp(Options::WIDTH, MEASURE),
    };
    let mut out = String::new();
    page.heading(&mut out, scenario, run);
    out.push('\n');
    out.push_str(&waterfall(&run.traces, options));
    out.push('\n');
    page.evidence(&mut out, run);
    out.push('\n');
    page.verdict(&mut out, run);
    out.push('\n');
    page.paragraph(&mut out, "Why it matters", scenario.lesson);
    page.command(
        &mut out,
        "Try next",
        &format!("cargo run -p lab -- {}", scenario.next),
    );
    out
}

struct Page<'a> {
    options: &'a Options,
    width: usize,
}

impl Page<'_> {
    fn heading(&self, out: &mut String, scenario: &Scenario, run: &Run) {
        let title = format!("{} {} {}", scenario.name, self.dash(), scenario.title);
        self.line(out, &self.styled(Style::new().bold(), &title));
        self.joined(out, &terms(scenario, &run.policy, self.options.ascii));
        let pace = match run.pace {
            Pace::Real => "real time",
            Pace::Virtual => "virtual time: the waits are drawn, not waited for",
        };
        self.joined(out, &[format!("seed {}", run.seed), pace.to_owned()]);
    }

    fn evidence(&self, out: &mut String, run: &Run) {
        self.paragraph(out, "outcome", &self.plain(&run.outcome.text));
        let wire = format!(
            "the service saw {}; the client counted {}",
            requests(run.ledger.total),
            run.counted()
        );
        self.paragraph(out, "wire", &wire);
        let mut label = "counters";
        for counters in HEADLINES.chunks(2) {
            let counters: Vec<String> = counters
                .iter()
                .map(|name| format!("{name} {}", risen(run.counters.total(name))))
                .collect();
            self.paragraph(out, label, &counters.join("   "));
            label = "";
        }
    }

    fn verdict(&self, out: &mut String, run: &Run) {
        let green = Style::new().fg_color(Some(AnsiColor::Green.into()));
        let red = Style::new().fg_color(Some(AnsiColor::Red.into()));
        for check in &run.verdict {
            let (style, mark) = match (check.held, self.options.ascii) {
                (true, false) => (green, "✓"),
                (true, true) => (green, "ok  "),
                (false, false) => (red, "✗"),
                (false, true) => (red, "FAIL"),
            };
            let mark = self.styled(style, mark);
            match &check.found {
                None => self.line(out, &format!("{mark} {}", check.text)),
                Some(found) => {
                    self.line(
                        out,
                        &format!("{mark} {} {} {found}", check.text, self.dash()),
                    );
                }
            }
        }
    }

    /// A label in a column of its own and a text wrapped beside it.
    fn paragraph(&self, out: &mut String, label: &str, text: &str) {
        let column = if label.len() > 9 || label == "Try next" {
            16
        } else {
            10
        };
        let indent = " ".repeat(column);
        let first = format!("{label:<column$}");
        let wrapped = textwrap::Options::new(self.width)
            .initial_indent(&first)
            .subsequent_indent(&indent)
            .break_words(false);
        for line in textwrap::wrap(text, wrapped) {
            self.line(out, &line);
        }
    }

    /// A label and a command to copy, which therefore is never broken.
    fn command(&self, out: &mut String, label: &str, command: &str) {
        let line = format!("{label:<16}{command}");
        if line.chars().count() <= self.width {
            self.line(out, &line);
        } else {
            self.line(out, label);
            self.line(out, &format!("  {command}"));
        }
    }

    /// Terms in a row, broken between two of them where the line is full.
    fn joined(&self, out: &mut String, terms: &[String]) {
        let separator = if self.options.ascii { " | " } else { " · " };
        let mut line = String::new();
        for term in terms {
            let longer = line.chars().count() + 3 + term.chars().count();
            if !line.is_empty() && longer > self.width {
                self.line(out, &std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push_str(separator);
            }
            line.push_str(term);
        }
        self.line(out, &line);
    }

    fn line(&self, out: &mut String, line: &str) {
        out.push_str(line.trim_end());
        out.push('\n');
    }

    fn styled(&self, style: Style, text: &str) -> String {
        if self.options.color {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    fn dash(&self) -> &'static str {
        if self.options.ascii { "-" } else { "—" }
    }

    /// A text of ours without what plain ASCII does not have.
    fn plain(&self, text: &str) -> String {
        if self.options.ascii {
            text.chars().filter(char::is_ascii).collect()
        } else {
            text.to_owned()
        }
    }
}

/// What the client was allowed, term by term.
fn terms(scenario: &Scenario, policy: &Policy, ascii: bool) -> Vec<String> {
    let (base, cap) = Policy::BACKOFF;
    let to = if ascii { "-" } else { "–" };
    let mut terms = vec![
        scenario.request.to_owned(),
        match policy.max_attempts {
            1 => "1 attempt".to_owned(),
            attempts => format!("{attempts} attempts"),
        },
        format!(
            "backoff {}{to}{}, full jitter",
            duration(base),
            duration(cap)
        ),
        format!("Retry-After budget {}", duration(policy.max_retry_after)),
    ];
    if let Some(deadline) = policy.deadline {
        terms.push(format!("deadline {}", duration(deadline)));
    }
    if policy.read_timeout != Policy::DEFAULT.read_timeout {
        terms.push(format!("read timeout {}", duration(policy.read_timeout)));
    }
    if policy.max_body_bytes != Policy::DEFAULT.max_body_bytes {
        terms.push(format!("body up to {} bytes", policy.max_body_bytes));
    }
    match policy.retry_budget {
        Some(tokens) if policy.retry_budget != Policy::DEFAULT.retry_budget => {
            terms.push(format!("retry budget {tokens}"));
        }
        _ => {}
    }
    if scenario.listing {
        terms.push(format!(
            "at most {} pages, {} items",
            policy.max_pages, policy.max_items
        ));
    }
    terms
}

fn requests(number: u64) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} request{plural}")
}

fn risen(by: u64) -> String {
    match by {
        0 => "0".to_owned(),
        by => format!("+{by}"),
    }
}
