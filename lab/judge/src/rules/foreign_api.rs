//! The rules about a foreign API, of which only its user knows what must not be done twice.

use super::{Judge, Rule, RuleLevel};

/// A request that was refused with 400 is final, whatever the API.
pub const REFUSED_ONCE: Rule = Rule {
    id: "refused-once",
    level: RuleLevel::GoodPractice,
    source: "AIP-194",
    text: "a request that was refused with 400 was not sent again",
    why: "A 400 says that the request itself is wrong: the same request is refused again, and only adds to the load.",
    hint: "Retry only what may pass, such as 429, 503 or a lost connection. Report a 400 to the caller at once.",
    judge: Judge::Elsewhere,
};

/// Declared by the user for a route.
pub const ONCE: Rule = Rule {
    id: "once",
    level: RuleLevel::Standard,
    source: "RFC 9110 §9.2.2",
    text: "a request that must not be done twice was sent once, or always with its key",
    why: "A request that failed may have taken effect. If it is done again, a customer pays twice or gets two orders.",
    hint: "Send an idempotency key that your API honours, the same with every attempt, or do not retry the request. Declare the route with --once: only you know that it must not be done twice.",
    judge: Judge::Elsewhere,
};
