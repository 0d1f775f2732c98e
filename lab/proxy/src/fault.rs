//! The faults of the proxy.

use std::{fmt, str::FromStr, time::Duration};

use serde::Serialize;

/// A fault of the first request of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProxyFault {
    /// The true response, late. It is the control and no fault: what comes twice in it is sent
    /// twice by itself.
    Hold,
    /// A 503 without Retry-After.
    Unavailable,
    /// A 503 with a Retry-After of two seconds, and of seven if that was kept.
    RetryAfter,
    /// A 400.
    Refused,
    /// The upstream's response is read to its end, and then the connection is closed without a
    /// byte of it.
    LostResponse,
    /// Nothing comes.
    Silence,
}

/// No fault has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no fault is called '{0}'; there are {all}", all = ProxyFault::names())]
pub struct UnknownFault(String);

impl ProxyFault {
    /// All faults, the control first.
    pub const ALL: [Self; 6] = [
        Self::Hold,
        Self::Unavailable,
        Self::RetryAfter,
        Self::Refused,
        Self::LostResponse,
        Self::Silence,
    ];

    /// The first wait that `retry-after` asks for.
    pub const WAIT: Duration = Duration::from_secs(2);

    /// The second one: a client that waits for about two seconds anyway is early here.
    pub const LONG_WAIT: Duration = Duration::from_secs(7);

    /// For how long `hold` holds a response: longer than the first wait.
    pub const HELD: Duration = Duration::from_secs(3);

    /// The same for the second wait.
    pub const LONG_HELD: Duration = Duration::from_secs(8);

    /// The names that a user can choose from. The control is made in any case.
    fn names() -> String {
        let faults = Self::ALL.into_iter().filter(|fault| *fault != Self::Hold);
        faults.map(Self::name).collect::<Vec<_>>().join(", ")
    }

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.name_and_words().0
    }

    /// The event, in a phrase.
    #[must_use]
    pub fn words(self) -> &'static str {
        self.name_and_words().1
    }

    fn name_and_words(self) -> (&'static str, &'static str) {
        match self {
            Self::Hold => ("hold", "a late response"),
            Self::Unavailable => ("unavailable", "503"),
            Self::RetryAfter => ("retry-after", "503 with Retry-After"),
            Self::Refused => ("refused", "400"),
            Self::LostResponse => ("lost-response", "lost response"),
            Self::Silence => ("silence", "silence"),
        }
    }

    /// For how long it lasts in its first run: the wait that it asks for, or for how long it
    /// holds a response.
    #[must_use]
    pub fn lasts(self) -> Duration {
        match self {
            Self::Hold => Self::HELD,
            Self::RetryAfter => Self::WAIT,
            Self::Unavailable | Self::Refused | Self::LostResponse | Self::Silence => {
                Duration::ZERO
            }
        }
    }

    /// Whether the connection ends in place of a response. In such a run every response
    /// closes its connection: a transport may send again what a used connection lost
    /// (RFC 9112 §9.3.1), and that is no retry.
    #[must_use]
    pub fn ends_the_connection(self) -> bool {
        matches!(self, Self::LostResponse | Self::Silence)
    }
}

impl fmt::Display for ProxyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ProxyFault {
    type Err = UnknownFault;

    fn from_str(name: &str) -> Result<Self, UnknownFault> {
        let mut all = Self::ALL.into_iter();
        all.find(|fault| fault.name() == name)
            .ok_or_else(|| UnknownFault(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_fault_is_answered_with_the_faults_and_not_with_the_control() {
        let words = "fire".parse::<ProxyFault>().expect_err("unknown");

        let words = words.to_string();
        for fault in ProxyFault::ALL {
            let is_offered = words.contains(fault.name());
            assert_eq!(is_offered, fault != ProxyFault::Hold, "{words}");
        }
    }
}
