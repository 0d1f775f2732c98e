//! A storm as text for a terminal: one line of columns for each policy.

use anstyle::AnsiColor;
use evidence::{
    duration,
    storm::{
        Cut, Load, Policy, PolicyRun, PolicyTally, STEP, Settings, Step, Storm, Tally, Trouble,
        Words,
    },
};

use super::{Options, sheet::Sheet};

/// How many columns a line has.
const COLUMNS: usize = 30;

/// How wide the names of policies are, in columns.
const NAME: usize = 17;

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
    sheet.title(storm.story.question);
    sheet.beside("", &setting(storm));
    let column = settings.length / COLUMNS as u32;
    sheet.line(&format!(
        "Calls that succeeded: {all} all, {none} none; {} a column, {} in all.",
        duration(column),
        duration(settings.length),
    ));
    let blank = "";
    sheet.line(&format!("{blank:63}calls  at the end"));
    sheet.line(&format!(
        "{:<NAME$}{blank:COLUMNS$} {:<15}{:>5}{:>6}{:>6}",
        storm.story.varies, "the service is", "lost", "req/s", "queue"
    ));
    for run in &storm.policies {
        line(&mut sheet, storm, run);
    }
    let ended = settings.trouble_ends().as_nanos() / column.as_nanos().max(1);
    let before = NAME + usize::try_from(ended).unwrap_or(0);
    let ends = duration(settings.trouble_ends());
    sheet.line(&format!("{blank:before$}{mark} {ends}: the trouble ends"));
    for sentence in sentences(storm) {
        sheet.beside("", &sentence);
    }
    for run in &storm.policies {
        source(&mut sheet, &run.policy);
    }
    sheet.into_text()
}

/// What load meets what service, and what goes wrong.
fn setting(storm: &Storm) -> String {
    let settings = &storm.settings;
    let load = match settings.load {
        Load::Open => format!("{} calls/s", settings.calls_per_second),
        Load::Closed => format!("{} callers", settings.callers),
    };
    format!(
        "{load}, {}. The service can do {} requests/s, and {} more may wait.",
        trouble(settings),
        storm.capacity_per_second.round(),
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
            format!("{} {from_to}", (usual * settings.spike).round())
        }
        Trouble::Cut => format!(
            "{} of {} places {from_to}",
            settings.places_left, settings.places
        ),
        Trouble::Pause => format!("and the service stands still {from_to}"),
        Trouble::Refusal => format!("only 503s {from_to}"),
        Trouble::None => "no trouble".to_owned(),
    }
}

fn line(sheet: &mut Sheet<'_>, storm: &Storm, run: &PolicyRun) {
    let columns = storm.columns(run, COLUMNS).into_iter();
    let columns = columns.map(|share| sign(share, sheet.options.ascii));
    let columns: String = columns.collect();
    let (color, end) = match (run.cut, storm.back_after(run)) {
        (Some(cut), _) => (AnsiColor::Yellow, cut_short(cut).to_owned()),
        (None, Some(after)) if after.is_zero() => (AnsiColor::Green, at_once(run).to_owned()),
        (None, Some(after)) => (AnsiColor::Green, format!("back after {}", duration(after))),
        (None, None) => (AnsiColor::Red, "STILL DOWN".to_owned()),
    };
    let end = sheet.styled(color.on_default(), &format!("{end:<15}"));
    let requests = at_end(run, |step| step.requests);
    let waiting = at_end(run, |step| step.waiting) * STEP.as_secs_f64();
    let (name, lost) = (&run.policy.name, run.lost());
    sheet.line(&format!(
        "{name:<NAME$}{columns:<COLUMNS$} {end}{lost:>5}{requests:>6.0}{waiting:>6.0}"
    ));
}

/// What a service is that was back when the trouble ended.
fn at_once(run: &PolicyRun) -> &'static str {
    match run.lost() {
        0 => "never down",
        _ => "back at once",
    }
}

/// Why a line ends before its time.
fn cut_short(cut: Cut) -> &'static str {
    match cut {
        Cut::Cancelled => "cancelled",
        Cut::Requests => "cut: a million",
        Cut::InFlight => "cut: too many",
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

/// What is counted in a second of the last quarter, on average.
fn at_end(run: &PolicyRun, count: fn(&Step) -> u32) -> f64 {
    let last = &run.steps[run.steps.len() * 3 / 4..];
    let seconds = STEP.as_secs_f64() * last.len().max(1) as f64;
    last.iter().map(|step| f64::from(count(step))).sum::<f64>() / seconds
}

/// What kept the service down, what the run shows of the story's answer, and why a line
/// ends before its time.
fn sentences(storm: &Storm) -> Vec<String> {
    let mut sentences = Vec::new();
    let cut = |cut| storm.policies.iter().any(|run| run.cut == Some(cut));
    if cut(Cut::Requests) {
        sentences.push("A policy ended at a million requests: the lab plays no more.".to_owned());
    }
    if cut(Cut::InFlight) {
        sentences.push(
            "A policy ended when 20000 calls were under way: the lab plays no more at once."
                .to_owned(),
        );
    }
    sentences.extend(what_keeps_it_down(storm));
    match storm.shows_the_answer {
        Some(true) => sentences.push(storm.story.answer.to_owned()),
        Some(false) => sentences.push(
            "With these settings it came out otherwise than in the story as it comes.".to_owned(),
        ),
        None => {}
    }
    sentences
}

/// For whom a service works that stays down because its queue takes longer than anyone
/// waits.
fn what_keeps_it_down(storm: &Storm) -> Option<String> {
    let is_down = |run: &&PolicyRun| run.cut.is_none() && storm.back_after(run).is_none();
    let down: Vec<_> = storm.policies.iter().filter(is_down).collect();
    let worst = down.first()?;
    let names = down.iter().map(|run| format!("\"{}\"", run.policy.name));
    let names: Vec<_> = names.collect();
    let queue = at_end(worst, |step| step.waiting) * STEP.as_secs_f64();
    if queue < storm.capacity_per_second * storm.settings.timeout.as_secs_f64() {
        return None;
    }
    let worked = at_end(worst, |step| step.worked);
    let useful = at_end(worst, |step| step.goodput);
    let lost = 100.0 * (1.0 - useful / worked.max(1.0));
    Some(format!(
        "Callers wait {} for a response, and the queue takes longer: under {}, {lost:.0} % of the \
         work is for callers who have left.",
        duration(storm.settings.timeout),
        names.join(" and "),
    ))
}

fn source(sheet: &mut Sheet<'_>, policy: &Policy) {
    if let Some(source) = policy.source {
        let bullet = if sheet.options.ascii { "- " } else { "· " };
        let text = format!("{}: {} ({})", policy.name, source.differs, source.url);
        sheet.beside(bullet, &text);
    }
}

/// Sets what many seeds of a storm came to, and how far they were apart.
#[must_use]
pub fn tally(tally: &Tally, options: &Options) -> String {
    let mut sheet = Sheet::new(options);
    let seeds = tally.seeds.len();
    for policy in &tally.policies {
        sheet.line(&tally_line(policy, seeds));
    }
    if let Some(shown) = tally.show_the_answer {
        sheet.line(&format!(
            "{shown} of {seeds} seeds show what the story '{}' says.",
            tally.story.name
        ));
    }
    sheet.into_text()
}

fn tally_line(policy: &PolicyTally, seeds: usize) -> String {
    let name = &policy.policy.name;
    let lost = range(policy.ends.iter().map(|end| end.lost));
    let lost = lost.map_or(String::new(), |(least, most)| {
        format!("lost {least} to {most} calls")
    });
    let back = range(policy.ends.iter().filter_map(|end| end.back_after));
    let back = back.map_or(String::new(), |(least, most)| {
        format!(", back after {} to {}", duration(least), duration(most))
    });
    let stuck = format!("stuck in {} of {seeds}", policy.stuck());
    format!("{name:<NAME$}{stuck:<20}{lost}{back}")
}

/// The least and the most of some values.
fn range<T: Ord + Copy>(values: impl Iterator<Item = T> + Clone) -> Option<(T, T)> {
    values.clone().min().zip(values.max())
}

/// Lists the stories, and the policies that can be played beside theirs.
#[must_use]
pub fn storm_list(stories: &[(Words, &[Policy])], presets: &[Policy], options: &Options) -> String {
    let mut sheet = Sheet::new(options);
    for (words, policies) in stories {
        sheet.beside(&format!("{:<22}", words.name), words.title);
        let names: Vec<_> = policies.iter().map(Policy::word).collect();
        sheet.beside(&format!("{:<22}", ""), &names.join(" "));
    }
    sheet.gap();
    sheet.line("What others ship with, for --policy:");
    for policy in presets {
        source(&mut sheet, policy);
    }
    sheet.into_text()
}
