//! The marks of rows and values.

/// The result of a span, shown as colour and sign of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It succeeded.
    Ok,
    /// It failed.
    Failed,
    /// It is a wait.
    Wait,
    /// It queues for a free slot.
    Queue,
    /// It is the service's side of a request.
    Service,
    /// It has not ended.
    Open,
}
