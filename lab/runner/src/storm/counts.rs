//! What the model of a storm counts, for each step of its time.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use evidence::storm::{STEP, Step, Totals};

/// Counts of a run, shared by all that takes part in it.
#[derive(Clone)]
pub(super) struct Counts(Arc<Mutex<State>>);

struct State {
    steps: Vec<Step>,
    totals: Totals,
}

impl Counts {
    /// Counts for so long a time.
    pub(super) fn new(length: Duration) -> Self {
        let steps = length.as_nanos().div_ceil(STEP.as_nanos());
        let steps = vec![Step::default(); usize::try_from(steps).unwrap_or(0)];
        Self(Arc::new(Mutex::new(State {
            steps,
            totals: Totals::default(),
        })))
    }

    pub(super) fn called(&self, at: Duration) {
        let mut state = self.lock();
        state.totals.calls += 1;
        state.at(at, |step| step.calls += 1);
    }

    /// A call that began at this moment has ended.
    pub(super) fn ended(&self, began: Duration, at: Duration, has_succeeded: bool) {
        let mut state = self.lock();
        if has_succeeded {
            state.totals.succeeded += 1;
            state.at(began, |step| step.answered += 1);
            state.at(at, |step| step.goodput += 1);
        } else {
            state.totals.failed += 1;
        }
    }

    pub(super) fn requested(&self, at: Duration) {
        let mut state = self.lock();
        state.totals.requests += 1;
        state.at(at, |step| step.requests += 1);
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

    /// How many requests wait at a moment.
    pub(super) fn waiting(&self, at: Duration, waiting: usize) {
        let waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
        self.lock().at(at, |step| step.waiting = waiting);
    }

    pub(super) fn read(&self) -> (Vec<Step>, Totals) {
        let state = self.lock();
        (state.steps.clone(), state.totals)
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
