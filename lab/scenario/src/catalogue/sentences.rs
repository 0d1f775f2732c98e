//! Sentences that several scenarios share.

pub(super) const NO_ATTEMPT_LEFT: &str = "The reliable client used every attempt that it was \
                                          allowed, and returned the last failure to its caller.";

/// A client ignores Retry-After.
pub(super) const HEADER_NOT_READ: &str = "The naive client did not read the header: the service's \
                                          record counts every retry as early. `lab storm` shows what many \
                                          such clients do.";

/// A client makes up a key inside each attempt.
pub(super) const NEW_KEYS: &str = "The naive client made up a new key for each request, so the \
                                   service created two jobs.";
