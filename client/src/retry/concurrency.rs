//! The concurrency limit: how many attempts all clones have in flight together.
//!
//! A 429 means that the clients together send too many requests, and one worker that
//! backs off alone does not change that. So all of them slow down: the limit halves,
//! and each success restores a small part of it (additive increase, multiplicative
//! decrease, as in RFC 5681 §3.1; unlike TCP, which halves once for a whole window,
//! each 429 of a burst halves the limit again).

use std::sync::{Arc, Mutex, PoisonError};

use http::StatusCode;
use tokio::sync::Semaphore;

/// A limit on attempts in flight, shared by all its clones, and so by all clients that
/// use it.
///
/// It limits concurrency: the requests in flight. A *rate limit* of the service limits
/// the requests in a short window, and a *quota* those in a long period. A 429 can mean
/// any of the three, and no standard header says which. So every 429 halves this limit,
/// a `Retry-After` sets the wait, and an exhausted quota ends the call: its
/// `Retry-After` is longer than the client may wait, or the attempts run out.
#[derive(Clone)]
pub struct ConcurrencyLimit {
    shared: Arc<Shared>,
}

struct Shared {
    /// Fair, so no waiter starves; safe to drop at any await, so no slot leaks.
    slots: Semaphore,
    state: Mutex<State>,
}

struct State {
    /// The number of attempts that may be in flight; only whole ones count.
    limit: f64,
    max: f64,
    /// The number of slots to withhold when they are released, because the limit shrank
    /// below the number in flight.
    owed: usize,
}

impl ConcurrencyLimit {
    /// The default maximum number of attempts in flight.
    pub const DEFAULT_MAX: u32 = 64;

    /// A limit that starts at `max` and never exceeds it; 0 counts as 1.
    #[must_use]
    pub fn new(max: u32) -> Self {
        let max = f64::from(max.max(1));
        let state = State {
            limit: max,
            max,
            owed: 0,
        };
        let shared = Shared {
            slots: Semaphore::new(state.whole()),
            state: Mutex::new(state),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// The number of attempts that may be in flight now.
    #[must_use]
    pub fn current(&self) -> usize {
        self.shared.with(|state| state.whole())
    }

    /// Waits for a slot. The slot is released when the permit is dropped.
    pub(super) async fn acquire(&self) -> Permit<'_> {
        loop {
            // The semaphore is never closed. If it were, the client would continue
            // without a limit instead of stopping.
            if let Ok(slot) = self.shared.slots.acquire().await {
                slot.forget();
            }
            // The limit may have shrunk since the slot was assigned.
            if !self.shared.with(State::settle_one) {
                return Permit {
                    shared: &self.shared,
                };
            }
        }
    }

    /// A slot, if one is free and no other caller waits for it.
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

    /// Adjusts the limit after a response; returns the change, if any.
    pub(super) fn observe(&self, status: StatusCode) -> Option<LimitChange> {
        let throttled = status == StatusCode::TOO_MANY_REQUESTS;
        if !throttled && !status.is_success() {
            return None;
        }
        self.shared.with(|state| {
            let (was, before) = (state.limit, state.whole());
            state.limit = if throttled {
                (was / 2.0).max(1.0)
            } else {
                // As many successes as the limit add one slot.
                (was + 1.0 / was).min(state.max)
            };
            if state.limit == was {
                return None;
            }
            let after = state.whole();

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

/// The change of the limit after a response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LimitChange {
    /// The number of attempts allowed in flight before the response.
    pub(crate) before: usize,
    /// The number of attempts allowed in flight after the response. It may be
    /// unchanged, because one success adds only a fraction of a slot.
    pub(crate) after: usize,
    /// Whether the limit shrank, even by a fraction of a slot.
    pub(crate) shrank: bool,
}

impl Default for ConcurrencyLimit {
    /// A limit that starts at [`DEFAULT_MAX`](Self::DEFAULT_MAX).
    fn default() -> Self {
        Self::new(Self::DEFAULT_MAX)
    }
}

impl State {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the limit lies between 1 and a u32"
    )]
    fn whole(&self) -> usize {
        self.limit as usize
    }

    /// Withholds one released slot, if one is owed.
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

/// One slot, held during one attempt.
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

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use futures_util::FutureExt;
    use proptest::prelude::*;

    use super::*;

    /// Takes all free slots without releasing them.
    fn free_slots(limit: &ConcurrencyLimit) -> usize {
        let free = std::iter::from_fn(|| limit.try_acquire().map(std::mem::forget));
        free.take(64).count()
    }

    #[derive(Debug, Clone, Copy)]
    enum Step {
        Try,
        Join,
        Leave,
        Look,
        Release,
        Response(u16),
    }

    fn steps(queues: u32) -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            3 => Just(Step::Try),
            4 * queues => Just(Step::Join),
            queues => Just(Step::Leave),
            2 * queues => Just(Step::Look),
            3 => Just(Step::Release),
            3 => Just(Step::Response(200)),
            1 => Just(Step::Response(429)),
            1 => Just(Step::Response(503)),
        ];
        prop::collection::vec(step, 0..200)
    }

    proptest! {
        /// The reference model is a limit: a slot is free if fewer are in flight and
        /// nobody waits. Waiting takes several polls: a slot may be assigned to a waiter
        /// that is dropped, or the limit may shrink first.
        #[test]
        fn attempts_never_exceed_the_limit_and_a_queue_never_stands_still(
            max in 1_u32..9,
            steps in prop_oneof![steps(0), steps(1)],
        ) {
            let limit = ConcurrencyLimit::new(max);
            let mut in_flight = VecDeque::new();
            let mut queue = VecDeque::new();
            let mut model = f64::from(max);
            for step in steps {
                let mut looking = VecDeque::new();
                match step {
                    Step::Try => {
                        let free = in_flight.len() < model as usize;
                        let permit = limit.try_acquire();
                        prop_assert!(permit.is_some() == free || !queue.is_empty());
                        in_flight.extend(permit);
                    }
                    Step::Join => looking.push_back(Box::pin(limit.acquire())),
                    Step::Leave => drop(queue.pop_front()),
                    Step::Release => drop(in_flight.pop_front()),
                    Step::Response(status) => {
                        limit.observe(StatusCode::from_u16(status)?);
                        model = match status {
                            429 => (model / 2.0).max(1.0),
                            200 => (model + 1.0 / model).min(f64::from(max)),
                            _ => model,
                        };
                        prop_assert_eq!(limit.current(), model as usize);
                    }
                    Step::Look => looking.append(&mut queue),
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
            // If no waiter holds a slot, one gets a slot. Poll twice, because the slots
            // of the first poll may be withheld for a smaller limit.
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
