//! The page of a scenario: its question, the form of a run, and the newest run or a chosen one.

use axum::response::Response;
use http::{HeaderMap, StatusCode};
use maud::{Markup, html};
use render::page::panel;
use scenario::{
    Answer, Client,
    catalogue::{CATALOGUE, Scenario},
};

use super::{
    super::record::{Record, State},
    course,
    form::{RunForm, ShownForm, guess, suggested},
    run_address,
    steps::Step,
};
use crate::web::{
    error_page::reads_pages,
    field_error::FieldError,
    modes::{Address, Modes},
    page::{Changes, Page, View},
    problem::Problem,
    shared::Shared,
    steps::{FORM, Links},
};

/// The page of a scenario, with a run of it if there is one.
pub(super) struct ScenarioPage<'a> {
    pub(super) shared: &'a Shared,
    pub(super) scenario: &'static Scenario,
    pub(super) modes: Modes,
    pub(super) form: RunForm,
    pub(super) errors: Vec<FieldError>,
    /// Why the run of the form was not started, if its fields are not the reason.
    pub(super) refused: Option<String>,
    pub(super) run: Option<Record>,
    /// Whether the address is that of the run.
    pub(super) is_of_run: bool,
    /// The step of a presentation that the address names, from 1.
    pub(super) step: Option<usize>,
    pub(super) status: StatusCode,
}

impl<'a> ScenarioPage<'a> {
    /// The page of a scenario that nobody has run.
    pub(super) fn new(shared: &'a Shared, scenario: &'static Scenario, modes: Modes) -> Self {
        Self {
            shared,
            scenario,
            modes,
            form: RunForm::default(),
            errors: Vec::new(),
            refused: None,
            run: None,
            is_of_run: false,
            step: None,
            status: StatusCode::OK,
        }
    }

    /// The same with the errors of its form, which an address may have.
    pub(super) fn checked(self) -> Self {
        match self.form.read(self.scenario) {
            Ok(_) => self,
            Err(errors) => Self {
                errors,
                status: StatusCode::UNPROCESSABLE_ENTITY,
                ..self
            },
        }
    }

    /// The page with errors for a browser, and a problem object else.
    pub(super) fn or_problem(
        self,
        headers: &HeaderMap,
        errors: Vec<FieldError>,
        problem: Problem,
    ) -> Result<Response, Problem> {
        if !reads_pages(headers) {
            return Err(problem);
        }
        let page = Self {
            status: problem.status,
            refused: errors.is_empty().then(|| problem.detail.into_owned()),
            errors,
            ..self
        };
        Ok(page.respond())
    }

    pub(super) fn respond(&self) -> Response {
        let is_error = !self.errors.is_empty() || self.refused.is_some();
        // An error is answered in the form, which a presentation does not have.
        let modes = if is_error {
            self.modes.left()
        } else {
            self.modes
        };
        let (main, steps) = if modes.present {
            self.presented()
        } else {
            (self.main(), None)
        };
        let page = Page {
            title: self.title(),
            address: Some(self.address()),
            changes: self.changes(is_error),
            side: Some(course::side(&self.shared.runs, Some(self.scenario), modes)),
            steps,
            status: self.status,
            ..Page::of(View::Course, main)
        };
        page.respond(modes)
    }

    /// The run, unless its ending is hidden until there is a guess.
    fn revealed(&self) -> Option<&Record> {
        let has_guess = self.is_of_run && self.guessed().is_some();
        self.run
            .as_ref()
            .filter(|_| !self.modes.predict || has_guess)
    }

    fn guessed(&self) -> Option<Answer> {
        self.form.guess(self.scenario).ok()?
    }

    /// The link to the same form with a field for a guess.
    fn guessing(&self) -> String {
        let modes = Modes {
            predict: true,
            ..self.modes
        };
        modes.link(self.form.address(self.scenario))
    }

    fn address(&self) -> Address {
        match &self.run {
            Some(run) if self.is_of_run => run_address(&run.id).with("guess", &*self.form.guess),
            _ => self.form.address(self.scenario),
        }
    }

    /// The title of the window, which a screen reader says first.
    fn title(&self) -> String {
        let name = self.scenario.name();
        let is_presented = self.modes.present && self.step.unwrap_or(1) < 2;
        match self.revealed().filter(|_| self.is_of_run && !is_presented) {
            Some(run) if run.is_over() => format!("{name}: {}", self.story(run).spoken()),
            Some(_) => format!("{name}, running"),
            None => name.to_owned(),
        }
    }

    fn changes(&self, is_error: bool) -> Changes {
        match &self.run {
            // The answer to a form is at the address of the form.
            _ if is_error => Changes::Never,
            Some(run) if !run.is_over() => Changes::InProgress,
            _ if !self.is_of_run => Changes::Possible,
            _ => Changes::Never,
        }
    }

    fn main(&self) -> Markup {
        let revealed = self.revealed();
        let asks = self.modes.predict && !self.is_of_run;
        html! {
            div.titled {
                h1 { (self.scenario.name()) }
                // A title may answer the question.
                @if !self.modes.predict || revealed.is_some_and(Record::is_over) {
                    p { (self.scenario.words.title) }
                }
                span.grow {}
                (self.place())
            }
            p.question {
                (self.scenario.words.question.text)
                @if !self.modes.predict && !self.is_of_run { " " a href=(self.guessing()) { "Predict first" } }
            }
            @if revealed.is_none_or(|run| self.form.differs(&run.request)) { (premises(&self.premises())) }
            @if let Some(why) = &self.refused {
                p.wrong role="alert" { b { "✗ Not run. " } (why) }
            }
            @if self.run.is_some() && self.is_of_run && revealed.is_none() {
                (self.guess_of_run())
            } @else {
                (ShownForm {
                    scenario: self.scenario,
                    form: &self.form,
                    errors: &self.errors,
                    modes: self.modes,
                    run: revealed,
                    asks,
                }.draw())
            }
            @match (revealed, &self.run) {
                (Some(run), _) => (self.shown_run(run)),
                (None, Some(run)) if !self.is_of_run => p.soft {
                    "Its newest run is hidden until you guess. "
                    a href=(self.modes.link(run_address(&run.id))) { "Guess about that run" }
                },
                (None, Some(_)) => {},
                (None, None) => {
                    p.soft {
                        "Not run since the lab started. Press " b { "Run" } span.for-keys { ", or the key " kbd { "r" } } "."
                    }
                    (self.choices())
                },
            }
        }
    }

    /// The place in the course, with links to the scenarios before and after.
    fn place(&self) -> Markup {
        let is_this = |known: &Scenario| known.name() == self.scenario.name();
        let mut course = CATALOGUE.iter();
        let at = course.position(is_this).unwrap_or(0);
        let before = at.checked_sub(1).and_then(|before| CATALOGUE.get(before));
        let after = CATALOGUE.get(at + 1);
        let chapter = self.scenario.chapter;
        let number = chapter
            .scenarios()
            .take_while(|known| !is_this(known))
            .count()
            + 1;
        let links = [(before, "Previous", "‹", "b"), (after, "Next", "›", "n")];
        html! {
            span.small.soft {
                (chapter.title()) ", " (number) " of " (chapter.scenarios().count()) " "
                @for (scenario, word, sign, key) in links {
                    @if let Some(scenario) = scenario {
                        a.button href=(self.modes.link(format!("/scenarios/{}", scenario.name())))
                            aria-label={ (word) ": " (scenario.name()) } aria-keyshortcuts=(key) { (sign) }
                        " "
                    }
                }
            }
        }
    }

    /// The clients of the run, or of the form; those of a plain run if the form has errors.
    fn premises(&self) -> Vec<(Client, Vec<String>)> {
        match &self.run {
            Some(run) if self.is_of_run => run.premises(),
            _ => {
                let form = self.form.read(self.scenario);
                let plain = || RunForm::default().read(self.scenario);
                let request = form.or_else(|_| plain());
                request.map_or_else(|_| Vec::new(), |request| request.premises())
            }
        }
    }

    /// What the choices of the form mean.
    fn choices(&self) -> Markup {
        let request = self.form.clone().compared().read(self.scenario);
        let clients = request.map_or_else(|_| Vec::new(), |request| request.premises());
        let own = |terms: &[String]| {
            let is_shared = |term: &&String| clients.iter().all(|(_, terms)| terms.contains(term));
            let own = terms.iter().filter(|term| !is_shared(term));
            own.map(String::as_str).collect::<Vec<_>>().join(" · ")
        };
        let choices = html! {
            dl.choices {
                @for ((_, terms), name) in clients.iter().zip(["Reliable", "Naive"]) {
                    div { dt { (name) } dd { (own(terms)) } }
                }
                div { dt { "Compare" } dd { "Both, with the same faults, on one axis of time." } }
                div { dt { "Virtual time" } dd { "Each wait is computed and not waited for, so the result is there at once." } }
            }
        };
        panel("choices", "What you can choose", "", &choices)
    }

    /// The form that guesses about a run that is there.
    fn guess_of_run(&self) -> Markup {
        let Some(run) = &self.run else {
            return html! {};
        };
        let without_guess = Modes {
            predict: false,
            ..self.modes
        };
        html! {
            form #form method="get" action={ "/runs/" (run.id) } autocomplete="off" {
                (self.modes.hidden())
                @if self.modes.present { input type="hidden" name="step" value="2"; }
                (guess(self.scenario, &self.form.guess, &self.errors, self.modes.present, true))
                @if self.scenario.words.question.lettered().next().is_none() {
                    // In a presentation it stands for the link to the next step.
                    button.primary type="submit" aria-keyshortcuts=[self.modes.present.then_some("ArrowRight")] { "Guess" }
                }
            }
            p.soft {
                @if run.is_over() { "The run is over, and its ending is hidden. " } @else { "The run goes on, and is hidden. " }
                a href=(without_guess.link(run_address(&run.id))) { "Show it without a guess" }
            }
        }
    }

    /// A run with everything that is known of it.
    fn shown_run(&self, run: &Record) -> Markup {
        let id = &run.id;
        let story = self.story(run);
        let seed = RunForm::again(&run.request).with_seed(run.request.seed);
        html! {
            div #run-shown .stack tabindex="-1" aria-keyshortcuts="w" {
                p #announce .unseen role="status" { (self.scenario.name()) ": " (story.spoken()) }
                @if run.state == State::Running {
                    form #cancel .actions method="post" action={ "/runs/" (id) "/cancel" } {
                        (self.modes.hidden())
                        @if !self.form.guess.is_empty() { input type="hidden" name="guess" value=(self.form.guess); }
                        button type="submit" aria-keyshortcuts="x" { "Cancel" }
                        span.soft { "The run goes on." }
                    }
                    @if self.shared.client.judges_waits() {
                        p.soft { "Your client is graded at the same time, so waits of this run may end late." }
                    }
                }
                (story.fragment())
                p #run-actions .actions.small {
                    span.soft {
                        "Run " @if self.is_of_run { code { (id) } } @else {
                            a href=(self.modes.link(run_address(id))) { code { (id) } }
                        }
                    }
                    @if run.is_over() {
                        a href=(self.modes.link(seed.address(self.scenario))) { "Keep this seed" }
                        a href={ "/api/runs/" (id) "/report" } download { "Download the report" }
                        a href={ "/api/runs/" (id) } { "as JSON" }
                        a href={ "/api/runs/" (id) "/text" } { "as text" }
                    }
                }
            }
        }
    }

    /// The story of a run, with a link to the run that it suggests.
    fn story<'r>(&self, run: &'r Record) -> scenario::Story<'r> {
        let guess = self.guessed().filter(|_| self.is_of_run);
        let mut story = run.story(guess, &self.shared.service);
        let suggested = story.next.as_deref().and_then(suggested);
        story.next_link = suggested.map(|address| self.modes.link(address));
        story
    }

    /// A step of the presentation, and the links to the others.
    fn presented(&self) -> (Markup, Option<Markup>) {
        let is_compared = match &self.run {
            Some(run) if self.is_of_run => run.sides.len() > 1,
            _ => self
                .form
                .read(self.scenario)
                .is_ok_and(|request| request.clients().len() > 1),
        };
        let steps = Step::all(is_compared);
        let number = if self.is_of_run {
            self.step.unwrap_or(1).clamp(1, steps.len())
        } else {
            1
        };
        let step = steps.get(number - 1).copied().unwrap_or(Step::Question);
        let revealed = self
            .revealed()
            .filter(|_| self.is_of_run)
            .zip(step.revealed());
        let words = &self.scenario.words;
        let shows_title = revealed.is_some_and(|(run, revealed)| run.is_over() && revealed.answer);
        let main = html! {
            h1 {
                (self.scenario.name())
                // A title may answer the question.
                @if shows_title { ": " (words.title) }
            }
            // Two runs and a lesson fill the screen; the answer repeats what was asked.
            @if step != Step::Lesson(2) || revealed.is_none() { p.question { (words.question.text) } }
            @match revealed {
                Some((run, revealed)) => div.stack {
                    p #announce .unseen role="status" { @if run.is_over() { "The run is over." } @else { "The run goes on." } }
                    (self.story(run).presented(revealed))
                },
                None => (self.presented_question()),
            }
        };
        let said = revealed.and_then(|(run, revealed)| self.story(run).said(revealed));
        let links = Links {
            said: said.unwrap_or_default(),
            modes: self.modes,
            number,
            of: steps.len(),
            result: self
                .run
                .as_ref()
                .filter(|_| self.is_of_run)
                .map(|run| run_address(&run.id).with("guess", &*self.form.guess)),
            question: self.form.address(self.scenario),
            waits_for_guess: self.modes.predict && self.is_of_run && self.revealed().is_none(),
        };
        (main, Some(links.draw()))
    }

    /// The question with its premises, and the form that the button *Run* of the steps sends.
    fn presented_question(&self) -> Markup {
        let is_asked = self.modes.predict;
        html! {
            (premises(&self.premises()))
            @if self.is_of_run {
                @if is_asked && self.revealed().is_none() { (self.guess_of_run()) }
            } @else {
                form id=(FORM) method="post" action="/runs" autocomplete="off" {
                    input type="hidden" name="scenario" value=(self.scenario.name());
                    (self.modes.hidden())
                    (self.form.hidden())
                    @if is_asked { (guess(self.scenario, &self.form.guess, &self.errors, self.modes.present, false)) }
                }
            }
        }
    }
}

/// How each client works, and its limits. Of two clients the first is the one whose run is
/// predicted.
fn premises(sides: &[(Client, Vec<String>)]) -> Markup {
    let is_of_several = sides.len() > 1;
    html! {
        @for (number, (client, terms)) in sides.iter().enumerate() {
            @if is_of_several {
                p.soft { @if number == 0 { "Predict the run of " (client.title()) ":" } @else { (client.heading()) ":" } }
            }
            ul.premises aria-label={ "Premises of " (client.title()) } {
                @for term in terms { li { (term) } }
            }
        }
    }
}
