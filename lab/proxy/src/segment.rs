//! The first segment of the path of a proxy that others than this machine can reach. It is
//! random, so that only the command of the run knows it.

use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{CONTENT_LOCATION, LINK, LOCATION, SET_COOKIE},
    uri::PathAndQuery,
};

/// A segment that only the command of one run knows.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Segment(String);

/// It is not printed: anybody who knows it may use the proxy.
impl std::fmt::Debug for Segment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Segment")
    }
}

impl Segment {
    pub(super) fn random() -> Self {
        Self(format!("{:032x}", rand::random::<u128>()))
    }

    /// The beginning of the paths of its proxy.
    pub(super) fn prefix(&self) -> String {
        format!("/{}", self.0)
    }

    /// A text of the command without it.
    pub(super) fn masked(&self, text: &str) -> String {
        text.replace(&self.0, "…")
    }

    /// A target without its first segment; none if that is another.
    pub(super) fn removed_from(&self, target: &PathAndQuery) -> Option<PathAndQuery> {
        let after_slash = target.as_str().strip_prefix('/')?;
        let rest = after_slash.strip_prefix(&*self.0)?;
        let rest = match rest.chars().next() {
            None => "/".to_owned(),
            Some('?') => format!("/{rest}"),
            Some('/') => rest.to_owned(),
            Some(_) => return None,
        };
        rest.parse().ok()
    }

    /// Puts the segment into the paths of a response that the client sends back: a reference
    /// such as `/next` would lead past it, and a cookie for `/v1` would not be sent.
    pub(super) fn put_into(&self, headers: &mut HeaderMap) {
        let led = |value: &[u8]| self.led(value);
        let led_link = |value: &[u8]| self.led_link(value);
        let led_cookie = |value: &[u8]| self.led_cookie(value);
        change(headers, &LOCATION, led);
        change(headers, &CONTENT_LOCATION, led);
        change(headers, &LINK, led_link);
        change(headers, &SET_COOKIE, led_cookie);
    }

    /// A reference, with the segment if it is a path from the root.
    fn led(&self, reference: &[u8]) -> Vec<u8> {
        let is_path = reference.starts_with(b"/") && !reference.starts_with(b"//");
        let prefix = if is_path {
            self.prefix()
        } else {
            String::new()
        };
        [prefix.as_bytes(), reference].concat()
    }

    /// The targets of links stand in angle brackets (RFC 8288 §3).
    fn led_link(&self, links: &[u8]) -> Vec<u8> {
        let parts = links.split_inclusive(|byte| *byte == b'<');
        let mut parts = parts.map(<[u8]>::to_vec);
        let before = parts.next().unwrap_or_default();
        parts.fold(before, |before, part| [before, self.led(&part)].concat())
    }

    /// A cookie for the root is for all paths, with the segment or without.
    fn led_cookie(&self, cookie: &[u8]) -> Vec<u8> {
        let parts = cookie.split(|byte| *byte == b';').enumerate();
        let parts = parts.map(|(number, part)| {
            let path = part.iter().position(|byte| *byte == b'=');
            let name_and_path = path.and_then(|equals| part.split_at_checked(equals + 1));
            match name_and_path {
                Some((name, path)) if number > 0 && is_path_attribute(name) => {
                    let path = path.trim_ascii();
                    let path = if path == b"/" {
                        path.to_vec()
                    } else {
                        self.led(path)
                    };
                    [name, &path].concat()
                }
                _ => part.to_vec(),
            }
        });
        parts.collect::<Vec<_>>().join(&b';')
    }
}

/// Whether an attribute of a cookie, with its equals sign, is the path.
fn is_path_attribute(name: &[u8]) -> bool {
    let name = name.strip_suffix(b"=").unwrap_or(name);
    name.trim_ascii().eq_ignore_ascii_case(b"path")
}

/// Changes all values of a header.
fn change(headers: &mut HeaderMap, name: &HeaderName, changed: impl Fn(&[u8]) -> Vec<u8>) {
    if let http::header::Entry::Occupied(mut entry) = headers.entry(name) {
        for value in entry.iter_mut() {
            // What is added is visible ASCII.
            if let Ok(new) = HeaderValue::from_bytes(&changed(value.as_bytes())) {
                *value = new;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn segment() -> Segment {
        Segment("5e9".to_owned())
    }

    fn changed(name: HeaderName, value: &str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(&name, HeaderValue::from_str(value).expect("a value"));
        segment().put_into(&mut headers);
        let value = headers.get(name).expect("it is there");
        value.to_str().expect("ASCII").to_owned()
    }

    #[test]
    fn a_target_loses_its_first_segment_if_that_is_the_one() {
        for (target, expected) in [
            ("/5e9/v1/orders?a=b", Some("/v1/orders?a=b")),
            ("/5e9", Some("/")),
            ("/5e9/", Some("/")),
            ("/5e9?a", Some("/?a")),
            ("/5e9//v1", Some("//v1")),
            ("/5e9/5e9/v1", Some("/5e9/v1")),
            ("/5e90/v1", None),
            ("/5E9/v1", None),
            ("//5e9/v1", None),
            ("/v1/5e9", None),
            ("/%35e9/v1", None),
            ("/", None),
            ("*", None),
        ] {
            let target = target.parse().expect("a target");

            let removed = segment().removed_from(&target);

            let removed = removed.as_ref().map(PathAndQuery::as_str);
            assert_eq!(removed, expected, "{target}");
        }
    }

    #[test]
    fn a_reference_from_the_root_keeps_the_segment() {
        for (name, value, expected) in [
            (LOCATION, "/next?a=/b", "/5e9/next?a=/b"),
            (LOCATION, "next", "next"),
            (LOCATION, "//other.example/a", "//other.example/a"),
            (LOCATION, "http://a.example/b", "http://a.example/b"),
            (CONTENT_LOCATION, "/a", "/5e9/a"),
            (
                LINK,
                "</a?page=2>; rel=next, <b>; rel=prev, <//c/d>; title=\"/\"",
                "</5e9/a?page=2>; rel=next, <b>; rel=prev, <//c/d>; title=\"/\"",
            ),
            (
                SET_COOKIE,
                "a=/b; path = /v1 ; Secure",
                "a=/b; path =/5e9/v1; Secure",
            ),
            (SET_COOKIE, "path=/b; Path=/", "path=/b; Path=/"),
            (HeaderName::from_static("x-path"), "/a", "/a"),
        ] {
            assert_eq!(changed(name, value), expected);
        }
    }

    #[test]
    fn no_two_segments_are_equal_and_none_is_printed() {
        let [one, other] = [Segment::random(), Segment::random()];

        assert_ne!(one, other);
        assert_eq!(one.prefix().len(), 33);
        let shown = format!("{one:?} {}", one.masked(&format!("at {}/v1", one.prefix())));
        assert!(!shown.contains(&one.0), "{shown}");
        assert!(shown.ends_with("at /…/v1"), "{shown}");
    }

    proptest! {
        /// Whatever a client asks for passes unchanged behind the segment, and nothing passes
        /// without it.
        #[test]
        fn a_target_passes_unchanged_behind_the_segment(
            path in "(/[!-\"$-;=@-~]{0,12}){0,4}",
            query in "(\\?[!-\"$-;=?-~]{0,12})?",
        ) {
            let random = Segment::random();
            let bare = format!("{}{query}", if path.is_empty() { "/" } else { &path });
            let sent = format!("{}{path}{query}", random.prefix());
            let [bare, sent] = [bare, sent].map(|target| target.parse::<PathAndQuery>());
            prop_assume!(bare.is_ok() && sent.is_ok());
            let (bare, sent) = (bare.expect("a target"), sent.expect("a target"));

            prop_assert_eq!(random.removed_from(&sent), Some(bare.clone()));
            prop_assert_eq!(random.removed_from(&bare), None);
            prop_assert_eq!(Segment::random().removed_from(&sent), None);
        }

        /// A client that follows a reference of a response to the proxy gets the path that the
        /// API meant.
        #[test]
        fn a_path_that_leads_back_is_the_one_that_was_sent(path in "/([!-;=?-~][!-;=?-~]{0,20})?") {
            prop_assume!(!path.starts_with("//") && !path.contains('#'));
            let value = HeaderValue::from_str(&path).expect("a value");
            let mut headers = HeaderMap::from_iter([(LOCATION, value)]);
            let random = Segment::random();

            random.put_into(&mut headers);

            let led = headers[LOCATION].to_str().expect("ASCII").parse();
            prop_assume!(led.is_ok());
            let target = random.removed_from(&led.expect("a target"));
            let target = target.expect("it has the segment");
            prop_assert_eq!(target.as_str(), path);
        }
    }
}
