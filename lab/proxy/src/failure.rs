//! Why the upstream sent no response, in words that say what to do.

use std::borrow::Cow;

/// How many names of a certificate are shown.
const NAMES: usize = 5;

/// Why a request got no response from the upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpstreamFailure {
    /// Nothing listens on its port, or its host is not reached.
    Unreachable,
    /// The issuer of its certificate is not among the trusted ones.
    UnknownIssuer,
    /// Its certificate is for these names, as far as they are known.
    WrongName(Vec<String>),
    /// Its certificate has expired.
    Expired,
    /// Its certificate cannot be used for another reason.
    Certificate,
    /// Its port does not speak TLS.
    NoTls,
    /// Its port speaks TLS, and was called without.
    SpeaksTls,
    /// It speaks TLS, but not HTTP/1.1 over it.
    NoHttp11,
    /// The handshake took too long.
    SlowHandshake,
    /// The handshake failed for another reason.
    Handshake,
    /// The head of its response has too many lines, or is too long.
    HeadTooLarge,
    /// It closed the connection without a response.
    Closed,
    /// It sent something other than a response of HTTP/1.1.
    Malformed,
    /// The client's own mistake: the body of its request broke off, or is malformed.
    RequestBody,
    /// It switched to another protocol, which nobody had asked for.
    Switched,
}

impl UpstreamFailure {
    /// The reason, and what to do about it.
    #[must_use]
    pub fn words(&self) -> Cow<'static, str> {
        let words = match self {
            Self::Unreachable => "nothing answers on its port. Is it running?",
            Self::UnknownIssuer => {
                "the issuer of its certificate is unknown. --cacert FILE names one to trust"
            }
            Self::WrongName(names) if !names.is_empty() => return of_names(names).into(),
            Self::WrongName(_) => "its certificate has no name that a URL can have",
            Self::Expired => "its certificate has expired",
            Self::Certificate => "its certificate cannot be used",
            Self::NoTls => "no TLS on that port. Is it an http:// URL?",
            Self::SpeaksTls => "that port speaks TLS. Is it an https:// URL?",
            Self::NoHttp11 => "it does not speak HTTP/1.1 over TLS",
            Self::SlowHandshake => {
                "it did not complete the TLS handshake within ten seconds. Does that port speak TLS?"
            }
            Self::Handshake => "the TLS handshake failed",
            Self::HeadTooLarge => {
                "the head of its response has more than 200 lines, or is too long"
            }
            Self::Closed => "it closed the connection without a response",
            Self::Malformed => "it did not send a response of HTTP/1.1",
            Self::RequestBody => "the body of the request broke off, or is malformed",
            Self::Switched => "it switched to another protocol, which nobody had asked for",
        };
        words.into()
    }
}

/// That a certificate is for other names, and which.
fn of_names(names: &[String]) -> String {
    let more = match names.len().saturating_sub(NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let shown = names.iter().take(NAMES).map(String::as_str);
    let shown = shown.collect::<Vec<_>>().join(", ");
    format!("its certificate is for another name: it has {shown}{more}. Use a name that it has")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_with_many_names_shows_the_first() {
        let names: Vec<_> = (1..=7).map(|number| format!("{number}.example")).collect();

        let words = UpstreamFailure::WrongName(names).words();

        let shown = "it has 1.example, 2.example, 3.example, 4.example, 5.example and 2 more.";
        assert!(words.contains(shown), "{words}");
    }
}
