//! The retry budget: how much all clones of a client may retry together.
//!
//! Attempts per call bound one caller. When a service is down every caller
//! retries, and the load on it is multiplied just when it can bear least. The
//! budget bounds the whole: retries are paid for by first attempts, ten of
//! which buy one. There is no clock in it, so nothing leaks back over time.

use std::sync::{Arc, Mutex, PoisonError};

use metrics::Gauge;

/// A stock of retry tokens shared by every clone.
///
/// It starts full. Each first attempt deposits a tenth of a token, up to the
/// capacity; each retry takes a whole one. Over any number *n* of calls there
/// are therefore at most `capacity + n / 10` retries.
#[derive(Clone)]
pub struct RetryBudget {
    shared: Arc<Shared>,
}

struct Shared {
    tokens: Mutex<Tokens>,
    gauge: Gauge,
}

impl RetryBudget {
    /// The default capacity, in tokens.
    pub const DEFAULT_CAPACITY: u32 = 10;

    /// A full budget of `capacity` tokens.
    #[must_use]
    pub fn new(capacity: u32) -> Self {
        Self::observed(capacity, Gauge::noop())
    }

    /// A full budget whose stock `gauge` shows.
    pub(crate) fn observed(capacity: u32, gauge: Gauge) -> Self {
        let tokens = Tokens::full(capacity);
        gauge.set(tokens.whole());
        Self {
            shared: Arc::new(Shared {
                tokens: Mutex::new(tokens),
                gauge,
            }),
        }
    }

    /// The tokens left, in tenths: 2.5 means two retries now and a third after
    /// five more first attempts.
    #[must_use]
    pub fn tokens(&self) -> f64 {
        self.with(|tokens| tokens.whole())
    }

    /// Notes a first attempt.
    pub(super) fn deposit(&self) {
        self.with(Tokens::deposit);
    }

    /// Takes a token for a retry that is being considered, if there is one.
    pub(super) fn withdraw(&self) -> Option<Token> {
        self.with(Tokens::withdraw).then(|| Token {
            budget: Some(self.clone()),
        })
    }

    fn with<T>(&self, body: impl FnOnce(&mut Tokens) -> T) -> T {
        let mut tokens = self
            .shared
            .tokens
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let result = body(&mut tokens);
        self.shared.gauge.set(tokens.whole());
        result
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
/// decided against, or cancelled while it waited, cost the service nothing.
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

/// The arithmetic, in tenths of a token so that it stays exact.
struct Tokens {
    tenths: u64,
    capacity: u64,
}

impl Tokens {
    const WHOLE: u64 = 10;

    fn full(capacity: u32) -> Self {
        let capacity = u64::from(capacity) * Self::WHOLE;
        Self {
            tenths: capacity,
            capacity,
        }
    }

    fn deposit(&mut self) {
        self.tenths = (self.tenths + 1).min(self.capacity);
    }

    fn withdraw(&mut self) -> bool {
        let left = self.tenths.checked_sub(Self::WHOLE);
        self.tenths = left.unwrap_or(self.tenths);
        left.is_some()
    }

    fn refund(&mut self) {
        self.tenths = (self.tenths + Self::WHOLE).min(self.capacity);
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "at most 2^32 tokens, far below the 53 bits of an f64"
    )]
    fn whole(&self) -> f64 {
        self.tenths as f64 / Self::WHOLE as f64
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
