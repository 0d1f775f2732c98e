//! The fields of a form that break their rules.

use maud::{Markup, html};

/// A field that breaks its rule.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FieldError {
    name: &'static str,
    label: &'static str,
    /// The rule, as in "it must be a whole number from 1 to 10000".
    pub(crate) rule: String,
    got: String,
}

impl FieldError {
    pub(crate) fn new(name: &'static str, label: &'static str, rule: String, got: &str) -> Self {
        Self {
            name,
            label,
            rule,
            got: got.to_owned(),
        }
    }

    /// A field that names none of its choices.
    pub(crate) fn choice<'a>(
        name: &'static str,
        label: &'static str,
        names: impl IntoIterator<Item = &'a str>,
        got: &str,
    ) -> Self {
        let names: Vec<_> = names.into_iter().collect();
        let rule = format!("it must be one of {}", names.join(", "));
        Self::new(name, label, rule, got)
    }

    /// The field, its rule, and what was typed, if the rule does not say that.
    pub(crate) fn sentence(&self) -> String {
        let Self {
            label, rule, got, ..
        } = self;
        if got.is_empty() {
            format!("{label}: {rule}.")
        } else {
            format!("{label}: {rule}, got \u{201c}{got}\u{201d}.")
        }
    }
}

/// Whether a field breaks its rule, as its attribute.
pub(crate) fn is_wrong(errors: &[FieldError], name: &str) -> Option<&'static str> {
    let is_wrong = errors.iter().any(|error| error.name == name);
    is_wrong.then_some("true")
}

/// The rule that a field breaks.
pub(crate) fn why(errors: &[FieldError], name: &str) -> Markup {
    let error = errors.iter().find(|error| error.name == name);
    html! {
        @if let Some(error) = error { span.why { "✗ " (error.rule) } }
    }
}
