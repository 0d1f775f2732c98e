//! The chain of causes of an error.

use std::{error::Error, io, iter};

/// Finds the first error of type `T` in the chain that begins with `error`.
pub(crate) fn find<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    chain(error).find_map(<dyn Error>::downcast_ref)
}

/// The chain that begins with `error`.
///
/// The `source()` of an [`io::Error`] skips the error that it wraps, so the next link
/// is its `get_ref()` instead.
pub(crate) fn chain<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    iter::successors(Some(error), |&error| {
        match error.downcast_ref().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        }
    })
}
