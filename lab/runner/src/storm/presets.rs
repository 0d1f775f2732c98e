//! The default retry settings of other clients and proxies.
//!
//! Each names its source and its differences: the budget of the lab's client has no clock,
//! counts first attempts instead of successes, and has one price for every retry.

use std::time::Duration;

use evidence::storm::{Backoff, Policy, Setup, Source};
use smol_str::SmolStr;

/// The default retry settings of other clients and proxies.
pub static PRESETS: &[Policy] = &[GRPC, FINAGLE, LINKERD, AWS, AWS_2026, ENVOY];

/// gRPC's retry throttling, with the numbers of its specification's example: ten tokens
/// at most, a failed attempt costs one, a success earns a tenth, and there is no retry
/// while half of them or less are left. Four attempts, waits from 0.1 s to 1 s.
const GRPC: Policy = Policy {
    name: SmolStr::new_static("grpc"),
    setup: Setup {
        attempts: 4,
        base: Duration::from_millis(100),
        cap: Duration::from_secs(1),
        budget: 5,
        calls_per_retry: 10,
        ..Setup::DEFAULT
    },
    source: Some(Source {
        url: "https://github.com/grpc/proposal/blob/master/A6-client-retries.md",
        differs: "there every failed attempt costs a token, a last one too, and only successes \
                  earn",
    }),
};

/// Finagle's retry budget: a fifth of the requests, and ten a second beside them, over ten
/// seconds; without a wait.
const FINAGLE: Policy = Policy {
    name: SmolStr::new_static("finagle"),
    setup: FIFTH,
    source: Some(Source {
        url: "https://finagle.github.io/blog/2016/02/08/retry-budgets",
        differs: "there what is earned is lost after 10 s, and ten retries a second are free; here \
                  a hundred are, once",
    }),
};

/// linkerd's retry budget: the same numbers, in a proxy beside each client.
const LINKERD: Policy = Policy {
    name: SmolStr::new_static("linkerd"),
    setup: FIFTH,
    source: Some(Source {
        url: "https://linkerd.io/2/features/retries-and-timeouts/",
        differs: "there one timeout bounds all attempts of a call together, and ten retries a \
                  second are free; here a hundred are, once",
    }),
};

/// As many attempts as the lab simulates: the budget alone bounds them.
const FIFTH: Setup = Setup {
    attempts: 20,
    backoff: Backoff::None,
    budget: 100,
    calls_per_retry: 5,
    ..Setup::DEFAULT
};

/// The standard mode of the AWS SDKs before 2026: a bucket of 500, of which a retry costs
/// 5; three attempts, the first wait up to a second, no wait longer than 20 s.
const AWS: Policy = Policy {
    name: SmolStr::new_static("aws"),
    setup: Setup {
        attempts: 3,
        base: Duration::from_secs(1),
        cap: Duration::from_secs(20),
        budget: 100,
        calls_per_retry: 5,
        ..Setup::DEFAULT
    },
    source: Some(Source {
        url: "https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html",
        differs: "there only successes earn, and a retry that succeeds gets its price back",
    }),
};

/// The same since 2026: a retry costs 14, and the first wait is up to 50 ms.
const AWS_2026: Policy = Policy {
    name: SmolStr::new_static("aws-2026"),
    setup: Setup {
        attempts: 3,
        base: Duration::from_millis(50),
        cap: Duration::from_secs(20),
        budget: 35,
        calls_per_retry: 14,
        ..Setup::DEFAULT
    },
    source: Some(Source {
        url: "https://aws.amazon.com/blogs/developer/announcing-updated-retry-behavior-for-aws-sdks-and-tools/",
        differs: "there only successes earn, a retry that succeeds gets its price back, and after \
                  throttling the first wait is up to a second",
    }),
};

/// Envoy's retry budget: a fifth of the requests that are under way, at least three; one
/// retry, after a wait of up to 25 ms.
const ENVOY: Policy = Policy {
    name: SmolStr::new_static("envoy"),
    setup: Setup {
        attempts: 2,
        base: Duration::from_millis(25),
        cap: Duration::from_millis(250),
        budget: 3,
        calls_per_retry: 5,
        ..Setup::DEFAULT
    },
    source: Some(Source {
        url: "https://www.envoyproxy.io/docs/envoy/latest/api-v3/config/cluster/v3/circuit_breaker.proto",
        differs: "there retries are counted that are under way at the same moment, and so are the \
                  requests of which they may be a fifth",
    }),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_names_its_source_and_its_differences() {
        for preset in PRESETS {
            let source = preset.source.expect("a source");

            assert!(source.url.starts_with("https://"), "{}", preset.name);
            assert!(!source.differs.is_empty(), "{}", preset.name);
        }
    }

    /// A budget of this client begins with the retries that can be made at once, and earns
    /// one with so many calls.
    #[test]
    fn the_numbers_match_the_source_in_the_units_of_this_client() {
        // Half of ten tokens at one for each failure, and a tenth for each success.
        let grpc = (4, (100, 1_000), (10 / 2, 10));
        // Ten a second for ten seconds, and a fifth of the calls.
        let free = 10 * 10;
        // A bucket of 500, and what a retry costs.
        let (aws, since_2026) = (5, 14);

        for (name, (attempts, waits, budget)) in [
            ("grpc", grpc),
            ("finagle", (20, (0, 0), (free, 5))),
            ("linkerd", (20, (0, 0), (free, 5))),
            ("aws", (3, (1_000, 20_000), (500 / aws, aws))),
            (
                "aws-2026",
                (3, (50, 20_000), (500 / since_2026, since_2026)),
            ),
            ("envoy", (2, (25, 250), (3, 5))),
        ] {
            let preset = PRESETS.iter().find(|preset| preset.name == name);
            let setup = preset.expect(name).setup;

            let [base, cap] = match setup.backoff {
                Backoff::None => [0, 0],
                _ => [setup.base, setup.cap].map(|wait| wait.as_millis()),
            };
            assert_eq!((setup.attempts, (base, cap)), (attempts, waits), "{name}");
            assert_eq!((setup.budget, setup.calls_per_retry), budget, "{name}");
        }
    }
}
