//! Which parameters change nothing, given the others. The command line refuses them: a
//! learner who varies one of them would look for a difference that cannot be there.

use crate::{Backoff, ClientKind, Incident, Load, RetryAfter, Settings, Setup, StormPolicy};

impl Settings {
    /// Why this parameter changes nothing in a storm with these policies; none if it may
    /// change something.
    #[must_use]
    pub fn without_effect(&self, name: &str, policies: &[StormPolicy]) -> Option<&'static str> {
        let all = |is: fn(&Setup) -> bool| policies.iter().all(|policy| is(&policy.setup));
        let reasons = [
            (
                "calls_per_second",
                self.load == Load::Closed,
                "the load is closed",
            ),
            ("callers", self.load == Load::Open, "the load is open"),
            ("think_seconds", self.load == Load::Open, "the load is open"),
            (
                "incident_starts_seconds",
                self.incident == Incident::None,
                "there is no incident",
            ),
            (
                "incident_lasts_seconds",
                self.incident == Incident::None,
                "there is no incident",
            ),
            (
                "spike",
                self.incident != Incident::Spike,
                "the incident is not a spike",
            ),
            (
                "workers_left",
                self.incident != Incident::Cut,
                "the incident is not a cut",
            ),
            (
                "retry_after",
                self.incident == Incident::None,
                "there is no incident",
            ),
            (
                "clients",
                all(|setup| setup.clients > 0),
                "every policy has its own number of clients",
            ),
            (
                "queue",
                all(|setup| setup.queue > 0),
                "every policy has a queue of its own",
            ),
        ];
        first_reason(&reasons, name)
    }
}

impl Setup {
    /// Why this parameter changes nothing in a storm with these settings; none if it may
    /// change something.
    #[must_use]
    pub fn without_effect(&self, name: &str, settings: &Settings) -> Option<&'static str> {
        let never_retries = self.attempts == 1;
        let never_waits = self.backoff == Backoff::None;
        let is_naive = self.client == ClientKind::Naive;
        // The services between are never naive.
        let is_only_naive = is_naive && self.layers == 1;
        let has_retry_after =
            settings.incident != Incident::None && settings.retry_after != RetryAfter::None;
        let has_queue = self.queue > 0 || settings.queue > 0;
        let one_attempt = "with one attempt there are no retries";
        let naive = "the naive client has none";
        let no_wait = "there is no wait before a retry";
        let no_queue = "the service queues nothing";
        let reasons = [
            ("backoff", never_retries, one_attempt),
            ("backoff", is_only_naive, "the naive client never waits"),
            ("base_seconds", never_retries, one_attempt),
            ("base_seconds", never_waits || is_only_naive, no_wait),
            ("cap_seconds", never_retries, one_attempt),
            ("cap_seconds", never_waits || is_only_naive, no_wait),
            ("budget", never_retries, one_attempt),
            ("budget", is_only_naive, naive),
            ("concurrency", is_only_naive, naive),
            ("deadline_seconds", is_naive, naive),
            ("spread_seconds", never_retries, one_attempt),
            ("spread_seconds", is_only_naive, naive),
            (
                "spread_seconds",
                !has_retry_after,
                "no response has a Retry-After",
            ),
            ("order", !has_queue, no_queue),
            ("abandoned", !has_queue, no_queue),
        ];
        first_reason(&reasons, name)
    }
}

fn first_reason(reasons: &[(&str, bool, &'static str)], name: &str) -> Option<&'static str> {
    let mut of_name = reasons.iter().filter(|(other, ..)| *other == name);
    of_name.find_map(|(_, applies, reason)| applies.then_some(*reason))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parameters;

    #[test]
    fn every_reason_names_a_parameter_that_users_can_set() {
        let settings = Settings {
            load: Load::Closed,
            incident: Incident::None,
            queue: 0,
            ..Settings::DEFAULT
        };
        let naive = Setup {
            client: ClientKind::Naive,
            attempts: 1,
            ..Setup::DEFAULT
        };

        let of_settings = Settings::options()
            .filter(|parameter| settings.without_effect(parameter.name, &[]).is_some());
        let of_setup = Setup::options()
            .filter(|parameter| naive.without_effect(parameter.name, &settings).is_some());

        // All but `callers` and `think`, which an open load ignores.
        assert_eq!(of_settings.count(), 8);
        assert_eq!(of_setup.count(), 9);
        for parameter in Settings::options() {
            let is_used = Settings::DEFAULT
                .without_effect(parameter.name, &[])
                .is_none();
            let spike_or_open = ["callers", "think_seconds", "workers_left"];
            let of_policies = ["clients", "queue"];
            let expected =
                !spike_or_open.contains(&parameter.name) && !of_policies.contains(&parameter.name);
            assert_eq!(is_used, expected, "{}", parameter.name);
        }
    }
}
