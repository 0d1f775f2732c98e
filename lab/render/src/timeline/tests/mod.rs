//! Pictures, and properties of every picture.
