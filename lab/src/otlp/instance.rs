//! Identifies the lab that sent a trace by `service.instance.id`, as OpenTelemetry calls
//! it.
//!
//! A seed determines the trace ids on every machine. If forty laptops with one seed send
//! to one receiver, their traces would be merged. So each lab has an id, which is mixed
//! into the ids of the traces that it sends. The lab itself shows the recorded ids.

use std::sync::OnceLock;

use scenario::trace::TraceId;
use sha2::{Digest, Sha256};

/// The variable for the attributes of an OpenTelemetry resource. The lab uses only this
/// attribute, because the others may hold private data.
const VARIABLE: &str = "OTEL_RESOURCE_ATTRIBUTES";
const ATTRIBUTE: &str = "service.instance.id";

/// The maximum length of an id from the environment, in characters.
const LONGEST: usize = 64;

/// The id of a lab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Instance(String);

impl Instance {
    /// The id of this process: from the environment, else a random one.
    pub(super) fn of_this_process() -> &'static Self {
        static INSTANCE: OnceLock<Instance> = OnceLock::new();
        INSTANCE.get_or_init(|| {
            let attributes = std::env::var(VARIABLE).unwrap_or_default();
            Self::named(&attributes)
                .unwrap_or_else(|| Self(format!("{:016x}", rand::random::<u64>())))
        })
    }

    /// The id that a list of attributes names: `service.instance.id=anna,…`.
    fn named(attributes: &str) -> Option<Self> {
        let mut pairs = attributes
            .split(',')
            .filter_map(|pair| pair.split_once('='));
        let (_, id) = pairs.find(|(key, _)| key.trim() == ATTRIBUTE)?;
        let id: String = id.trim().chars().take(LONGEST).collect();
        (!id.is_empty()).then_some(Self(id))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// The trace id that this lab sends. It is never all zeros, which W3C Trace Context
    /// calls invalid.
    pub(super) fn salted(&self, id: TraceId) -> [u8; 16] {
        let digest: [u8; 32] = Sha256::new()
            .chain_update(&self.0)
            // No pair of name and id may read like another pair.
            .chain_update([0])
            .chain_update(id.to_bytes())
            .finalize()
            .into();
        let mut salted = [0; 16];
        salted.copy_from_slice(&digest[..16]);
        salted[15] |= u8::from(salted == [0; 16]);
        salted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_instance_id_is_taken_from_the_environment() {
        let anna = Some(Instance("anna".to_owned()));
        let long = format!("service.instance.id={}", "x".repeat(100));

        assert_eq!(Instance::named("service.instance.id=anna"), anna);
        assert_eq!(
            Instance::named("host.name=secret, service.instance.id = anna ,a=b"),
            anna
        );
        assert_eq!(
            Instance::named(&long).map(|instance| instance.0.len()),
            Some(LONGEST)
        );
        for none in ["", "service.instance.id=", "host.name=secret", "anna"] {
            assert_eq!(Instance::named(none), None, "{none}");
        }
    }

    #[test]
    fn two_labs_give_a_trace_two_ids_and_one_lab_always_the_same() {
        let [anna, ben] = ["anna", "ben"].map(|name| Instance(name.to_owned()));
        let [one, other] = ["1", "2"].map(|digit| TraceId::from_hex(&digit.repeat(32)));
        let (one, other) = (one.expect("an id"), other.expect("an id"));

        assert_eq!(anna.salted(one), anna.salted(one));
        assert_ne!(anna.salted(one), ben.salted(one));
        assert_ne!(anna.salted(one), anna.salted(other));
    }
}
