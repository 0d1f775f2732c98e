//! A storm as text for a terminal: a line for each policy.

pub(crate) mod loads;

use std::{collections::BTreeSet, time::Duration};

use anstyle::AnsiColor;
use render::{Options, Sheet, page::short};

pub use loads::storm_loads;

use crate::{
    Incident, PolicyRun, RetryAfter, STORIES, Settings, Step, Storm, StormPolicy, Story, Tally,
    results::{
        figures::{Periods, moment, rate},
        word::{NoWord, Word},
    },
};

/// The width of the policies' names.
const NAME: usize = 16;

/// The number of columns of a line.
const COLUMNS: usize = 24;

/// The level of a column that means all.
const ALL: usize = 8;

/// The levels of a column: none, seven heights, all.
const HEIGHTS: [char; ALL + 1] = ['·', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const DIGITS: [char; ALL + 1] = ['0', '1', '2', '3', '4', '5', '6', '7', '8'];

/// Renders a storm: the question, its conditions, the figures of each policy, and the lesson.
#[must_use]
pub fn storm(storm: &Storm, options: &Options) -> String {
    Sheet::filled(options, |sheet| {
        picture(sheet, storm);
        advise_seeds(sheet, storm);
        if let Some(lesson) = storm.lesson {
            sentences(
                sheet,
                &lesson.replace('▲', sheet.options.or_ascii("▲", "^")),
            );
        }
    })
}

/// Renders the picture of the first seed, and how often each word came in all of them.
#[must_use]
pub fn storm_tally(first: &Storm, tally: &Tally, options: &Options) -> String {
    Sheet::filled(options, |sheet| {
        picture(sheet, first);
        sheet.gap();
        let seeds = tally.seeds;
        sheet.line(&format!("That is seed {}. Of {seeds} seeds:", first.seed));
        for policy in &tally.policies {
            let name = &policy.policy.name;
            let words = policy.words.phrases().join(", ");
            sheet.beside(&format!("{name:<NAME$}"), &words);
        }
        if tally.cut_short > 0 {
            let text = format!(
                "{} more reached the limit of the simulation.",
                tally.cut_short
            );
            sentences(sheet, &text);
        }
    })
}

/// Lists the stories and their policies.
#[must_use]
pub fn storm_list(options: &Options) -> String {
    Sheet::filled(options, |sheet| {
        for story in STORIES {
            sheet.line(story.name);
            sheet.beside("  ", story.title);
            let names: Vec<_> = story.policies.iter().map(StormPolicy::word).collect();
            sheet.beside("  ", &names.join(" "));
        }
    })
}

/// The conditions of a storm, one phrase each: the load, the incident, the service, and the
/// timeout of an attempt.
pub(crate) fn conditions(settings: &Settings) -> Vec<String> {
    let load = format!("usually {} calls/s", rate(settings.calls_per_second));
    let spike = format!("{}/s", rate(settings.highest_load()));
    conditions_at(settings, load, spike)
}

/// The conditions with these phrases for the load and for that of a spike.
fn conditions_at(settings: &Settings, load: String, spike: String) -> Vec<String> {
    let incident = match settings.incident {
        Incident::None => None,
        Incident::Spike => Some(spike),
        Incident::Cut => {
            let (left, all) = (settings.workers_left(), settings.workers);
            Some(format!("{left} of {all} workers"))
        }
        Incident::Pause => Some("the service hangs".to_owned()),
        Incident::Refusal if settings.refused < 1.0 => {
            let percent = rate(100.0 * settings.refused);
            Some(format!("503s for {percent} % of the requests"))
        }
        Incident::Refusal => Some("only 503s".to_owned()),
    };
    let [starts, ends] = [settings.incident_starts, settings.incident_ends()].map(moment);
    let incident = incident.map(|what| format!("{what} from {starts} to {ends}"));
    let limit = (settings.rate_limit > 0).then(|| format!("429 beyond {}/s", settings.rate_limit));
    let retry_after = match settings.retry_after {
        _ if settings.incident == Incident::None && settings.rate_limit == 0 => None,
        RetryAfter::None => None,
        RetryAfter::Seconds => Some("Retry-After in seconds".to_owned()),
        RetryAfter::Date => Some("Retry-After as a date".to_owned()),
    };
    let (limit_per_second, kind) = settings.limit_per_second();
    let capacity = (kind == "capacity").then(|| {
        let queue = settings.queue;
        // How long a request waits in a full queue, beside the timeout.
        let full = short(f64::from(queue) / limit_per_second);
        let capacity = rate(limit_per_second);
        format!("capacity {capacity} requests/s, queue of {queue} ({full} s)")
    });
    let timeout = format!("attempts time out after {}", moment(settings.timeout));
    let phrases = [
        Some(load),
        incident,
        limit,
        retry_after,
        capacity,
        Some(timeout),
    ];
    phrases.into_iter().flatten().collect()
}

/// What the names of the rows mean.
pub(crate) fn rows<'a>(
    story: &Story,
    policies: impl IntoIterator<Item = &'a StormPolicy>,
) -> String {
    let own = policies
        .into_iter()
        .find(|policy| policy.name == StormPolicy::YOURS);
    let own = own.map(|own| format!("; {}: {}", own.name, own.setup.words()));
    story.rows.to_owned() + &own.unwrap_or_default()
}

/// The conditions, and a line for each policy.
fn picture(sheet: &mut Sheet<'_>, storm: &Storm) {
    let mark = sheet.options.or_ascii("▲", "^");
    sheet.title(&storm.question.replace('▲', mark));
    let settings = &storm.settings;
    let calls = storm.policies.iter().map(|run| run.totals.calls).max();
    let calls = calls.unwrap_or(0);
    let conditions = conditions(settings).join("; ");
    sentences(sheet, &format!("{calls} calls: {conditions}."));
    let policies = storm.policies.iter().map(|run| &run.policy);
    sheet.beside("", &format!("Rows: {}.", rows(storm.story, policies)));
    let has_words = storm.policies.iter().any(|run| run.word.is_some());
    let last = if storm.story.shows_retry_peak {
        "most in 0.1 s".to_owned()
    } else if has_words {
        "result".to_owned()
    } else {
        String::new()
    };
    let headings = ["before", "end", "lost", "req/s"].map(str::to_owned);
    sheet.line(&line("", "", &headings, &last));
    for run in &storm.policies {
        let ending = ending(sheet, storm.story, run);
        let columns = columns(sheet, &run.steps, settings.steps());
        sheet.line(&line(&run.policy.name, &columns, &cells(run), &ending));
    }
    sheet.line(&format!("{:NAME$}{}", "", times(settings, mark)));
    let [none, all] = sheet.options.or_ascii(["·", "full height"], ["0", "8"]);
    let chart = "Chart: the calls that start in this time";
    sheet.line(&format!("{chart}; {all}: all succeed, {none}: none."));
    sheet.line("Before, end: % of calls that succeed; lost: calls that fail; req/s: at the end.");
    below_rows(sheet, storm);
}

/// What a row does not say itself: how a word beyond the picture was found, and why a row has
/// none.
fn below_rows(sheet: &mut Sheet<'_>, storm: &Storm) {
    let settings = &storm.settings;
    let words = storm.policies.iter().filter_map(|run| run.word);
    if let Some(text) = later_remark(settings, words) {
        sentences(sheet, &text);
    }
    let without = storm.policies.iter().filter(|run| run.cut.is_none());
    let reasons = without.filter_map(|run| NoWord::of(settings, &run.figures));
    explain_no_word(sheet, &reasons.collect());
}

/// How a word beyond the picture was found; none if there was no need to look there.
pub(crate) fn later_remark(
    settings: &Settings,
    words: impl Iterator<Item = Word>,
) -> Option<String> {
    let words: Vec<_> = words.collect();
    let is_at_once = |word: &Word| {
        matches!(
            word,
            Word::Ok {
                is_later: false,
                ..
            }
        )
    };
    if words.iter().all(is_at_once) {
        return None;
    }
    let [length, longer] = [settings, &settings.longer()].map(|of| moment(of.length));
    let is_later = |word: &Word| matches!(word, Word::Ok { is_later: true, .. });
    let later = if words.iter().any(is_later) {
        "; ›: ok only there"
    } else {
        ""
    };
    Some(format!(
        "Rows that are not ok at {length} were simulated to {longer}{later}."
    ))
}

/// Why a row or a cell has no word.
fn explain_no_word(sheet: &mut Sheet<'_>, reasons: &BTreeSet<NoWord>) {
    for reason in reasons {
        sheet.line(&format!("No word: {reason}."));
    }
}

/// The command that counts the words of other seeds, if the story does not vouch for them.
fn advise_seeds(sheet: &mut Sheet<'_>, storm: &Storm) {
    let story = storm.story;
    let has_words = storm.policies.iter().any(|run| run.word.is_some());
    let mut policies = storm.policies.iter().map(|run| &run.policy);
    let is_of_the_story =
        storm.settings == story.settings && policies.all(|policy| story.policies.contains(policy));
    if has_words && !is_of_the_story {
        let command = format!("{} {} --seeds 20", sheet.options.lab, storm.command);
        sheet.line("Another seed may give other results. To count those of 20 seeds:");
        sheet.line(&format!("  {command}"));
    }
}

/// The line below the columns: the start and the end of the storm, between them the end of the
/// incident, and beside them when the last quarter begins.
fn times(settings: &Settings, mark: &str) -> String {
    let length = moment(settings.length);
    let room = COLUMNS.saturating_sub(length.len());
    if settings.incident == Incident::None {
        return format!("{:<room$}{length}", "0 s");
    }
    let ends = settings.incident_ends();
    let at = column(settings, ends);
    let start = if at > 3 { "0 s" } else { "" };
    let until_then = format!("{start:<at$}{mark} {}", moment(ends));
    let end = short(Periods::of(settings).last_quarter.start.as_secs_f64());
    let room = room.saturating_sub(1);
    format!("{until_then:<room$} {length}   end: from {end} s on")
}

/// A line of the picture.
fn line(
    name: &str,
    columns: &str,
    [before, end, lost, requests]: &[String; 4],
    ending: &str,
) -> String {
    format!("{name:<NAME$}{columns:<COLUMNS$}{before:>6} {end:>3} {lost:>5} {requests:>5} {ending}")
}

/// The figures of a policy.
fn cells(run: &PolicyRun) -> [String; 4] {
    let figures = &run.figures;
    [
        figures.before.to_string(),
        figures.end.to_string(),
        figures.lost.to_string(),
        format!("{:.0}", figures.requests_per_second),
    ]
}

/// The end of a policy's line.
fn ending(sheet: &Sheet<'_>, story: &Story, run: &PolicyRun) -> String {
    let color = match (run.cut, run.word) {
        (None, Some(Word::Ok { .. })) => AnsiColor::Green,
        (None, Some(Word::Down)) => AnsiColor::Red,
        _ => AnsiColor::Yellow,
    };
    match run.ending() {
        _ if story.shows_retry_peak && run.cut.is_none() => format!("{} retries", run.retry_peak()),
        none if none.is_empty() => none,
        ending => sheet.styled(color.on_default(), &ending),
    }
}

/// The share of the calls of each column that succeeded, as a height.
fn columns(sheet: &Sheet<'_>, steps: &[Step], all: usize) -> String {
    let levels = sheet.options.or_ascii(HEIGHTS, DIGITS);
    let sign = |column: usize| {
        // A storm that was cancelled has fewer steps.
        let [from, to] = [column, column + 1].map(|edge| steps.len().min(edge * all / COLUMNS));
        let steps = steps.get(from..to).unwrap_or_default();
        let calls: u32 = steps.iter().map(|step| step.calls).sum();
        let succeeded: u32 = steps.iter().map(|step| step.succeeded).sum();
        levels.get(level(succeeded, calls)?).copied()
    };
    (0..COLUMNS)
        .map(|column| sign(column).unwrap_or(' '))
        .collect()
}

/// A share as a level: 0 is none, [`ALL`] is all, and the others are equal parts between. None
/// without calls.
fn level(succeeded: u32, calls: u32) -> Option<usize> {
    let share = f64::from(succeeded) / f64::from(calls);
    match succeeded {
        _ if calls == 0 => None,
        0 => Some(0),
        _ if succeeded == calls => Some(ALL),
        _ => Some(((share * (ALL - 1) as f64).ceil() as usize).clamp(1, ALL - 1)),
    }
}

/// The column of a moment.
fn column(settings: &Settings, moment: Duration) -> usize {
    let share = moment.as_secs_f64() / settings.length.as_secs_f64();
    (share * COLUMNS as f64) as usize
}

/// Adds sentences. No line of them ends before a unit.
fn sentences(sheet: &mut Sheet<'_>, text: &str) {
    let is_unit = |word: &str| matches!(word.trim_end_matches(['.', ',', ';']), "s" | "%");
    let words = text.split(' ').map(|word| {
        let before = if is_unit(word) { "\u{a0}" } else { " " };
        before.to_owned() + word
    });
    sheet.beside("", words.collect::<String>().trim_start());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_name_of_a_policy_fits_its_column() {
        for story in STORIES {
            for policy in story.policies {
                assert!(policy.name.chars().count() < NAME, "{}", policy.name);
            }
        }
    }

    proptest! {
        #[test]
        fn a_height_shows_none_and_all_exactly(succeeded in 0_u32..300, failed in 0_u32..300) {
            let calls = succeeded + failed;
            match level(succeeded, calls) {
                None => prop_assert_eq!(calls, 0),
                Some(level) => {
                    prop_assert_eq!(level == 0, succeeded == 0);
                    prop_assert_eq!(level == ALL, failed == 0);
                    let share = f64::from(succeeded) / f64::from(calls);
                    let part = (level as f64 - 1.0) / 7.0..=level as f64 / 7.0;
                    prop_assert!(level % ALL == 0 || part.contains(&share));
                }
            }
        }

        #[test]
        fn a_column_is_a_part_of_the_whole_storm_and_the_mark_stands_in_that_of_its_moment(
            all in 20_usize..6_000,
            share in 0.0..1.0_f64,
        ) {
            let step = |number: usize| Step { calls: 1, succeeded: (number % 2) as u32, ..Step::default() };
            let steps: Vec<_> = (0..all).map(step).collect();
            let options = Options::default();
            let sheet = Sheet::new(&options);
            let settings = Settings {
                length: Duration::from_millis(100 * all as u64),
                ..Settings::DEFAULT
            };
            let moment = settings.length.mul_f64(share);
            let so_far = (share * all as f64) as usize;

            let whole = columns(&sheet, &steps, all);
            let part = columns(&sheet, &steps[..so_far], all);

            prop_assert_eq!(whole.chars().count(), COLUMNS);
            let drawn = part.trim_end().chars().count();
            prop_assert!(drawn.abs_diff(column(&settings, moment)) <= 1, "{drawn}");
            let ends = Settings { incident_starts: moment, incident_lasts: Duration::ZERO, ..settings };
            let below = times(&ends, "^");
            prop_assert_eq!(below.find('^'), Some(column(&settings, moment)), "{}", below);
            let length = format!(" {}   end:", super::moment(settings.length));
            prop_assert!(below.contains(&length), "{below}");
        }
    }
}
