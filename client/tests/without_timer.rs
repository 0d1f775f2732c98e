//! A transport that is handed in needs no timer of Tokio, and no runtime.

use std::{
    convert::Infallible,
    future::ready,
    pin::Pin,
    task::{Context, Poll},
};

use client::{Clock, FailureKind, Timeouts};
use hyper::body::{Bytes, Frame};

use crate::bench::http_error;
use crate::support::{drive::finish, offline, scripted::scripted, virtual_clock};

/// A body of which nothing ever comes.
struct Silent;

impl hyper::body::Body for Silent {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Pending
    }
}

#[test]
fn a_silent_body_of_an_error_is_given_up_on_the_injected_clock() {
    let clock = virtual_clock();
    let transport = scripted(|_| {
        let response = http::Response::builder().status(404);
        let response = response.body(reqwest::Body::wrap(Silent));
        ready(Ok(response.expect("a response").into()))
    });
    let client = offline(&clock).transport(transport).build();
    let client = client.expect("a client");

    let ended = finish(client.flaky()).expect("it ends");

    let error = http_error(ended);
    assert_eq!(error.status.as_u16(), 404);
    assert_eq!(error.incomplete_body, Some(FailureKind::ReadTimeout));
    assert_eq!(clock.monotonic(), Timeouts::DEFAULT.read);
}
