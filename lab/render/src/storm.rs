//! A storm as text for a terminal: one line of columns for each policy.

use anstyle::AnsiColor;
use evidence::{
    duration,
    storm::{PolicyRun, STEP, Step, Storm},
};

use super::{Options, sheet::Sheet};

/// How many columns a line has.
const COLUMNS: usize = 40;

/// How wide the names of policies are, in columns.
const NAME: usize = 18;

/// A column in which nothing succeeded.
const NONE: char = '·';

/// The heights of a column, from little to everything.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Sets a storm: what succeeded under each policy, and what kept the service down.
#[must_use]
pub fn storm(storm: &Storm, options: &Options) -> String {
    let mut sheet = Sheet::new(options);
    let (mark, all, none) = match options.ascii {
        true => ('^', '9', '0'),
        false => ('▲', HEIGHTS[HEIGHTS.len() - 1], NONE),
    };
    let question =
        format!("A spike ends at {mark}, and calls are as before. Who lets the service recover?");
    sheet.title(&question);
    let (calls, capacity) = (storm.calls_per_second, storm.capacity_per_second);
    sheet.line(&format!(
        "{calls:.0} calls/s, {:.0} from {} to {}; the service can do {capacity:.0} requests/s.",
        storm.spike_per_second,
        duration(storm.trouble_began),
        duration(storm.trouble_ended),
    ));
    let column = storm.length / COLUMNS as u32;
    sheet.line(&format!(
        "Calls that succeeded: {all} all, {none} none; {} a column, {} in all.",
        duration(column),
        duration(storm.length),
    ));
    sheet.line(&format!(
        "{:<NAME$}{:COLUMNS$}  {:>18}",
        "attempts a call", "", "requests/s at end"
    ));
    for run in &storm.policies {
        line(&mut sheet, storm, run);
    }
    let ended = storm.trouble_ended.as_nanos() / column.as_nanos().max(1);
    let before = NAME + usize::try_from(ended).unwrap_or(0);
    sheet.line(&format!(
        "{:before$}{mark} {}",
        "",
        duration(storm.trouble_ended)
    ));
    for sentence in lesson(storm) {
        sheet.beside("", &sentence);
    }
    sheet.into_text()
}

fn line(sheet: &mut Sheet<'_>, storm: &Storm, run: &PolicyRun) {
    let columns = storm.columns(run, COLUMNS).into_iter();
    let columns = columns.map(|share| sign(share, sheet.options.ascii));
    let columns: String = columns.collect();
    let (color, end) = match storm.back_after(run) {
        Some(after) if after.is_zero() => (AnsiColor::Green, "never down".to_owned()),
        Some(after) => (AnsiColor::Green, format!("back after {}", duration(after))),
        None => (AnsiColor::Red, "STILL DOWN".to_owned()),
    };
    let end = sheet.styled(color.on_default(), &format!("{end:<15}"));
    let requests = at_end(run, |step| step.requests);
    sheet.line(&format!(
        "{:<NAME$}{columns}  {end}{requests:>4.0}",
        run.policy
    ));
}

fn sign(share: Option<f64>, ascii: bool) -> char {
    let Some(share) = share else { return ' ' };
    let of = |most: usize| (share * most as f64).round() as usize;
    match ascii {
        true => char::from_digit(of(9).min(9) as u32, 10).unwrap_or(' '),
        false if share <= 0.0 => NONE,
        false => HEIGHTS[of(7).min(7)],
    }
}

/// Sets how often a service stayed down under each policy, over many seeds. Such a
/// system has two states, so that a mean would describe none of them.
#[must_use]
pub fn storms(storms: &[Storm], options: &Options) -> String {
    let mut sheet = Sheet::new(options);
    let seeds = storms.len();
    for (number, run) in storms
        .iter()
        .take(1)
        .flat_map(|storm| storm.policies.iter().enumerate())
    {
        let stuck = storms.iter().filter(|storm| {
            let run = storm.policies.get(number);
            run.is_some_and(|run| storm.back_after(run).is_none())
        });
        sheet.line(&format!(
            "{:<NAME$}stuck in {} of {seeds}",
            run.policy,
            stuck.count()
        ));
    }
    sheet.into_text()
}

/// What is counted in a second of the last quarter, on average.
fn at_end(run: &PolicyRun, count: fn(&Step) -> u32) -> f64 {
    let last = &run.steps[run.steps.len() * 3 / 4..];
    let seconds = STEP.as_secs_f64() * last.len().max(1) as f64;
    last.iter().map(|step| f64::from(count(step))).sum::<f64>() / seconds
}

/// What kept the service down, and what helped.
fn lesson(storm: &Storm) -> Vec<String> {
    let is_down = |run: &&PolicyRun| storm.back_after(run).is_none();
    let down: Vec<_> = storm.policies.iter().filter(is_down).collect();
    let Some(worst) = down.first() else {
        return vec!["Every service recovered.".to_owned()];
    };
    let names: Vec<_> = down
        .iter()
        .map(|run| format!("\"{}\"", run.policy))
        .collect();
    let worked = at_end(worst, |step| step.worked);
    let useful = at_end(worst, |step| step.goodput);
    let lost = 100.0 * (1.0 - useful / worked.max(1.0));
    let mut sentences = vec![format!(
        "A call gives up on a response after {}, and the service works on all the same: {lost:.0} % \
         of its work under {} is for callers who have left, and their retries keep it so.",
        duration(storm.timeout),
        names.join(" and "),
    )];
    let is_back = |name| {
        let mut runs = storm.policies.iter();
        runs.find(|run| run.policy == name)
            .is_some_and(|run| !is_down(&run))
    };
    if !is_back("3, jitter") && is_back("3, jitter+budget") {
        sentences.push(
            "Jitter postpones retries; a budget, one retry for ten calls, makes them fewer. A single \
             attempt recovers too, and has no second one for a failure that passes."
                .to_owned(),
        );
    }
    sentences
}
