//! The plan and the card of `lab proxy` as text for a terminal.

use anstyle::AnsiColor;
use judge::{KnownFailures, in_words, is_good, rules::Verdict};
use render::{Options, Sheet, timeline::brief};

use crate::{CommandEnd, Plan, ProxyCard, ProxyFault, card::CaseCard, verdict::Judged};

/// The most lines about the requests of a case.
const LINES: usize = 9;

/// Renders the healthy runs, and the cases that follow from them.
#[must_use]
pub fn plan(plan: &Plan, options: &Options) -> String {
    let (routes, healthy, cases) = (plan.routes(), plan.card().healthy, plan.cases());
    let mut sheet = Sheet::new(options);
    let requests: usize = routes.iter().map(|row| row.requests).sum();
    let end = healthy.first().map(CommandEnd::words).unwrap_or_default();
    let count = format!(
        "{} runs, {end}: {requests} requests, {} routes",
        healthy.len(),
        routes.len()
    );
    sheet.paragraph("healthy", &count);
    let widest = routes.iter().map(|row| row.route.chars().count()).max();
    let width = widest.unwrap_or_default().min(40);
    for row in &routes {
        let aim = match (&row.unfit, row.is_marked) {
            (None, _) => "can be aimed at",
            (Some(_), true) => "can be aimed at, by its marks",
            (Some(why), false) => &format!("no: {why}"),
        };
        let label = format!("  {:width$} {:>4}   ", row.route, row.requests);
        sheet.beside(&label, aim);
    }
    let about = match cases.len() {
        0 => "no route can be aimed at".to_owned(),
        runs => format!("{runs} runs"),
    };
    sheet.paragraph("plan", &about);
    for cases in cases.chunk_by(|(route, _), (next, _)| route == next) {
        if let [(route, _), faults @ ..] = cases {
            let (number, s) = (faults.len(), if faults.len() == 1 { "" } else { "s" });
            sheet.line(&format!("  {route}: {number} fault{s} and a control"));
        }
    }
    if !cases.is_empty() {
        let again = "What looks broken is run again until it is confirmed, and so is the control.";
        sheet.paragraph("", again);
    }
    if cases
        .iter()
        .any(|(_, fault)| *fault == ProxyFault::LostResponse)
    {
        sheet.paragraph("", "lost-response may make your API do a thing twice.");
    }
    sheet.into_text()
}

/// Renders a card: for each route what came of each fault, and a count.
#[must_use]
pub fn card(card: &ProxyCard, known: &KnownFailures, options: &Options) -> String {
    let mut sheet = Sheet::new(options);
    let mut route = "";
    for case in card.cases.iter().filter(|case| case.is_exercised()) {
        if case.route != route {
            sheet.gap();
            sheet.title(&case.route);
            route = &case.route;
        }
        of_case(&mut sheet, case, known);
    }
    sheet.gap();
    not_exercised(&mut sheet, card);
    for warning in &card.warnings {
        sheet.beside("! ", warning);
    }
    let mut count = count(card, options);
    let verdicts = card.verdicts();
    let known = verdicts.filter(|(case, judged)| judged.is_known_to_fail(case, known));
    match known.count() {
        0 => {}
        known => count.push_str(&format!(" ({known} of the broken known to fail)")),
    }
    sheet.beside("", &count);
    sheet.into_text()
}

fn of_case(sheet: &mut Sheet<'_>, case: &CaseCard, known: &KnownFailures) {
    let mut label = &*case.event;
    // Those that were not exercised stand together at the end.
    let exercised = case.rules.iter();
    for judged in exercised.filter(|rule| rule.verdict != Verdict::NotExercised) {
        line(sheet, label, case, judged, known);
        label = "";
    }
    let is_healthy = case.end.as_ref().is_none_or(|end| end.exit == Some(0));
    let mut rules = case.rules.iter();
    let is_broken = rules.any(|rule| rule.verdict == Verdict::Broken || rule.is_suspected);
    if is_broken {
        brief(sheet, 4, &case.timeline(LINES));
    }
    if let Some(end) = case.end.as_ref().filter(|_| !is_healthy || is_broken) {
        sheet.beside("      ", &format!("the command: {}", end.words()));
    }
}

fn line(
    sheet: &mut Sheet<'_>,
    label: &str,
    case: &CaseCard,
    judged: &Judged,
    known: &KnownFailures,
) {
    let is_known = judged.is_known_to_fail(case, known);
    let yellow = AnsiColor::Yellow.on_default();
    let mark = match judged.verdict {
        Verdict::CannotTell => sheet.styled(yellow, sheet.options.or_ascii("?", "?   ")),
        verdict => sheet.mark(is_good(verdict, is_known), yellow),
    };
    let words = in_words(judged.verdict, is_known);
    sheet.line(&format!("  {label:<22}{mark} {:<22} {words}", judged.rule));
    if let Some(found) = &judged.found {
        sheet.beside("        ", found);
    }
}

/// The rules that no case exercised, with the reason.
fn not_exercised(sheet: &mut Sheet<'_>, card: &ProxyCard) {
    let mut why: Vec<(&str, Vec<&str>, usize)> = Vec::new();
    for (_, judged) in card
        .verdicts()
        .filter(|(_, judged)| judged.verdict == Verdict::NotExercised)
    {
        let reason = judged.found.as_deref().unwrap_or_default();
        match why.iter_mut().find(|(known, ..)| *known == reason) {
            Some((_, rules, times)) => {
                *times += 1;
                if !rules.contains(&judged.rule) {
                    rules.push(judged.rule);
                }
            }
            None => why.push((reason, vec![judged.rule], 1)),
        }
    }
    for (reason, rules, times) in why {
        let mut words = format!("{}: {reason}", rules.join(", "));
        if times > rules.len() {
            words.push_str(&format!(" ({times} times)"));
        }
        sheet.beside("not exercised  ", &words);
    }
}

/// The numbers of the verdicts, in words.
pub(super) fn count(card: &ProxyCard, options: &Options) -> String {
    let parts = [
        (Verdict::Broken, "broken"),
        (Verdict::Kept, "kept"),
        (Verdict::Skipped, "skipped"),
        (Verdict::NotExercised, "not exercised"),
        (Verdict::CannotTell, "cannot tell"),
    ];
    let mut counts = Vec::new();
    for (verdict, words) in parts {
        let number = card.count(verdict);
        if number > 0 || verdict == Verdict::Broken {
            counts.push(format!("{number} {words}"));
        }
    }
    counts.join(options.or_ascii(" · ", ", "))
}
