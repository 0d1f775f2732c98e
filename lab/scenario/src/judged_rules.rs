//! The rules that a run is judged by.

use judge::rules::{RULES, Rule, finite_attempts, page_limit};

/// All rules except those that count attempts or pages, which a reader can change by options.
pub(crate) fn judged_rules() -> impl Iterator<Item = &'static Rule> {
    let counts = [finite_attempts::RULE.id, page_limit::RULE.id];
    let rules = RULES.iter().copied();
    rules.filter(move |rule| !counts.contains(&rule.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_that_options_can_change_are_not_judged() {
        let judged: Vec<_> = judged_rules().map(|rule| rule.id).collect();

        let ids = RULES.iter().map(|rule| rule.id);
        let left_out: Vec<_> = ids.filter(|id| !judged.contains(id)).collect();
        assert_eq!(left_out, ["finite-attempts", "page-limit"]);
    }
}
