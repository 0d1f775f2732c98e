//! A storm as text for a terminal: one line of columns for each policy.

use anstyle::AnsiColor;
use evidence::{
    duration,
    plot::{
        Mark, storm_columns, storm_ending, storm_figures_in_short, storm_learnt, storm_success,
    },
    storm::{
        Incident, Load, Policy, PolicyRun, PolicyTally, STEP, Settings, Storm, StoryWords, Tally,
        per_second,
    },
};

use super::{Options, sheet::Sheet};

/// The maximum number of columns in a line.
const COLUMNS: usize = 30;

/// The width of the policies' names, in columns.
const NAME: usize = 17;

/// The width of the text that says how a policy ended.
const ENDING: usize = 16;

/// A column in which nothing succeeded.
const NONE: char = '·';

/// The heights of a column, from low to full.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', FULL];
const FULL: char = '█';

/// The columns of the figures that show values at the end, with their names.
const AT_END: [([&str; 2], &str); 4] = [
    (["calls/s", "ok"], "calls/s ok"),
    (["requests", "queued"], "requests queued"),
    (["tokens", "left"], "tokens of a client"),
    (
        ["limit", ""],
        "attempts in flight that a client allows (limit)",
    ),
];

/// Renders a storm: the successes under each policy, and the lesson.
#[must_use]
pub fn storm(storm: &Storm, options: &Options) -> String {
    let mut sheet = Sheet::new(options);
    picture(&mut sheet, storm);
    for (title, text) in storm_learnt(storm) {
        match title {
            // Each follows the picture that it explains.
            "What happened" | "The answer" => sheet.beside("", &text),
            _ => sheet.beside("", &format!("{title}: {text}")),
        }
    }
    let StoryWords { scenario, rule, .. } = storm.story;
    sheet.beside(
        "",
        &format!("See also lab scenario {scenario} (one client) and lab rule {rule}."),
    );
    for run in &storm.policies {
        source(&mut sheet, &run.policy);
    }
    sheet.into_text()
}

/// Renders a storm: the successes under each policy, with their figures.
#[must_use]
pub fn storm_in_figures(storm: &Storm, options: &Options) -> String {
    let mut sheet = Sheet::new(options);
    picture(&mut sheet, storm);
    sheet.gap();
    let (titles, rows) = storm_figures_in_short(storm);
    let widths = titles
        .iter()
        .map(|[above, below]| above.len().max(below.len()).max(6) + 1);
    let widths: Vec<_> = widths.collect();
    let mut line = |cells: &mut dyn Iterator<Item = &str>| {
        let cells = cells.zip(&widths).enumerate();
        let cells = cells.map(|(at, (cell, width))| match at {
            0 => format!("{cell:<NAME$}"),
            _ => format!("{cell:>width$}"),
        });
        sheet.line(&cells.collect::<String>());
    };
    line(&mut titles.iter().map(|[above, _]| *above));
    line(&mut titles.iter().map(|[_, below]| *below));
    let none = if options.ascii { "-" } else { "–" };
    for row in &rows {
        line(&mut row.iter().map(|cell| cell.as_deref().unwrap_or(none)));
    }
    let at_end = AT_END.iter().filter(|(title, _)| titles.contains(title));
    let at_end: Vec<_> = at_end.map(|(_, words)| *words).collect();
    sheet.beside("", &format!("At the end: {}.", at_end.join(", ")));
    sheet.into_text()
}

/// A line for each policy, below the incident that they met.
fn picture(sheet: &mut Sheet<'_>, storm: &Storm) {
    let ascii = sheet.options.ascii;
    let (all, none) = match ascii {
        true => ('9', '0'),
        false => (FULL, NONE),
    };
    let settings = &storm.settings;
    let (steps, columns) = storm_columns(settings, COLUMNS);
    let column = STEP * u32::try_from(steps).unwrap_or(u32::MAX);
    sheet.title(storm.story.question);
    sheet.beside("", &setting(storm));
    sheet.line(&format!(
        "Calls that succeeded: {all} all, {none} none; {} a column, {} in all.",
        duration(column),
        duration(settings.length),
    ));
    let blank = "";
    sheet.line(&format!(
        "{:>width$}{:>11}",
        "calls",
        "req/s at",
        width = NAME + COLUMNS + 1 + ENDING + 5
    ));
    sheet.line(&format!(
        "{:<NAME$}{blank:COLUMNS$} {:<ENDING$}{:>5}{:>6}{:>5}",
        storm.story.varies, "recovery", "lost", "ok", "end"
    ));
    load(sheet, storm, steps);
    for run in &storm.policies {
        line(sheet, run, steps);
    }
    if settings.incident != Incident::None {
        let ends = settings.incident_ends();
        let at = ends.as_nanos() / column.as_nanos().max(1);
        let before = NAME + usize::try_from(at).unwrap_or(0).min(columns);
        let mark = if ascii { '^' } else { '▲' };
        let (ends, what) = (duration(ends), what_ends(settings.incident));
        sheet.line(&format!("{blank:before$}{mark} {ends}: {what}"));
    }
}

/// What the end of the incident ends.
fn what_ends(incident: Incident) -> &'static str {
    match incident {
        Incident::Spike => "the spike ends",
        Incident::Cut => "all workers are back",
        Incident::Pause => "the service works again",
        Incident::Refusal => "the outage ends",
        Incident::None => "",
    }
}

/// The load, the service, and the incident.
fn setting(storm: &Storm) -> String {
    let settings = &storm.settings;
    let load = match settings.load {
        Load::Open => format!("{} calls/s", settings.calls_per_second),
        Load::Closed => format!("{} callers", settings.callers),
    };
    format!(
        "{load}, {}. The service handles {}/s and queues {}.",
        incident(settings),
        storm.capacity_per_second.round(),
        settings.queue,
    )
}

fn incident(settings: &Settings) -> String {
    let from_to = format!(
        "from {} to {}",
        duration(settings.incident_starts),
        duration(settings.incident_ends())
    );
    match settings.incident {
        Incident::Spike => {
            let usual = match settings.load {
                Load::Open => settings.calls_per_second,
                Load::Closed => settings.callers.into(),
            };
            let unit = match settings.load {
                Load::Open => "/s",
                Load::Closed => "",
            };
            format!("{}{unit} {from_to}", (usual * settings.spike).round())
        }
        Incident::Cut => format!(
            "{} of {} workers {from_to}",
            settings.workers_left, settings.workers
        ),
        Incident::Pause => format!("and the service stands still {from_to}"),
        Incident::Refusal => format!("only 503s {from_to}"),
        Incident::None => "no incident".to_owned(),
    }
}

/// The started calls. Under an open load all policies have the same number.
fn load(sheet: &mut Sheet<'_>, storm: &Storm, steps: usize) {
    let longest = storm.policies.iter().max_by_key(|run| run.steps.len());
    let Some(run) = longest.filter(|_| storm.settings.load == Load::Open) else {
        return;
    };
    let rates = run.steps.chunks(steps);
    let rates: Vec<_> = rates
        .map(|steps| per_second(steps, |step| step.calls))
        .collect();
    let at_end = per_second(run.at_end(), |step| step.calls);
    let most = rates.iter().copied().fold(at_end.max(1.0), f64::max);
    let columns = rates
        .iter()
        .map(|rate| sign(Some(rate / most), sheet.options.ascii));
    let columns: String = columns.collect();
    sheet.line(&format!(
        "{:<NAME$}{columns:<COLUMNS$} {at_end:.0} at the end, {most:.0} at most",
        "load (calls/s)"
    ));
}

fn line(sheet: &mut Sheet<'_>, run: &PolicyRun, steps: usize) {
    let columns = run.columns(steps).into_iter();
    let columns = columns.map(|share| sign(share, sheet.options.ascii));
    let columns: String = columns.collect();
    let ending = storm_ending(run);
    let (color, words) = match ending.mark {
        Mark::Ok => (AnsiColor::Green, ending.words),
        Mark::Failed => (AnsiColor::Red, ending.words.to_uppercase()),
        _ => (AnsiColor::Yellow, ending.words),
    };
    let end = sheet.styled(color.on_default(), &format!("{words:<ENDING$}"));
    let (name, lost) = (&run.policy.name, short(run.lost() as f64));
    let succeeded = storm_success(run).unwrap_or_default();
    let requests = short(per_second(run.at_end(), |step| step.requests));
    sheet.line(&format!(
        "{name:<NAME$}{columns:<COLUMNS$} {end}{lost:>5}{succeeded:>6}{requests:>5}"
    ));
}

/// A count in four digits at most, in thousands if necessary.
fn short(count: f64) -> String {
    match count {
        ..9_999.5 => format!("{count:.0}"),
        _ => format!("{:.0}k", count / 1_000.0),
    }
}

fn sign(share: Option<f64>, ascii: bool) -> char {
    let Some(share) = share else { return ' ' };
    let of = |most: usize| (share * most as f64).round() as usize;
    match ascii {
        true => char::from_digit(of(9).min(9) as u32, 10).unwrap_or(' '),
        false if share <= 0.0 => NONE,
        false => HEIGHTS.get(of(7)).copied().unwrap_or(FULL),
    }
}

fn source(sheet: &mut Sheet<'_>, policy: &Policy) {
    if let Some(source) = policy.source {
        let bullet = if sheet.options.ascii { "- " } else { "· " };
        let text = format!("{}: {} ({})", policy.name, source.differs, source.url);
        sheet.beside(bullet, &text);
    }
}

/// Renders the results of many seeds of a storm and their spread, below the picture of
/// the first seed.
#[must_use]
pub fn storm_tally(first: &Storm, tally: &Tally, options: &Options) -> String {
    let mut sheet = Sheet::new(options);
    picture(&mut sheet, first);
    sheet.gap();
    let seeds = tally.seeds.len();
    sheet.line(&format!("That is seed {}. Of {seeds} seeds:", first.seed));
    for policy in &tally.policies {
        sheet.line(&tally_line(policy, seeds));
    }
    if tally.cut_short > 0 {
        let cut = tally.cut_short;
        sheet.beside(
            "",
            &format!("{cut} more reached the limit of the simulation."),
        );
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
        let [least, most] = [least.as_secs(), most.as_secs()];
        match least == most {
            true => format!(", back after {least} s"),
            false => format!(", back after {least} to {most} s"),
        }
    });
    let stuck = format!("stuck in {} of {seeds}", policy.stuck());
    format!("{name:<NAME$}{stuck:<20}{lost}{back}")
}

/// The minimum and the maximum of some values.
fn range<T: Ord + Copy>(values: impl Iterator<Item = T> + Clone) -> Option<(T, T)> {
    values.clone().min().zip(values.max())
}

/// Lists the stories and the additional policies.
#[must_use]
pub fn storm_list(
    stories: &[(StoryWords, &[Policy])],
    presets: &[Policy],
    options: &Options,
) -> String {
    let mut sheet = Sheet::new(options);
    for (words, policies) in stories {
        sheet.beside(&format!("{:<22}", words.name), words.title);
        let names: Vec<_> = policies.iter().map(Policy::word).collect();
        sheet.beside(&format!("{:<22}", ""), &names.join(" "));
    }
    sheet.gap();
    sheet.line("Presets of other clients, for --policy:");
    for policy in presets {
        source(&mut sheet, policy);
    }
    sheet.into_text()
}
