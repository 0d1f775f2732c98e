//! The form of a storm, as a person typed it: in an address, or on the page.

use clap::ValueEnum;
use maud::{Markup, html};
use scenario::number;
use storm::{
    Backoff, GUESS, Incident, MOST_POLICIES, Plan, PolicyOptions, RECOVERS, STAYS_DOWN, STORIES,
    Settings, SettingsOptions, Setup, Story,
};

use crate::web::{
    field_error::{FieldError, is_wrong, why},
    fields::Fields,
    modes::{Address, Modes},
};

/// The guess about a storm of which there is nothing to guess.
const NOTHING: &str = "none";

/// The settings that a form can change.
#[derive(Clone, Debug, Default)]
struct Options {
    settings: SettingsOptions,
    own: PolicyOptions,
}

/// A number of the form. An empty field stands for the usual value.
struct Number {
    name: &'static str,
    label: &'static str,
    set: fn(&mut Options, f64),
    usual: fn(&Settings) -> f64,
    /// The incident that it belongs to.
    incident: Option<Incident>,
}

const fn number(
    name: &'static str,
    label: &'static str,
    set: fn(&mut Options, f64),
    usual: fn(&Settings) -> f64,
) -> Number {
    Number {
        name,
        label,
        set,
        usual,
        incident: None,
    }
}

const fn of_incident(incident: Incident, number: Number) -> Number {
    Number {
        incident: Some(incident),
        ..number
    }
}

/// The numbers of all policies of a storm.
const SETTINGS: [Number; 7] = [
    number(
        "calls_per_second",
        "Calls/s",
        |options, value| options.settings.calls_per_second = Some(value),
        |usual| usual.calls_per_second,
    ),
    number(
        "workers",
        "Workers",
        |options, value| options.settings.workers = Some(value),
        |usual| usual.workers.into(),
    ),
    number(
        "queue",
        "Queue",
        |options, value| options.settings.queue = Some(value),
        |usual| usual.queue.into(),
    ),
    number(
        "incident_lasts",
        "Incident lasts, s",
        |options, value| options.settings.incident_lasts_seconds = Some(value),
        |usual| usual.incident_lasts.as_secs_f64(),
    ),
    of_incident(
        Incident::Spike,
        number(
            "spike",
            "Spike ×",
            |options, value| options.settings.spike = Some(value),
            |usual| usual.spike,
        ),
    ),
    of_incident(
        Incident::Refusal,
        number(
            "refused",
            "Share of 503s",
            |options, value| options.settings.refused = Some(value),
            |usual| usual.refused,
        ),
    ),
    number(
        "length",
        "Storm lasts, s",
        |options, value| options.settings.length_seconds = Some(value),
        |usual| usual.length.as_secs_f64(),
    ),
];

/// The numbers of a policy of one's own.
const OWN: [Number; 6] = [
    number(
        "attempts",
        "Attempts",
        |options, value| options.own.attempts = Some(value),
        |_| Setup::DEFAULT.attempts.into(),
    ),
    number(
        "base",
        "First wait, s",
        |options, value| options.own.base_seconds = Some(value),
        |_| Setup::DEFAULT.base.as_secs_f64(),
    ),
    number(
        "budget",
        "Tokens of a budget",
        |options, value| options.own.budget = Some(value),
        |_| Setup::DEFAULT.budget.into(),
    ),
    number(
        "concurrency",
        "In flight at most",
        |options, value| options.own.concurrency = Some(value),
        |_| Setup::DEFAULT.concurrency.into(),
    ),
    number(
        "deadline",
        "Deadline, s",
        |options, value| options.own.deadline_seconds = Some(value),
        |_| Setup::DEFAULT.deadline.as_secs_f64(),
    ),
    number(
        "spread",
        "Added to Retry-After, s",
        |options, value| options.own.spread_seconds = Some(value),
        |_| Setup::DEFAULT.spread.as_secs_f64(),
    ),
];

/// The names of the other fields, in their order in an address.
const SEED: &str = "seed";
const INCIDENT: &str = "incident";
const BACKOFF: &str = "backoff";

/// The form of a storm as typed: each field may hold any text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct StormForm {
    /// The texts that are not empty, by their names.
    texts: Vec<(&'static str, String)>,
    /// A guess for each row, such as `ok-down-down-ok`.
    guess: String,
    /// Whether the guess was chosen on the page, row by row.
    is_chosen: bool,
}

/// A storm to show.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StormRequest {
    pub(super) plan: Plan,
    /// For each row whether the service recovers; empty if there is nothing to guess. None
    /// without a guess.
    pub(super) guess: Option<Vec<bool>>,
}

impl StormForm {
    /// The form in an address or in the body of a request. A browser sends the guess of each row
    /// as a field of its own.
    pub(super) fn of(fields: &Fields) -> Self {
        let names = [SEED].into_iter().chain(names());
        let texts = names.filter_map(|name| {
            let text = fields.get(name)?.trim();
            (!text.is_empty()).then(|| (name, text.to_owned()))
        });
        let rows = (1..=MOST_POLICIES).map_while(|row| fields.get(&format!("{GUESS}{row}")));
        let rows: Vec<_> = rows.collect();
        let guess = fields.get(GUESS).unwrap_or_default().trim().to_owned();
        Self {
            texts: texts.collect(),
            is_chosen: !rows.is_empty(),
            guess: if rows.is_empty() {
                guess
            } else {
                rows.join("-")
            },
        }
    }

    /// The address of a storm without a guess. It has no empty fields.
    pub(super) fn address(&self, story: &Story) -> Address {
        let texts = self.texts.iter();
        texts.fold(
            Address::new(format!("/storm/{}", story.name)),
            |address, (name, text)| address.with(name, text),
        )
    }

    /// The same with the guess.
    pub(super) fn address_with_guess(&self, story: &Story) -> Address {
        self.address(story).with(GUESS, &*self.guess)
    }

    pub(super) fn without_guess(self) -> Self {
        Self {
            guess: String::new(),
            ..self
        }
    }

    /// The same storm with another seed, and without a guess.
    pub(super) fn with_seed(&self, seed: u64) -> Self {
        let others = self.texts.iter().filter(|(name, _)| *name != SEED);
        Self {
            texts: [(SEED, seed.to_string())]
                .into_iter()
                .chain(others.cloned())
                .collect(),
            ..Self::default()
        }
    }

    /// What was typed into a field.
    fn text(&self, name: &str) -> &str {
        let typed = self.texts.iter().find(|(known, _)| *known == name);
        typed.map_or("", |(_, text)| text)
    }

    /// The storm that the form describes.
    pub(super) fn read(&self, story: &'static Story) -> Result<StormRequest, Vec<FieldError>> {
        let mut errors = Vec::new();
        let mut options = Options::default();
        let incident = self.choice::<Incident>(INCIDENT, "Incident", &mut errors);
        options.settings.incident = incident;
        options.own.backoff = self.choice::<Backoff>(BACKOFF, "Backoff", &mut errors);
        for number in SETTINGS.iter().chain(&OWN) {
            let typed = self.text(number.name);
            if typed.is_empty() {
                continue;
            }
            // A text that is no number breaks the same rule as a number outside the bounds.
            let value = typed.parse().unwrap_or(f64::NAN);
            (number.set)(&mut options, value);
            let mut alone = Options::default();
            alone.settings.incident = incident;
            (number.set)(&mut alone, value);
            let applied = alone.settings.apply(&mut story.settings.clone());
            if let Err(error) = applied.and_then(|()| alone.own.policy()) {
                errors.push(FieldError::new(
                    number.name,
                    number.label,
                    error.rule(),
                    typed,
                ));
            }
        }
        let mut plan = Plan::of(story);
        match self.text(SEED) {
            "" => {}
            typed => match number::any(typed) {
                Ok(seed) => plan.seed = seed,
                Err(error) => {
                    errors.push(FieldError::new(SEED, "Seed", error.to_string(), typed));
                }
            },
        }
        if errors.is_empty() {
            errors.extend(Self::complete(&mut plan, &options));
        }
        let guess = self.read_guess(&plan);
        match guess {
            Ok(guess) if errors.is_empty() => Ok(StormRequest { plan, guess }),
            Ok(_) => Err(errors),
            Err(error) => {
                errors.push(error);
                Err(errors)
            }
        }
    }

    /// Applies the options to a plan, and checks that they go together.
    fn complete(plan: &mut Plan, options: &Options) -> Option<FieldError> {
        let not_together = |rule: String| FieldError::new("length", "Storm lasts, s", rule, "");
        if let Err(error) = options.settings.apply(&mut plan.settings) {
            return Some(not_together(error.to_string()));
        }
        if !options.own.is_empty() {
            match options.own.policy() {
                Ok(policy) => plan.policies.push(policy),
                Err(error) => return Some(not_together(error.to_string())),
            }
        }
        plan.check()
            .err()
            .map(|error| not_together(error.to_string()))
    }

    /// The guess for each row; none if there is none. Neither is one that was chosen beside settings
    /// that change the rows, so that the page asks again.
    fn read_guess(&self, plan: &Plan) -> Result<Option<Vec<bool>>, FieldError> {
        if self.guess.is_empty() {
            return Ok(None);
        }
        if !plan.has_guess() {
            return Ok(Some(Vec::new()));
        }
        if self.guess == NOTHING {
            return Ok(None);
        }
        let guesses = self.guess.split('-').map(|guess| match guess {
            RECOVERS => Some(true),
            STAYS_DOWN => Some(false),
            _ => None,
        });
        let rows = plan.policies.len();
        let guesses: Option<Vec<_>> = guesses.collect();
        match guesses {
            Some(guesses) if guesses.len() == rows => Ok(Some(guesses)),
            Some(_) if self.is_chosen => Ok(None),
            _ => {
                let rule =
                    format!("it must be {RECOVERS} or {STAYS_DOWN} for each of the {rows} rows");
                Err(FieldError::new(GUESS, "Your guess", rule, &self.guess))
            }
        }
    }

    fn choice<T: ValueEnum>(
        &self,
        name: &'static str,
        label: &'static str,
        errors: &mut Vec<FieldError>,
    ) -> Option<T> {
        let typed = self.text(name);
        if typed.is_empty() {
            return None;
        }
        let known = T::from_str(typed, false).ok();
        if known.is_none() {
            let words: Vec<_> = T::value_variants().iter().map(word).collect();
            let words = words.iter().map(String::as_str);
            errors.push(FieldError::choice(name, label, words, typed));
        }
        known
    }

    /// The fields as hidden ones. A form that is sent with them describes the same storm.
    pub(super) fn hidden(&self) -> Markup {
        html! {
            @for (name, text) in &self.texts { input type="hidden" name=(name) value=(text); }
        }
    }

    /// The same with the guess.
    pub(super) fn hidden_with_guess(&self) -> Markup {
        html! {
            (self.hidden())
            @if !self.guess.is_empty() { input type="hidden" name=(GUESS) value=(self.guess); }
        }
    }

    /// The settings, folded unless one of them is wrong.
    pub(super) fn settings(&self, story: &Story, errors: &[FieldError], modes: Modes) -> Markup {
        let changed = self.texts.iter().filter(|(name, _)| *name != SEED).count();
        html! {
            details #settings .fold open[!errors.is_empty()] {
                summary { "Settings" @if changed > 0 { " · " (changed) " changed" } }
                fieldset.fields {
                    legend.unseen { "For all policies" }
                    (self.field(SEED, "Seed", "1", None, errors))
                    (self.select(INCIDENT, "Incident", Some(story.settings.incident), errors))
                    (self.numbers(&SETTINGS, story, errors))
                }
                fieldset.fields {
                    legend { "Your own policy, as one more row:" }
                    (self.numbers(&OWN, story, errors))
                    (self.select::<Backoff>(BACKOFF, "Wait", Some(Setup::DEFAULT.backoff), errors))
                    button type="submit" { "Run these settings" }
                    @if changed > 0 { a href=(modes.link(Self::default().address(story))) { "The story's own" } }
                }
            }
        }
    }

    fn numbers(&self, numbers: &[Number], story: &Story, errors: &[FieldError]) -> Markup {
        html! {
            @for number in numbers {
                @let usual = (number.usual)(&story.settings).to_string();
                (self.field(number.name, number.label, &usual, number.incident, errors))
            }
        }
    }

    /// A field for a number. One that belongs to another incident is hidden while it is empty.
    fn field(
        &self,
        name: &'static str,
        label: &str,
        usual: &str,
        incident: Option<Incident>,
        errors: &[FieldError],
    ) -> Markup {
        let of = incident.map(|incident| format!("of-{}", word(&incident)));
        html! {
            label class={ "field" @if let Some(of) = of { " " (of) } } {
                (label) " "
                input name=(name) inputmode="decimal" value=(self.text(name)) placeholder=(usual)
                    aria-invalid=[is_wrong(errors, name)];
            }
            (why(errors, name))
        }
    }

    fn select<T: ValueEnum + PartialEq>(
        &self,
        name: &'static str,
        label: &str,
        usual: Option<T>,
        errors: &[FieldError],
    ) -> Markup {
        let typed = self.text(name);
        let usual = usual.as_ref().map(word).unwrap_or_default();
        let words: Vec<_> = T::value_variants().iter().map(word).collect();
        let is_known = typed.is_empty() || words.iter().any(|word| word == typed);
        html! {
            label.field {
                (label) " "
                select name=(name) aria-invalid=[is_wrong(errors, name)] {
                    // What was typed into the address stays in the form.
                    @if !is_known { option value=(typed) selected { (typed) } }
                    @for word in &words {
                        @if *word == usual {
                            option value="" data-word=(word) selected[typed.is_empty() || word == typed] { (word) }
                        } @else {
                            option value=(word) data-word=(word) selected[word == typed] { (word) }
                        }
                    }
                }
            }
            (why(errors, name))
        }
    }
}

/// The page of the first story with a policy of one's own as one more row.
pub(crate) fn address_of(own: &PolicyOptions) -> Address {
    let number = |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
    let backoff = own
        .backoff
        .filter(|backoff| *backoff != Setup::DEFAULT.backoff);
    let story = STORIES.first().map_or("", |story| story.name);
    Address::new(format!("/storm/{story}"))
        .with("attempts", number(own.attempts))
        .with("base", number(own.base_seconds))
        .with("budget", number(own.budget))
        .with(BACKOFF, backoff.as_ref().map(word).unwrap_or_default())
}

/// The hidden field that shows a storm of which there is nothing to guess.
pub(super) fn no_guess() -> Markup {
    html! { input type="hidden" name=(GUESS) value=(NOTHING); }
}

/// The names of the settings.
fn names() -> impl Iterator<Item = &'static str> {
    let names = |numbers: &'static [Number]| numbers.iter().map(|number| number.name);
    let of_all = [INCIDENT].into_iter().chain(names(&SETTINGS));
    of_all.chain(names(&OWN)).chain([BACKOFF])
}

/// A value as the command line names it.
fn word(value: &impl ValueEnum) -> String {
    let value = value.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_of_ones_own_has_a_page_that_describes_the_same_storm() {
        let once = PolicyOptions {
            attempts: Some(1.0),
            ..PolicyOptions::default()
        };
        let constant = PolicyOptions {
            attempts: Some(4.0),
            backoff: Some(Backoff::Constant),
            base_seconds: Some(0.5),
            ..PolicyOptions::default()
        };
        let budgeted = PolicyOptions {
            budget: Some(10.0),
            ..constant.clone()
        };
        let usual = PolicyOptions {
            attempts: Some(3.0),
            backoff: Some(Setup::DEFAULT.backoff),
            ..PolicyOptions::default()
        };
        for (own, expected) in [
            (once, "/storm/spike?attempts=1"),
            (
                constant,
                "/storm/spike?attempts=4&base=0.5&backoff=constant",
            ),
            (
                budgeted,
                "/storm/spike?attempts=4&base=0.5&budget=10&backoff=constant",
            ),
            (usual, "/storm/spike?attempts=3"),
        ] {
            let address = Modes::default().link(address_of(&own));

            assert_eq!(address, expected);
            let (_, query) = address.split_once('?').expect("a query");
            let form = StormForm::of(&Fields::parse(query.as_bytes()));
            let story = &STORIES[0];
            // It is the shortest one.
            assert_eq!(Modes::default().link(form.address(story)), address);
            let mut plan = Plan::of(story);
            plan.policies.push(own.policy().expect("a policy"));
            assert_eq!(form.read(story).expect("valid").plan, plan);
        }
    }
}
