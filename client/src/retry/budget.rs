//! The retry budget: how much all clones of a client may retry together.
//!
//! Attempts per call bound one caller. When a service is down every caller
//! retries, and the load on it is multiplied just when it can bear least. The
//! budget bounds the whole: retries are paid for by first attempts, ten of
//! which buy one. There is no clock in it, so nothing leaks back over time.
//!
//! It bounds the retries of a service whose quota is used up, too: a retry within
//! seconds is pointless there, and the calls end with the last 429 at once when the
//! budget is empty.

use std::{
    num::NonZeroU32,
    sync::{Arc, Mutex, PoisonError},
};

use super::watchers::{Watcher, Watchers};

/// A stock of retry tokens shared by every clone of it, and so by every client
/// that it is handed to.
///
/// It starts full. Each first attempt deposits a part of a token, a tenth unless
/// told otherwise, up to the capacity; each retry takes a whole one. Over any
/// number *n* of calls there are therefore at most `capacity + n / 10` retries.
///
/// ```
/// use reliable_api_client::{ApiClient, RetryBudget};
///
/// let budget = RetryBudget::new(20);
/// let orders = ApiClient::builder("http://127.0.0.1:8765").retry_budget(budget.clone());
/// let stock = ApiClient::builder("http://127.0.0.1:8766").retry_budget(budget);
/// ```
#[derive(Clone)]
pub struct RetryBudget {
    shared: Arc<Mutex<Shared>>,
}

struct Shared {
    tokens: Tokens,
    watchers: Watchers,
}

impl RetryBudget {
    /// The default capacity, in tokens.
    pub const DEFAULT_CAPACITY: u32 = 10;

    /// How many first attempts buy one retry, unless told otherwise.
    pub const DEFAULT_CALLS_PER_RETRY: NonZeroU32 = NonZeroU32::new(10).unwrap();

    /// A full budget of `capacity` tokens. With none at all it allows no retry,
    /// however many calls there were.
    #[must_use]
    pub fn new(capacity: u32) -> Self {
        Self::with_ratio(capacity, Self::DEFAULT_CALLS_PER_RETRY)
    }

    /// A full budget of `capacity` tokens in which `calls_per_retry` first
    /// attempts buy one retry: 5 allows a fifth of the calls to be retried in the
    /// long run, 1 as many retries as there are calls.
    #[must_use]
    pub fn with_ratio(capacity: u32, calls_per_retry: NonZeroU32) -> Self {
        let shared = Shared {
            tokens: Tokens::full(capacity, calls_per_retry),
            watchers: Watchers::default(),
        };
        Self {
            shared: Arc::new(Mutex::new(shared)),
        }
    }

    /// Tells `watcher` the stock, for as long as its owner keeps it.
    pub(crate) fn watch(&self, watcher: &Arc<Watcher>) {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let tokens = shared.tokens.whole();
        shared.watchers.attach(watcher, tokens);
    }

    /// The tokens left, with the part of the next one: 2.5 means two retries now
    /// and a third after half as many first attempts as buy one.
    #[must_use]
    pub fn tokens(&self) -> f64 {
        self.with(|tokens| tokens.whole())
    }

    /// Notes a first attempt.
    pub(super) fn deposit(&self) {
        self.with(Tokens::deposit);
    }

    /// Takes a token for a retry, if there is one.
    pub(super) fn withdraw(&self) -> Option<Token> {
        self.with(Tokens::withdraw).then(|| Token {
            budget: Some(self.clone()),
        })
    }

    fn with<T>(&self, body: impl FnOnce(&mut Tokens) -> T) -> T {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let before = shared.tokens.parts;
        let result = body(&mut shared.tokens);
        if shared.tokens.parts != before {
            shared.watchers.tell(shared.tokens.whole());
        }
        result
    }
}

impl Default for RetryBudget {
    /// [`DEFAULT_CAPACITY`](Self::DEFAULT_CAPACITY) tokens at the default ratio.
    fn default() -> Self {
        Self::new(Self::DEFAULT_CAPACITY)
    }
}

impl std::fmt::Debug for RetryBudget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RetryBudget")
            .field("tokens", &self.tokens())
            .finish_non_exhaustive()
    }
}

/// A token taken for one retry. Dropped unspent, it goes back: a retry that was
/// cancelled while it waited cost the service nothing.
pub(super) struct Token {
    budget: Option<RetryBudget>,
}

impl Token {
    /// Keeps the token from going back: its retry goes on the wire.
    pub(super) fn spend(mut self) {
        self.budget = None;
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        if let Some(budget) = &self.budget {
            budget.with(Tokens::refund);
        }
    }
}

/// The arithmetic, in the parts of a token that a first attempt deposits, so
/// that it stays exact.
struct Tokens {
    parts: u64,
    capacity: u64,
    parts_per_token: u64,
}

impl Tokens {
    fn full(capacity: u32, calls_per_retry: NonZeroU32) -> Self {
        let parts_per_token = u64::from(calls_per_retry.get());
        let capacity = u64::from(capacity) * parts_per_token;
        Self {
            parts: capacity,
            capacity,
            parts_per_token,
        }
    }

    fn deposit(&mut self) {
        self.parts = (self.parts + 1).min(self.capacity);
    }

    fn withdraw(&mut self) -> bool {
        let left = self.parts.checked_sub(self.parts_per_token);
        self.parts = left.unwrap_or(self.parts);
        left.is_some()
    }

    fn refund(&mut self) {
        self.parts = (self.parts + self.parts_per_token).min(self.capacity);
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "it is shown, and nothing is decided by it"
    )]
    fn whole(&self) -> f64 {
        self.parts as f64 / self.parts_per_token as f64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ten_first_attempts_buy_one_retry() {
        let budget = RetryBudget::new(1);
        budget.withdraw().expect("it starts full").spend();

        for _ in 0..9 {
            budget.deposit();
            assert!(budget.withdraw().is_none());
        }
        budget.deposit();

        assert!(budget.withdraw().is_some());
    }

    #[test]
    fn the_ratio_says_how_many_first_attempts_buy_a_retry() {
        for calls_per_retry in [1, 5, 14] {
            let ratio = NonZeroU32::new(calls_per_retry).expect("not zero");
            let budget = RetryBudget::with_ratio(1, ratio);
            budget.withdraw().expect("it starts full").spend();

            for _ in 1..calls_per_retry {
                budget.deposit();
                assert!(budget.withdraw().is_none());
            }
            budget.deposit();

            assert!(budget.withdraw().is_some(), "after {calls_per_retry}");
        }
    }

    #[test]
    fn an_unspent_token_goes_back() {
        let budget = RetryBudget::new(2);

        drop(budget.withdraw());
        budget.withdraw().expect("two tokens").spend();

        assert!((budget.tokens() - 1.0).abs() < f64::EPSILON);
    }

    #[derive(Debug, Clone, Copy)]
    enum Step {
        Deposit,
        Withdraw,
        Spend,
        Return,
    }

    proptest! {
        /// The reference model counts in tokens, and knows which are held by
        /// calls that have not decided yet or are waiting.
        #[test]
        fn behaves_like_a_stock_and_a_list_of_what_is_held(
            capacity in 0_u32..4,
            steps in prop::collection::vec(
                prop_oneof![
                    4 => Just(Step::Deposit),
                    3 => Just(Step::Withdraw),
                    2 => Just(Step::Spend),
                    1 => Just(Step::Return),
                ],
                0..200,
            ),
        ) {
            let budget = RetryBudget::new(capacity);
            let most = f64::from(capacity);
            let mut model = most;
            let mut held = Vec::new();
            let mut calls = 0_u32;
            let mut retries = 0_u32;
            for step in steps {
                match step {
                    Step::Deposit => {
                        budget.deposit();
                        calls += 1;
                        model = (model + 0.1).min(most);
                    }
                    Step::Withdraw => {
                        let token = budget.withdraw();
                        prop_assert_eq!(token.is_some(), model > 0.999);
                        model -= f64::from(u8::from(token.is_some()));
                        held.extend(token);
                    }
                    Step::Spend => {
                        if let Some(token) = held.pop() {
                            token.spend();
                            retries += 1;
                        }
                    }
                    Step::Return => {
                        if held.pop().is_some() {
                            model = (model + 1.0).min(most);
                        }
                    }
                }
                prop_assert!((budget.tokens() - model).abs() < 1e-6);
                prop_assert!(f64::from(retries) <= most + f64::from(calls) / 10.0);
            }
        }
    }
}
