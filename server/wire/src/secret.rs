//! A value that must not be printed.

use std::{fmt, ops::Deref};

use serde::Serialize;

/// A value that `Debug` does not print, so that the type around it can derive `Debug`. It
/// serializes as the value itself.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Secret<T>(pub T);

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(not printed)")
    }
}

impl<T> Deref for Secret<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn a_secret_is_not_printed_with_what_is_around_it() {
        let printed = format!("{:#?}", (1, Some(Secret("SECRET"))));

        assert!(!printed.contains("SECRET"), "{printed}");
    }
}
