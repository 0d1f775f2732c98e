//! A storm as text for a terminal: one line of columns for each policy.

use anstyle::AnsiColor;
use evidence::{
    duration,
    storm::{Cut, Load, PolicyRun, STEP, Settings, Step, Storm, Trouble},
};

use super::{Options, sheet::Sheet};

/// How many columns a line has.
const COLUMNS: usize = 30;

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
    let settings = &storm.settings;
    let question =
        format!("The trouble ends at {mark}, and all is as before. Who lets the service recover?");
    sheet.title(&question);
    sheet.beside("", &setting(storm));
    let column = settings.length / COLUMNS as u32;
    sheet.line(&format!(
        "Calls that succeeded: {all} all, {none} none; {} a column, {} in all.",
        duration(column),
        duration(settings.length),
    ));
    sheet.line(&format!(
        "{:<NAME$}{:COLUMNS$}  {:<15}{:>15}",
        "attempts, waits", "", "", "at the end"
    ));
    sheet.line(&format!(
        "{:<NAME$}{:COLUMNS$}  {:<15}{:>8}{:>7}",
        "", "", "the service is", "requests", "queue"
    ));
    for run in &storm.policies {
        line(&mut sheet, storm, run);
    }
    let ended = settings.trouble_ends().as_nanos() / column.as_nanos().max(1);
    let before = NAME + usize::try_from(ended).unwrap_or(0);
    sheet.line(&format!(
        "{:before$}{mark} {}",
        "",
        duration(settings.trouble_ends())
    ));
    for sentence in lesson(storm) {
        sheet.beside("", &sentence);
    }
    sheet.into_text()
}

/// What load meets what service, and what goes wrong.
fn setting(storm: &Storm) -> String {
    let settings = &storm.settings;
    let load = match settings.load {
        Load::Open => format!("{} calls/s", number(settings.calls_per_second)),
        Load::Closed => format!("{} callers", settings.callers),
    };
    format!(
        "{load}, {}. The service can do {} requests/s, and {} more may wait.",
        trouble(settings),
        number(storm.capacity_per_second.round()),
        settings.queue,
    )
}

fn trouble(settings: &Settings) -> String {
    let from_to = format!(
        "from {} to {}",
        duration(settings.trouble_begins),
        duration(settings.trouble_ends())
    );
    match settings.trouble {
        Trouble::Spike => {
            let usual = match settings.load {
                Load::Open => settings.calls_per_second,
                Load::Closed => settings.callers.into(),
            };
            format!("{} {from_to}", number((usual * settings.spike).round()))
        }
        Trouble::Cut => format!(
            "and {} of {} places {from_to}",
            settings.places_left, settings.places
        ),
        Trouble::Pause => format!("and the service stands still {from_to}"),
        Trouble::Refusal => format!("and the service responds with 503 {from_to}"),
        Trouble::None => "and no trouble".to_owned(),
    }
}

/// A number with as many digits as it has.
fn number(number: f64) -> String {
    number.to_string()
}

fn line(sheet: &mut Sheet<'_>, storm: &Storm, run: &PolicyRun) {
    let columns = storm.columns(run, COLUMNS).into_iter();
    let columns = columns.map(|share| sign(share, sheet.options.ascii));
    let columns: String = columns.collect();
    let (color, end) = match (run.cut, storm.back_after(run)) {
        (Some(cut), _) => (AnsiColor::Yellow, cut_short(cut).to_owned()),
        (None, Some(after)) if after.is_zero() => (AnsiColor::Green, "never down".to_owned()),
        (None, Some(after)) => (AnsiColor::Green, format!("back after {}", duration(after))),
        (None, None) => (AnsiColor::Red, "STILL DOWN".to_owned()),
    };
    let end = sheet.styled(color.on_default(), &format!("{end:<15}"));
    let requests = format!("{:.0}/s", at_end(run, |step| step.requests));
    let waiting = at_end(run, |step| step.waiting) * STEP.as_secs_f64();
    let name = &run.policy.name;
    sheet.line(&format!(
        "{name:<NAME$}{columns:<COLUMNS$}  {end}{requests:>8}{waiting:>7.0}"
    ));
}

fn cut_short(cut: Cut) -> &'static str {
    match cut {
        Cut::Cancelled => "cancelled",
        Cut::Requests => "cut: requests",
        Cut::InFlight => "cut: in flight",
    }
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
            run.policy.name,
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
        .map(|run| format!("\"{}\"", run.policy.name))
        .collect();
    let worked = at_end(worst, |step| step.worked);
    let useful = at_end(worst, |step| step.goodput);
    let lost = 100.0 * (1.0 - useful / worked.max(1.0));
    vec![format!(
        "A caller waits {} for a response. Where the queue is longer than that, the service works \
         for callers who have left: {lost:.0} % of its work under {}.",
        duration(storm.settings.timeout),
        names.join(" and "),
    )]
}
