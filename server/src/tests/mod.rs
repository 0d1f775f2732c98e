//! The lessons on the host: what it serves, counts and records of them.

mod exchanges;
mod hosted;
mod metrics;
mod observed;
mod spans;
