//! Errors as people read them.

use std::{error::Error, iter::successors};

/// An error with its causes.
pub(crate) fn causes(error: &(dyn Error + 'static)) -> String {
    let chain = successors(Some(error), |&error| error.source());
    let words: Vec<_> = chain.map(ToString::to_string).collect();
    words.join(": ")
}
