//! The extensions by which a route tells the layer that observes it about its response.
//!
//! Each type is put into the extensions of a response, as are a [`JobResult`](wire::JobResult)
//! and a [`FaultLabel`](wire::FaultLabel). The observing layer reads it for the ledger, the
//! metrics and the request's span; nothing of it is sent.

/// The `next_cursor` of the page in a response; none where it is `null`.
///
/// The ledger keeps a hash of it, made in the same way as that of a cursor which was
/// sent, so that the two can be compared.
#[derive(Clone, PartialEq, Eq)]
#[expect(missing_debug_implementations, reason = "it is a secret")]
pub struct NextCursor(pub Option<String>);
