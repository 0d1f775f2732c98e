//! A client whose slots, tokens and counters are all checked.

use super::{drive::finish, offline, service::Service};
use crate::bench::{Tally, sum};
use client::{
    ConcurrencyLimit, RetryBudget,
    teaching::ReliableApiClient,
    telemetry::{ATTEMPTS, CURSOR_LOOPS, GIVE_UPS, Metric, RETRIES},
};
use futures_util::future::join_all;

/// A client, its service, and what it counts.
pub(crate) struct Observed {
    pub(crate) client: ReliableApiClient,
    service: Service,
    tally: Tally,
    budget: RetryBudget,
    limit: ConcurrencyLimit,
    slots: u32,
}

impl Observed {
    pub(crate) fn new(slots: u32) -> Self {
        let service = Service::default();
        let tally = Tally::new();
        let budget = RetryBudget::default();
        let limit = ConcurrencyLimit::new(slots);
        let (client, _) = offline(service.transport(slots as usize), |builder| {
            builder
                .concurrency_limit(limit.clone())
                .retry_budget(budget.clone())
                .max_pages(3)
                .recorder(tally.recorder())
        });
        // A full budget would hide a deposit too many.
        for _ in 0..3 {
            finish(client.flaky()).expect("ready").expect("the retry");
        }
        Self {
            client,
            service,
            tally,
            budget,
            limit,
            slots,
        }
    }

    /// Checks that nothing was lost, by using all of it.
    pub(crate) fn assert_whole(self, story: &str) {
        assert_eq!(self.service.in_flight(), 0, "in flight {story}");

        // They succeed only once all slots are taken together.
        let calls = (0..self.slots).map(|_| self.client.no_content());
        let calls = finish(join_all(calls)).unwrap_or_else(|| panic!("a slot is lost {story}"));

        assert!(calls.iter().all(Result::is_ok), "{calls:?} {story}");
        let counted = self.tally.read();
        let sum = |metric: Metric| sum(&counted, metric.name, &[]);
        let responses = f64::from(self.service.responses());
        for (metric, expected) in [(GIVE_UPS, 0.0), (CURSOR_LOOPS, 0.0), (ATTEMPTS, responses)] {
            assert_eq!(sum(metric), expected, "{} {story}", metric.name);
        }
        assert_eq!(
            self.limit.current(),
            self.slots as usize,
            "the limit {story}"
        );
        // What was on the wire is paid for, and nothing else. The very first
        // deposit found the budget full.
        let (firsts, retries) = self.service.firsts_and_retries();
        let expected = 10.0 + f64::from(firsts - 1) / 10.0 - f64::from(retries);
        let surplus = self.budget.tokens() - expected;
        assert!(surplus.abs() < 1e-6, "{surplus} tokens too many {story}");
        assert!(sum(RETRIES) >= f64::from(retries), "retries {story}");
    }
}
