//! Reads the JSON body of a request.

use http::StatusCode;
use serde::{Deserialize, Deserializer, de::DeserializeOwned, de::Error};
use serde_json::Value;

use super::problem::Problem;

/// Reads a body. An invalid body results in a problem with this code that names the
/// field.
pub(super) fn read<T: DeserializeOwned>(body: &[u8], code: &'static str) -> Result<T, Problem> {
    let body: Value = serde_json::from_slice(body).map_err(|error| {
        let detail = format!("the body is not JSON: {error}");
        Problem::new(StatusCode::BAD_REQUEST, "invalid_json", detail)
    })?;
    let invalid = |detail| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail);
    // A derived implementation would also accept the fields as an array.
    if !body.is_object() {
        return Err(invalid("the body must be a JSON object".to_owned()));
    }
    serde_path_to_error::deserialize(body).map_err(|error| invalid(error.to_string()))
}

/// Takes an integer in a range; none if the field is missing.
pub(super) fn integer<'de, D, T, const FROM: u64, const TO: u64>(
    json: D,
) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u64>,
{
    let value = Value::deserialize(json)?;
    let number = value
        .as_u64()
        .filter(|number| (FROM..=TO).contains(number))
        .and_then(|number| T::try_from(number).ok());
    let rule = || format!("must be an integer from {FROM} to {TO}, got {value}");
    number.map(Some).ok_or_else(|| D::Error::custom(rule()))
}
