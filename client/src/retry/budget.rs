//! The retry budget: the limit for the retries of all clones of a client together.
//!
//! A maximum number of attempts limits one call. If a service is down, every caller
//! retries, and the load multiplies when the service can bear least. The budget limits
//! all retries together: ten first attempts pay for one retry. It has no clock, so it
//! does not refill over time.
//!
//! It also limits the retries against a service whose quota is used up, where a retry
//! within seconds is pointless: if the budget is empty, the calls end immediately with
//! the last 429.

use std::{
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// A stock of retry tokens shared by all its clones, and so by all clients that use it.
///
/// It starts full. Each first attempt deposits a part of a token, a tenth by default,
/// up to the capacity; each retry takes a whole one. Over any number *n* of calls there
/// are therefore at most `capacity + n / 10` retries.
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
    stock: Arc<Stock>,
}

/// Its unit is the deposit of a first attempt, so that the arithmetic stays exact.
struct Stock {
    parts: AtomicU64,
    capacity: u64,
    parts_per_token: u64,
}

impl RetryBudget {
    /// The default capacity, in tokens.
    pub const DEFAULT_CAPACITY: u32 = 10;

    /// The default number of first attempts that pay for one retry.
    pub const DEFAULT_CALLS_PER_RETRY: NonZeroU32 = NonZeroU32::new(10).unwrap();

    /// A full budget of `capacity` tokens. With a capacity of 0 it allows no retry,
    /// however many calls there were.
    #[must_use]
    pub fn new(capacity: u32) -> Self {
        Self::with_ratio(capacity, Self::DEFAULT_CALLS_PER_RETRY)
    }

    /// A full budget of `capacity` tokens in which `calls_per_retry` first attempts pay
    /// for one retry: 5 allows a fifth of the calls to be retried in the long run, 1 as
    /// many retries as there are calls.
    #[must_use]
    pub fn with_ratio(capacity: u32, calls_per_retry: NonZeroU32) -> Self {
        let parts_per_token = u64::from(calls_per_retry.get());
        let capacity = u64::from(capacity) * parts_per_token;
        let stock = Stock {
            parts: AtomicU64::new(capacity),
            capacity,
            parts_per_token,
        };
        Self {
            stock: Arc::new(stock),
        }
    }

    /// The tokens left, including the part of the next one: 2.5 means two retries now,
    /// and a third one after half of the first attempts that pay for a retry.
    #[must_use]
    pub fn tokens(&self) -> f64 {
        self.stock.tokens()
    }

    /// Records a first attempt.
    pub(super) fn deposit(&self) {
        self.stock.change(|parts| Some(parts + 1));
    }

    /// Takes a token for a retry, if there is one.
    pub(super) fn withdraw(&self) -> Option<Token> {
        let price = self.stock.parts_per_token;
        let is_taken = self.stock.change(|parts| parts.checked_sub(price));
        is_taken.then(|| Token {
            budget: Some(self.clone()),
        })
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

/// A token taken for one retry. A token that is dropped unspent goes back, because a
/// retry that is cancelled during its wait costs the service nothing.
pub(super) struct Token {
    budget: Option<RetryBudget>,
}

impl Token {
    /// Spends the token, because its retry is about to be sent.
    pub(super) fn spend(mut self) {
        self.budget = None;
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        if let Some(budget) = &self.budget {
            let price = budget.stock.parts_per_token;
            budget.stock.change(|parts| Some(parts + price));
        }
    }
}

impl Stock {
    /// Changes the stock, up to the capacity, unless `change` declines: whether it did not.
    fn change(&self, change: impl Fn(u64) -> Option<u64>) -> bool {
        let within_capacity = |parts| change(parts).map(|after| after.min(self.capacity));
        let changed =
            self.parts
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, within_capacity);
        changed.is_ok()
    }

    #[expect(clippy::cast_precision_loss, reason = "it is only displayed")]
    fn tokens(&self) -> f64 {
        self.parts.load(Ordering::Relaxed) as f64 / self.parts_per_token as f64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone, Copy)]
    enum Step {
        Deposit,
        Withdraw,
        Spend,
        Return,
    }

    proptest! {
        /// The reference model counts tokens, including those held by calls that are
        /// waiting or have not decided yet.
        #[test]
        fn the_budget_matches_a_stock_with_a_list_of_held_tokens(
            capacity in 0_u32..4,
            calls_per_retry in prop_oneof![Just(10_u32), 1_u32..15],
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
            let ratio = NonZeroU32::new(calls_per_retry).expect("drawn from 1");
            let budget = RetryBudget::with_ratio(capacity, ratio);
            let paid = 1.0 / f64::from(calls_per_retry);
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
                        model = (model + paid).min(most);
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
                prop_assert!(f64::from(retries) <= most + f64::from(calls) * paid + 1e-6);
            }
        }
    }

    #[test]
    fn threads_that_withdraw_at_the_same_time_get_no_more_than_the_capacity() {
        let budget = RetryBudget::new(1_000);
        let withdrawn = |budget: &RetryBudget| {
            let tokens = (0..500).filter_map(|_| budget.withdraw());
            tokens.map(Token::spend).count()
        };

        let all = std::thread::scope(|scope| {
            let threads = [(); 4].map(|()| scope.spawn(|| withdrawn(&budget)));
            threads.map(|thread| thread.join().expect("no panic"))
        });

        assert_eq!(all.iter().sum::<usize>(), 1_000);
    }
}
