//! The form of a run, as a person typed it.

use maud::{Markup, html};
use scenario::{Asked, Overrides, Pace, RELIABLE, Settings, WITHOUT, catalogue::Scenario, number};

use super::super::{
    record::Record,
    request::{COMPARE, ClientChoice, RunRequest},
};
use crate::web::{
    field_error::{FieldError, is_wrong, why},
    fields::Fields,
    modes::{Address, Modes},
};

/// The labels of the settings, in the order of [`Overrides::SETTINGS`].
const LABELS: [&str; 5] = [
    "Attempts",
    "First backoff, ms",
    "Longest Retry-After, s",
    "Pages",
    "Items",
];

/// The form of a run as typed: each field may hold any text, and an empty one stands for the
/// default.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RunForm {
    client: String,
    without: String,
    pace: String,
    seed: String,
    /// In the order of [`Overrides::SETTINGS`].
    settings: [String; 5],
    /// What the reader expects of the run.
    pub(super) guess: String,
}

impl RunForm {
    /// The form in an address or in the body of a request.
    pub(super) fn of(fields: &Fields) -> Self {
        let text = |name| fields.get(name).unwrap_or_default().trim().to_owned();
        Self {
            client: text("client"),
            without: text("without"),
            pace: text("pace"),
            seed: text("seed"),
            settings: Overrides::SETTINGS.map(|(name, _)| text(name)),
            guess: text("guess"),
        }
    }

    /// The form that makes the same run again, with a new seed.
    pub(super) fn again(request: &RunRequest) -> Self {
        let without = request.without.map(|without| without.defence.id);
        Self {
            client: request.choice.name().to_owned(),
            without: without.unwrap_or_default().to_owned(),
            pace: pace_name(request.pace).to_owned(),
            settings: Overrides::SETTINGS.map(|(name, _)| {
                let number = request.overrides.get(name);
                number.map(|number| number.to_string()).unwrap_or_default()
            }),
            ..Self::default()
        }
    }

    /// Whether it makes this run again.
    fn is_again(&self, request: &RunRequest) -> bool {
        let scenario = request.scenario;
        self.address(scenario) == Self::again(request).address(scenario)
    }

    /// Whether it has other settings than this run, as far as any is chosen.
    pub(super) fn differs(&self, request: &RunRequest) -> bool {
        self.has_settings() && !self.is_again(request)
    }

    /// The same with a seed.
    pub(super) fn with_seed(self, seed: u64) -> Self {
        Self {
            seed: seed.to_string(),
            ..self
        }
    }

    /// The same with both clients, the reliable one first.
    pub(super) fn compared(self) -> Self {
        Self {
            client: COMPARE.to_owned(),
            without: String::new(),
            ..self
        }
    }

    /// The same with a guess.
    pub(super) fn with_guess(self, guess: String) -> Self {
        Self { guess, ..self }
    }

    /// The address of a scenario with this form.
    pub(super) fn address(&self, scenario: &Scenario) -> Address {
        let unless = |text: &str, default: &str| {
            if text == default {
                String::new()
            } else {
                text.to_owned()
            }
        };
        let address = Address::new(format!("/scenarios/{}", scenario.name()))
            .with("client", unless(&self.client, RELIABLE.name))
            .with("without", &*self.without)
            .with("pace", unless(&self.pace, pace_name(Pace::Real)))
            .with("seed", &*self.seed);
        let settings = Overrides::SETTINGS.into_iter().zip(&self.settings);
        settings.fold(address, |address, ((name, _), text)| {
            address.with(name, &**text)
        })
    }

    /// The run that the form describes. A missing seed is replaced by a random one.
    pub(super) fn read(&self, scenario: &'static Scenario) -> Result<RunRequest, Vec<FieldError>> {
        let mut errors = Vec::new();
        let choice = self.choice(&mut errors);
        let without = self.defence(&mut errors);
        let pace = self.pace(&mut errors);
        let mut overrides = Overrides::default();
        for (((name, range), label), typed) in Overrides::SETTINGS
            .into_iter()
            .zip(LABELS)
            .zip(&self.settings)
        {
            if typed.is_empty() {
                continue;
            }
            match number::within(typed, range) {
                Ok(number) => overrides.set(name, number),
                Err(error) => errors.push(FieldError::new(name, label, error.to_string(), typed)),
            }
        }
        let seed = match &*self.seed {
            "" => Settings::random_seed(),
            typed => number::any(typed).unwrap_or_else(|error| {
                errors.push(FieldError::new("seed", "Seed", error.to_string(), typed));
                0
            }),
        };
        if let Err(error) = self.guess(scenario) {
            errors.push(error);
        }
        if errors.is_empty() && choice.clients(without).is_empty() {
            let rule = "only the reliable client and a comparison have a defence to remove";
            errors.push(FieldError::new(
                "without",
                "Break the client",
                rule.to_owned(),
                &self.without,
            ));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(RunRequest {
            scenario,
            choice,
            without,
            seed,
            pace,
            kept: true,
            overrides,
        })
    }

    /// The guess, if there is one.
    pub(super) fn guess(
        &self,
        scenario: &Scenario,
    ) -> Result<Option<scenario::Answer>, FieldError> {
        if self.guess.is_empty() {
            return Ok(None);
        }
        let answer = scenario.words.question.predict(&self.guess);
        answer
            .map(Some)
            .map_err(|error| FieldError::new("guess", "Your guess", error.to_string(), &self.guess))
    }

    fn choice(&self, errors: &mut Vec<FieldError>) -> ClientChoice {
        if self.client.is_empty() {
            return ClientChoice::default();
        }
        let mut choices = ClientChoice::all();
        let known = choices.find(|choice| choice.name() == self.client);
        known.unwrap_or_else(|| {
            let names = ClientChoice::all().map(ClientChoice::name);
            errors.push(FieldError::choice("client", "Client", names, &self.client));
            ClientChoice::default()
        })
    }

    fn defence(&self, errors: &mut Vec<FieldError>) -> Option<&'static scenario::Without> {
        if self.without.is_empty() {
            return None;
        }
        let known = WITHOUT
            .iter()
            .find(|without| without.defence.id == self.without);
        if known.is_none() {
            let names = WITHOUT.iter().map(|without| without.defence.id);
            errors.push(FieldError::choice(
                "without",
                "Break the client",
                names,
                &self.without,
            ));
        }
        known.copied()
    }

    fn pace(&self, errors: &mut Vec<FieldError>) -> Pace {
        match &*self.pace {
            "" | "real" => Pace::Real,
            "virtual" => Pace::Virtual,
            typed => {
                let names = ["real", "virtual"].into_iter();
                errors.push(FieldError::choice("pace", "Pace", names, typed));
                Pace::Real
            }
        }
    }

    /// What is chosen, as hidden fields of a form.
    pub(super) fn hidden(&self) -> Markup {
        let names = Overrides::SETTINGS.map(|(name, _)| name);
        let settings = names.into_iter().zip(&self.settings);
        let others = [
            ("client", &self.client),
            ("without", &self.without),
            ("pace", &self.pace),
            ("seed", &self.seed),
        ];
        html! {
            @for (name, text) in others.into_iter().chain(settings) {
                @if !text.is_empty() { input type="hidden" name=(name) value=(text); }
            }
        }
    }

    /// Whether a setting differs from that of the scenario.
    fn has_settings(&self) -> bool {
        !self.chosen().is_empty()
    }

    /// The settings that differ from those of the scenario, each with its label.
    fn chosen(&self) -> Vec<String> {
        let numbers = LABELS.iter().zip(&self.settings);
        let numbers = numbers.chain([(&"Seed", &self.seed)]);
        let numbers = numbers.filter(|(_, text)| !text.is_empty());
        let numbers = numbers.map(|(label, text)| format!("{label}: {text}"));
        let without = Some(&self.without).filter(|without| !without.is_empty());
        numbers
            .chain(without.map(|without| format!("without {without}")))
            .collect()
    }
}

/// The form of a run on a page.
pub(super) struct ShownForm<'a> {
    pub(super) scenario: &'static Scenario,
    pub(super) form: &'a RunForm,
    pub(super) errors: &'a [FieldError],
    pub(super) modes: Modes,
    /// The run that is shown below the form.
    pub(super) run: Option<&'a Record>,
    /// Whether the form asks for a guess.
    pub(super) asks: bool,
}

impl ShownForm<'_> {
    pub(super) fn draw(&self) -> Markup {
        let Self {
            scenario,
            form,
            errors,
            modes,
            run,
            ..
        } = self;
        let is_again = run.is_some_and(|run| form.is_again(&run.request));
        html! {
            @if !errors.is_empty() {
                div.wrong role="alert" {
                    p { b { "✗ Not run. " } @for error in *errors { (error.sentence()) " " }
                        @if run.is_some() { "The run below is the last one." } }
                }
            }
            form #form method="post" action="/runs" autocomplete="off" {
                input type="hidden" name="scenario" value=(scenario.name());
                @if let Some(run) = run { input type="hidden" name="run" value=(run.id); }
                (modes.hidden())
                button #run .primary type="submit" aria-keyshortcuts="r" {
                    @if is_again { "Run again" } @else { "Run" }
                }
                (self.clients())
                (self.paces())
                (self.settings())
                details #hint .fold {
                    summary { "Hint" }
                    p { (scenario.words.hint) }
                }
                @if self.asks { (self.guess()) }
            }
        }
    }

    fn clients(&self) -> Markup {
        let chosen = if self.form.client.is_empty() {
            RELIABLE.name
        } else {
            &self.form.client
        };
        html! {
            fieldset.tabs aria-label="Client" {
                @for (key, choice) in (1..).zip(ClientChoice::all()) {
                    @let name = choice.name();
                    label {
                        input type="radio" name="client" value=(name) checked[name == chosen]
                            aria-keyshortcuts=(key);
                        span { (capitalised(name)) }
                    }
                }
            }
        }
    }

    fn paces(&self) -> Markup {
        let chosen = if self.form.pace.is_empty() {
            "real"
        } else {
            &self.form.pace
        };
        html! {
            fieldset.tabs aria-label="Pace" {
                @for (name, words) in [("real", "Real waits"), ("virtual", "Virtual time: no waiting")] {
                    label {
                        input type="radio" name="pace" value=(name) checked[name == chosen];
                        span { (words) }
                    }
                }
            }
        }
    }

    fn settings(&self) -> Markup {
        let policy = self.scenario.policy_with(&Overrides::default());
        let defaults = [
            u64::from(policy.max_attempts),
            u64::try_from(policy.backoff.as_millis()).unwrap_or(u64::MAX),
            policy.max_retry_after.as_secs(),
            u64::from(policy.max_pages),
            u64::from(policy.max_items),
        ];
        let of_listings = self.scenario.task.settings_of_listings();
        let changed = self.form.has_settings();
        let is_again = self.run.is_some_and(|run| self.form.is_again(&run.request));
        let numbers = Overrides::SETTINGS
            .into_iter()
            .zip(LABELS)
            .zip(&self.form.settings);
        html! {
            details #settings .fold open[!self.errors.is_empty() || (changed && !is_again)] {
                summary { "Settings" @if changed { " · " (self.form.chosen().join(", ")) } }
                div.fields {
                    @for ((((name, range), label), typed), default) in numbers.zip(defaults) {
                        @let is_of_listings = name == "max_pages" || name == "max_items";
                        @if !is_of_listings || of_listings.contains(&name) {
                            label.field.setting {
                                (label) " "
                                input name=(name) type="number" value=(typed) placeholder=(default)
                                    min=(range.start()) max=(range.end())
                                    aria-invalid=[self.is_wrong(name)];
                            }
                            (self.why(name))
                        }
                    }
                    label.field {
                        "Seed "
                        input name="seed" inputmode="numeric" value=(self.form.seed) placeholder="random"
                            aria-invalid=[self.is_wrong("seed")];
                    }
                    (self.why("seed"))
                    label.field {
                        "Break the client "
                        select name="without" aria-invalid=[self.is_wrong("without")] {
                            option value="" { "nothing removed" }
                            @for without in WITHOUT {
                                @let id = without.defence.id;
                                option value=(id) selected[id == self.form.without] { "without " (id) }
                            }
                        }
                    }
                    (self.why("without"))
                    button type="submit" formmethod="get" formnovalidate
                        formaction={ "/scenarios/" (self.scenario.name()) } { "Show the premises" }
                }
            }
        }
    }

    fn guess(&self) -> Markup {
        guess(self.scenario, &self.form.guess, self.errors, false, false)
    }

    fn is_wrong(&self, name: &str) -> Option<&'static str> {
        is_wrong(self.errors, name)
    }

    fn why(&self, name: &str) -> Markup {
        why(self.errors, name)
    }
}

/// The field for a number, or a button for each choice. In a presentation the field has the focus.
/// A form that only guesses requires it.
pub(super) fn guess(
    scenario: &Scenario,
    typed: &str,
    errors: &[FieldError],
    is_focused: bool,
    is_required: bool,
) -> Markup {
    html! {
        fieldset.guesses {
            legend { "Your guess" }
            @match scenario.words.question.asked {
                Asked::Number { of, .. } => {
                    label.field {
                        input name="guess" type="number" min="0" value=(typed) autofocus[is_focused] required[is_required]
                            aria-label={ "Your guess: how many " (of) } aria-invalid=[is_wrong(errors, "guess")];
                        " " (of)
                    }
                    (why(errors, "guess"))
                }
                Asked::Choices(_) => {
                    @for (letter, choice) in scenario.words.question.lettered() {
                        button type="submit" name="guess" value=(letter) {
                            b { (letter) } " " (choice.text)
                        }
                    }
                    (why(errors, "guess"))
                }
            }
        }
    }
}

fn pace_name(pace: Pace) -> &'static str {
    match pace {
        Pace::Real => "real",
        Pace::Virtual => "virtual",
    }
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .chain(letters)
        .collect()
}

/// The address of the run that a lesson suggests, whose arguments of the lab these are; none if
/// it suggests no single run.
pub(super) fn suggested(arguments: &str) -> Option<Address> {
    let mut words = arguments.split(' ');
    let (Some("scenario"), Some(name)) = (words.next(), words.next()) else {
        return None;
    };
    let scenario = scenario::catalogue::find(name).ok()?;
    let mut form = RunForm::default();
    while let Some(option) = words.next() {
        let option = option.strip_prefix("--")?;
        if option == "compare" {
            COMPARE.clone_into(&mut form.client);
            continue;
        }
        let value = words.next()?.to_owned();
        match option {
            "without" => {
                form.without = value;
                continue;
            }
            "pace" => {
                form.pace = value;
                continue;
            }
            _ => {}
        }
        // The name of a setting may end in its unit, which the option does not have.
        let name = option.replace('-', "_");
        let place = Overrides::SETTINGS
            .iter()
            .position(|(known, _)| known.starts_with(&name));
        *form.settings.get_mut(place?)? = value;
    }
    Some(form.address(scenario))
}
