//! A storm as text for a terminal: one line of columns for each policy.

use std::time::Duration;

use anstyle::AnsiColor;
use render::{Mark, Options, Sheet};

use crate::{
    ALL, Incident, Lead, Load, PolicyRun, PolicyTally, Recovery, STEP, Settings, Storm,
    StormPolicy, StoryWords, SuccessLevel, Tally, lead_title, level, moment, per_second, rate,
    sentences::unnamed_setups, storm_columns, storm_ending, storm_learnt, storm_limit, storm_terms,
};

/// The width of the policies' names.
const NAME: usize = 15;

/// The least width of a line with a name, columns and figures.
const NARROW: usize = 60;

/// If the columns are below the name: their indent, and the width of the text above them that
/// says how a policy ended.
const STACKED: usize = 2;
const ENDING: usize = 15;

/// The lines of a plain screen, without the one for the prompt.
pub(super) const SCREEN: usize = 23;

/// The levels of a column: none, seven heights, all.
const HEIGHTS: [char; ALL + 1] = ['·', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const DIGITS: [char; ALL + 1] = ['0', '1', '2', '3', '4', '5', '6', '7', '8'];

/// The sign of a column in which calls that had not ended could still change the level.
const NOT_JUDGED: char = '?';

/// Renders a storm: the successes under each policy, and the lesson. The texts after the
/// lesson, which the report has as well, are left to it if they do not fit a plain screen.
#[must_use]
pub fn storm(storm: &Storm, options: &Options) -> String {
    let mut sheet = Sheet::new(options);
    picture(&mut sheet, storm);
    let StoryWords { scenario, rule, .. } = storm.story;
    let mut more = vec![format!(
        "See also lab scenario {scenario} (one client) and lab rule {rule}."
    )];
    for (title, text) in storm_learnt(storm) {
        match title {
            // Both follow the picture that they explain.
            "The answer" | "What happened" => sentences(&mut sheet, &text),
            "The lesson" => sentences(&mut sheet, &format!("The lesson: {text}")),
            _ => more.push(format!("{title}: {text}")),
        }
    }
    let width = sheet.width();
    let mut text = sheet.into_text();
    for more in more {
        let mut sheet = Sheet::new(options);
        sentences(&mut sheet, &more);
        let more = sheet.into_text();
        let fits_the_height = text.lines().count() + more.lines().count() <= SCREEN;
        // An address that is broken is of no use.
        let fits_the_width = more.lines().all(|line| line.chars().count() <= width);
        if fits_the_height && fits_the_width {
            text.push_str(&more);
        }
    }
    text
}

/// A line for each policy, below the incident that they met.
fn picture(sheet: &mut Sheet<'_>, storm: &Storm) {
    let headings = Cells::headings(storm.story.leads_with);
    let runs = storm.policies.iter();
    let rows: Vec<_> = runs.map(|run| Cells::of(sheet, storm, run)).collect();
    let settings = &storm.settings;
    let lines: Vec<_> = rows.iter().chain([&headings]).collect();
    let view = View::of(sheet, settings, &lines);
    let [none, .., all] = view.levels;
    sheet.title(storm.story.question);
    let policies = storm.policies.iter().map(|run| &run.policy);
    let terms = storm_terms(settings, policies);
    sentences(sheet, &(terms.join("; ") + "."));
    let column = STEP * u32::try_from(view.steps).unwrap_or(u32::MAX);
    let (column_lasts, all_last) = (moment(column), moment(settings.length));
    let cells_legend = match view.layout {
        Layout::Wide => " % ok: of all calls; r/s: requests/s at the end.",
        Layout::Narrow | Layout::Stacked => " % ok: of all calls.",
    };
    sentences(
        sheet,
        &format!(
            "Calls by the time they start: {all} all succeed, {none} none, {NOT_JUDGED} some open (not ended); \
             a column is {column_lasts}, the storm {all_last}.{cells_legend}"
        ),
    );
    view.heading(sheet, storm.story.varies, &headings);
    load(sheet, storm, &view);
    for (run, cells) in storm.policies.iter().zip(&rows) {
        line(sheet, run, cells, &view);
    }
    if settings.incident != Incident::None {
        mark_the_incident(sheet, storm, &view);
    }
    let policies: Vec<_> = storm
        .policies
        .iter()
        .map(|run| run.policy.clone())
        .collect();
    for setup in unnamed_setups(&policies) {
        sentences(sheet, &setup);
    }
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

/// Marks the columns in which the incident starts and ends.
fn mark_the_incident(sheet: &mut Sheet<'_>, storm: &Storm, view: &View) {
    let settings = &storm.settings;
    let [starts, ends] = [settings.incident_starts, settings.incident_ends()];
    let [left, right] = [starts, ends].map(|at| view.indent() + view.column(at));
    let mark = sheet.options.or_ascii("▲", "^");
    let line = sheet.options.or_ascii("─", "-");
    let marks = match right.checked_sub(left + 1) {
        None => mark.to_owned(),
        Some(between) => format!("{mark}{}{mark}", line.repeat(between)),
    };
    let start = moment(starts);
    let start = if start.chars().count() < left {
        start + " "
    } else {
        String::new()
    };
    let marks = format!("{start:>left$}{marks}");
    let end = format!("{}: {}", moment(ends), what_ends(settings.incident));
    if right + 2 + end.chars().count() <= sheet.width() {
        sheet.line(&format!("{marks} {end}"));
    } else {
        sheet.line(&marks);
        sentences(sheet, &end);
    }
}

/// How a picture is drawn: the steps of a column, the columns, the signs, and the widths of the
/// leading figure and of the cells after it.
struct View {
    steps: usize,
    columns: usize,
    levels: [char; ALL + 1],
    layout: Layout,
    lead: usize,
    /// A cell that is empty in all lines has no width, and is not shown.
    cells: Vec<usize>,
}

/// How much stands in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// The name, the columns, and all cells.
    Wide,
    /// The name, fewer columns, the leading figure, the calls that had not ended, and the share
    /// of successes.
    Narrow,
    /// Two lines: the name and the leading figure, then the columns and the share.
    Stacked,
}

impl Layout {
    /// The number of columns.
    fn columns(self) -> usize {
        match self {
            Self::Wide | Self::Stacked => 30,
            Self::Narrow => 20,
        }
    }

    /// The least width of a terminal.
    fn least_width(self) -> usize {
        match self {
            Self::Wide => Options::WIDTH,
            Self::Narrow => NARROW,
            Self::Stacked => 0,
        }
    }

    /// The cells after the leading figure.
    fn cells(self, cells: &Cells) -> Vec<&str> {
        match self {
            Self::Wide => vec![&cells.lost, &cells.open, &cells.success, &cells.requests],
            Self::Narrow => vec![&cells.open, &cells.success],
            Self::Stacked => vec![&cells.success],
        }
    }
}

/// The figures beside the columns of a line.
#[derive(Default)]
struct Cells {
    lead: String,
    lost: String,
    /// The calls that had not ended.
    open: String,
    success: String,
    /// The requests per second at the end.
    requests: String,
}

impl Cells {
    /// The headings of the cells. They are short, because a line of 80 columns has to hold them.
    fn headings(leads_with: Lead) -> Self {
        Self {
            lead: lead_title(leads_with).to_owned(),
            lost: unless_leading(leads_with, "lost".to_owned()),
            open: "open".to_owned(),
            success: "% ok".to_owned(),
            requests: "r/s".to_owned(),
        }
    }

    /// The figures of a policy.
    fn of(sheet: &Sheet<'_>, storm: &Storm, run: &PolicyRun) -> Self {
        let leads_with = storm.story.leads_with;
        let ending = storm_ending(leads_with, run);
        let (color, words) = match ending.mark {
            Mark::Ok => (AnsiColor::Green, ending.words),
            Mark::Failed => (AnsiColor::Red, with_loud_start(&ending.words)),
            _ => (AnsiColor::Yellow, ending.words),
        };
        let requests = run.at_end_rate(&storm.settings, |step| step.requests);
        Self {
            lead: sheet.styled(color.on_default(), &words),
            lost: unless_leading(leads_with, short(run.lost())),
            open: short(run.totals.in_flight),
            success: run.success().unwrap_or_default(),
            requests: requests.unwrap_or_default(),
        }
    }

    /// The meaning of a full column.
    fn of_scale(scale: String) -> Self {
        Self {
            lead: scale,
            ..Self::default()
        }
    }

    /// The width of the leading figure. Escapes have none.
    fn lead_width(&self) -> usize {
        textwrap::core::display_width(&self.lead)
    }
}

impl View {
    /// The widest layout in which these lines fit the terminal.
    fn of(sheet: &Sheet<'_>, settings: &Settings, lines: &[&Cells]) -> Self {
        let fits = |view: &Self| view.layout.least_width().max(view.width()) <= sheet.width();
        let of_layout = |layout| Self::of_layout(sheet, settings, lines, layout);
        let mut beside_the_name = [Layout::Wide, Layout::Narrow].into_iter().map(of_layout);
        let widest = beside_the_name.find(fits);
        widest.unwrap_or_else(|| of_layout(Layout::Stacked))
    }

    fn of_layout(sheet: &Sheet<'_>, settings: &Settings, lines: &[&Cells], layout: Layout) -> Self {
        let mut cells = Vec::new();
        for line in lines {
            let figures = layout.cells(line);
            cells.resize(figures.len(), 0);
            for (width, figure) in cells.iter_mut().zip(figures) {
                *width = figure.chars().count().max(*width);
            }
        }
        let leads = lines.iter().map(|line| line.lead_width());
        Self {
            steps: storm_columns(settings, layout.columns()).0,
            columns: layout.columns(),
            levels: sheet.options.or_ascii(HEIGHTS, DIGITS),
            layout,
            lead: leads.max().unwrap_or(0),
            cells,
        }
    }

    /// The width of a line with a name, columns and cells.
    fn width(&self) -> usize {
        let shown = self.cells.iter().filter(|width| **width > 0);
        let cells: usize = shown.map(|width| 1 + width).sum();
        NAME + self.columns + 1 + self.lead + cells
    }

    fn sign(&self, level: usize) -> char {
        self.levels.get(level).copied().unwrap_or(NOT_JUDGED)
    }

    /// Where the columns begin.
    fn indent(&self) -> usize {
        match self.layout {
            Layout::Wide | Layout::Narrow => NAME,
            Layout::Stacked => STACKED,
        }
    }

    /// The column of a moment.
    fn column(&self, moment: Duration) -> usize {
        let column = STEP * u32::try_from(self.steps).unwrap_or(u32::MAX);
        let columns_before = moment.as_nanos() / column.as_nanos().max(1);
        usize::try_from(columns_before).map_or(self.columns, |before| before.min(self.columns))
    }

    /// The heading of the columns.
    fn heading(&self, sheet: &mut Sheet<'_>, varies: &str, headings: &Cells) {
        match self.layout {
            Layout::Stacked => {
                let Cells { lead, success, .. } = headings;
                sheet.beside("", &format!("{varies}; {lead}; {success}"));
            }
            Layout::Narrow | Layout::Wide if varies.chars().count() > NAME + self.columns => {
                sheet.beside("", varies);
                self.line(sheet, "", "", headings);
            }
            Layout::Narrow | Layout::Wide => self.line(sheet, varies, "", headings),
        }
    }

    /// A line of the picture: a name, its columns, and cells beside them.
    fn line(&self, sheet: &mut Sheet<'_>, name: &str, columns: &str, cells: &Cells) {
        let Cells { lead, success, .. } = cells;
        let width = self.columns;
        if self.layout == Layout::Stacked {
            let name_width = STACKED + width - ENDING;
            let pad = ENDING.saturating_sub(cells.lead_width());
            sheet.line(&format!("{name:<name_width$} {:pad$}{lead}", ""));
            return sheet.line(&format!("{:STACKED$}{columns:<width$}{success:>6}", ""));
        }
        let width = NAME + width;
        let columns = format!("{name:<NAME$}{columns}");
        let pad = self.lead.saturating_sub(cells.lead_width());
        let figures = self.layout.cells(cells).into_iter().zip(&self.cells);
        let figures: String = figures
            .filter(|(_, width)| **width > 0)
            .map(|(figure, width)| format!(" {figure:>width$}"))
            .collect();
        sheet.line(&format!("{columns:<width$} {lead}{:pad$}{figures}", ""));
    }
}

/// The fault that ends with the incident.
fn what_ends(incident: Incident) -> &'static str {
    match incident {
        Incident::Spike => "the spike ends",
        Incident::Cut => "all workers are back",
        Incident::Pause => "the service works again",
        Incident::Refusal => "the outage ends",
        Incident::None => "",
    }
}

/// The started calls. Under an open load all policies have the same number.
fn load(sheet: &mut Sheet<'_>, storm: &Storm, view: &View) {
    let longest = storm.policies.iter().max_by_key(|run| run.steps.len());
    let Some(run) = longest.filter(|_| storm.settings.load == Load::Open) else {
        return;
    };
    let rates = run.steps.chunks(view.steps);
    let rates = rates.map(|steps| per_second(steps, |step| step.calls));
    let rates: Vec<_> = rates.collect();
    let most = rates.iter().copied().fold(0.0, f64::max);
    let columns = rates.iter().map(|rate| view.sign(level(*rate, most)));
    let columns: String = columns.collect();
    let [.., all] = view.levels;
    let scale = format!("{all} is a mean of {}/s", rate(most, most));
    view.line(sheet, "new calls", &columns, &Cells::of_scale(scale));
}

/// The successes under a policy, and how many attempts in flight its clients allow themselves.
fn line(sheet: &mut Sheet<'_>, run: &PolicyRun, cells: &Cells, view: &View) {
    let levels = run.success_levels(view.steps).into_iter();
    let columns: String = levels
        .map(|level| match level {
            SuccessLevel::NoCalls => ' ',
            SuccessLevel::NotJudged => NOT_JUDGED,
            SuccessLevel::Level(level) => view.sign(level),
        })
        .collect();
    view.line(sheet, &run.policy.name, &columns, cells);
    let most = f64::from(run.policy.setup.concurrency);
    let limits = run.steps.chunks(view.steps);
    let limits: Option<String> = limits
        .map(|steps| Some(view.sign(level(storm_limit(steps)?, most))))
        .collect();
    if let Some(limits) = limits.filter(|_| most > 0.0) {
        let [.., all] = view.levels;
        let scale = Cells::of_scale(format!("{all} is a mean of {most}"));
        view.line(sheet, "  its limit", &limits, &scale);
    }
}

/// A text in capitals, except for the moment at its end: a unit in capitals is another unit.
fn with_loud_start(text: &str) -> String {
    let (state, moment) = text.split_at(text.find(" at ").unwrap_or(text.len()));
    state.to_uppercase() + moment
}

/// The cell of the lost calls, which are not shown twice.
fn unless_leading(leads_with: Lead, lost: String) -> String {
    match leads_with {
        Lead::LostCalls => String::new(),
        Lead::Recovery | Lead::RetryPeak => lost,
    }
}

/// A count in four digits at most, in thousands if necessary.
fn short(count: u64) -> String {
    match count {
        ..10_000 => count.to_string(),
        _ => format!("{:.0}k", count as f64 / 1_000.0),
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
        let name = &policy.policy.name;
        sheet.beside(&format!("{name:<NAME$}"), &ends(policy, seeds));
    }
    if tally.cut_short > 0 {
        let text = format!(
            "{} more reached the limit of the simulation.",
            tally.cut_short
        );
        sentences(&mut sheet, &text);
    }
    if let Some(shown) = tally.show_the_answer {
        let story = tally.story.name;
        let text = format!("{shown} of {seeds} seeds show what the story '{story}' says.");
        sentences(&mut sheet, &text);
    }
    sheet.into_text()
}

/// How many seeds ended how under a policy.
fn ends(policy: &PolicyTally, seeds: usize) -> String {
    let [down, unknown] = [Recovery::Down, Recovery::Unknown].map(|recovery| {
        let with = policy.ends.iter();
        with.filter(|end| end.recovery == recovery).count()
    });
    let back = policy.ends.iter().filter_map(|end| match end.recovery {
        Recovery::Recovered { after } => Some(after.as_secs()),
        _ => None,
    });
    let to = |(least, most): (u64, u64)| {
        if least == most {
            least.to_string()
        } else {
            format!("{least} to {most}")
        }
    };
    let unknown = (unknown > 0).then(|| format!("not known in {unknown}"));
    let lost = range(policy.ends.iter().map(|end| end.lost));
    let lost = lost.map(|lost| format!("lost {} calls", to(lost)));
    let back = range(back).map(|back| format!("back after {} s", to(back)));
    let down = Some(format!("down in {down} of {seeds}"));
    let judged = policy.ends.iter();
    let has_incident = judged
        .clone()
        .any(|end| end.recovery != Recovery::NoIncident);
    let down = down.filter(|_| has_incident);
    let parts = [down, unknown, lost, back].into_iter().flatten();
    parts.collect::<Vec<_>>().join(", ")
}

/// The minimum and the maximum of some values.
fn range<T: Ord + Copy>(values: impl Iterator<Item = T> + Clone) -> Option<(T, T)> {
    values.clone().min().zip(values.max())
}

/// Lists the stories and their policies.
#[must_use]
pub fn storm_list(stories: &[(StoryWords, &[StormPolicy])], options: &Options) -> String {
    let mut sheet = Sheet::new(options);
    for (words, policies) in stories {
        sheet.line(words.name);
        sheet.beside("  ", words.title);
        let names: Vec<_> = policies.iter().map(StormPolicy::word).collect();
        sheet.beside("  ", &names.join(" "));
    }
    sheet.into_text()
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;
    use crate::{Setup, Step, Totals};

    fn settings() -> impl Strategy<Value = Settings> {
        let incidents = [
            Incident::None,
            Incident::Spike,
            Incident::Cut,
            Incident::Refusal,
        ];
        let times = (0_u64..6_000, 0_u64..4_000);
        let rates = (0.1..900.0_f64, 1_u32..2_000);
        (prop::sample::select(incidents.to_vec()), times, rates).prop_map(
            |(incident, (starts, lasts), (calls_per_second, workers))| Settings {
                incident,
                calls_per_second,
                workers,
                incident_starts: Duration::from_millis(starts),
                incident_lasts: Duration::from_millis(lasts),
                length: Duration::from_secs(15),
                ..Settings::DEFAULT
            },
        )
    }

    /// A run of calls that mostly end alike for a while.
    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let part = (0_u32..60, 0_u32..=60, 0_u32..=60, 0_u32..200, 1_usize..80);
        vec(part, 2..9).prop_map(|parts| {
            let steps = parts
                .into_iter()
                .flat_map(|(calls, good, open, requests, steps)| {
                    let answered = good.min(calls);
                    let open = (open / 8).min(calls - answered);
                    let step = Step {
                        calls,
                        answered,
                        failed: calls - answered - open,
                        requests,
                        limit: Some(f64::from(open)),
                        ..Step::default()
                    };
                    vec![step; steps]
                });
            steps.chain(vec![Step::default(); 150]).take(150).collect()
        })
    }

    fn storm_of(settings: Settings, rows: Vec<(Vec<Step>, u32)>) -> Storm {
        let run = |(number, (steps, concurrency)): (usize, (Vec<Step>, u32))| {
            let sum = |count: fn(&Step) -> u32| steps.iter().map(count).map(u64::from).sum();
            let totals = Totals {
                calls: sum(|step| step.calls),
                succeeded: sum(|step| step.answered),
                failed: sum(|step| step.failed),
                in_flight: sum(|step| step.calls - step.answered - step.failed),
                ..Totals::default()
            };
            let setup = Setup {
                concurrency,
                ..Setup::DEFAULT
            };
            let policy = StormPolicy {
                name: format!("policy {number:02}").into(),
                ..StormPolicy::new("", setup)
            };
            PolicyRun::of(&settings, policy, None, steps, totals)
        };
        Storm {
            story: StoryWords {
                name: "a-story-with-a-long-name",
                question: "A question?",
                varies: "the queue (unchanged: 300, oldest first)",
                lesson: "A lesson.",
                ..StoryWords::default()
            },
            shows_the_answer: Some(true),
            policies: rows.into_iter().enumerate().map(run).collect(),
            ..Storm::of_no_story(settings)
        }
    }

    #[test]
    fn every_name_and_heading_of_a_story_fits_its_column() {
        for story in crate::STORIES {
            let heading = story.words.varies.chars().count();
            assert!(heading < NAME + 30, "{}", story.words.varies);
            for policy in story.policies {
                assert!(policy.name.chars().count() < NAME, "{}", policy.name);
            }
        }
    }

    #[test]
    fn both_ends_of_an_incident_are_marked_in_their_columns() {
        let marked = |starts: u64, lasts: u64, width| {
            let settings = Settings {
                incident_starts: Duration::from_millis(starts),
                incident_lasts: Duration::from_millis(lasts),
                ..Settings::DEFAULT
            };
            let options = Options {
                width,
                ..Options::default()
            };
            let text = storm(&storm_of(settings, Vec::new()), &options);
            let marks = text.lines().skip_while(|line| !line.contains('▲'));
            let marks: Vec<_> = marks.take(2).map(str::to_owned).collect();
            marks.join("|")
        };

        // A column is 2 s, or 3 s on a narrow terminal.
        let columns = " ".repeat(NAME);
        assert!(
            marked(10_000, 5_000, 80)
                .starts_with(&format!("{columns}10 s ▲─▲ 15 s: the spike ends|"))
        );
        assert!(
            marked(10_000, 1_000, 80)
                .starts_with(&format!("{columns}10 s ▲ 11 s: the spike ends|"))
        );
        assert!(
            marked(0, 10_000, 80)
                .starts_with(&format!("{:11}0 s ▲────▲ 10 s: the spike ends|", ""))
        );
        assert!(marked(0, 10_000, 40).starts_with("  ▲────▲ 10 s: the spike ends|"));
        assert!(marked(30_000, 25_000, 40).ends_with("▲|55 s: the spike ends"));
    }

    /// The columns in which the last cells of a line end.
    fn ends_of_cells(line: &str, cells: usize) -> Vec<usize> {
        // The blank in this heading is not the end of a cell.
        let line: Vec<_> = line.replace("% ok", "%-ok").chars().collect();
        let is_end =
            |at: &usize| line[*at] != ' ' && line.get(at + 1).is_none_or(|next| *next == ' ');
        (0..line.len()).rev().filter(is_end).take(cells).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_row_reads_as_its_counts_say_and_fits_the_terminal(
            settings in settings(),
            rows in vec((steps(), 0_u32..20), 1..4),
            width in 40_usize..=110,
            ascii in any::<bool>(),
        ) {
            let options = Options { width, ascii, ..Options::default() };
            let simulated = storm_of(settings, rows);
            let mut tally = Tally::of(&simulated);
            tally.add(Tally::of(&simulated));
            let text = storm(&simulated, &options);
            let seeds = storm_tally(&simulated, &tally, &options);

            for text in [&text, &seeds] {
                for line in text.lines() {
                    prop_assert!(line.chars().count() <= width, "{} columns: {}", width, line);
                    let first = line.split(' ').next().unwrap_or_default();
                    prop_assert!(first.trim_end_matches(['.', ',', ';']) != "s", "{}", line);
                }
                prop_assert!(!ascii || text.is_ascii(), "{}", text);
            }
            let heading = text.lines().find(|line| line.contains("open % ok"));
            let layout = match heading {
                None => Layout::Stacked,
                Some(heading) if heading.ends_with("r/s") => Layout::Wide,
                Some(_) => Layout::Narrow,
            };
            let heading = heading.unwrap_or_default();
            let is_stacked = layout == Layout::Stacked;
            let is_wide = layout == Layout::Wide;
            prop_assert!(is_wide == (width >= 80) || width == 80, "{}", text);
            prop_assert!(is_stacked == (width < 60) || width == 60, "{}", text);
            let columns = layout.columns();
            let per_column = storm_columns(&settings, columns).0;
            for run in &simulated.policies {
                let mut lines = text.lines().skip_while(|line| !line.starts_with(&*run.policy.name));
                // The same line as on a wider terminal.
                let line = if is_stacked {
                    let first = lines.next().unwrap_or_default();
                    let (name, ending) = first.split_at(first.floor_char_boundary(NAME));
                    let second: Vec<_> = lines.next().unwrap_or_default().chars().collect();
                    let columns: String = second.iter().skip(STACKED).take(30).collect();
                    let share: String = second.iter().skip(STACKED + 30).collect();
                    format!("{name}{columns:<30} {:<ENDING$}{share}", ending.trim())
                } else {
                    lines.next().unwrap_or_default().to_owned()
                };
                let line: Vec<_> = line.chars().collect();
                let signs = line.iter().skip(NAME).copied().chain(std::iter::repeat(' '));
                for (sign, success_level) in signs.zip(run.success_levels(per_column)) {
                    let levels = if ascii { DIGITS } else { HEIGHTS };
                    let expected = match success_level {
                        SuccessLevel::NoCalls => ' ',
                        SuccessLevel::NotJudged => '?',
                        SuccessLevel::Level(level) => levels[level],
                    };
                    prop_assert_eq!(sign, expected);
                }
                let beside: String = line.iter().skip(NAME + columns + 1).collect();
                let words = storm_ending(Lead::Recovery, run).words;
                let (ending, cells) = beside.split_at(beside.floor_char_boundary(words.len()));
                prop_assert_eq!(ending.to_lowercase(), words);
                let mut cells = cells.split_whitespace();
                if let Some(share) = run.success() {
                    let [lost, open] = [run.lost(), run.totals.in_flight].map(short);
                    prop_assert!(layout != Layout::Wide || cells.next() == Some(&*lost), "{}", text);
                    prop_assert!(is_stacked || cells.next() == Some(&*open), "{}", text);
                    prop_assert_eq!(cells.next(), Some(&*share));
                    let figures: String = line.iter().collect();
                    let shown = match layout {
                        Layout::Wide => 4,
                        Layout::Narrow => 2,
                        Layout::Stacked => 0,
                    };
                    let [ends, expected] =
                        [&figures, heading].map(|line| ends_of_cells(line, shown));
                    prop_assert_eq!(ends, expected, "{}", text);
                }
            }
            for (policy, run) in tally.policies.iter().zip(&simulated.policies) {
                let said = ends(policy, 2);
                let stuck = if run.recovery == Recovery::Down { 2 } else { 0 };
                let start = format!("down in {stuck} of 2, ");
                let has_incident = settings.incident != Incident::None;
                prop_assert_eq!(said.starts_with(&start), has_incident, "{}", said);
                let open = run.recovery == Recovery::Unknown;
                prop_assert_eq!(said.contains("not known in 2, "), open);
            }
        }
    }
}
