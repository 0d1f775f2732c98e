//! The names of the members of a JSON object.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Visitor};

/// Finds the name of a member in a list. It is compared as bytes: as a string, a name
/// with half a surrogate pair would be an error, although nobody looks for such a name.
pub(crate) struct NameIn<'a>(pub(crate) &'a [&'static str]);

impl<'de> DeserializeSeed<'de> for NameIn<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, name: D) -> Result<Self::Value, D::Error> {
        name.deserialize_bytes(self)
    }
}

impl Visitor<'_> for NameIn<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member's name")
    }

    fn visit_bytes<E>(self, name: &[u8]) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|known| known.as_bytes() == name))
    }
}
