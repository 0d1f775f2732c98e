//! Whether a status permits another try.

/// Whether the request itself was refused: sent again, it fails again.
#[must_use]
pub const fn is_final(status: u16) -> bool {
    matches!(status, 400 | 401 | 403 | 404 | 409 | 422)
}
