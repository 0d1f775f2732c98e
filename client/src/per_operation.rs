//! What is made once for each endpoint and method, and shared from then on.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
    sync::{Arc, PoisonError, RwLock},
};

use http::Method;

use crate::{endpoint::Endpoint, telemetry};

/// A value for each endpoint and method.
pub(crate) struct PerOperation<T>(RwLock<HashMap<(Endpoint, Method), Arc<T>, Hash>>);

type Hash = BuildHasherDefault<Fnv>;

/// FNV-1a, which is quick for short keys. It withstands no attack, and need not: names
/// and templates of endpoints come from the program text.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// The number of a variant, which is small.
    fn write_isize(&mut self, variant: isize) {
        self.write(&variant.to_le_bytes()[..1]);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl<T> PerOperation<T> {
    /// None yet.
    pub(crate) fn new() -> Self {
        Self(RwLock::default())
    }

    /// The value of an operation; made by `new`, if it is the first time.
    pub(crate) fn get(
        &self,
        endpoint: Endpoint,
        method: &Method,
        new: impl FnOnce() -> T,
    ) -> Arc<T> {
        let key = (endpoint, method.clone());
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = known.get(&key) {
            return Arc::clone(value);
        }
        drop(known);
        let value = Arc::new(new());
        // A method outside the closed list is not kept: a caller that made up
        // new ones could grow the table without end.
        if telemetry::method_label(method) != method.as_str() {
            return value;
        }
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(key).or_insert(value))
    }
}
