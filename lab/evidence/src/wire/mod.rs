//! The [wire record](::wire), and what there is to say of it in words.

mod facts;
mod names;

pub use ::wire::{
    BodyState, ClosedBy, ConnectionEnd, Exchange, Header, IssuedCursor, JobResult, Message,
    RecordedHeader, RequestId, RetryAfter, RetryAfterForm, RouteTotals, ValueHash, WireConnection,
    WireRecord, WireRefusal, WireRequest, media_type, status,
};
pub use facts::Facts;
pub use names::Names;
