//! The counts of a storm's model, for each step and in total.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::call::{AttemptResult, LastAttempt};
use crate::{Cut, Latency, STEP, Step, Totals};

/// The most requests of one policy: a second of a release build is some hundred
/// thousand of them.
pub(super) const MOST_REQUESTS: u64 = 1_000_000;

/// The most calls of one policy that go on at once: each takes some ten kilobytes.
pub(super) const MOST_IN_FLIGHT: u64 = 5_000;

/// The counts of a run, shared by all its parts.
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
    /// The calls in flight that services have made to the next one.
    nested: u64,
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

    /// Whether another call may begin.
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

    /// Counts the end of a call that began at this moment, with the result of its last
    /// request.
    pub(super) fn ended(
        &self,
        began: Duration,
        at: Duration,
        has_succeeded: bool,
        last: LastAttempt,
    ) {
        let mut state = self.lock();
        state.gave_up(at, last);
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

    /// Whether a service may make another call to the next one.
    pub(super) fn nested(&self) -> bool {
        let mut state = self.lock();
        if state.nested >= MOST_IN_FLIGHT {
            state.cut = Some(Cut::InFlight);
            return false;
        }
        state.nested += 1;
        true
    }

    /// Counts the end of such a call, with the result of its last request.
    pub(super) fn nested_ended(&self, at: Duration, last: LastAttempt) {
        let mut state = self.lock();
        state.gave_up(at, last);
        state.nested -= 1;
    }

    /// Whether another request may be sent, given the previous result of its call.
    pub(super) fn requested(&self, at: Duration, before: AttemptResult) -> bool {
        let mut state = self.lock();
        if state.totals.requests >= MOST_REQUESTS {
            state.cut = Some(Cut::Requests);
            return false;
        }
        state.totals.requests += 1;
        let retries = u32::from(before != AttemptResult::Nothing);
        state.totals.retries += u64::from(retries);
        state.totals.retries_not_sent -= u64::from(before.has_failed());
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

    /// Counts the result of a request. After a failure a retry is expected, until it comes
    /// or its call ends.
    pub(super) fn settled(&self, got: AttemptResult) {
        let mut state = self.lock();
        state.totals.settled += 1;
        state.totals.retries_not_sent += u64::from(got.has_failed());
    }

    pub(super) fn rejected(&self) {
        self.lock().totals.rejected += 1;
    }

    /// A request was dropped from the queue.
    pub(super) fn dropped(&self) {
        self.lock().totals.dropped += 1;
    }

    /// A request was worked on to its end.
    pub(super) fn worked(&self, at: Duration, is_useful: bool) {
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

    /// The reason why the run must end, if there is one.
    pub(super) fn cut(&self) -> Option<Cut> {
        self.lock().cut
    }

    /// The steps so far.
    pub(super) fn so_far<T>(&self, steps: usize, look: impl FnOnce(&[Step]) -> T) -> T {
        let state = self.lock();
        look(state.steps.get(..steps).unwrap_or(&state.steps))
    }

    /// The counts of this many steps.
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
    /// A call that ends at the time of its last result gave up at once. One that ends later
    /// waited for a retry, or for its turn.
    fn gave_up(&mut self, at: Duration, last: LastAttempt) {
        if last.got.has_failed() && last.at == at {
            self.totals.retries_not_sent -= 1;
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

    /// Counts of three steps.
    fn counts() -> Counts {
        Counts::new(millis(300))
    }

    /// The counts of each step.
    fn of_steps(counts: &Counts, count: fn(&Step) -> u32) -> Vec<u32> {
        counts.so_far(usize::MAX, |steps| steps.iter().map(count).collect())
    }

    fn totals(counts: &Counts) -> Totals {
        counts.read(usize::MAX).1
    }

    #[test]
    fn a_run_has_a_step_for_each_tenth_of_a_second_that_it_begins() {
        let steps = [0, 1, 99, 100, 101, 300].map(|length| {
            let counts = Counts::new(millis(length));
            of_steps(&counts, |step| step.calls).len()
        });

        assert_eq!(steps, [0, 1, 1, 1, 2, 3]);
    }

    #[test]
    fn a_call_counts_where_it_began_and_its_success_where_it_came() {
        let counts = counts();
        let last = |got, at| LastAttempt { got, at };

        for began in [0, 99, 100] {
            assert!(counts.called(millis(began)));
        }
        counts.ended(
            millis(0),
            millis(250),
            true,
            last(AttemptResult::Success, millis(250)),
        );
        counts.ended(millis(99), millis(100), false, LastAttempt::default());

        assert_eq!(of_steps(&counts, |step| step.calls), [2, 1, 0]);
        assert_eq!(of_steps(&counts, |step| step.answered), [1, 0, 0]);
        assert_eq!(of_steps(&counts, |step| step.failed), [1, 0, 0]);
        assert_eq!(of_steps(&counts, |step| step.goodput), [0, 0, 1]);
        let totals = totals(&counts);
        let ended = (
            totals.calls,
            totals.succeeded,
            totals.failed,
            totals.in_flight,
        );
        assert_eq!(ended, (3, 1, 1, 1));
    }

    #[test]
    fn a_retry_is_counted_with_what_its_call_had_got_before() {
        let counts = counts();

        for before in [AttemptResult::Nothing, AttemptResult::Nothing] {
            assert!(counts.requested(millis(0), before));
        }
        for got in [
            AttemptResult::Refusal,
            AttemptResult::Timeout,
            AttemptResult::Refusal,
        ] {
            counts.settled(got);
        }
        for before in [AttemptResult::Refusal, AttemptResult::Timeout] {
            assert!(counts.requested(millis(150), before));
        }

        assert_eq!(of_steps(&counts, |step| step.requests), [2, 2, 0]);
        assert_eq!(of_steps(&counts, |step| step.retries), [0, 2, 0]);
        let totals = totals(&counts);
        assert_eq!((totals.requests, totals.retries), (4, 2));
        assert_eq!(
            (totals.retries_after_503, totals.retries_after_timeout),
            (1, 1)
        );
        assert_eq!((totals.settled, totals.retries_not_sent), (3, 1));
    }

    #[test]
    fn a_retry_is_not_to_come_any_more_where_its_call_has_given_up_at_once() {
        let failed = |ended, got| {
            let counts = counts();
            counts.called(millis(0));
            counts.settled(got);
            let last = LastAttempt {
                got,
                at: millis(20),
            };
            counts.ended(
                millis(0),
                millis(ended),
                got == AttemptResult::Success,
                last,
            );
            totals(&counts).retries_not_sent
        };

        assert_eq!(failed(20, AttemptResult::Refusal), 0);
        assert_eq!(failed(20, AttemptResult::Timeout), 0);
        assert_eq!(
            failed(50, AttemptResult::Refusal),
            1,
            "its deadline ended the wait"
        );
        assert_eq!(failed(20, AttemptResult::Success), 0);
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
        let totals = totals(&counts);
        assert_eq!(
            (totals.useful, totals.abandoned, totals.rejected),
            (1, 2, 1)
        );
    }

    #[test]
    fn a_step_has_the_latencies_of_the_calls_that_ended_in_it_and_the_run_those_of_all() {
        let counts = counts();
        let ended = |took| counts.ended(millis(0), millis(took), false, LastAttempt::default());
        for _ in 0..4 {
            counts.called(millis(0));
        }

        ended(50);
        ended(70);
        counts.step_ended(0, |step| step.waiting = 7);
        counts.step_ended(1, |_| {});
        ended(210);
        counts.step_ended(2, |_| {});
        ended(290);

        let (steps, totals) = counts.read(3);
        let median = |latency: Option<Latency>| latency.map(|latency| latency.median.as_millis());
        let medians: Vec<_> = steps.iter().map(|step| median(step.latency)).collect();
        assert_eq!(medians, [Some(50), None, Some(210)]);
        assert_eq!(steps[0].waiting, 7);
        assert_eq!(median(totals.latency), Some(70));
        let longest = totals.latency.map(|latency| latency.p99.as_millis());
        assert_eq!(longest, Some(290));
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
                (|counts| counts.ended(millis(0), millis(1), true, LastAttempt::default()))
                    as fn(&Counts),
                MOST_IN_FLIGHT + 1,
                Cut::InFlight,
            ),
            (
                nested,
                |counts| counts.nested_ended(millis(1), LastAttempt::default()),
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
