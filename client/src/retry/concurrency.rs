//! The concurrency limit: how many attempts all clones have in flight together.
//!
//! A 429 says that the clients ask for too much together, and a worker that
//! backs off alone does not change that. So all of them slow down: the
//! limit halves, and each success earns a little of it back (additive increase,
//! multiplicative decrease, as in RFC 5681 §3.1; unlike TCP, which halves once for a
//! whole window, each 429 of a burst halves the limit again).

use std::sync::{Arc, Mutex, PoisonError};

use http::StatusCode;
use tokio::sync::Semaphore;

use super::watchers::{Watcher, Watchers};

/// A limit on attempts in flight, shared by every clone of it, and so by every
/// client that it is handed to.
///
/// It limits concurrency: the requests in flight. A *rate limit* of the service bounds
/// the requests in a short window, and a *quota* those of a long period. A 429 stands for
/// any of the three, and no standard header says for which. So every 429 halves this
/// limit, a `Retry-After` says when to come back, and a quota that is used up ends the
/// call: its `Retry-After` is longer than the client may wait, or the attempts run out.
#[derive(Clone)]
pub struct ConcurrencyLimit {
    shared: Arc<Shared>,
}

struct Shared {
    /// Fair, so nobody starves; safe to drop at any await, so nothing leaks.
    slots: Semaphore,
    state: Mutex<State>,
}

struct State {
    limit: Aimd,
    /// Slots to withhold as they come back: the limit shrank while more than
    /// the new limit were in flight.
    owed: usize,
    watchers: Watchers,
}

impl ConcurrencyLimit {
    /// The default most, in attempts in flight.
    pub const DEFAULT_MAX: u32 = 64;

    /// A limit that starts at `max` and never exceeds it; 0 counts as 1.
    #[must_use]
    pub fn new(max: u32) -> Self {
        let limit = Aimd::starting_at(max);
        let slots = Semaphore::new(limit.whole());
        let state = State {
            limit,
            owed: 0,
            watchers: Watchers::default(),
        };
        Self {
            shared: Arc::new(Shared {
                slots,
                state: Mutex::new(state),
            }),
        }
    }

    /// Tells `watcher` the limit, for as long as its owner keeps it.
    pub(crate) fn watch(&self, watcher: &Arc<Watcher>) {
        self.shared
            .with(|state| state.watchers.attach(watcher, state.limit.current));
    }

    /// How many attempts may be in flight now.
    #[must_use]
    pub fn current(&self) -> usize {
        self.shared.with(|state| state.limit.whole())
    }

    /// Waits for a slot. It is given back when the permit is dropped.
    pub(super) async fn acquire(&self) -> Permit<'_> {
        loop {
            // The semaphore is never closed. If it were, the client would go on
            // without a limit rather than stop.
            if let Ok(slot) = self.shared.slots.acquire().await {
                slot.forget();
            }
            // The limit may have shrunk while the slot was on its way here.
            if !self.shared.with(State::settle_one) {
                return Permit {
                    shared: &self.shared,
                };
            }
        }
    }

    /// A slot, if there is one and nobody waits for it.
    pub(super) fn try_acquire(&self) -> Option<Permit<'_>> {
        loop {
            self.shared.slots.try_acquire().ok()?.forget();
            if !self.shared.with(State::settle_one) {
                return Some(Permit {
                    shared: &self.shared,
                });
            }
        }
    }

    /// Lets a response move the limit; what it moved, if anything.
    pub(super) fn observe(&self, status: StatusCode) -> Option<LimitChange> {
        let throttled = status == StatusCode::TOO_MANY_REQUESTS;
        let change = if throttled {
            Aimd::on_throttled
        } else if status.is_success() {
            Aimd::on_success
        } else {
            return None;
        };
        self.shared.with(|state| {
            let (was, before) = (state.limit.current, state.limit.whole());
            change(&mut state.limit);
            if state.limit.current == was {
                return None;
            }
            let after = state.limit.whole();
            state.watchers.tell(state.limit.current);

            state.owed += before.saturating_sub(after);
            state.owed -= self.shared.slots.forget_permits(state.owed);
            let gained = after.saturating_sub(before);
            let settled = gained.min(state.owed);
            state.owed -= settled;
            self.shared.slots.add_permits(gained - settled);
            Some(LimitChange {
                before,
                after,
                shrank: throttled,
            })
        })
    }
}

/// What a response did to the limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LimitChange {
    /// The attempts that were allowed in flight before it.
    pub(crate) before: usize,
    /// And since. A success may have earned a part of one only.
    pub(crate) after: usize,
    /// Whether the limit shrank, if only by a part of one.
    pub(crate) shrank: bool,
}

impl Default for ConcurrencyLimit {
    /// A limit that starts at [`DEFAULT_MAX`](Self::DEFAULT_MAX).
    fn default() -> Self {
        Self::new(Self::DEFAULT_MAX)
    }
}

impl State {
    /// Withholds one slot that came back, if one is owed.
    fn settle_one(&mut self) -> bool {
        let left = self.owed.checked_sub(1);
        self.owed = left.unwrap_or(0);
        left.is_some()
    }
}

impl Shared {
    fn with<T>(&self, body: impl FnOnce(&mut State) -> T) -> T {
        body(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl std::fmt::Debug for ConcurrencyLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConcurrencyLimit")
            .field("current", &self.current())
            .finish_non_exhaustive()
    }
}

/// One slot, held for the length of one attempt.
pub(super) struct Permit<'a> {
    shared: &'a Shared,
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.shared.with(|state| {
            if !state.settle_one() {
                self.shared.slots.add_permits(1);
            }
        });
    }
}

/// Additive increase, multiplicative decrease.
struct Aimd {
    current: f64,
    max: f64,
}

impl Aimd {
    fn starting_at(max: u32) -> Self {
        let max = f64::from(max.max(1));
        Self { current: max, max }
    }

    fn on_throttled(&mut self) {
        self.current = (self.current / 2.0).max(1.0);
    }

    /// `1 / limit` for each success: a whole round of them earns one slot.
    fn on_success(&mut self) {
        self.current = (self.current + 1.0 / self.current).min(self.max);
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the limit lies between 1 and a u32"
    )]
    fn whole(&self) -> usize {
        self.current as usize
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use futures_util::FutureExt;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_429_halves_and_a_round_of_successes_earns_one() {
        let limit = ConcurrencyLimit::new(8);

        limit.observe(StatusCode::TOO_MANY_REQUESTS);
        let halved = limit.current();
        for _ in 0..5 {
            limit.observe(StatusCode::OK);
        }

        assert_eq!((halved, limit.current()), (4, 5));
    }

    #[test]
    fn other_responses_leave_it_alone_and_it_stays_within_bounds() {
        let limit = ConcurrencyLimit::new(2);

        limit.observe(StatusCode::OK);
        limit.observe(StatusCode::SERVICE_UNAVAILABLE);
        let most = limit.current();
        for _ in 0..5 {
            limit.observe(StatusCode::TOO_MANY_REQUESTS);
        }

        assert_eq!((most, limit.current()), (2, 1));
    }

    #[derive(Debug, Clone, Copy)]
    enum Step {
        Acquire,
        Release,
        Response(u16),
    }

    proptest! {
        /// The reference model: a number in flight, a limit, and the rule that
        /// a slot is free when the first is below the second.
        #[test]
        fn never_lets_more_in_than_the_limit(
            max in 1_u32..9,
            steps in prop::collection::vec(
                prop_oneof![
                    3 => Just(Step::Acquire),
                    2 => Just(Step::Release),
                    2 => Just(Step::Response(200)),
                    1 => Just(Step::Response(429)),
                ],
                0..200,
            ),
        ) {
            let limit = ConcurrencyLimit::new(max);
            let mut in_flight = Vec::new();
            let mut model = f64::from(max);
            for step in steps {
                match step {
                    Step::Acquire => {
                        let free = f64::from(u32::try_from(in_flight.len())?) < model.floor();
                        let permit = limit.try_acquire();
                        prop_assert_eq!(permit.is_some(), free);
                        in_flight.extend(permit);
                    }
                    Step::Release => drop(in_flight.pop()),
                    Step::Response(429) => {
                        limit.observe(StatusCode::TOO_MANY_REQUESTS);
                        model = (model / 2.0).max(1.0);
                    }
                    Step::Response(_) => {
                        limit.observe(StatusCode::OK);
                        model = (model + 1.0 / model).min(f64::from(max));
                    }
                }
            }
            drop(in_flight);
            prop_assert_eq!(free_slots(&limit), limit.current());
        }
    }

    /// Takes every slot there is, for good.
    fn free_slots(limit: &ConcurrencyLimit) -> usize {
        let free = std::iter::from_fn(|| limit.try_acquire().map(std::mem::forget));
        free.take(64).count()
    }

    #[derive(Debug, Clone, Copy)]
    enum Queued {
        Join,
        Leave,
        Look,
        Release,
        Response(u16),
    }

    proptest! {
        /// Waiting takes several polls: a slot may be on its way to somebody who
        /// leaves, or whom a 429 overtakes.
        #[test]
        fn a_queue_neither_exceeds_the_limit_nor_stands_still(
            max in 1_u32..9,
            steps in prop::collection::vec(
                prop_oneof![
                    4 => Just(Queued::Join),
                    1 => Just(Queued::Leave),
                    2 => Just(Queued::Look),
                    3 => Just(Queued::Release),
                    2 => Just(Queued::Response(200)),
                    1 => Just(Queued::Response(429)),
                ],
                0..200,
            ),
        ) {
            let limit = ConcurrencyLimit::new(max);
            let mut in_flight = VecDeque::new();
            let mut queue = VecDeque::new();
            for step in steps {
                let mut looking = VecDeque::new();
                match step {
                    Queued::Join => looking.push_back(Box::pin(limit.acquire())),
                    Queued::Leave => drop(queue.pop_front()),
                    Queued::Release => drop(in_flight.pop_front()),
                    Queued::Response(status) => {
                        limit.observe(StatusCode::from_u16(status)?);
                    }
                    Queued::Look => looking.append(&mut queue),
                }
                for mut waiter in looking {
                    match waiter.as_mut().now_or_never() {
                        Some(permit) => {
                            in_flight.push_back(permit);
                            prop_assert!(in_flight.len() <= limit.current());
                        }
                        None => queue.push_back(waiter),
                    }
                }
            }
            // Somebody gets a turn whenever nobody else has one. Two rounds,
            // since one may go into slots that a smaller limit takes back.
            while !queue.is_empty() {
                in_flight.clear();
                let before = queue.len();
                for _ in 0..2 * before {
                    let Some(mut waiter) = queue.pop_front() else { break };
                    match waiter.as_mut().now_or_never() {
                        Some(permit) => in_flight.push_back(permit),
                        None => queue.push_back(waiter),
                    }
                }
                prop_assert!(queue.len() < before);
            }
            drop(in_flight);
            prop_assert_eq!(free_slots(&limit), limit.current());
        }
    }
}
