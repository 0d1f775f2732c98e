//! The last hop of the stack, between the middlewares and the session.
//!
//! Here, and nowhere above, it is known that a request goes on the wire for
//! real. A transport that is handed in takes the place of this hop, and of nothing
//! else.

use std::sync::Arc;

use http::Extensions;
use reqwest::{Request, Response};
use reqwest_middleware::{Middleware, Next, Result};

use crate::{
    retry::{Failure, FailureKind},
    time::Clock,
};

/// The last hop of a stack above a session. It holds the clock while a request is on the
/// wire: the hold is among the extensions of the response until its body has been read.
pub(crate) struct Wire(pub(crate) Arc<dyn Clock>);

#[async_trait::async_trait]
impl Middleware for Wire {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Result<Response> {
        let hold = self.0.hold();
        let mut response = next.run(request, extensions).await?;
        response.extensions_mut().insert(hold);
        Ok(response)
    }
}

/// The hop below a transport that was handed in. Getting here is a mistake
/// of the transport's, which passes on what it should respond to.
pub(crate) struct NothingBelow;

#[async_trait::async_trait]
impl Middleware for NothingBelow {
    async fn handle(
        &self,
        _request: Request,
        _extensions: &mut Extensions,
        _next: Next<'_>,
    ) -> Result<Response> {
        Err(Failure(FailureKind::Request).into())
    }
}
