//! A run or a comparison as HTML: a fragment that the web UI shows, and a report, which is
//! a page around the same fragment that opens, shows and prints without a network.
//!
//! The templates escape all text, so text from the wire never becomes markup.

mod comparison;
mod counters;
mod exchange;
mod rows;
mod tables;

use maud::{Markup, html as markup};
use render::{
    page::class_and_mark,
    timeline::{self, Layout, Timeline, Waterfall, legend},
};
use wire::counted;

use crate::{
    Answer, Check, Client, Compared, Comparison, Counters, Pace, ScenarioRun, ScenarioWords, chart,
    compare::Difference, exchange::base_url, question::answers, recorder::Recorder,
    run::NOT_JUDGED,
};
use rows::RowFacts;

/// A run or a comparison to show, during the run and after it.
#[derive(Clone, Debug)]
pub struct Story<'a> {
    /// The scenario.
    pub words: &'a ScenarioWords,
    /// The clients, each with what is known of its run.
    pub sides: Vec<ShownRun<'a>>,
    /// What the reader expected of the first side before the run.
    pub prediction: Option<Answer>,
    /// The comparison of two sides that have finished.
    pub compared: Option<&'a Compared>,
    /// The seed of the run.
    pub seed: u64,
    /// Whether its waits are real.
    pub pace: Pace,
    /// The lesson; none until the run is over, because the question comes first.
    pub why: Option<String>,
    /// How the reader called the lab.
    pub lab: &'a str,
    /// The next command to try, as arguments of the lab.
    pub next: Option<String>,
    /// A link to the page on which it can be tried; none in a report.
    pub next_link: Option<String>,
    /// What that command shows, if it carries a setting.
    pub next_shows: Option<&'a str>,
    /// Why it could not be run.
    pub error: Option<&'a str>,
    /// The base URL of the service in commands.
    pub service: String,
}

/// What a presentation has revealed so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revealed {
    /// How many sides are drawn.
    pub sides: usize,
    /// Whether the answer is shown, and what differs.
    pub answer: bool,
    /// Whether the lesson is shown.
    pub lesson: bool,
}

/// The phrase for two runs that differ in nothing that matters.
const NO_DIFFERENCE: &str = "Nothing differs but the time.";

/// The run of one client, as far as it is known.
#[derive(Clone, Debug)]
pub struct ShownRun<'a> {
    client: Client,
    /// How it works, and its limits.
    terms: &'a [String],
    timeline: Timeline,
    counters: Counters,
    /// The run, once it is over.
    pub run: Option<&'a ScenarioRun>,
}

impl<'a> ShownRun<'a> {
    /// A run that is over.
    #[must_use]
    pub fn of(run: &'a ScenarioRun) -> Self {
        Self {
            client: run.client,
            terms: &run.terms,
            timeline: run.timeline(),
            counters: run.counters.clone(),
            run: Some(run),
        }
    }

    /// A run that goes on, as its recorder knows it.
    #[must_use]
    pub fn so_far(client: Client, terms: &'a [String], recorder: &Recorder) -> Self {
        let trace = recorder.snapshot();
        Self {
            client,
            terms,
            timeline: chart::for_a_page(&trace, false),
            counters: counters::so_far(&trace),
            run: None,
        }
    }
}

impl<'a> Story<'a> {
    /// A run, and its lesson. `lab` is how the reader called the lab.
    #[must_use]
    pub fn of_run(words: &'a ScenarioWords, run: &'a ScenarioRun, lab: &'a str) -> Self {
        Self {
            words,
            sides: vec![ShownRun::of(run)],
            prediction: None,
            compared: None,
            seed: run.seed,
            pace: run.pace,
            why: Some(run.lesson.why.join(" ")),
            lab,
            next: Some(run.lesson.next.clone()),
            next_link: None,
            next_shows: run.lesson.next_shows,
            error: None,
            service: base_url(),
        }
    }

    /// A comparison, and the lesson of its two runs.
    #[must_use]
    pub fn of_comparison(
        words: &'a ScenarioWords,
        comparison: &'a Comparison,
        lab: &'a str,
    ) -> Self {
        let [first, _] = &comparison.runs;
        Self {
            sides: comparison.runs.iter().map(ShownRun::of).collect(),
            compared: Some(&comparison.compared),
            why: Some(comparison.why().join(" ")),
            next: Some(comparison.next.clone()),
            next_shows: None,
            ..Self::of_run(words, first, lab)
        }
    }

    /// The same, with what the reader expected before the run.
    #[must_use]
    pub fn with_prediction(self, prediction: Option<&Answer>) -> Self {
        Self {
            prediction: prediction.cloned(),
            ..self
        }
    }

    /// The report: a page around the fragment.
    #[must_use]
    pub fn page(&self) -> String {
        let words = self.words;
        render::page::document(
            &format!("{} — {}", words.name, words.title),
            markup! {
                header {
                    p.kind { "Scenario" }
                    h1 { code { (words.name) } }
                    p.title { (words.title) }
                }
                main {
                    section.panel.question aria-labelledby="question" {
                        h2 #question { "The question" }
                        p { (words.question.text) }
                        @if words.question.lettered().next().is_some() {
                            ul.choices { @for (letter, choice) in words.question.lettered() {
                                li { b { (letter) } " " (choice.text) }
                            } }
                        }
                    }
                    (self.fragment())
                }
            },
        )
    }

    /// The picture, the verdict, the lesson and the evidence.
    #[must_use]
    pub fn fragment(&self) -> Markup {
        let runs: Vec<_> = self.sides.iter().filter_map(|side| side.run).collect();
        markup! {
            (self.picture(&runs))
            @if let Some(why) = &self.why {
                div #learned .half {
                    section #verdict .panel.verdict aria-labelledby="verdict-title" tabindex="-1" {
                        (self.verdict(&runs))
                    }
                    (self.lesson(why, &runs))
                }
            }
            @if !self.sides.is_empty() { (counters::table(&self.sides)) }
            @if self.why.is_some() { @for run in &runs { (tables::wire(run, self.is_of_several())) } }
        }
    }

    /// A step of a presentation: the picture of so many sides, with what differs once the answer
    /// is revealed.
    #[must_use]
    pub fn presented(&self, revealed: Revealed) -> Markup {
        let shown = self.sides.get(..revealed.sides).unwrap_or(&self.sides);
        let difference = self.difference().filter(|_| revealed.answer);
        markup! {
            (self.pictures(shown, difference, false))
            (Self::legend_of(shown))
        }
    }

    /// The words of that step: the answer and the lesson, as far as they are revealed.
    #[must_use]
    pub fn said(&self, revealed: Revealed) -> Option<Markup> {
        let runs: Vec<_> = self.sides.iter().filter_map(|side| side.run).collect();
        let why = self.why.as_ref()?;
        let lesson = revealed.lesson.then_some(why);
        let is_answered = self.prediction.is_some() || answers(&runs).is_some();
        revealed.answer.then(|| markup! {
            div.said {
                @if is_answered { (self.answer(&runs)) } @else { p { "This run has no answer." } }
                @if let Some(lesson) = lesson { p { (lesson) } }
            }
        })
    }

    /// What the sides of a comparison differ in, once both have finished.
    fn difference(&self) -> Option<&'a Difference> {
        self.compared?.difference.as_ref()
    }

    fn is_of_several(&self) -> bool {
        self.sides.len() > 1
    }

    fn picture(&self, runs: &[&ScenarioRun]) -> Markup {
        let is_compared = self
            .compared
            .is_some_and(|compared| !compared.effects.is_empty());
        markup! {
            section #picture .panel.picture aria-labelledby="happened" {
                header {
                    h2 #happened {
                        @match &self.sides[..] {
                            [side] => (self.result(side)),
                            _ if is_compared && self.difference().is_some() => "What differs",
                            _ => "What happened",
                        }
                    }
                    span.aside.run {
                        @if self.is_of_several() { "one axis for both clients · " }
                        (self.pace.phrase()) " · seed " (self.seed)
                    }
                }
                (self.answer(runs))
                @if is_compared && self.difference().is_none() {
                    p { (NO_DIFFERENCE) }
                }
                @if let [side] = &self.sides[..] { p.terms { (side.terms.join(" · ")) } }
                (self.pictures(&self.sides, self.difference(), true))
                (Self::legend_of(&self.sides))
            }
        }
    }

    /// The waterfalls of these sides on one axis. In a comparison, the figure that differs stands
    /// beside each.
    fn pictures(
        &self,
        sides: &[ShownRun<'_>],
        difference: Option<&Difference>,
        has_terms: bool,
    ) -> Markup {
        let all: Vec<_> = self.sides.iter().map(|side| &side.timeline).collect();
        let (axis, layout) = (timeline::axis(&all), Layout::of_runs(&all));
        markup! {
            div.sides.versus[difference.is_some()] {
                @for (number, side) in sides.iter().enumerate() {
                    div.lane-of-run {
                        @if self.is_of_several() {
                            h3 { (side.client.heading()) ": " (self.result(side)) }
                            @if has_terms { p.terms { (self.own_terms(side).join(" · ")) } }
                        }
                        @let waterfall = Waterfall {
                            timeline: &side.timeline,
                            axis: &axis,
                            title: &format!("Waterfall of {}", side.client.title()),
                            prefix: &format!("row-{number}-"),
                            layout,
                            // The rows of a run that goes on stay where a reader may have opened
                            // them.
                            folds_repeated: self.is_of_several() && side.run.is_some(),
                        };
                        @let facts = RowFacts::of(side.run, &side.timeline, &self.service);
                        (waterfall.draw(|row| Some(facts.draw(row))))
                    }
                    @if let Some(stake) = difference.and_then(|difference| difference.stakes.get(number)) {
                        (comparison::stake(stake))
                    }
                }
            }
        }
    }

    fn legend_of(sides: &[ShownRun<'_>]) -> Markup {
        let timelines: Vec<_> = sides.iter().map(|side| &side.timeline).collect();
        legend(&timelines, Layout::of_runs(&timelines))
    }

    /// How a client of several works, where the others work otherwise. Its name is no term.
    fn own_terms<'t>(&self, side: &'t ShownRun<'_>) -> Vec<&'t str> {
        let title = side.client.title();
        let is_shared = |term: &str| {
            self.sides
                .iter()
                .all(|other| other.terms.iter().any(|known| known == term))
        };
        let terms = side.terms.iter().map(String::as_str);
        terms
            .filter(|term| !is_shared(term) && !title.ends_with(term))
            .collect()
    }

    /// The ending of a side, and how many expectations were not met, if any. The sign is that of
    /// the expectations: a failed call may be exactly what was expected, and one that succeeded
    /// may have done harm.
    fn result(&self, side: &ShownRun<'_>) -> Markup {
        let Some(run) = side.run else {
            let phrases = self.phrases(side);
            return markup! { span.result { @for (class, phrase) in phrases { span class=(class) { (phrase) } } } };
        };
        if run.is_cancelled() {
            return markup! { span.result { "⊘ " (run.ending()) } };
        }
        let (class, mark) = class_and_mark(Some(run.passed()));
        markup! {
            span class={ "result " (class) } {
                @if run.passed() {
                    span.sign aria-hidden="true" { (mark) }
                    (run.ending())
                } @else {
                    span.ending { (run.ending()) } " · "
                    span.sign aria-hidden="true" { (mark) }
                    (expectations_of(run))
                }
            }
        }
    }

    /// The same as phrases, each with its class. If one side of a comparison could not be run,
    /// the other may have finished.
    fn phrases(&self, side: &ShownRun<'_>) -> Vec<(&'static str, String)> {
        match (side.run, self.error) {
            (Some(run), _) => result_of(run),
            (None, Some(error)) => vec![("no", format!("✗ could not be run: {error}"))],
            (None, None) => vec![(
                "soft",
                format!("running · {:.1} s", side.timeline.now.as_secs_f64()),
            )],
        }
    }

    /// The answer to the question, and whether the prediction was right.
    fn answer(&self, runs: &[&ScenarioRun]) -> Markup {
        let first = runs.first().filter(|_| self.why.is_some());
        markup! {
            @match (first, &self.prediction) {
                (None, _) => {},
                (Some(run), Some(prediction)) => {
                    @let (class, mark) = class_and_mark(prediction.came_true(run));
                    p.answer {
                        b class=(class) { (mark) " Your prediction: " }
                        (prediction.verdict(runs)) "."
                    }
                },
                (Some(_), None) => @if let Some(answers) = answers(runs) {
                    p.answer { b { "The answer: " } (answers) }
                },
            }
        }
    }

    /// The effects and the expectations of a comparison, or the checks of each run.
    fn verdict(&self, runs: &[&ScenarioRun]) -> Markup {
        if let (Some(compared), [one, other]) = (self.compared, &self.sides[..]) {
            let names = [one.client.column(), other.client.column()];
            return markup! {
                h2 #verdict-title { "Measured and expected" }
                (comparison::effects(compared, names))
            };
        }
        markup! {
            header {
                h2 #verdict-title { "Expected" }
                @if let [run] = runs {
                    @let (held, number) = expectations(run);
                    @if number > 0 { span.aside { (held) " of " (number) } }
                }
            }
            @for run in runs { (self.checks(run)) }
        }
    }

    /// The checks of a run, and its ending in full.
    fn checks(&self, run: &ScenarioRun) -> Markup {
        markup! {
            @if self.is_of_several() { h3 { (run.client.heading()) } }
            @if run.is_cancelled() { p { (NOT_JUDGED) } }
            @if !run.verdict.is_empty() {
                ul.checks { @for check in &run.verdict { (self::check(check)) } }
                p.remark { "“wire” is the service's record, “client” the client's own." }
            }
            p.outcome { "On the wire, " (run.requests()) ". Outcome: " (run.outcome.text) "." }
        }
    }

    fn lesson(&self, why: &str, runs: &[&ScenarioRun]) -> Markup {
        let mut without = runs.iter().filter_map(|run| run.lesson.without.as_ref());
        markup! {
            section.panel.lesson aria-labelledby="lesson" {
                h2 #lesson { "Why it matters" }
                p { (why) }
                @if let Some(without) = without.next() { p { "Removed defence: " (without) } }
                h3 { "What it does not solve" }
                p { (self.words.unsolved) }
                @if let Some(next) = &self.next {
                    h3 { "Try next" }
                    @if self.next_link.is_some() || self.next_shows.is_some() {
                        p {
                            @if let Some(link) = &self.next_link { a.button href=(link) { "Try it" } " " }
                            (self.next_shows.unwrap_or_default())
                        }
                    }
                    p.terms { "In a terminal: " code { (self.lab) " " (next) } }
                }
            }
        }
    }

    /// The result in a line, for a screen reader.
    #[must_use]
    pub fn spoken(&self) -> String {
        let sides = self.sides.iter().map(|side| {
            let phrases = self.phrases(side).into_iter();
            let spoken = phrases.map(|(_, phrase)| {
                let words = phrase.trim_start_matches(['✓', '✗', '⊘', ' ']);
                words.to_owned()
            });
            let phrases = spoken.collect::<Vec<_>>().join(", ");
            if self.is_of_several() {
                format!("{}: {phrases}", side.client.title())
            } else {
                phrases
            }
        });
        sides.collect::<Vec<_>>().join("; ")
    }
}

fn check(check: &Check) -> Markup {
    let (class, mark) = class_and_mark(Some(check.held));
    markup! {
        li class=(class) {
            span.sign role="img" aria-label=(if check.held { "held" } else { "did not hold" }) { (mark) }
            span.source { (check.source) }
            span {
                (check.text)
                @if let Some(found) = check.contradiction() { " — " strong { (found) } }
            }
        }
    }
}

/// How many expectations held, and how many there are.
fn expectations(run: &ScenarioRun) -> (usize, usize) {
    let held = run.verdict.iter().filter(|check| check.held).count();
    (held, run.verdict.len())
}

/// How many expectations were not met or, if all were, how many there are.
fn expectations_of(run: &ScenarioRun) -> String {
    let (held, number) = expectations(run);
    if held == number {
        format!("{held} of {number} expectations met")
    } else {
        format!("{} of {number} expectations not met", number - held)
    }
}

/// How a run ended, its number of attempts, and its expectations. The ending is good only if all
/// of them were met.
fn result_of(run: &ScenarioRun) -> Vec<(&'static str, String)> {
    let (class, sign) = class_and_mark(Some(run.passed()));
    if run.is_cancelled() {
        return vec![("", format!("⊘ {}", run.ending()))];
    }
    vec![
        (if run.passed() { "ok" } else { "" }, run.ending()),
        ("", counted(run.counted(), "attempt")),
        (class, format!("{sign} {}", expectations_of(run))),
    ]
}
