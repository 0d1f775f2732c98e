//! The default retry settings of other clients and proxies.
//!
//! Each names its source and its differences: the budget of the lab's client has no clock,
//! counts first attempts instead of successes, and has one price for every retry. It begins
//! with the retries that can be made at once, and earns one with so many calls.

use std::time::Duration;

use evidence::storm::{Backoff, Policy, Setup, Source};
use smol_str::SmolStr;

/// The default retry settings of other clients and proxies.
pub static PRESETS: &[Policy] = &[GRPC, FINAGLE, LINKERD, AWS, AWS_2026, ENVOY];

/// gRPC's retry throttling, with the numbers of its specification's example: ten tokens
/// at most, a failed attempt costs one, a success earns a tenth, and there is no retry
/// while half of them or less are left. Four attempts, waits from 0.1 s to 1 s.
const GRPC: Policy = preset(
    "grpc",
    Setup {
        attempts: 4,
        base: Duration::from_millis(100),
        cap: Duration::from_secs(1),
        budget: 10 / 2,
        calls_per_retry: 10,
        ..Setup::DEFAULT
    },
    "https://github.com/grpc/proposal/blob/master/A6-client-retries.md",
    "there every failed attempt costs a token, a last one too, and only successes earn",
);

/// Finagle's retry budget: a fifth of the requests, and ten a second beside them, over ten
/// seconds; without a wait.
const FINAGLE: Policy = preset(
    "finagle",
    FIFTH,
    "https://finagle.github.io/blog/2016/02/08/retry-budgets",
    "there what is earned is lost after 10 s, and ten retries a second are free; here a hundred \
     are, once",
);

/// linkerd's retry budget: the same numbers, in a proxy beside each client.
const LINKERD: Policy = preset(
    "linkerd",
    FIFTH,
    "https://linkerd.io/2/features/retries-and-timeouts/",
    "there one timeout bounds all attempts of a call together, and ten retries a second are free; \
     here a hundred are, once",
);

/// As many attempts as the lab simulates: the budget alone bounds them.
const FIFTH: Setup = Setup {
    attempts: 20,
    backoff: Backoff::None,
    budget: 10 * 10,
    calls_per_retry: 5,
    ..Setup::DEFAULT
};

/// The standard mode of the AWS SDKs before 2026: a bucket of 500, of which a retry costs
/// 5; three attempts, the first wait up to a second, no wait longer than 20 s.
const AWS: Policy = preset(
    "aws",
    Setup {
        attempts: 3,
        base: Duration::from_secs(1),
        cap: Duration::from_secs(20),
        budget: 500 / 5,
        calls_per_retry: 5,
        ..Setup::DEFAULT
    },
    "https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html",
    "there only successes earn, and a retry that succeeds gets its price back",
);

/// The same since 2026: a retry costs 14, and the first wait is up to 50 ms.
const AWS_2026: Policy = preset(
    "aws-2026",
    Setup {
        attempts: 3,
        base: Duration::from_millis(50),
        cap: Duration::from_secs(20),
        budget: 500 / 14,
        calls_per_retry: 14,
        ..Setup::DEFAULT
    },
    "https://aws.amazon.com/blogs/developer/announcing-updated-retry-behavior-for-aws-sdks-and-tools/",
    "there only successes earn, a retry that succeeds gets its price back, and after throttling \
     the first wait is up to a second",
);

/// Envoy's retry budget: a fifth of the requests that are under way, at least three; one
/// retry, after a wait of up to 25 ms.
const ENVOY: Policy = preset(
    "envoy",
    Setup {
        attempts: 2,
        base: Duration::from_millis(25),
        cap: Duration::from_millis(250),
        budget: 3,
        calls_per_retry: 5,
        ..Setup::DEFAULT
    },
    "https://www.envoyproxy.io/docs/envoy/latest/api-v3/config/cluster/v3/circuit_breaker.proto",
    "there retries are counted that are under way at the same moment, and so are the requests of \
     which they may be a fifth",
);

const fn preset(
    name: &'static str,
    setup: Setup,
    url: &'static str,
    differs: &'static str,
) -> Policy {
    Policy {
        name: SmolStr::new_static(name),
        setup,
        source: Some(Source { url, differs }),
    }
}
