//! The counts of a storm's model, for each step and in total.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crate::{
    Cut, Settings, Step,
    clients::attempts::AttemptResult,
    results::{
        Latency, STEP, Totals,
        figures::{Figures, Periods, Share},
    },
};

/// The most requests of one policy: a second of a release build is some hundred
/// thousand of them.
pub(crate) const MOST_REQUESTS: u64 = 1_000_000;

/// The most calls of one policy that go on at once: each takes some ten kilobytes.
pub(crate) const MOST_IN_FLIGHT: u64 = 5_000;

/// The counts of a run.
pub(crate) struct Counted {
    pub(crate) steps: Vec<Step>,
    pub(crate) figures: Figures,
    pub(crate) totals: Totals,
}

/// The counts of a run, shared by all its parts.
#[derive(Clone, Default)]
pub(crate) struct Counts(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    periods: Periods,
    steps: Vec<Step>,
    totals: Totals,
    figures: Figures,
    /// The requests of the last quarter.
    late_requests: u64,
    /// How long each call took.
    latencies: Vec<Duration>,
    /// The calls in flight.
    in_flight: u64,
    /// The calls in flight that services have made to the next one.
    nested: u64,
    cut: Option<Cut>,
}

impl Counts {
    /// Counts of a storm with these settings.
    pub(crate) fn new(settings: &Settings) -> Self {
        let periods = Periods::of(settings);
        let after = periods.after.end - periods.after.start;
        let seconds = after.as_secs() as usize + 1;
        let state = State {
            steps: vec![Step::default(); settings.steps()],
            figures: Figures {
                after: vec![Share::default(); seconds],
                ..Figures::default()
            },
            periods,
            ..State::default()
        };
        Self(Arc::new(Mutex::new(state)))
    }

    /// Whether another call may begin.
    pub(crate) fn called(&self, at: Duration) -> bool {
        let mut state = self.lock();
        if state.in_flight >= MOST_IN_FLIGHT {
            state.cut = Some(Cut::InFlight);
            return false;
        }
        state.totals.calls += 1;
        state.in_flight += 1;
        state.at(at, |step| step.calls += 1);
        true
    }

    /// Counts the end of a call that began at this moment.
    pub(crate) fn ended(&self, began: Duration, at: Duration, has_succeeded: bool) {
        let mut state = self.lock();
        state.in_flight -= 1;
        state.latencies.push(at.saturating_sub(began));
        state.count_in_figures(began, has_succeeded);
        if has_succeeded {
            state.totals.succeeded += 1;
            state.at(began, |step| step.succeeded += 1);
            state.at(at, |step| step.goodput += 1);
        } else {
            state.totals.failed += 1;
        }
    }

    /// Whether a service may make another call to the next one.
    pub(crate) fn nested(&self) -> bool {
        let mut state = self.lock();
        if state.nested >= MOST_IN_FLIGHT {
            state.cut = Some(Cut::InFlight);
            return false;
        }
        state.nested += 1;
        true
    }

    /// Counts the end of such a call.
    pub(crate) fn nested_ended(&self) {
        self.lock().nested -= 1;
    }

    /// Whether another request may be sent, given the previous result of its call.
    pub(crate) fn requested(&self, at: Duration, before: AttemptResult) -> bool {
        let mut state = self.lock();
        if state.totals.requests >= MOST_REQUESTS {
            state.cut = Some(Cut::Requests);
            return false;
        }
        state.totals.requests += 1;
        let retries = u32::from(before != AttemptResult::Nothing);
        state.totals.retries += u64::from(retries);
        state.late_requests += u64::from(state.periods.last_quarter.contains(&at));
        match before {
            AttemptResult::Nothing | AttemptResult::Success => {}
            AttemptResult::Refusal => state.totals.retries_after_503 += 1,
            AttemptResult::Throttled => state.totals.retries_after_429 += 1,
            AttemptResult::Timeout => state.totals.retries_after_timeout += 1,
        }
        state.at(at, |step| {
            step.requests += 1;
            step.retries += retries;
        });
        true
    }

    pub(crate) fn rejected(&self) {
        self.lock().totals.rejected += 1;
    }

    /// A request was worked on to its end.
    pub(crate) fn worked(&self, at: Duration, is_useful: bool) {
        let mut state = self.lock();
        if is_useful {
            state.totals.useful += 1;
        } else {
            state.totals.abandoned += 1;
        }
        state.at(at, |step| {
            step.worked += 1;
            step.abandoned += u32::from(!is_useful);
        });
    }

    /// Ends a step with this state.
    pub(crate) fn step_ended(&self, number: usize, end: impl FnOnce(&mut Step)) {
        let mut state = self.lock();
        if let Some(step) = state.steps.get_mut(number) {
            end(step);
        }
    }

    /// The reason why the run must end, if there is one.
    pub(crate) fn cut(&self) -> Option<Cut> {
        self.lock().cut
    }

    /// The steps and the figures so far.
    pub(crate) fn so_far<T>(&self, steps: usize, look: impl FnOnce(&[Step], &Figures) -> T) -> T {
        let state = self.lock();
        let steps = state.steps.get(..steps).unwrap_or(&state.steps);
        look(steps, &state.figures)
    }

    /// The counts so far, with this many steps.
    pub(crate) fn read(&self, steps: usize) -> Counted {
        let mut state = self.lock();
        let mut latencies = std::mem::take(&mut state.latencies);
        let totals = Totals {
            latency: Latency::of(&mut latencies),
            ..state.totals
        };
        let last_quarter = &state.periods.last_quarter;
        let seconds = (last_quarter.end - last_quarter.start).as_secs_f64();
        let steps = state.steps.get(..steps).unwrap_or(&state.steps);
        Counted {
            steps: steps.to_vec(),
            figures: Figures {
                lost: totals.failed,
                requests_per_second: state.late_requests as f64 / seconds,
                requests_per_call: totals.requests as f64 / totals.calls.max(1) as f64,
                ..state.figures.clone()
            },
            totals,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Counts a call in the figures, by the time it started.
    fn count_in_figures(&mut self, began: Duration, has_succeeded: bool) {
        let Periods {
            before, end, after, ..
        } = &self.periods;
        if before.contains(&began) {
            self.figures.before.add(has_succeeded);
        }
        if end.contains(&began) {
            self.figures.end.add(has_succeeded);
        }
        if after.contains(&began) {
            let second = (began - after.start).as_secs() as usize;
            if let Some(second) = self.figures.after.get_mut(second) {
                second.add(has_succeeded);
            }
        }
    }

    fn at(&mut self, moment: Duration, count: impl FnOnce(&mut Step)) {
        let step = usize::try_from(moment.as_nanos() / STEP.as_nanos()).ok();
        if let Some(step) = step.and_then(|step| self.steps.get_mut(step)) {
            count(step);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// Counts of ten seconds, with an incident from the second to the sixth.
    fn counts() -> Counts {
        Counts::new(&Settings {
            incident_starts: millis(2_000),
            incident_lasts: millis(4_000),
            length: millis(10_000),
            ..Settings::DEFAULT
        })
    }

    /// The counts of the first three steps.
    fn of_steps(counts: &Counts, count: fn(&Step) -> u32) -> Vec<u32> {
        counts.so_far(3, |steps, _| steps.iter().map(count).collect())
    }

    #[test]
    fn a_run_has_a_step_for_each_tenth_of_a_second_that_it_begins() {
        let steps = [0, 1, 99, 100, 101, 300].map(|length| {
            let counts = Counts::new(&Settings {
                incident: crate::Incident::None,
                length: millis(length),
                ..Settings::DEFAULT
            });
            counts.read(usize::MAX).steps.len()
        });

        assert_eq!(steps, [0, 1, 1, 1, 2, 3]);
    }

    #[test]
    fn a_call_counts_where_it_began_and_its_success_where_it_came() {
        let counts = counts();

        for began in [0, 99, 100] {
            assert!(counts.called(millis(began)));
        }
        counts.ended(millis(0), millis(250), true);
        counts.ended(millis(99), millis(100), false);

        assert_eq!(of_steps(&counts, |step| step.calls), [2, 1, 0]);
        assert_eq!(of_steps(&counts, |step| step.succeeded), [1, 0, 0]);
        assert_eq!(of_steps(&counts, |step| step.goodput), [0, 0, 1]);
        let Totals {
            calls,
            succeeded,
            failed,
            ..
        } = counts.read(3).totals;
        assert_eq!((calls, succeeded, failed), (3, 1, 1));
    }

    #[test]
    fn the_figures_count_calls_by_the_time_they_started() {
        let counts = counts();

        for began in [0, 1_999, 2_000, 5_999, 6_000, 7_999, 8_999, 9_000, 9_999] {
            counts.called(millis(began));
            counts.ended(millis(began), millis(20_000), began % 2 == 0);
        }
        for at in [8_999, 9_000, 9_999, 10_000] {
            counts.requested(millis(at), AttemptResult::Nothing);
        }

        let figures = counts.read(3).figures;
        let share = |calls, succeeded| Share { calls, succeeded };
        assert_eq!((figures.before, figures.end), (share(2, 1), share(2, 1)));
        let after = [
            share(1, 1),
            share(1, 0),
            share(1, 0),
            share(2, 1),
            share(0, 0),
        ];
        assert_eq!(figures.after, after);
        assert_eq!((figures.lost, figures.requests_per_second), (5, 2.0));
    }

    #[test]
    fn a_retry_is_counted_with_what_its_call_had_got_before() {
        let counts = counts();

        for before in [AttemptResult::Nothing, AttemptResult::Nothing] {
            assert!(counts.requested(millis(0), before));
        }
        for before in [AttemptResult::Refusal, AttemptResult::Timeout] {
            assert!(counts.requested(millis(150), before));
        }

        assert_eq!(of_steps(&counts, |step| step.requests), [2, 2, 0]);
        assert_eq!(of_steps(&counts, |step| step.retries), [0, 2, 0]);
        let totals = counts.read(3).totals;
        assert_eq!((totals.requests, totals.retries), (4, 2));
        assert_eq!(
            (totals.retries_after_503, totals.retries_after_timeout),
            (1, 1)
        );
    }

    #[test]
    fn work_counts_where_it_ends_for_a_client_that_is_there_or_has_gone() {
        let counts = counts();

        counts.worked(millis(10), true);
        counts.worked(millis(110), false);
        counts.worked(millis(120), false);
        counts.rejected();

        assert_eq!(of_steps(&counts, |step| step.worked), [1, 2, 0]);
        assert_eq!(of_steps(&counts, |step| step.abandoned), [0, 2, 0]);
        let totals = counts.read(3).totals;
        assert_eq!(
            (totals.useful, totals.abandoned, totals.rejected),
            (1, 2, 1)
        );
    }

    #[test]
    fn requests_and_calls_in_flight_are_bounded_and_those_that_have_ended_make_room() {
        type Begins = fn(&Counts) -> bool;
        let call: Begins = |counts| counts.called(millis(0));
        let nested: Begins = |counts| counts.nested();
        let request: Begins = |counts| counts.requested(millis(0), AttemptResult::Nothing);
        for (begins, ends, most, cut) in [
            (
                call,
                (|counts| counts.ended(millis(0), millis(1), true)) as fn(&Counts),
                MOST_IN_FLIGHT + 1,
                Cut::InFlight,
            ),
            (
                nested,
                |counts| counts.nested_ended(),
                MOST_IN_FLIGHT + 1,
                Cut::InFlight,
            ),
            (request, |_| {}, MOST_REQUESTS, Cut::Requests),
        ] {
            let counts = counts();
            assert!(begins(&counts));
            ends(&counts);

            let all = (1..most).all(|_| begins(&counts));

            assert!(all && counts.cut().is_none());
            assert!(!begins(&counts));
            assert_eq!(counts.cut(), Some(cut));
        }
    }
}
