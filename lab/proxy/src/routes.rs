//! Routes: methods and paths as templates. They choose targets and count requests, and tie
//! nothing.

/// The longest segment that may be a name.
const NAME: usize = 100;

/// The shortest hexadecimal number that may be an id, and the shortest mix of letters and digits.
const ID: usize = 16;

/// The lengths of the five parts of a UUID.
const UUID: [usize; 5] = [8, 4, 4, 4, 12];

/// The segment in place of one that could be an id or a secret.
const HOLE: &str = "{}";

/// The last segments of paths that are health checks. They are not chosen unasked: what an
/// application does about them is not how it treats its API.
const HEALTH: [&str; 10] = [
    "health",
    "healthz",
    "healthcheck",
    "live",
    "livez",
    "ready",
    "readyz",
    "ping",
    "status",
    "metrics",
];

/// The route of a request as far as one request shows it: each segment that looks like an id is
/// `{}`.
pub(super) fn shape(method: &str, path: &str) -> String {
    let without_id = |segment| {
        if looks_like_an_id(segment) {
            HOLE
        } else {
            segment
        }
    };
    let segments: Vec<_> = path.split('/').map(without_id).collect();
    format!("{method} {}", segments.join("/"))
}

/// Whether a segment is digits alone, a UUID, or holds 16 or more characters of hexadecimal or of
/// letters mixed with digits, as in `cus_9s6XKzkNRiz8i3XYZ`. What is too long for a name is data.
fn looks_like_an_id(segment: &str) -> bool {
    let is_number = !segment.is_empty() && segment.bytes().all(|sign| sign.is_ascii_digit());
    let parts = segment.split('-');
    let is_hex = |part: &str| part.bytes().all(|sign| sign.is_ascii_hexdigit());
    let is_uuid = is_hex(&segment.replace('-', "")) && parts.map(str::len).eq(UUID);
    let mut words = segment.split(|sign: char| !sign.is_ascii_alphanumeric());
    let has_long_id = words.any(|word| {
        let has_digit = word.bytes().any(|sign| sign.is_ascii_digit());
        let has_letter = word.bytes().any(|sign| sign.is_ascii_alphabetic());
        word.len() >= ID && (has_digit && has_letter || is_hex(word))
    });
    is_number || is_uuid || has_long_id || segment.len() > NAME
}

/// The route of those requests of a route that hold a text: `POST /graphql [createOrder]`.
#[must_use]
pub fn holding(route: &str, text: &str) -> String {
    format!("{route} [{text}]")
}

/// A route without the text that its requests hold. A path has no blank.
pub(super) fn base(route: &str) -> &str {
    route.split_once(" [").map_or(route, |(base, _)| base)
}

/// Whether a route looks like a health check.
pub(super) fn is_health_check(route: &str) -> bool {
    let last = base(route).rsplit('/').find(|segment| !segment.is_empty());
    last.is_some_and(|last| HEALTH.contains(&last))
}

/// The routes that two healthy runs show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Templates {
    /// The shapes that stand for themselves.
    known: Vec<String>,
    /// The shapes with a hole where both runs differed.
    holed: Vec<String>,
}

impl Templates {
    /// The routes of two runs with these shapes: a segment that differs between them is `{}`.
    pub(crate) fn of(one: &[String], other: &[String]) -> Self {
        let known: Vec<_> = one
            .iter()
            .filter(|shape| other.contains(shape))
            .cloned()
            .collect();
        let only = |of: &[String]| -> Vec<String> {
            of.iter()
                .filter(|shape| !known.contains(shape))
                .cloned()
                .collect()
        };
        let (one, other) = (only(one), only(other));
        let pairs = one
            .iter()
            .flat_map(|shape| other.iter().map(move |that| (shape, that)));
        let mut holed: Vec<_> = pairs
            .filter_map(|(shape, that)| merged(shape, that))
            .collect();
        holed.sort_unstable();
        holed.dedup();
        Self { known, holed }
    }

    /// The route of a request with this shape.
    pub(crate) fn route(&self, shape: &str) -> String {
        let fits = |template: &&String| {
            let (template, shape) = (segments(template), segments(shape));
            template.len() == shape.len()
                && template
                    .iter()
                    .zip(&shape)
                    .all(|(part, segment)| *part == HOLE || part == segment)
        };
        if self.known.iter().any(|known| known == shape) {
            shape.to_owned()
        } else {
            self.holed
                .iter()
                .find(fits)
                .map_or(shape, |holed| holed)
                .to_owned()
        }
    }
}

/// Two shapes that differ in one segment, as one.
fn merged(one: &str, other: &str) -> Option<String> {
    let (one, other) = (segments(one), segments(other));
    let differ = one
        .iter()
        .zip(&other)
        .filter(|(of_one, of_other)| of_one != of_other)
        .count();
    // The first is the method.
    if one.len() != other.len() || differ != 1 || one.first() != other.first() {
        return None;
    }
    let pairs = one.iter().zip(&other);
    let merged: Vec<_> = pairs
        .map(|(of_one, of_other)| if of_one == of_other { of_one } else { HOLE })
        .collect();
    Some(merged.join("/"))
}

fn segments(shape: &str) -> Vec<&str> {
    shape.split('/').collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_route_keeps_its_words_and_loses_its_ids() {
        for (path, expected) in [
            ("/v1/orders", "GET /v1/orders"),
            ("/oauth2/token", "GET /oauth2/token"),
            ("/api/chat.postMessage", "GET /api/chat.postMessage"),
            (
                "/2010-04-01/Accounts/AC0123456789abcdef0123456789abcdef/Messages.json",
                "GET /2010-04-01/Accounts/{}/Messages.json",
            ),
            (
                "/s3/Bucket/lamp%20shade.png",
                "GET /s3/Bucket/lamp%20shade.png",
            ),
            ("/v1/orders/17", "GET /v1/orders/{}"),
            (
                "/users/9b2D7c1e-3f4a-4b5c-8d6e-7f8091a2b3c4/x",
                "GET /users/{}/x",
            ),
            ("/blobs/deadbeefdeadbeef", "GET /blobs/{}"),
            ("/blobs/deadbeefdeadbee", "GET /blobs/deadbeefdeadbee"),
            ("/charges/ch_3MmlLrLkdIwHu7ix0snN0B15", "GET /charges/{}"),
            ("/sessions/eyJhbGciOiJIUzI1.eyJzdWIi", "GET /sessions/{}"),
            ("/", "GET /"),
            ("/one//two/", "GET /one//two/"),
            (
                "/a-title-with-many-words-but-none-of-them-an-id",
                "GET /a-title-with-many-words-but-none-of-them-an-id",
            ),
        ] {
            assert_eq!(shape("GET", path), expected);
        }
        let long = "word-".repeat(21);
        assert_eq!(shape("GET", &format!("/{long}")), "GET /{}");
    }

    proptest! {
        /// A name is short where it mixes letters with digits; an id is long, or a number.
        #[test]
        fn names_are_kept_and_ids_are_not(
            name in "[A-Za-z][A-Za-z0-9]{0,14}([._-][a-z]{1,9}){0,3}",
            id in "[0-9]{1,30}|([a-z]{2,3}_)?([0-9a-f]{16,40}|[0-9][A-Za-z0-9]{14,30}[A-Z])|\
                   [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        ) {
            prop_assert_eq!(shape("GET", &format!("/{name}")), format!("GET /{name}"));
            prop_assert_eq!(shape("GET", &format!("/{id}")), "GET /{}");
        }
    }

    #[test]
    fn a_segment_that_differs_between_two_runs_is_a_hole() {
        let of = |paths: &[&str]| {
            paths
                .iter()
                .map(|path| shape("GET", path))
                .collect::<Vec<_>>()
        };
        let templates = Templates::of(
            &of(&["/users/me", "/users/alice", "/orders"]),
            &of(&["/users/me", "/users/bob", "/orders", "/items/bob/all"]),
        );

        for (path, route) in [
            ("/users/me", "GET /users/me"),
            ("/users/carol", "GET /users/{}"),
            ("/orders", "GET /orders"),
            ("/items/bob/all", "GET /items/bob/all"),
            ("/users/carol/x", "GET /users/carol/x"),
        ] {
            assert_eq!(templates.route(&shape("GET", path)), route);
        }
    }

    #[test]
    fn health_checks_are_known_by_their_last_segment() {
        for (route, is_one) in [
            ("GET /healthz", true),
            ("GET /api/ready/", true),
            ("GET /health/records", false),
            ("GET /", false),
        ] {
            assert_eq!(is_health_check(route), is_one, "{route}");
        }
    }
}
