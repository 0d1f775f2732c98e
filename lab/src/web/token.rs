//! Random names.

use rand::RngExt;

/// A random name of eight characters.
pub(crate) fn token() -> String {
    let mut random = rand::rng();
    let sign = || char::from_digit(random.random_range(0..36), 36);
    std::iter::repeat_with(sign).flatten().take(8).collect()
}
