//! Paths and methods: every byte, every percent-encoding, every form of a target.

use crate::attacked::Attacked;

fn get(target: &[u8]) -> Vec<u8> {
    let (begin, end) = (b"GET ", b" HTTP/1.1\r\nhost: localhost\r\n\r\n");
    [&begin[..], target, end].concat()
}

/// Holds what keeps paths apart and out of names: hyper's rule for the bytes of a path,
/// the routes, which nothing is decoded for, and the one label of all other paths.
#[test]
fn every_byte_of_a_path_leads_to_a_clear_response() {
    let attacked = Attacked::new();
    let bytes = || 0..=u8::MAX;

    for byte in bytes() {
        let came = attacked.responds(get(&[b"/items", &[byte][..]].concat()));

        let expected = match byte {
            b'?' | b'#' => &["200", "204"][..],
            b'<' | b'>' | b'`' => &["400"],
            _ if byte.is_ascii_graphic() => &["404 not_found", "204"],
            _ => &["400"],
        };
        assert_eq!(came, expected, "{}", byte.escape_ascii());
    }
    for byte in bytes() {
        for path in [
            format!("/%{byte:02x}tems"),
            format!("/items%{byte:02X}"),
            format!("/%{byte:02x}/items"),
        ] {
            let came = attacked.responds(get(path.as_bytes()));

            assert_eq!(came, ["404 not_found", "204"], "{path}");
        }
        let query = format!("/items?cursor=%{byte:02x}");
        let came = attacked.responds(get(query.as_bytes()));
        assert_eq!(came, ["400 invalid_cursor", "204"], "{query}");
    }

    let ledger = attacked.stop();
    let routes: Vec<_> = ledger.routes.keys().collect();
    assert_eq!(routes, ["/items", "/no-content", "other"]);
}

/// Holds the rule of admission for the name in a target, and the routes.
#[test]
fn every_form_of_a_target_leads_to_a_clear_response() {
    let attacked = Attacked::new();
    let (found, missing) = (&["200", "204"][..], &["404 not_found", "204"][..]);
    let (invalid, elsewhere) = (&["400"][..], &["421 host_not_allowed", "204"][..]);

    for (target, expected) in [
        ("http://localhost/items", found),
        ("http://evil.example/items", elsewhere),
        ("http://localhost@evil.example/items", elsewhere),
        ("http://user@localhost/items", elsewhere),
        ("http://localhost:99999/items", elsewhere),
        ("evil.example:80", elsewhere),
        ("localhost:80", missing),
        ("items", elsewhere),
        ("http:", elsewhere),
        ("://", invalid),
        ("", invalid),
        ("?", invalid),
        ("*", missing),
        ("/", missing),
        ("//items", missing),
        ("/items/", missing),
        ("/../items", missing),
        ("/x/../items", missing),
        ("/%2e%2e/items", missing),
        ("/..%2fitems", missing),
        ("/%", missing),
        ("/%zz", missing),
        ("/%u0069tems", missing),
    ] {
        let came = attacked.responds(get(target.as_bytes()));

        assert_eq!(came, expected, "{target:?}");
    }
    attacked.stop();
}

/// Holds the one name in the ledger of all methods that HTTP does not define.
#[test]
fn an_unknown_method_leads_to_a_clear_response_and_no_name() {
    let attacked = Attacked::new();
    let ask = |method: &str, target: &str| {
        attacked.responds(format!(
            "{method} {target} HTTP/1.1\r\nhost: localhost\r\n\r\n"
        ))
    };

    let long = "A".repeat(100_000);
    for method in ["TRACE", "BREW", "get", "PRI", "!#$%&'*+-.^_|~", &long] {
        let came = ask(method, "/items");

        assert_eq!(came, ["405 method_not_allowed", "204"], "{method}");
    }
    let no_tunnel = ask("CONNECT", "localhost:80");
    assert_eq!(no_tunnel, ["404 not_found", "204"]);
    let ledger = attacked.stop();
    let mut names: Vec<_> = ledger.entries.iter().map(|entry| entry.method).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names, ["CONNECT", "GET", "TRACE", "_OTHER"]);
}
