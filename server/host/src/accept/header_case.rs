//! The letter case of header names, which means nothing, and which some clients rely on.

/// How the names of the headers of a response are written. They are the same names
/// either way (RFC 9110 §5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HeaderCase {
    /// As in `retry-after`.
    #[default]
    Lower,
    /// As in `Retry-After`.
    Title,
}
