//! TLS to the upstream: what is verified, and the names of the failures.

use std::net::SocketAddr;

use proxy::{TlsError, UpstreamError, UpstreamFailure};
use rcgen::{BasicConstraints, IsCa, KeyPair};
use testkit::tls::{Authority, VALID, params, presenting};

use super::*;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A proxy that trusts this certificate in PEM, before a server at this address.
pub(crate) fn trusting(address: SocketAddr, pem: &str) -> Listening {
    let added = [pem.as_bytes().to_vec()];
    let upstream = Upstream::trusting(&format!("https://{address}"), &[], &added);
    let setup = Setup::before(upstream.expect("an origin"));
    Listening::start(&setup, None).expect("a port")
}

/// Why the upstream at this address did not answer.
async fn failure(address: SocketAddr, authority: &Authority) -> Option<UpstreamFailure> {
    failure_of(trusting(address, authority.pem())).await
}

async fn failure_of(proxy: Listening) -> Option<UpstreamFailure> {
    let proxy = Proxy(proxy);
    let got = Message::of(&proxy.ask(&get("/")).await);
    let run = proxy.stop().await;
    let failure = run.requests[0]
        .upstream
        .as_ref()
        .and_then(|upstream| upstream.failure.clone());
    assert_eq!(got.status(), if failure.is_some() { "502" } else { "200" });
    if let Some(failure) = &failure {
        // A quotation mark has a backslash before it in JSON.
        let shown = failure.to_string().replace('"', "\\\"");
        assert!(got.body.contains(&shown), "{}", got.body);
    }
    failure
}

#[tokio::test]
async fn a_failure_of_tls_is_told_and_what_to_do_about_it() {
    let [authority, stranger] = ["ours", "theirs"].map(Authority::named);
    let of = |authority: &Authority, name, years, protocols| {
        Some(authority.acceptor(name, years, protocols))
    };
    for (tls, expected) in [
        (
            of(&authority, "127.0.0.1", VALID, &["h2", "http/1.1"][..]),
            "",
        ),
        (of(&authority, "127.0.0.1", VALID, &[]), ""),
        (
            of(&stranger, "127.0.0.1", VALID, &[]),
            "UnknownIssuer. --cacert FILE",
        ),
        (
            of(&authority, "other.example", VALID, &[]),
            "only valid for DnsName(\"other.example\")",
        ),
        (of(&authority, "127.0.0.1", [2019, 2020], &[]), "expired"),
        (
            of(&authority, "127.0.0.1", VALID, &["h2"]),
            "NoApplicationProtocol",
        ),
    ] {
        let api = Api::over(OK, tls).await;

        let failure = failure(api.address, &authority).await;
        let words = failure.map(|failure| failure.to_string());
        let words = words.unwrap_or_default();
        assert_eq!(words.is_empty(), expected.is_empty(), "{words}");
        assert!(words.contains(expected), "{words}");
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        stream.readable().await.expect("a hello");
        send(&mut stream, "HTTP/1.1 400 Bad Request\r\n\r\n").await;
        read_to_end(&mut stream).await;
    });
    let no_tls = failure(address, &authority).await.expect("no TLS");
    assert!(no_tls.to_string().contains("http:// URL"), "{no_tls}");
}

/// Development servers present such certificates: `openssl req -x509` marks them as authorities.
#[tokio::test]
async fn a_certificate_that_was_given_byte_for_byte_is_trusted_for_its_names() {
    let key = KeyPair::generate().expect("a key");
    let issuer = Authority::named("unknown");
    let signed = |is_ca: bool, name: &str, years| {
        let mut params = params(name, years);
        if is_ca {
            params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        }
        params.self_signed(&key).expect("a certificate")
    };
    let issued = params("127.0.0.1", VALID).signed_by(&key, issuer.issuer());
    let issued = issued.expect("a certificate");
    let own = signed(true, "127.0.0.1", VALID);
    let server = signed(false, "127.0.0.1", VALID);
    let elsewhere = signed(true, "other.example", VALID);
    let old = signed(true, "127.0.0.1", [2019, 2020]);
    let future = signed(true, "127.0.0.1", [2119, 2120]);
    // Another certificate with the name and the key of the one that was given.
    let twin = signed(true, "127.0.0.1", [2021, 2120]);

    for (presented, given, is_trusted) in [
        (&own, &own, true),
        (&server, &server, true),
        (&issued, &issued, true),
        (&issued, &own, false),
        (&own, &twin, false),
        (&elsewhere, &elsewhere, false),
        (&old, &old, false),
        (&future, &future, false),
    ] {
        let tls = presenting(presented.der().clone(), &key, &[]);
        let api = Api::over(OK, Some(tls)).await;

        let failure = failure_of(trusting(api.address, &given.pem())).await;

        assert_eq!(failure.is_none(), is_trusted, "{failure:?}");
    }
}

#[tokio::test]
async fn the_name_of_the_host_is_sent_and_verified() {
    let authority = Authority::named("an authority");
    let tls = authority.acceptor("localhost", VALID, &["http/1.1"]);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let added = [authority.pem().as_bytes().to_vec()];
    let upstream = Upstream::trusting(&format!("https://localhost:{port}"), &[], &added);
    let setup = Setup::before(upstream.expect("an origin"));
    let proxy = Proxy(Listening::start(&setup, None).expect("a port"));
    let serves = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.expect("a connection");
        let mut stream = tls.accept(stream).await.expect("a handshake");
        let (_, session) = stream.get_ref();
        let name = session.server_name().map(str::to_owned);
        let protocol = session.alpn_protocol().map(<[u8]>::to_vec);
        answer(&mut stream, &bytes(OK), &Mutex::default()).await;
        (name, protocol)
    });

    let got = Message::of(&proxy.ask(&get("/")).await);

    assert_eq!(got.status(), "200");
    let (name, protocol) = serves.await.expect("no panic");
    assert_eq!(name.as_deref(), Some("localhost"));
    assert_eq!(protocol.as_deref(), Some(&b"http/1.1"[..]));
}

#[test]
fn a_file_without_a_certificate_is_refused() {
    for pem in ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAA==\n"] {
        let added = [pem.as_bytes().to_vec()];

        let upstream = Upstream::trusting("https://127.0.0.1", &[], &added);

        assert!(
            matches!(upstream, Err(UpstreamError::Tls(TlsError::NoCertificate))),
            "{pem}"
        );
    }
}
