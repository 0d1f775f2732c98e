//! The two modes of every page, which stand in its address: *Present* and *Predict first*.
//!
//! A projector and a notebook can differ, since nothing but the address knows them. Every link and
//! form of a page keeps them.

use maud::{Markup, html};

use super::{fields::Fields, plan};

/// The names in an address.
pub(crate) const PRESENT: &str = "present";
pub(crate) const PREDICT: &str = "predict";
const PLAN: &str = "plan";
const STOP: &str = "stop";

/// The modes of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Modes {
    /// One thing fills the screen, step by step.
    pub(crate) present: bool,
    /// No ending is shown before there is a guess.
    pub(crate) predict: bool,
    /// The stop of a plan that is presented, or was left.
    pub(crate) stop: Option<PlanStop>,
}

/// A stop of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlanStop {
    /// The minutes of the plan, which are its name.
    pub(crate) plan: u64,
    /// The number of the stop, from 1.
    pub(crate) stop: usize,
}

/// A page of the lab, and what is chosen on it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Address {
    path: String,
    fields: Vec<(&'static str, String)>,
}

impl Modes {
    /// The modes of an address or of a form.
    pub(crate) fn of(fields: &Fields) -> Self {
        let number = |name| fields.get(name).and_then(|text| text.parse::<u64>().ok());
        let stop = number(PLAN).zip(number(STOP));
        let stop = stop.and_then(|(plan, stop)| plan::stop(plan, usize::try_from(stop).ok()?));
        Self {
            present: fields.has(PRESENT),
            predict: fields.has(PREDICT),
            stop,
        }
    }

    /// The same as fields of an address or of a form.
    fn fields(self) -> Vec<(&'static str, String)> {
        let mut fields = Vec::new();
        if self.present {
            fields.push((PRESENT, String::new()));
        }
        if self.predict {
            fields.push((PREDICT, String::new()));
        }
        if let Some(PlanStop { plan, stop }) = self.stop {
            fields.push((PLAN, plan.to_string()));
            fields.push((STOP, stop.to_string()));
        }
        fields
    }

    /// A link to an address that keeps the modes.
    pub(crate) fn link(self, address: impl Into<Address>) -> String {
        let address = address.into();
        let mut link = address.path;
        let fields = address.fields.into_iter().chain(self.fields());
        for (place, (name, text)) in fields.enumerate() {
            link.push(if place == 0 { '?' } else { '&' });
            link.push_str(name);
            if !text.is_empty() {
                link.push('=');
                link.extend(form_urlencoded::byte_serialize(text.as_bytes()));
            }
        }
        link
    }

    /// The modes as hidden fields of a form.
    pub(crate) fn hidden(self) -> Markup {
        html! {
            @for (name, text) in self.fields() {
                input type="hidden" name=(name) value=(text);
            }
        }
    }

    /// The same page without the presentation, which can go on at the stop of its plan.
    pub(crate) fn left(self) -> Self {
        Self {
            present: false,
            ..self
        }
    }
}

impl Address {
    pub(crate) fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            fields: Vec::new(),
        }
    }

    /// Adds what is chosen on the page, unless that is nothing.
    pub(crate) fn with(mut self, name: &'static str, text: impl Into<String>) -> Self {
        let text = text.into();
        if !text.is_empty() {
            self.fields.push((name, text));
        }
        self
    }
}

impl From<&str> for Address {
    fn from(path: &str) -> Self {
        Self::new(path)
    }
}

impl From<String> for Address {
    fn from(path: String) -> Self {
        Self::new(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_keeps_the_modes_and_says_them_back() {
        for query in [
            "",
            "present",
            "predict",
            "present&predict",
            "present&predict&plan=45&stop=3",
            "plan=45&stop=3",
        ] {
            let modes = Modes::of(&Fields::parse(query.as_bytes()));

            let link = modes.link("/runs");

            let expected = if query.is_empty() {
                "/runs".to_owned()
            } else {
                format!("/runs?{query}")
            };
            assert_eq!(link, expected);
        }
    }

    #[test]
    fn a_choice_is_encoded() {
        let address = Address::new("/runs")
            .with("client", "a b&c")
            .with("ending", "");

        assert_eq!(Modes::default().link(address), "/runs?client=a+b%26c");
    }
}
