//! One request: it meets its fault, or it is handed on once.

use std::{convert::Infallible, num::NonZeroUsize, sync::Arc, time::Duration};

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use host::{
    ConnectionFault,
    admission::{admit_from, is_loopback_origin, is_named},
    problem::Problem,
    watched_body::watched,
};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, Uri, Version,
    header::{
        CONNECTION, CONTENT_LENGTH, CONTENT_LOCATION, CONTENT_TYPE, EXPECT, HOST, LINK, LOCATION,
        SET_COOKIE, TE, TRANSFER_ENCODING, UPGRADE, VIA,
    },
};
use http_body_util::{BodyExt, Limited};
use hyper::{body::Body as _, client::conn::http1};
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::sleep,
};

use super::{
    replay::read_ahead,
    session::{Entry, Session},
};
use crate::{ProxyFault, Setup, UpstreamFailure, UpstreamResponse, fault::Delivery};

/// How much of a response is read before it is lost.
const LOSABLE: usize = 8 * 1024 * 1024;

/// How many lines the head of a request or a response may have.
pub(super) const HEAD_LINES: NonZeroUsize = NonZeroUsize::new(200).unwrap();

/// How long the head of a response may be, in bytes.
const MAX_HEAD: usize = 1024 * 1024;

/// The headers that concern one connection alone (RFC 9110 §7.6.1), beside those that
/// `Connection` names.
const HOP_BY_HOP: [HeaderName; 6] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    TE,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// The headers that a client may follow past the proxy.
const LEADING: [HeaderName; 3] = [LOCATION, CONTENT_LOCATION, LINK];

/// The proxy between a client and the upstream in one run.
pub(super) struct Forwarder {
    pub(super) setup: Arc<Setup>,
    pub(super) session: Arc<Session>,
}

/// A request that is neither forwarded nor faulted.
struct Refusal {
    /// The reason, for the card.
    what: String,
    status: StatusCode,
    /// The reason, for the client.
    detail: String,
}

impl Forwarder {
    /// Answers a request of the client.
    pub(super) async fn serve(
        self: Arc<Self>,
        request: Request<Body>,
    ) -> Result<Response, Infallible> {
        let mut response = self.respond(request).await;
        if self.session.closes_connections() {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(CONNECTION, close);
        }
        Ok(response)
    }

    async fn respond(&self, request: Request<Body>) -> Response {
        if let Err(refusal) = self.check(&request) {
            self.session.refused(&refusal.what);
            return problem(refusal.status, &refusal.detail);
        }
        let Some(entry) = self.session.arrived(&request) else {
            let detail = "this run has made more requests than the lab records";
            return problem(StatusCode::SERVICE_UNAVAILABLE, detail);
        };
        let (head, body) = request.into_parts();
        let mut body = watched(body, self.session.watch(entry, &head.headers));
        if self.session.waits_for_text(entry) {
            body = read_ahead(body).await;
        }
        let watched_request = Request::from_parts(head, body);
        match self.session.meets(entry) {
            None => self.pass(entry, watched_request).await,
            Some(met) => {
                let response = self.fault(entry, met, watched_request).await;
                self.session.hit.notify_one();
                response
            }
        }
    }

    /// Refuses a request that may not pass.
    fn check(&self, request: &Request<Body>) -> Result<(), Refusal> {
        let headers = request.headers();
        let (what, detail) = if request.method() == Method::CONNECT {
            ("CONNECT", "the proxy opens no tunnels")
        } else if request.uri().authority().is_some() {
            let detail = "this is not a forward proxy: send requests to its own URL";
            ("an absolute target, as for a forward proxy", detail)
        } else if headers
            .get_all(UPGRADE)
            .iter()
            .any(|value| value.as_bytes() != b"h2c")
        {
            ("Upgrade", "the proxy speaks HTTP/1.1 only")
        } else if has_other_coding(headers) {
            let what = "a transfer coding other than chunked";
            (what, "the proxy knows no transfer coding but chunked")
        } else {
            let is_admitted = |origin: &HeaderValue| {
                is_loopback_origin(origin)
                    || self.setup.upstream.is_origin(origin)
                    || self.is_own_origin(origin)
            };
            let serves = |host: &str| self.setup.listen.serves(host);
            let (version, uri) = (request.version(), request.uri());
            let admitted = admit_from(version, uri, headers, serves, is_admitted);
            return admitted.map_err(|problem| Refusal {
                what: match problem.code {
                    code if code == Problem::HOST_NOT_ALLOWED.code => format!(
                        "{code}: if the command reaches the proxy under another name, --base-host \
                         NAME"
                    ),
                    code => code.to_owned(),
                },
                status: problem.status,
                detail: problem.detail.to_owned(),
            });
        };
        Err(Refusal {
            what: what.to_owned(),
            status: StatusCode::NOT_IMPLEMENTED,
            detail: detail.to_owned(),
        })
    }

    /// Whether a page has the host of the proxy's own URL.
    fn is_own_origin(&self, origin: &HeaderValue) -> bool {
        let origin = origin.to_str().ok();
        let authority = origin.and_then(|origin| origin.strip_prefix("http://"));
        authority.is_some_and(|authority| is_named(authority, &self.setup.listen.host()))
    }

    async fn fault(
        &self,
        entry: Entry,
        (fault, lasts): (ProxyFault, Duration),
        request: Request<Body>,
    ) -> Response {
        let delivery = fault.delivery();
        if delivery == Delivery::Late {
            let response = self.hand_on(entry, request).await;
            sleep(lasts).await;
            return self.give(entry, response, true);
        }
        if delivery == Delivery::Lost {
            return self.lose(entry, request).await;
        }
        // The request is read whole before.
        read_all(request.into_body()).await;
        let Delivery::Injected(status) = delivery else {
            self.session
                .note(entry, |request, now| request.delivered = Some(now));
            return withheld(ConnectionFault::Silence);
        };
        let response = self.setup.injected.response(fault, status, lasts);
        self.session
            .responded(entry, response.status().as_u16(), true);
        response
    }

    /// Loses the response of the upstream if it is a success, and else passes it on.
    async fn lose(&self, entry: Entry, request: Request<Body>) -> Response {
        let response = match self.hand_on(entry, request).await {
            Ok(response) if response.status().is_success() => response,
            other => return self.give(entry, other, false),
        };
        // The upstream has done its work, whether or not its response comes whole.
        drop(Limited::new(response.into_body(), LOSABLE).collect().await);
        // The end of the connection is the delivery.
        withheld(ConnectionFault::Close)
    }

    async fn pass(&self, entry: Entry, request: Request<Body>) -> Response {
        let response = self.hand_on(entry, request).await;
        self.give(entry, response, false)
    }

    /// The response of the upstream, or the one that says that there is none.
    fn give(
        &self,
        entry: Entry,
        response: Result<Response, UpstreamFailure>,
        delivers: bool,
    ) -> Response {
        let response = response.unwrap_or_else(|failure| {
            if failure == UpstreamFailure::RequestBody {
                return problem(StatusCode::BAD_REQUEST, &failure.to_string());
            }
            let detail = format!("the upstream did not answer: {failure}");
            problem(StatusCode::BAD_GATEWAY, &detail)
        });
        self.session
            .responded(entry, response.status().as_u16(), delivers);
        response
    }

    /// Sends a request to the upstream, once, on a connection of its own.
    async fn hand_on(
        &self,
        entry: Entry,
        request: Request<Body>,
    ) -> Result<Response, UpstreamFailure> {
        self.session.handed_on(entry, UpstreamResponse::default());
        let sent = self.send(request).await;
        self.session.handed_on(
            entry,
            UpstreamResponse {
                status: sent
                    .as_ref()
                    .ok()
                    .map(|response| response.status().as_u16()),
                failure: sent.as_ref().err().cloned(),
            },
        );
        let (mut head, body) = sent?.into_parts();
        let mut leads = LEADING.iter().flat_map(|name| head.headers.get_all(name));
        let mut cookies = head.headers.get_all(SET_COOKIE).iter();
        if leads.any(|value| self.setup.upstream.is_named_in(value))
            || cookies.any(|value| self.setup.upstream.is_domain_of(value))
        {
            self.session.state().names_upstream = true;
        }
        if head.headers.contains_key(TRANSFER_ENCODING) {
            // The chunks say how long it is (RFC 9112 §6.3).
            head.headers.remove(CONTENT_LENGTH);
        }
        end_to_end(&mut head.headers, head.version);
        head.version = Version::HTTP_11;
        Ok(Response::from_parts(head, body))
    }

    async fn send(&self, request: Request<Body>) -> Result<Response, UpstreamFailure> {
        let (mut head, body) = request.into_parts();
        let takes_trailers = takes_trailers(&head.headers);
        end_to_end(&mut head.headers, head.version);
        // A client that expects a 100 gets it from the proxy once its body is read.
        head.headers.remove(EXPECT);
        if takes_trailers {
            // So does the proxy, and TE is for one connection alone (RFC 9110 §10.1.4).
            let te = HeaderValue::from_static("te");
            head.headers.insert(CONNECTION, te);
            let trailers = HeaderValue::from_static("trailers");
            head.headers.insert(TE, trailers);
        }
        if let Some(host) = self
            .setup
            .upstream
            .host()
            .filter(|_| !self.setup.keeps_host)
        {
            head.headers.insert(HOST, host);
        }
        if body.size_hint().exact().is_none() && !head.headers.contains_key(CONTENT_LENGTH) {
            // Without it hyper sends a GET without its body.
            let chunked = HeaderValue::from_static("chunked");
            head.headers.insert(TRANSFER_ENCODING, chunked);
        }
        let target = head.uri.path_and_query();
        head.uri = target.map_or_else(|| Uri::from_static("/"), |target| target.clone().into());
        head.version = Version::HTTP_11;
        // They concern the connection of the client.
        head.extensions.clear();
        let outgoing = Request::from_parts(head, body);
        let stream = TcpStream::connect(self.setup.upstream.address())
            .await
            .inspect_err(|error| host::note_refusal(error))
            .map_err(UpstreamFailure::unreachable)?;
        // A failure here costs speed only.
        drop(stream.set_nodelay(true));
        let response = match self.setup.upstream.tls() {
            None => exchange(stream, outgoing).await?,
            Some(tls) => {
                let stream = tls.secure(stream).await?;
                exchange(stream, outgoing).await?
            }
        };
        if response.status() == StatusCode::SWITCHING_PROTOCOLS {
            return Err(UpstreamFailure::of("it switched to another protocol"));
        }
        Ok(response)
    }
}

/// Sends a request over a connection to the upstream, and reads the head of its response.
async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    request: Request<Body>,
) -> Result<Response, UpstreamFailure> {
    let named = |error: hyper::Error| {
        if error.is_user() {
            // Of all that it is given only the body can fail.
            UpstreamFailure::RequestBody
        } else {
            UpstreamFailure::of(error)
        }
    };
    let mut http = http1::Builder::new();
    http.max_headers(HEAD_LINES.get())
        .max_buf_size(MAX_HEAD)
        .allow_obsolete_multiline_headers_in_responses(true);
    let (mut sender, connection) = http.handshake(TokioIo::new(stream)).await.map_err(named)?;
    // An error of it is one of the response, too.
    tokio::spawn(async move { drop(connection.await) });
    let response = sender.send_request(request).await.map_err(named)?;
    Ok(response.map(Body::new))
}

/// Takes away what concerns one connection alone, and adds the proxy to `Via` (RFC 9110
/// §7.6.3).
fn end_to_end(headers: &mut HeaderMap, version: Version) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in HOP_BY_HOP.iter().chain(&named) {
        headers.remove(name);
    }
    let via = match version {
        Version::HTTP_10 => "1.0 lab",
        _ => "1.1 lab",
    };
    headers.append(VIA, HeaderValue::from_static(via));
}

/// Whether a client takes trailers.
fn takes_trailers(headers: &HeaderMap) -> bool {
    let values = headers.get_all(TE).iter();
    let mut codings = values.flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    codings.any(|coding| coding.trim_ascii().eq_ignore_ascii_case(b"trailers"))
}

/// Whether a body is coded in another way than in chunks: the proxy would have to undo that.
fn has_other_coding(headers: &HeaderMap) -> bool {
    let mut codings = headers.get_all(TRANSFER_ENCODING).iter();
    codings.any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"chunked"))
}

async fn read_all(mut body: Body) {
    while let Some(Ok(_)) = body.frame().await {}
}

fn withheld(fault: ConnectionFault) -> Response {
    (axum::Extension(fault), ()).into_response()
}

fn problem(status: StatusCode, detail: &str) -> Response {
    let body = json!({"status": status.as_u16(), "title": "lab proxy", "detail": detail});
    let json = [(CONTENT_TYPE, host::problem::PROBLEM_JSON)];
    (status, json, body.to_string()).into_response()
}
