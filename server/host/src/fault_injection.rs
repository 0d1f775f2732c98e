//! Faults of the first responses of a service: lost, broken off in the body, or never sent.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use wire::FaultLabel;

use crate::accept::ConnectionFault;
use crate::router::Routes;
use axum::{
    Extension,
    body::{Body, Bytes, to_bytes},
    extract::Request,
    middleware::{Next, from_fn},
    response::{IntoResponse, Response},
};
use futures_util::stream::{self, StreamExt};
use http::header::CONTENT_LENGTH;
use tokio::{sync::Notify, time::sleep};

/// How long half a body stays half a body before its connection breaks.
const BREAK_OFF: Duration = Duration::from_millis(20);

/// The fault of one response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseFault {
    /// No handler sees the request, and nothing is sent until the client hangs up.
    Silence,
    /// The request is handled; then the connection is closed without a byte of the response.
    LostResponse,
    /// The head of the response and the first half of its body are sent; then the
    /// connection breaks.
    CutBody,
}

impl ResponseFault {
    /// Its label in spans, metrics and the wire record.
    #[must_use]
    pub const fn label(self) -> FaultLabel {
        match self {
            Self::Silence => FaultLabel::SILENCE,
            Self::LostResponse => FaultLabel::LOST_RESPONSE,
            Self::CutBody => FaultLabel::CUT_BODY,
        }
    }
}

/// Routes that have these faults, one for each of the first requests in order of arrival.
/// `silence` is notified when a [silence](ResponseFault::Silence) has begun and is in the record.
#[must_use]
pub fn inject(served: Routes, faults: &'static [ResponseFault], silence: Arc<Notify>) -> Routes {
    let requests = Arc::new(AtomicUsize::new(0));
    let layer = from_fn(move |request: Request, next: Next| {
        let fault = faults.get(requests.fetch_add(1, Ordering::Relaxed));
        respond(fault.copied(), Arc::clone(&silence), request, next)
    });
    Routes {
        router: served.router.layer(layer),
        ..served
    }
}

async fn respond(
    fault: Option<ResponseFault>,
    silence: Arc<Notify>,
    request: Request,
    next: Next,
) -> Response {
    let Some(fault) = fault else {
        return next.run(request).await;
    };
    let name = Extension(fault.label());
    match fault {
        ResponseFault::Silence => {
            let begins = Extension(Arc::new(Begins(silence)));
            (name, begins, Extension(ConnectionFault::Silence)).into_response()
        }
        ResponseFault::LostResponse => {
            let response = next.run(request).await;
            (name, Extension(ConnectionFault::Close), response).into_response()
        }
        ResponseFault::CutBody => {
            let (head, body) = next.run(request).await.into_parts();
            // A handler of the lab can be read to its end.
            let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
            cut(Response::from_parts(head, Body::empty()), body)
        }
    }
}

/// A response with the first half of this body, whose connection breaks then.
pub fn cut(response: Response, mut body: Bytes) -> Response {
    let length = body.len();
    body.truncate(length / 2);
    let broken = async {
        // What there is goes out first: else the head would be lost as well.
        sleep(BREAK_OFF).await;
        Err(io::Error::other("the body breaks off on purpose"))
    };
    let stream = stream::iter([Ok(body)]).chain(stream::once(broken));
    let mut response = response.map(|_| Body::from_stream(stream));
    let headers = response.headers_mut();
    headers.insert(CONTENT_LENGTH, length.into());
    let name = ResponseFault::CutBody.label();
    response.extensions_mut().insert(name);
    response
}

/// Tells that a silence has begun when the host drops the response that it withholds.
struct Begins(Arc<Notify>);

impl Drop for Begins {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use axum::{Router, routing::get};
    use testkit::http::{connect, raw};

    use crate::{Host, ServiceConfig};

    use super::*;

    const RESPONSE: &str = "0123456789";

    #[tokio::test]
    async fn each_of_the_first_responses_has_its_fault() {
        const FAULTS: &[ResponseFault] = &[
            ResponseFault::LostResponse,
            ResponseFault::CutBody,
            ResponseFault::Silence,
        ];
        let silence = Arc::<Notify>::default();
        let routes = Router::new().route("/", get(async || RESPONSE));
        let served = inject(routes.into(), FAULTS, Arc::clone(&silence));
        let service = Host::start(ServiceConfig::default(), served).expect("a free port");
        let address = service.local_addr();
        let request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

        let [lost, cut] = [(); 2].map(|()| raw(address, request));
        let mut silent = connect(address);
        silent.write_all(request.as_bytes()).unwrap();
        silence.notified().await;
        let whole = raw(address, request);

        assert_eq!(lost, "");
        assert!(cut.contains("content-length: 10\r\n") && cut.ends_with("\r\n\r\n01234"));
        silent.set_nonblocking(true).unwrap();
        let nothing = silent.read(&mut [0]).unwrap_err();
        assert_eq!(nothing.kind(), io::ErrorKind::WouldBlock);
        assert!(whole.ends_with(RESPONSE), "{whole}");
        drop(silent);
        let ledger = service.ledger_handle();
        service.stop().await.expect("nothing left");
        let record = ledger.snapshot();
        let recorded = record
            .entries
            .iter()
            .map(|entry| (entry.fault, entry.status, entry.ended.is_some()));
        let expected = [
            (Some(ResponseFault::LostResponse.label()), None, false),
            (Some(ResponseFault::CutBody.label()), Some(200), false),
            (Some(FaultLabel::SILENCE), None, false),
            (None, Some(200), true),
        ];
        assert!(recorded.eq(expected), "{:?}", record.entries);
    }
}
