//! The page of a storm: its question, the form of its settings, its rows and its lesson.

use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use storm::{Plan, STORIES, Shown, StormPicture, Story, terms};

use super::{
    form::{StormForm, StormRequest, no_guess},
    record::Phase,
    routes::address,
};
use crate::{
    invocation::lab,
    web::{
        field_error::FieldError,
        fields::Fields,
        modes::{Address, Modes},
        page::{Changes, Page, View},
        steps,
    },
};

/// The id of the form of the page.
const FORM: &str = "plan";

/// The name of the step of a presentation.
const STEP: &str = "step";

/// The page of a storm.
pub(super) struct StormPage {
    pub(super) story: &'static Story,
    pub(super) form: StormForm,
    pub(super) errors: Vec<FieldError>,
    /// Why the storm was not started, if its fields are not the reason.
    pub(super) refused: Option<String>,
    /// What the form describes; none if it has errors.
    pub(super) request: Option<StormRequest>,
    /// What is known of the storm, if it is kept and shown.
    pub(super) known: Option<(Phase, StormPicture)>,
    pub(super) modes: Modes,
    /// The step of a presentation that the address names, from 1.
    pub(super) step: Option<usize>,
    pub(super) status: StatusCode,
}

/// A step of a presentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The question, with empty charts.
    Question,
    /// The charts of so many rows, without a word.
    Rows(usize),
    /// The words.
    Words,
    /// The lesson.
    Lesson,
}

impl StormPage {
    /// The page of a storm that nobody has asked for yet.
    pub(super) fn new(story: &'static Story, fields: &Fields) -> Self {
        Self {
            story,
            form: StormForm::of(fields),
            errors: Vec::new(),
            refused: None,
            request: None,
            known: None,
            modes: Modes::of(fields),
            step: fields.get(STEP).and_then(|step| step.parse().ok()),
            status: StatusCode::OK,
        }
    }

    /// The link to it, with everything that is chosen on it.
    pub(super) fn link(&self) -> String {
        let step = self.step.filter(|_| self.modes.present);
        let step = step.map(|step| step.to_string()).unwrap_or_default();
        self.modes.link(self.address().with(STEP, step))
    }

    fn address(&self) -> Address {
        self.form.address_with_guess(self.story)
    }

    /// The plan of the storm, if the page shows something of it.
    pub(super) fn shown_plan(&self) -> Option<&Plan> {
        let request = self.request.as_ref()?;
        let is_question = self.modes.present && self.shown_step(request) == Step::Question;
        (!is_question && !self.is_hidden()).then_some(&request.plan)
    }

    /// Whether the storm is hidden until there is a guess.
    fn is_hidden(&self) -> bool {
        let guess = self
            .request
            .as_ref()
            .and_then(|request| request.guess.as_ref());
        self.modes.predict && guess.is_none()
    }

    fn guess(&self) -> &[bool] {
        let guess = self
            .request
            .as_ref()
            .and_then(|request| request.guess.as_ref());
        guess.map_or(&[], Vec::as_slice)
    }

    pub(super) fn respond(&self) -> Response {
        let is_error = !self.errors.is_empty() || self.refused.is_some();
        // An error is answered in the form, which a presentation does not have.
        let modes = if is_error {
            self.modes.left()
        } else {
            self.modes
        };
        let (main, steps) = match &self.request {
            Some(request) if modes.present => self.presented(request),
            _ => (self.main(), None),
        };
        let changes = match &self.known {
            Some((phase, _)) if !phase.is_over() => Changes::InProgress,
            _ => Changes::Never,
        };
        let page = Page {
            title: format!("Storm: {}", self.story.name),
            address: Some(self.address()),
            changes,
            side: Some(self.stories(modes)),
            steps,
            status: self.status,
            ..Page::of(View::Storm, main)
        };
        page.respond(modes)
    }

    /// The stories beside the main part.
    fn stories(&self, modes: Modes) -> Markup {
        html! {
            nav #side .side.stories tabindex="-1" aria-label="Stories" aria-keyshortcuts="s" {
                h2 { "Stories" }
                ol {
                    @for story in STORIES {
                        li {
                            a href=(modes.link(address(story)))
                                aria-current=[(story.name == self.story.name).then_some("true")] {
                                (story.name) span { (story.brief) }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The plan of the form, or that of the story if the form has errors.
    fn plan(&self) -> Plan {
        let request = self.request.as_ref();
        request.map_or_else(|| Plan::of(self.story), |request| request.plan.clone())
    }

    /// What is known of the storm.
    fn picture(&self) -> StormPicture {
        match &self.known {
            Some((_, picture)) => picture.clone(),
            None => StormPicture::begun(self.plan()),
        }
    }

    fn main(&self) -> Markup {
        let picture = self.picture();
        let plan = picture.plan();
        let shown = match &self.known {
            Some(_) => Shown::Results(self.guess()),
            None if self.is_hidden() && plan.has_guess() => Shown::Asked { form: FORM },
            None => Shown::Question,
        };
        html! {
            div.titled {
                h1 { "Storm: " (self.story.name) }
                p { (terms(plan)) }
            }
            @if !self.errors.is_empty() {
                div.wrong role="alert" {
                    p { b { "✗ Not run. " } @for error in &self.errors { (error.sentence()) " " } }
                }
            }
            @if let Some(why) = &self.refused {
                p.wrong role="alert" { b { "✗ Not run. " } (why) "." }
            }
            (self.drawn_form(plan))
            (self.state())
            (picture.draw(shown))
            @match &self.known {
                Some(_) => {
                    (self.judged(&picture))
                    (picture.learnt())
                    (self.more(&picture))
                }
                None => (self.nothing_yet(plan)),
            }
        }
    }

    /// The question, with the button that goes on, and the settings.
    fn drawn_form(&self, plan: &Plan) -> Markup {
        let another = self
            .form
            .with_seed(plan.seed.wrapping_add(1))
            .address(self.story);
        html! {
            div.asked {
                p.question { (plan.question()) }
                form #(FORM) method="get" action={ "/storm/" (self.story.name) } autocomplete="off" {
                    (self.modes.hidden())
                    @match &self.known {
                        None => {
                            @if self.is_hidden() && !plan.has_guess() { (no_guess()) }
                            button.primary type="submit" aria-keyshortcuts="r" { "▶ Run" }
                        }
                        Some((Phase::Over, _)) => {
                            a.button.primary href=(self.modes.link(another)) aria-keyshortcuts="r" { "Another seed" }
                        }
                        Some(_) => {}
                    }
                    (self.form.settings(self.story, &self.errors, self.modes))
                }
            }
        }
    }

    /// How far a storm is that is not over, with the button that ends it or starts it again.
    fn state(&self) -> Markup {
        let Some((phase, picture)) = &self.known else {
            return Markup::default();
        };
        let goes_on = "/cancel";
        let (path, button, key, words) = match phase {
            Phase::Over => {
                return html! {
                    p #announce .unseen role="status" { "The storm is over: " (picture.result()) }
                };
            }
            Phase::Waiting => {
                let words = "Two storms are simulated already: this one waits for its turn.";
                (goes_on, "Cancel", "x", words.to_owned())
            }
            Phase::Running => (goes_on, "Cancel", "x", "The storm goes on.".to_owned()),
            Phase::Cancelled => ("", "Run again", "r", "The storm was cancelled.".to_owned()),
            Phase::Failed(why) => ("", "Run again", "r", format!("The storm failed: {why}.")),
        };
        html! {
            form #state .actions method="post" action={ "/storm/" (self.story.name) (path) } {
                (self.modes.hidden())
                (self.form.hidden_with_guess())
                @if let Some(step) = self.step { input type="hidden" name=(STEP) value=(step); }
                button type="submit" aria-keyshortcuts=(key) { (button) }
                span #announce .soft role="status" { (words) }
            }
        }
    }

    /// What to do while there is no storm to show.
    fn nothing_yet(&self, plan: &Plan) -> Markup {
        html! {
            p.soft {
                "All rows get the same calls. A retry is one more request, and the " (plan.limit_kind())
                " counts requests. "
                (self.without_guess())
            }
        }
    }

    /// The link to the same storm without a guess, if the page asks for one.
    fn without_guess(&self) -> Markup {
        let modes = Modes {
            predict: false,
            ..self.modes
        };
        html! {
            @if self.is_hidden() { a href=(modes.link(self.form.address(self.story))) { "Without a guess" } }
        }
    }

    /// How many guesses came true.
    fn judged(&self, picture: &StormPicture) -> Markup {
        let (right, judged) = picture.right_guesses(self.guess());
        html! {
            @if judged > 0 { p.said { b { "Your guess: " } (right) " of " (judged) " right." } }
        }
    }

    /// More figures, and the command of the same storm.
    fn more(&self, picture: &StormPicture) -> Markup {
        let plan = picture.plan();
        let scenario = self.story.scenario;
        let link = self.modes.link(format!("/scenarios/{scenario}"));
        let command = format!("{} {}", lab(), plan.command());
        html! {
            @if plan.lesson().is_none() && picture.has_every_run() {
                p.soft {
                    "Another seed may give other results. To count those of 20 seeds: "
                    code { (command) " --seeds 20" } " "
                    button.copy type="button" { "Copy" }
                }
            }
            details #more .fold {
                summary { "More figures, what the model leaves out, and the source" }
                (picture.more(&html! { a href=(link) { (scenario) } }))
                p { "The same in a terminal: " code { (command) } " " button.copy type="button" { "Copy" } }
            }
        }
    }

    /// The steps of a presentation of this plan.
    fn all_steps(plan: &Plan) -> Vec<Step> {
        let rows = (1..=plan.policies.len()).map(Step::Rows);
        let steps = [Step::Question]
            .into_iter()
            .chain(rows)
            .chain([Step::Words]);
        let lesson = plan.lesson().map(|_| Step::Lesson);
        steps.chain(lesson).collect()
    }

    /// The step that is shown: the question, until there is a guess.
    fn shown_step(&self, request: &StormRequest) -> Step {
        let steps = Self::all_steps(&request.plan);
        let number = self.step.unwrap_or(1).clamp(1, steps.len());
        let step = steps.get(number - 1).copied();
        step.filter(|_| !self.is_hidden()).unwrap_or(Step::Question)
    }

    /// A step of the presentation, and the links to the others.
    fn presented(&self, request: &StormRequest) -> (Markup, Option<Markup>) {
        let plan = &request.plan;
        let step = self.shown_step(request);
        let steps = Self::all_steps(plan);
        let number = steps.iter().position(|known| *known == step).unwrap_or(0) + 1;
        let picture = self.picture();
        let shown = match step {
            Step::Question if self.is_hidden() && plan.has_guess() => {
                Shown::Asked { form: steps::FORM }
            }
            Step::Question => Shown::Question,
            Step::Rows(rows) => Shown::Rows(rows),
            Step::Words | Step::Lesson => Shown::Words(self.guess()),
        };
        let main = html! {
            div.titled {
                h1 { "Storm: " (self.story.name) }
                p.question { (plan.question()) }
            }
            @if step != Step::Question { (self.state_presented()) }
            (picture.draw(shown))
            @if self.known.is_none() {
                (self.presented_form(plan))
                p.soft { (self.without_guess()) }
            }
        };
        let said = html! {
            @if step == Step::Words { (self.judged(&picture)) }
            @if step == Step::Lesson { (picture.learnt()) }
        };
        let another = self
            .form
            .with_seed(plan.seed.wrapping_add(1))
            .address(self.story);
        let links = steps::Links {
            said,
            modes: self.modes,
            number,
            of: steps.len(),
            result: self.known.as_ref().map(|_| self.address()),
            question: another,
            waits_for_guess: false,
        };
        (main, Some(links.draw()))
    }

    /// The form that the button *Run* of the steps sends.
    fn presented_form(&self, plan: &Plan) -> Markup {
        html! {
            form #(steps::FORM) method="get" action={ "/storm/" (self.story.name) } autocomplete="off" {
                (self.form.hidden_with_guess())
                @if self.is_hidden() && !plan.has_guess() { (no_guess()) }
                input type="hidden" name=(STEP) value=(self.step.unwrap_or(1).max(2));
                (self.modes.hidden())
            }
        }
    }

    fn state_presented(&self) -> Markup {
        match &self.known {
            Some((Phase::Over, _)) => Markup::default(),
            _ => self.state(),
        }
    }
}
