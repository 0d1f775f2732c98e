//! Rules that a command is known to break, so that it fails only by others.

use super::{CaseCard, Judged, ProxyCard, rules};
use crate::rules::Verdict;

/// A list of known failures. A rule on it that is kept is an error too: otherwise the list
/// would only grow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known(Vec<Entry>);

/// A rule that a command is known to break.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    /// The route where it is broken; none for all.
    route: Option<String>,
    rule: &'static str,
}

/// A line of a list that names no rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: no rule is called '{rule}'; there are {all}", all = rules::names())]
pub struct UnknownRule {
    line: usize,
    rule: String,
}

impl Known {
    /// Reads a list with one entry on each line, as `RULE` or `ROUTE/RULE`, such as
    /// `POST /v1/orders/once`; `#` begins a comment.
    ///
    /// # Errors
    ///
    /// [`UnknownRule`] if a line names none.
    pub fn read(text: &str) -> Result<Self, UnknownRule> {
        let lines = text.lines().zip(1..);
        let lines =
            lines.map(|(line, number)| (line.split('#').next().unwrap_or("").trim(), number));
        let lines = lines.filter(|(line, _)| !line.is_empty());
        let entry = |(line, number): (&str, usize)| {
            let (route, rule) = match line.rsplit_once('/') {
                Some((route, rule)) => (Some(route.to_owned()), rule),
                None => (None, line),
            };
            let unknown = || UnknownRule {
                line: number,
                rule: rule.to_owned(),
            };
            let rule = rules::find(rule).ok_or_else(unknown)?.id;
            Ok(Entry { route, rule })
        };
        lines.map(entry).collect::<Result<_, _>>().map(Self)
    }

    /// The routes that the list names.
    pub fn routes(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|entry| entry.route.as_deref())
    }

    /// Whether this rule is known to be broken in this case.
    #[must_use]
    pub fn covers(&self, case: Option<&CaseCard>, judged: &Judged) -> bool {
        self.0.iter().any(|entry| entry.covers(case, judged))
    }

    /// The entries that the card shows to be wrong, as they stand in the list: they are kept
    /// somewhere and broken nowhere.
    #[must_use]
    pub fn passed(&self, card: &ProxyCard) -> Vec<String> {
        let wrong = self.0.iter().filter(|entry| entry.has_passed(card));
        let words = wrong.map(|Entry { route, rule }| match route {
            Some(route) => format!("{route}/{rule}"),
            None => (*rule).to_owned(),
        });
        words.collect()
    }

    /// Whether this rule was kept in this case although it is known to be broken.
    #[must_use]
    pub fn are_kept_by(&self, card: &ProxyCard, case: Option<&CaseCard>, judged: &Judged) -> bool {
        let mut entries = self.0.iter();
        judged.verdict == Verdict::Kept
            && entries.any(|entry| entry.covers(case, judged) && entry.has_passed(card))
    }
}

impl Entry {
    /// Whether the card shows the rule kept somewhere and broken nowhere.
    fn has_passed(&self, card: &ProxyCard) -> bool {
        let found = |verdict| {
            let mut verdicts = card.verdicts();
            verdicts.any(|(case, it)| it.verdict == verdict && self.covers(case, it))
        };
        found(Verdict::Kept) && !found(Verdict::Broken)
    }

    fn covers(&self, case: Option<&CaseCard>, judged: &Judged) -> bool {
        let is_there = |route: &String| case.is_some_and(|case| case.route == *route);
        self.rule == judged.rule && self.route.as_ref().is_none_or(is_there)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_rule_or_a_rule_of_a_route() {
        let read = Known::read("# none\nonce\n POST /v1/orders/once # two\n\n");

        let entry = |route: Option<&str>| Entry {
            route: route.map(str::to_owned),
            rule: "once",
        };
        let expected = vec![entry(None), entry(Some("POST /v1/orders"))];
        assert_eq!(read, Ok(Known(expected)));
        let error = Known::read("\nGET /a/twice").expect_err("no rule");
        assert!(
            error
                .to_string()
                .starts_with("line 2: no rule is called 'twice'; there are ")
        );
    }
}
