//! The recorded fields of a span: names with values, in order.

use std::{fmt, time::Duration};

use serde::{Serialize, Serializer};
use smol_str::SmolStr;

/// The value of one field, in the type it was recorded with.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum FieldValue {
    /// Text, unchanged; a renderer decides what is safe to print. Short text, which is nearly
    /// all text, needs no allocation.
    Str(SmolStr),
    /// A signed number.
    I64(i64),
    /// An unsigned number.
    U64(u64),
    /// A number with a fraction.
    F64(f64),
    /// Yes or no.
    Bool(bool),
}

impl fmt::Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Str(text) => text.fmt(f),
            Self::I64(number) => number.fmt(f),
            Self::U64(number) => number.fmt(f),
            Self::F64(number) => number.fmt(f),
            Self::Bool(yes) => yes.fmt(f),
        }
    }
}

/// The fields of a span in the order they were first recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields(Vec<(&'static str, FieldValue)>);

impl Fields {
    /// An empty list with this capacity.
    #[must_use]
    pub fn with_capacity(room: usize) -> Self {
        Self(Vec::with_capacity(room))
    }

    /// Sets a field, and replaces an earlier value in its position.
    #[inline]
    pub fn set(&mut self, name: &'static str, value: FieldValue) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// Removes a field.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(known, _)| *known != name);
    }

    /// The value of a field.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&FieldValue> {
        self.iter()
            .find_map(|(known, value)| (known == name).then_some(value))
    }

    /// The value of a text field.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            FieldValue::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a field with a whole number from zero up, of either integer type.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u64> {
        match *self.get(name)? {
            FieldValue::U64(number) => Some(number),
            FieldValue::I64(number) => number.try_into().ok(),
            _ => None,
        }
    }

    /// The value of a field in seconds, if it is a valid duration: finite and not negative.
    #[must_use]
    pub fn seconds(&self, name: &str) -> Option<Duration> {
        match *self.get(name)? {
            FieldValue::F64(seconds) => Duration::try_from_secs_f64(seconds).ok(),
            _ => None,
        }
    }

    /// The value of a field with a fractional number.
    #[must_use]
    pub fn float(&self, name: &str) -> Option<f64> {
        match *self.get(name)? {
            FieldValue::F64(number) if number.is_finite() => Some(number),
            _ => None,
        }
    }

    /// All fields in order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &FieldValue)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }
}

impl FromIterator<(&'static str, FieldValue)> for Fields {
    fn from_iter<I: IntoIterator<Item = (&'static str, FieldValue)>>(fields: I) -> Self {
        let mut all = Self::default();
        for (name, value) in fields {
            all.set(name, value);
        }
        all
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}
