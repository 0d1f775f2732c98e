//! The ticks of the course: which scenarios this lab has run, and which were guessed rightly.
//!
//! They are kept since the start of the process, apart from the runs, of which only the newest
//! are, and they are the same in all windows.

use std::collections::BTreeMap;

use scenario::catalogue::Scenario;

/// What this lab has seen of a scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tick {
    /// It was run to its end.
    pub(super) is_run: bool,
    /// A guess about a run of it was right.
    pub(super) is_guessed: bool,
}

/// The ticks of all scenarios, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ticks(BTreeMap<&'static str, Tick>);

impl Ticks {
    /// The tick of a scenario.
    pub(super) fn of(&self, scenario: &Scenario) -> Tick {
        self.0.get(scenario.name()).copied().unwrap_or_default()
    }

    /// Marks a scenario as run.
    pub(super) fn run(&mut self, scenario: &'static Scenario) {
        self.0.entry(scenario.name()).or_default().is_run = true;
    }

    /// Marks a scenario as guessed rightly.
    pub(super) fn guessed(&mut self, scenario: &'static Scenario) {
        self.0.entry(scenario.name()).or_default().is_guessed = true;
    }

    /// How many scenarios were run.
    pub(super) fn number_run(&self) -> usize {
        self.0.values().filter(|tick| tick.is_run).count()
    }
}

impl Tick {
    /// Its sign, its class, and its words.
    pub(super) fn shown(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self {
                is_guessed: true, ..
            } => ("★", "ok", "run, and guessed rightly"),
            Self { is_run: true, .. } => ("●", "visited", "run"),
            _ => ("·", "soft", "not run yet"),
        }
    }
}
