//! About how long a case takes if nothing is broken: what is broken is run again.

use std::time::Duration;

use super::ProxyFault;

/// A case of the plan, and about how long its runs take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Its route.
    pub route: String,
    /// Its fault, or the control.
    pub fault: ProxyFault,
    /// The time of its runs, and of the control of its second wait.
    pub takes: Duration,
}

impl Estimate {
    /// A case of a command that takes so long without a fault, and waits for so long at most.
    #[must_use]
    pub fn of(route: &str, fault: ProxyFault, healthy: Duration, patience: Duration) -> Self {
        let takes = match fault {
            ProxyFault::Silence => healthy + patience,
            ProxyFault::Hold => healthy + ProxyFault::HELD,
            // A control and a run more tell a client that heeds it from one that waits anyway.
            ProxyFault::RetryAfter => {
                healthy * 3 + ProxyFault::WAIT + ProxyFault::LONG_HELD + ProxyFault::LONG_WAIT
            }
            ProxyFault::Unavailable | ProxyFault::Refused | ProxyFault::LostResponse => healthy,
        };
        Self {
            route: route.to_owned(),
            fault,
            takes,
        }
    }

    /// Whether it may take less: a silence ends when the command gives up, and the second
    /// wait is asked for only if the first was kept.
    #[must_use]
    pub fn is_bound(&self) -> bool {
        matches!(self.fault, ProxyFault::Silence | ProxyFault::RetryAfter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plan has a silence for its first route only.
    #[test]
    fn five_routes_take_three_minutes_at_most() {
        let [second, patience] = [1, 35].map(Duration::from_secs);
        let of_route = |number: usize| {
            let faults = ProxyFault::ALL.into_iter();
            let faults = faults.filter(move |fault| number == 0 || *fault != ProxyFault::Silence);
            faults.map(|fault| Estimate::of("POST /v1", fault, second, patience).takes)
        };

        let all: Duration = (0..5).flat_map(of_route).sum();

        assert!(2 * second + all <= Duration::from_secs(180), "{all:?}");
    }
}
