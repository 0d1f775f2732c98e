//! Reads the JSON body of a request.

use axum::{body::Bytes, extract::Request};
use http::StatusCode;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{body, problem::Problem};

/// The body of a request, if its media type is JSON.
pub(crate) async fn received(request: Request, what: &str) -> Result<Bytes, Problem> {
    let what = format!("{what} is asked for");
    body::received(request, "application/json", &what).await
}

/// Reads a body. An invalid body results in a problem with this code that names the
/// field.
pub(crate) fn read<T: DeserializeOwned>(body: &[u8], code: &'static str) -> Result<T, Problem> {
    let body: Value = serde_json::from_slice(body).map_err(|error| {
        let detail = format!("the body is not JSON: {error}");
        Problem::new(StatusCode::BAD_REQUEST, "invalid_json", detail)
    })?;
    // A derived implementation would also accept the fields as an array.
    if !body.is_object() {
        return Err(Problem::unprocessable(
            code,
            "the body must be a JSON object",
        ));
    }
    let read = serde_path_to_error::deserialize(body);
    read.map_err(|error| Problem::unprocessable(code, error.to_string()))
}

#[cfg(test)]
mod tests {
    use scenario::number::in_json;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Body {
        #[serde(deserialize_with = "in_json::<_, _, 1, 50>")]
        rate: Option<u8>,
    }

    #[test]
    fn only_an_integer_of_the_range_is_taken() {
        for (rate, status, detail) in [
            ("0", 422, "rate: must be an integer from 1 to 50, got 0"),
            ("51", 422, "got 51"),
            ("-1", 422, "got -1"),
            ("2.0", 422, "got 2.0"),
            ("NaN", 400, "the body is not JSON"),
            ("1e400", 400, "the body is not JSON"),
            ("18446744073709551616", 422, "from 1 to 50"),
            ("\"3\"", 422, "got \"3\""),
            ("true", 422, "got true"),
            ("null", 422, "got null"),
        ] {
            let body = format!("{{\"rate\":{rate}}}");
            let problem = read::<Body>(body.as_bytes(), "invalid").expect_err(rate);

            assert_eq!(problem.status.as_u16(), status, "{rate}");
            assert!(problem.detail.contains(detail), "{rate}: {problem:?}");
        }
        let taken = read::<Body>(br#"{"rate":50}"#, "invalid").expect("a body");
        assert_eq!(taken.rate, Some(50));
        for (body, detail) in [("{", "the body is not JSON: EOF"), ("[]", "a JSON object")] {
            let problem = read::<Body>(body.as_bytes(), "invalid").expect_err(body);
            assert!(problem.detail.contains(detail), "{body}: {problem:?}");
        }
    }
}
