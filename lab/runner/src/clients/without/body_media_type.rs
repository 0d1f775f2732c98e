//! Ignores the media type of a body.

use evidence::Defence;
use http::{Extensions, HeaderValue, header::CONTENT_TYPE};
use reqwest::{Request, Response};
use reqwest_middleware::{Middleware, Next, Result};

use super::{super::reliable, Without};

pub(super) const WITHOUT: Without = Without {
    name: "without-body-media-type",
    defence: &Defence {
        id: "body-media-type",
        instead: "It parses every body, whatever its media type, and treats the result as valid data.",
        file: "client/src/media_type.rs",
        breaks: &["body-media-type"],
        shows_in: &["text-json"],
    },
    allowed: |policy| policy,
    connect: |connection| {
        let client = reliable::client(connection, |builder| builder.middleware(CallsAllJson))?;
        Ok(Box::new(client))
    },
};

/// Marks the body of every success as JSON.
struct CallsAllJson;

#[async_trait::async_trait]
impl Middleware for CallsAllJson {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Result<Response> {
        let mut response = next.run(request, extensions).await?;
        if response.status().is_success() {
            let json = HeaderValue::from_static("application/json");
            response.headers_mut().insert(CONTENT_TYPE, json);
        }
        Ok(response)
    }
}
