//! What the model of a storm counts, for each step of its time and in all.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use evidence::storm::{Cut, Latency, STEP, Step, Totals};

use super::call::{Before, Last};

/// The most requests of one policy: a second of a release build is some hundred
/// thousand of them.
pub(super) const MOST_REQUESTS: u64 = 1_000_000;

/// The most calls of one policy that go on at once: each takes some kilobytes.
pub(super) const MOST_IN_FLIGHT: u64 = 20_000;

/// Counts of a run, shared by all that takes part in it.
#[derive(Clone, Default)]
pub(super) struct Counts(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    steps: Vec<Step>,
    totals: Totals,
    /// How long each call took that ended in the step that goes on.
    latencies: Vec<Duration>,
    /// The same of all steps before.
    earlier: Vec<Duration>,
    cut: Option<Cut>,
}

impl Counts {
    /// Counts for so long a time.
    pub(super) fn new(length: Duration) -> Self {
        let steps = length.as_nanos().div_ceil(STEP.as_nanos());
        let state = State {
            steps: vec![Step::default(); usize::try_from(steps).unwrap_or(0)],
            ..State::default()
        };
        Self(Arc::new(Mutex::new(state)))
    }

    /// A call wants to begin: whether it may.
    pub(super) fn called(&self, at: Duration) -> bool {
        let mut state = self.lock();
        if state.totals.in_flight >= MOST_IN_FLIGHT {
            state.cut = Some(Cut::InFlight);
            return false;
        }
        state.totals.calls += 1;
        state.totals.in_flight += 1;
        state.at(at, |step| step.calls += 1);
        true
    }

    /// A call that began at this moment has ended, after its last request has got this.
    pub(super) fn ended(&self, began: Duration, at: Duration, has_succeeded: bool, last: Last) {
        let mut state = self.lock();
        // It gave up at once. One that ends later waited for a retry, or for its turn.
        if last.got.has_failed() && last.at == at {
            state.totals.retries_not_sent -= 1;
        }
        state.totals.in_flight -= 1;
        state.latencies.push(at.saturating_sub(began));
        if has_succeeded {
            state.totals.succeeded += 1;
            state.at(began, |step| step.answered += 1);
            state.at(at, |step| step.goodput += 1);
        } else {
            state.totals.failed += 1;
            state.at(began, |step| step.failed += 1);
        }
    }

    /// A request wants to come, and its call has got this before: whether it may.
    pub(super) fn requested(&self, at: Duration, before: Before) -> bool {
        let mut state = self.lock();
        if state.totals.requests >= MOST_REQUESTS {
            state.cut = Some(Cut::Requests);
            return false;
        }
        state.totals.requests += 1;
        let retries = u32::from(before != Before::Nothing);
        state.totals.retries += u64::from(retries);
        state.totals.retries_not_sent -= u64::from(before.has_failed());
        match before {
            Before::Nothing | Before::Success => {}
            Before::Refusal => state.totals.retries_after_503 += 1,
            Before::Timeout => state.totals.retries_after_timeout += 1,
        }
        state.at(at, |step| {
            step.requests += 1;
            step.retries += retries;
        });
        true
    }

    /// The client of a request has got this. A retry is to come after a failure, until it
    /// has come or its call has ended.
    pub(super) fn settled(&self, got: Before) {
        let mut state = self.lock();
        state.totals.settled += 1;
        state.totals.retries_not_sent += u64::from(got.has_failed());
    }

    pub(super) fn rejected(&self) {
        self.lock().totals.rejected += 1;
    }

    /// A request was worked on to its end.
    pub(super) fn worked(&self, at: Duration, is_useful: bool) {
        let mut state = self.lock();
        match is_useful {
            true => state.totals.useful += 1,
            false => state.totals.abandoned += 1,
        }
        state.at(at, |step| step.worked += 1);
    }

    /// A step is over, and this is what its end looks like.
    pub(super) fn step_ended(&self, number: usize, end: impl FnOnce(&mut Step)) {
        let mut state = self.lock();
        let mut latencies = std::mem::take(&mut state.latencies);
        let latency = Latency::of(&mut latencies);
        state.earlier.append(&mut latencies);
        if let Some(step) = state.steps.get_mut(number) {
            step.latency = latency;
            end(step);
        }
    }

    /// Why the run has to end, if it has.
    pub(super) fn cut(&self) -> Option<Cut> {
        self.lock().cut
    }

    /// The steps so far.
    pub(super) fn so_far<T>(&self, steps: usize, look: impl FnOnce(&[Step]) -> T) -> T {
        let state = self.lock();
        look(state.steps.get(..steps).unwrap_or(&state.steps))
    }

    /// What came of so many steps.
    pub(super) fn read(&self, steps: usize) -> (Vec<Step>, Totals) {
        let mut state = self.lock();
        let mut latencies = std::mem::take(&mut state.earlier);
        latencies.append(&mut state.latencies);
        let totals = Totals {
            latency: Latency::of(&mut latencies),
            ..state.totals
        };
        let steps = state.steps.get(..steps).unwrap_or(&state.steps);
        (steps.to_vec(), totals)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn at(&mut self, moment: Duration, count: impl FnOnce(&mut Step)) {
        let step = usize::try_from(moment.as_nanos() / STEP.as_nanos()).ok();
        if let Some(step) = step.and_then(|step| self.steps.get_mut(step)) {
            count(step);
        }
    }
}
