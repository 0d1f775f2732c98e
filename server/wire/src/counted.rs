//! Numbers of things in words.

/// A number and what it counts, such as "1 request" and "3 requests". `one` names one of
/// them.
#[must_use]
pub fn counted(number: u64, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {one}s"),
    }
}
