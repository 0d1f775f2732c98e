//! A run as text for a terminal: what was asked, what happened, what the wire
//! and the counters say, which expectations held, and why it matters.

use client::telemetry::{ATTEMPTS, CURSOR_LOOPS, GIVE_UPS, Metric, RETRIES};

use super::{Options, duration, page::Page, waterfall};
use crate::{
    player::{Client, NAIVE_ATTEMPTS},
    policy::Policy,
    run::{Pace, Run},
    scenario::Scenario,
};

/// The counters that every run shows, moved or not.
const HEADLINES: [Metric; 4] = [ATTEMPTS, RETRIES, GIVE_UPS, CURSOR_LOOPS];

/// Sets a run, and what its scenario teaches, as text.
#[must_use]
pub fn text(scenario: &Scenario, run: &Run, options: &Options) -> String {
    let mut page = Page::new(options);
    heading(&mut page, scenario, run);
    page.gap();
    page.block(&waterfall(&run.traces, options));
    page.gap();
    evidence(&mut page, run);
    page.gap();
    verdict(&mut page, run);
    page.gap();
    page.paragraph("Why it matters", scenario.lesson);
    page.command(
        "Try next",
        &format!("cargo run -p lab -- {}", scenario.next),
    );
    page.into_text()
}

/// What was played, and how.
pub(super) fn heading(page: &mut Page<'_>, scenario: &Scenario, run: &Run) {
    let title = format!("{} {} {}", scenario.name, page.dash(), scenario.title);
    page.title(&title);
    let terms = match run.client {
        Client::Reliable => terms(scenario, &run.policy, page.options.ascii),
        Client::Naive => vec![scenario.request.to_owned(), naive_terms()],
    };
    page.joined(&terms);
    let pace = match run.pace {
        Pace::Real => "real time",
        Pace::Virtual => "virtual time: the waits are drawn, not waited for",
    };
    page.joined(&[format!("seed {}", run.seed), pace.to_owned()]);
}

fn evidence(page: &mut Page<'_>, run: &Run) {
    page.paragraph("outcome", &page.plain(&run.outcome.text));
    let wire = format!(
        "the service saw {}; the client counted {}",
        requests(run.ledger.total),
        run.counted()
    );
    page.paragraph("wire", &wire);
    let headlines = match run.client {
        Client::Reliable => &HEADLINES[..],
        // It has no limit to give up at, and no history to see a loop in.
        Client::Naive => &HEADLINES[..2],
    };
    let mut label = "counters";
    for counters in headlines.chunks(2) {
        let counters: Vec<String> = counters
            .iter()
            .map(|metric| {
                let name = run.client.counter(metric.name);
                format!("{name} {}", risen(run.counters.total(&name)))
            })
            .collect();
        page.paragraph(label, &counters.join("   "));
        label = "";
    }
}

fn verdict(page: &mut Page<'_>, run: &Run) {
    for check in &run.verdict {
        let text = match &check.found {
            None => check.text.clone(),
            Some(found) => format!("{} {} {found}", check.text, page.dash()),
        };
        page.check(check.held, &text);
    }
}

/// How a client works that knows no policy.
pub(super) fn naive_terms() -> String {
    format!("what people first write: up to {NAIVE_ATTEMPTS} attempts, no waits")
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

pub(super) fn risen(by: u64) -> String {
    match by {
        0 => "0".to_owned(),
        by => format!("+{by}"),
    }
}
