//! A storm as text for a terminal: one line of columns for each policy.

use anstyle::AnsiColor;
use evidence::{
    duration,
    storm::{PolicyRun, STEP, Storm},
};

use super::{Options, sheet::Sheet};

/// How many columns a line has.
const COLUMNS: usize = 40;

/// How wide the names of policies are, in columns.
const NAME: usize = 18;

/// The heights of a column, from nothing to everything.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Sets a storm: what succeeded under each policy, and what kept the service down.
#[must_use]
pub fn storm(storm: &Storm, options: &Options) -> String {
    let mut sheet = Sheet::new(options);
    let mark = if options.ascii { '^' } else { '▲' };
    let question =
        format!("A spike ends at {mark}, and load is normal again. Who lets the service recover?");
    sheet.title(&question);
    let column = storm.length / COLUMNS as u32;
    let height = match options.ascii {
        true => "9 = all of them",
        false => "full height = all of them",
    };
    sheet.line(&format!(
        "calls that succeeded; {height}; {} a column",
        duration(column)
    ));
    for run in &storm.policies {
        line(&mut sheet, storm, run);
    }
    let ended = storm.trouble_ended.as_nanos() / column.as_nanos().max(1);
    let before = NAME + usize::try_from(ended).unwrap_or(0);
    sheet.line(&format!("{:before$}{mark}", ""));
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
    let end = sheet.styled(color.on_default(), &end);
    sheet.line(&format!("{:<NAME$}{columns}  {end}", run.policy));
}

fn sign(share: Option<f64>, ascii: bool) -> char {
    let Some(share) = share else { return ' ' };
    let of = |most: usize| (share * most as f64).round() as usize;
    match ascii {
        true => char::from_digit(of(9).min(9) as u32, 10).unwrap_or(' '),
        // What is not nothing is to be seen.
        false => HEIGHTS[of(7).clamp(usize::from(share > 0.0), 7)],
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

/// What kept the service down, of the policy that asked for the most.
fn lesson(storm: &Storm) -> Vec<String> {
    let is_down = |run: &&PolicyRun| storm.back_after(run).is_none();
    let down = storm.policies.iter().filter(is_down);
    let worst = down.max_by(|one, other| one.amplification().total_cmp(&other.amplification()));
    let Some(worst) = worst else {
        return vec!["Every service recovered.".to_owned()];
    };
    let last = &worst.steps[worst.steps.len() * 3 / 4..];
    let seconds = STEP.as_secs_f64() * last.len() as f64;
    let rate = |count: fn(&evidence::storm::Step) -> u32| {
        last.iter().map(|step| f64::from(count(step))).sum::<f64>() / seconds
    };
    let (requests, calls, good) = (
        rate(|step| step.requests),
        rate(|step| step.calls),
        rate(|step| step.goodput),
    );
    let worked = rate(|step| step.worked);
    let mut sentences = vec![format!(
        "{}: {requests:.0} requests/s for {calls:.0} calls/s, of a service that bears {:.0}; \
         {:.0} % of its work was for callers who had left.",
        worst.policy,
        storm.capacity_per_second,
        100.0 * (1.0 - good / worked.max(1.0)),
    )];
    let find = |name| storm.policies.iter().find(|run| run.policy == name);
    if find("3, jitter").is_some_and(|run| is_down(&run))
        && find("3, jitter+budget").is_some_and(|run| !is_down(&run))
    {
        let words = "Jitter postpones retries. Only a budget makes them fewer.";
        sentences.push(words.to_owned());
    }
    sentences
}
