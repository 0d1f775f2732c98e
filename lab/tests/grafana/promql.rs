//! The series that a PromQL expression reads.
//!
//! Syntax that this parser does not support is an error, so that every expression is
//! checked.

use std::time::Duration;

use promql_parser::{
    label::{MatchOp, Matcher},
    parser::{self, Expr, LabelModifier, VectorSelector},
};

/// Durations for Grafana's range variables, which nobody writes by hand.
pub(crate) const RATE_INTERVAL: Duration = Duration::from_millis(4_999);
const RANGE: Duration = Duration::from_millis(299_999);

/// The series and labels that an expression reads.
#[derive(Debug, Default)]
pub(crate) struct Query {
    /// The series that it selects.
    pub(crate) selectors: Vec<Selector>,
    /// The labels that its aggregations keep.
    pub(crate) kept: Vec<String>,
}

/// A selection of series.
#[derive(Debug)]
pub(crate) struct Selector {
    pub(crate) metric: String,
    pub(crate) matchers: Vec<Matcher>,
    /// The function over a range that it is used in, and the range.
    pub(crate) over: Option<(&'static str, Duration)>,
    /// Whether it reads the past, with `offset`.
    pub(crate) is_past: bool,
}

impl Selector {
    /// Whether it has the matcher `label=~"pattern"`.
    pub(crate) fn matches(&self, label: &str, pattern: &str) -> bool {
        let wanted = |it: &Matcher| it.name == label && it.value == pattern;
        let mut found = self.matchers.iter().filter(|it| wanted(it));
        found.any(|it| matches!(it.op, MatchOp::Re(_)))
    }
}

/// Reads an expression.
pub(crate) fn read(expression: &str) -> Result<Query, String> {
    let millis = |duration: Duration| format!("{}ms", duration.as_millis());
    let text = expression
        .replace("$__rate_interval", &millis(RATE_INTERVAL))
        .replace("$__range", &millis(RANGE));
    let mut query = Query::default();
    query.add(&parser::parse(&text)?)?;
    match query.selectors.is_empty() {
        true => Err(format!("nothing is selected by {expression:?}")),
        false => Ok(query),
    }
}

impl Query {
    fn add(&mut self, part: &Expr) -> Result<(), String> {
        match part {
            Expr::Aggregate(it) => {
                match &it.modifier {
                    Some(LabelModifier::Include(kept)) => self.kept.extend(kept.labels.clone()),
                    Some(LabelModifier::Exclude(_)) => return Err(format!("`without` in {it}")),
                    None => {}
                }
                self.add(&it.expr)
            }
            Expr::Binary(it) if !it.is_matching_labels_not_empty() => {
                self.add(&it.lhs)?;
                self.add(&it.rhs)
            }
            Expr::Call(it) => it.args.args.iter().try_for_each(|part| match &**part {
                Expr::MatrixSelector(range) => {
                    self.select(&range.vs, Some((it.func.name, range.range)))
                }
                part => self.add(part),
            }),
            Expr::Paren(it) => self.add(&it.expr),
            Expr::VectorSelector(it) => self.select(it, None),
            Expr::NumberLiteral(_) => Ok(()),
            other => Err(format!("these tests do not follow {other}")),
        }
    }

    fn select(
        &mut self,
        selector: &VectorSelector,
        over: Option<(&'static str, Duration)>,
    ) -> Result<(), String> {
        if !selector.matchers.or_matchers.is_empty() {
            return Err(format!("`or` among the matchers of {selector}"));
        }
        self.selectors.push(Selector {
            metric: selector.name.clone().ok_or("a selector without a metric")?,
            matchers: selector.matchers.matchers.clone(),
            over,
            is_past: selector.offset.is_some(),
        });
        Ok(())
    }
}

/// An expression as Grafana sends it, with `All` selected for every variable.
pub(crate) fn substituted(expression: &str, rate_interval: &str, range: &str) -> String {
    let sent = expression
        .replace("$__rate_interval", rate_interval)
        .replace("$__range", range)
        .replace("$job", ".+")
        .replace("$instance", ".+");
    assert!(!sent.contains('$'), "a variable is left in {sent}");
    sent
}
