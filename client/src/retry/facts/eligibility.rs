//! Eligibility: the rules for the requests that may be repeated.

use http::Method;

/// Permission to repeat a request whose method alone does not allow it.
///
/// Add it to the extensions of a request only if the endpoint recognises a repetition,
/// for example by an idempotency key. The caller who adds it makes that promise. A
/// header makes no such promise, since any caller can send an `Idempotency-Key` to a
/// service that ignores it.
///
/// ```
/// # reliable_api_client::install_tls_provider();
/// # let http = reqwest::Client::builder().tls_certs_only([]).build()?;
/// # let client = reqwest_middleware::ClientBuilder::new(http).build();
/// let request = client
///     .post("http://127.0.0.1:8765/jobs")
///     .header("Idempotency-Key", "order-4711")
///     .with_extension(reliable_api_client::RepeatPermission);
/// # Ok::<(), reqwest::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepeatPermission;

/// Whether a request may be sent a second time.
///
/// The idempotent methods may (RFC 9110 §9.2.2). POST is not idempotent and PATCH need
/// not be, so both need a [`RepeatPermission`]; so does any unknown method.
pub(crate) fn may_repeat(method: &Method, permission: Option<RepeatPermission>) -> bool {
    const IDEMPOTENT: [Method; 6] = [
        Method::GET,
        Method::HEAD,
        Method::PUT,
        Method::DELETE,
        Method::OPTIONS,
        Method::TRACE,
    ];
    permission.is_some() || IDEMPOTENT.contains(method)
}

/// Whether a request may be sent a second time, and the reason if it may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Eligibility {
    /// It may be sent again.
    Repeatable,
    /// Its method does not allow a repetition and it carries no permission: see
    /// [`may_repeat`].
    NotPermitted,
    /// A repetition is allowed, but the body is a stream, which the first attempt has
    /// consumed.
    BodyIsStream,
}

impl Eligibility {
    /// Judges a request by its method, by the permission that it carries, and by
    /// whether its body can be sent twice. The permission is checked before the body.
    pub(crate) fn of(
        method: &Method,
        permission: Option<RepeatPermission>,
        body_can_be_sent_twice: bool,
    ) -> Self {
        if !may_repeat(method, permission) {
            Self::NotPermitted
        } else if body_can_be_sent_twice {
            Self::Repeatable
        } else {
            Self::BodyIsStream
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_idempotent_methods_need_no_permission_and_a_stream_is_sent_once() {
        use Eligibility::{BodyIsStream, NotPermitted, Repeatable};
        for (methods, without, with, of_a_stream) in [
            (
                &["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"][..],
                Repeatable,
                Repeatable,
                BodyIsStream,
            ),
            (
                &["POST", "PATCH", "CONNECT", "PURGE", "get"],
                NotPermitted,
                Repeatable,
                NotPermitted,
            ),
        ] {
            for method in methods {
                let method = method.parse().expect("a method");
                let permission = Some(RepeatPermission);

                assert_eq!(Eligibility::of(&method, None, true), without, "{method}");
                assert_eq!(Eligibility::of(&method, permission, true), with, "{method}");
                assert_eq!(Eligibility::of(&method, None, false), of_a_stream);
                assert_eq!(Eligibility::of(&method, permission, false), BodyIsStream);
            }
        }
    }
}
