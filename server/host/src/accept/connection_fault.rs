//! The faults of a connection: it does something instead of sending a response.

/// Takes the position of a response that carries it in its extensions: the client gets
/// nothing of the response, not even its status.
///
/// It is bound to one request and not to a connection, so that a connection which a
/// client opens in advance uses up none. A client whose connection was used before may
/// send the request again by itself (RFC 9110 §9.2.2), below whatever decides about
/// retries: see [`ConnectionPosition::position`](super::ConnectionPosition).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionFault {
    /// Nothing comes, until the client closes the connection or the service stops.
    Silence,
    /// The connection is closed in good order.
    Close,
    /// The connection is reset.
    Reset,
}

/// Tells hyper that there is no response: it closes the connection.
#[derive(Debug, thiserror::Error)]
#[error("the response is withheld on purpose")]
pub(super) struct Withheld;
