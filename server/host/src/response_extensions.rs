//! What a route says of its response to the layer that observes it.
//!
//! Each type is put into the extensions of a response, as is a
//! [`JobResult`](wire::JobResult). The observing layer reads it for the ledger, the metrics
//! and the request's span; nothing of it is sent.

use std::fmt;

/// Marks a response as a fault on purpose.
///
/// The service counts the fault, enters it in the ledger and names it in the request's
/// span. The label must come from a closed set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault(pub &'static str);

/// The `next_cursor` of the page in a response; none where it is `null`.
///
/// The ledger keeps a hash of it, made in the same way as that of a cursor which was
/// sent, so that the two can be compared.
#[derive(Clone, PartialEq, Eq)]
pub struct NextCursor(pub Option<String>);

impl fmt::Debug for NextCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A cursor is never printed.
        f.debug_struct("NextCursor")
            .field("is_null", &self.0.is_none())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::NextCursor;

    #[test]
    fn a_cursor_is_never_printed() {
        let printed = format!("{:?}", NextCursor(Some("SECRET".to_owned())));

        assert_eq!(printed, "NextCursor { is_null: false }");
    }
}
