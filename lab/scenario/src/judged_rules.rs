//! The rules that a run is judged by.

use judge::rules::{RULES, Rule, backoff_jitter, backoff_waits, finite_attempts, page_limit};

/// All rules about this service except those that count attempts or pages, which a reader can
/// change by options, and those about the lengths of waits, for which one run has too few
/// retries.
pub(crate) fn judged_rules() -> impl Iterator<Item = &'static Rule> {
    let left_out = [
        finite_attempts::RULE.id,
        page_limit::RULE.id,
        backoff_waits::RULE.id,
        backoff_jitter::RULE.id,
    ];
    let rules = RULES.iter().copied();
    rules.filter(move |rule| rule.is_judged_by_cases() && !left_out.contains(&rule.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_about_limits_lengths_of_waits_and_foreign_apis_are_not_judged() {
        let judged: Vec<_> = judged_rules().map(|rule| rule.id).collect();

        let ids = RULES.iter().map(|rule| rule.id);
        let mut left_out: Vec<_> = ids.filter(|id| !judged.contains(id)).collect();
        left_out.sort_unstable();
        let expected = [
            "backoff-jitter",
            "backoff-waits",
            "finite-attempts",
            "once",
            "page-limit",
            "refused-once",
        ];
        assert_eq!(left_out, expected);
    }
}
