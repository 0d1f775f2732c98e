//! The second origin of a case, to which it redirects: a foreign service, which must not
//! get the token.

use std::{sync::Arc, time::SystemTime};

use axum::{
    Router,
    body::to_bytes,
    extract::Request,
    response::{IntoResponse, Response},
    routing::any,
};
use host::Problem;

use super::{Served, respond::MOST_BODY};
use crate::responder::Received;

impl Served {
    /// The routes of its second origin.
    pub(super) fn second_origin(served: &Arc<Self>) -> Router {
        let served = Arc::clone(served);
        let respond = any(move |request| async move { served.respond_elsewhere(request).await });
        Router::new().route("/{*path}", respond)
    }

    async fn respond_elsewhere(&self, request: Request) -> Response {
        let token = self.token.as_deref();
        let holds_token = |text: &str| token.is_some_and(|token| text.contains(token));
        let values = request.headers().values();
        let mut texts = values.filter_map(|value| value.to_str().ok());
        let got_it = texts.any(holds_token) || holds_token(&request.uri().to_string());
        self.lock().token_elsewhere |= got_it;
        if request.method() != self.method {
            return self.another_method(request.method());
        }
        let (head, body) = request.into_parts();
        let Ok(body) = to_bytes(body, MOST_BODY).await else {
            return Problem::INTERNAL_ERROR.into_response();
        };
        let received = Received {
            at: SystemTime::now(),
            body,
            ..Received::of(head.uri.path())
        };
        self.lock().responder.respond(&received).response
    }
}
