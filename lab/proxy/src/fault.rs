//! The faults of the proxy.

use std::{fmt, str::FromStr, time::Duration};

use http::StatusCode;
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
    /// A 503 with a Retry-After of two seconds, and of seven if that does not decide.
    RetryAfter,
    /// A 400.
    Refused,
    /// The upstream's response is read to its end, and then the connection is closed without a
    /// byte of it.
    LostResponse,
    /// Nothing comes.
    Silence,
}

/// The properties of a fault.
struct Facts {
    name: &'static str,
    delivery: Delivery,
    lasts: Duration,
}

/// The effect of a fault on the request that meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// It gets the upstream's response, late.
    Late,
    /// It gets a response of this status, and the upstream does not see it.
    Injected(StatusCode),
    /// The upstream's response is read, and then the connection is closed.
    Lost,
    /// It gets nothing, and the upstream does not see it.
    Silent,
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
    pub(crate) const WAIT: Duration = Duration::from_secs(2);

    /// The second one: a client that waits for about two seconds anyway is early here.
    pub(crate) const LONG_WAIT: Duration = Duration::from_secs(7);

    /// For how long `hold` holds a response: longer than the first wait.
    pub(crate) const HELD: Duration = Duration::from_secs(3);

    /// The same for the second wait.
    pub(crate) const LONG_HELD: Duration = Duration::from_secs(8);

    /// The names that a user can choose from. The control is made in any case.
    #[must_use]
    pub fn names() -> String {
        let faults = Self::ALL.into_iter().filter(|fault| *fault != Self::Hold);
        faults.map(Self::name).collect::<Vec<_>>().join(", ")
    }

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Its effect on the request that meets it.
    pub(crate) fn delivery(self) -> Delivery {
        self.facts().delivery
    }

    /// For how long it lasts in its first run: the wait that it asks for, or for how long it
    /// holds a response.
    #[must_use]
    pub fn lasts(self) -> Duration {
        self.facts().lasts
    }

    /// Whether the connection ends in place of a response. In such a run every response
    /// closes its connection: a transport may send again what a used connection lost
    /// (RFC 9112 §9.3.1), and that is no retry.
    pub(crate) fn ends_the_connection(self) -> bool {
        matches!(self.delivery(), Delivery::Lost | Delivery::Silent)
    }

    fn facts(self) -> Facts {
        let unavailable = Delivery::Injected(StatusCode::SERVICE_UNAVAILABLE);
        let refused = Delivery::Injected(StatusCode::BAD_REQUEST);
        let facts = |name, delivery, lasts| Facts {
            name,
            delivery,
            lasts,
        };
        match self {
            Self::Hold => facts("hold", Delivery::Late, Self::HELD),
            Self::Unavailable => facts("unavailable", unavailable, Duration::ZERO),
            Self::RetryAfter => facts("retry-after", unavailable, Self::WAIT),
            Self::Refused => facts("refused", refused, Duration::ZERO),
            Self::LostResponse => facts("lost-response", Delivery::Lost, Duration::ZERO),
            Self::Silence => facts("silence", Delivery::Silent, Duration::ZERO),
        }
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
        let unknown = "fire".parse::<ProxyFault>().expect_err("unknown");

        let words = unknown.to_string();
        for fault in ProxyFault::ALL {
            let is_offered = words.contains(fault.name());
            assert_eq!(is_offered, fault != ProxyFault::Hold, "{words}");
        }
    }
}
