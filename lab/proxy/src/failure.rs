//! Why the upstream sent no response, in the words of the library that noticed, with a hint where
//! there is something to do.

use std::fmt;

use render::fit;

/// How much of a library's text is shown, in columns. A certificate may have thousands of names.
const TEXT: usize = 300;

/// Why a request got no response from the upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpstreamFailure {
    /// The client's own mistake: the body of its request broke off, or is malformed.
    RequestBody,
    /// The upstream's.
    Upstream {
        /// The error.
        text: String,
        /// What to do about it; empty if nothing is known.
        hint: &'static str,
    },
}

impl UpstreamFailure {
    /// An error of the upstream, and what to do about it.
    pub(super) fn with_hint(error: impl fmt::Display, hint: &'static str) -> Self {
        let text = fit(&error.to_string(), TEXT, false);
        Self::Upstream { text, hint }
    }

    /// An error of the upstream.
    pub(super) fn of(error: impl fmt::Display) -> Self {
        Self::with_hint(error, "")
    }

    /// Nothing was reached on its port.
    pub(super) fn unreachable(error: impl fmt::Display) -> Self {
        Self::with_hint(error, ". Is it running?")
    }

    /// Its port speaks TLS, and was called without.
    pub(super) fn speaks_tls() -> Self {
        Self::with_hint("that port speaks TLS", ". Is it an https:// URL?")
    }
}

impl fmt::Display for UpstreamFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RequestBody => f.write_str("the body of the request broke off, or is malformed"),
            Self::Upstream { text, hint } => write!(f, "{text}{hint}"),
        }
    }
}
