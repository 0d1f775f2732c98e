//! Reads a request body, to its end if that is bearable.
//!
//! An answer to a body that is left unread can be lost: the system resets the
//! connection, and the reset may overtake the answer. So a body that is too large
//! is read on and thrown away for a while before it is refused.

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;

/// The largest body that is accepted, in bytes.
pub(crate) const MAX_BODY: usize = 64 * 1024;

/// How much of a body is read before the service gives up on it, in bytes.
const MAX_READ: usize = 1024 * 1024;

/// Why there is no body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyError {
    TooLarge,
    /// It ended before it was complete.
    Broken,
}

pub(crate) async fn read(mut body: Body) -> Result<Bytes, BodyError> {
    let (mut kept, mut length) = (BytesMut::new(), 0);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| BodyError::Broken)?;
        let Some(data) = frame.data_ref() else {
            continue;
        };
        length += data.len();
        if length <= MAX_BODY {
            kept.extend_from_slice(data);
        } else if length > MAX_READ {
            break;
        }
    }
    if length <= MAX_BODY {
        Ok(kept.freeze())
    } else {
        Err(BodyError::TooLarge)
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::{BodyError, MAX_BODY, read};

    #[tokio::test]
    async fn a_body_is_whole_or_refused() {
        let largest = vec![b'x'; MAX_BODY];
        let too_large = vec![b'x'; MAX_BODY + 1];

        let whole = read(Body::from(largest.clone())).await;
        let refused = read(Body::from(too_large)).await;

        assert_eq!(whole.unwrap(), largest);
        assert_eq!(refused, Err(BodyError::TooLarge));
    }
}
