//! The fields of a JSON body, each taken once and held to its rule.

use std::ops::RangeInclusive;

use client::positive_from_json;
use http::StatusCode;
use serde_json::{Map, Value};

use super::problem::Problem;
use evidence::Overrides;

/// What is left of a JSON object.
pub(super) struct Fields {
    left: Map<String, Value>,
    /// The fields that were asked for so far, for whoever sends another.
    known: Vec<&'static str>,
    /// The machine-readable code of a field that breaks its rule.
    code: &'static str,
}

impl Fields {
    /// Reads a body. What breaks a rule later on is a problem with this code.
    pub(super) fn read(body: &[u8], code: &'static str) -> Result<Self, Problem> {
        let body: Value = serde_json::from_slice(body).map_err(|error| {
            let detail = format!("the body is not JSON: {error}");
            Problem::new(StatusCode::BAD_REQUEST, "invalid_json", detail)
        })?;
        let (left, is_object) = match body {
            Value::Object(fields) => (fields, true),
            _ => (Map::new(), false),
        };
        let known = Vec::new();
        let fields = Self { left, known, code };
        match is_object {
            true => Ok(fields),
            false => Err(fields.invalid("the body must be a JSON object")),
        }
    }

    /// Takes a field as it is.
    pub(super) fn take(&mut self, field: &'static str) -> Option<Value> {
        self.known.push(field);
        self.left.remove(field)
    }

    /// Takes one of a few names; the default if there is none.
    pub(super) fn choice<T: Copy + Default>(
        &mut self,
        field: &'static str,
        choices: &[(&str, T)],
    ) -> Result<T, Problem> {
        let Some(value) = self.take(field) else {
            return Ok(T::default());
        };
        let chosen = choices.iter().find(|(name, _)| value == *name);
        chosen.map(|(_, choice)| *choice).ok_or_else(|| {
            let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
            let names = names.join(", ");
            self.invalid(format!("{field} must be one of {names}, got {value}"))
        })
    }

    /// Takes a positive integer that a run may be varied by.
    pub(super) fn positive(&mut self, field: &'static str) -> Result<Option<u32>, Problem> {
        let Some(value) = self.take(field) else {
            return Ok(None);
        };
        let number =
            positive_from_json(field, &value).map_err(|error| self.invalid(error.to_string()))?;
        Overrides::bounded(field, number)
            .map(|number| Some(number.get()))
            .map_err(|error| self.invalid(error.to_string()))
    }

    /// Takes an integer in a range.
    pub(super) fn integer(
        &mut self,
        field: &'static str,
        range: RangeInclusive<u64>,
    ) -> Result<Option<u64>, Problem> {
        let Some(value) = self.take(field) else {
            return Ok(None);
        };
        let number = value.as_u64().filter(|number| range.contains(number));
        number.map(Some).ok_or_else(|| {
            let (from, to) = (range.start(), range.end());
            self.invalid(format!(
                "{field} must be an integer from {from} to {to}, got {value}"
            ))
        })
    }

    /// Holds the body to nothing else than what was asked for.
    pub(super) fn end(self, what: &str) -> Result<(), Problem> {
        match self.left.keys().next() {
            Some(field) => Err(self.invalid(format!(
                "{field} is no field of {what}; there are {}",
                self.known.join(", ")
            ))),
            None => Ok(()),
        }
    }

    /// A problem with a field.
    pub(super) fn invalid(&self, detail: impl Into<String>) -> Problem {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        Problem::new(status, self.code, detail.into())
    }
}
