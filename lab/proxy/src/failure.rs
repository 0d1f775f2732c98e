//! Why the upstream sent no response, in words that say what to do.

/// Why a request got no response from the upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpstreamFailure {
    /// Nothing listens on its port, or its host is not reached.
    Unreachable,
    /// The issuer of its certificate is not among the trusted ones.
    UnknownIssuer,
    /// Its certificate is for another name.
    WrongName,
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
    pub fn words(self) -> &'static str {
        match self {
            Self::Unreachable => "nothing answers on its port. Is it running?",
            Self::UnknownIssuer => {
                "the issuer of its certificate is unknown. --cacert FILE names one to trust"
            }
            Self::WrongName => {
                "its certificate is for another name. Use the name that the certificate has"
            }
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
        }
    }
}
