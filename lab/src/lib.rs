//! The lab: runs a client against the teaching service and shows, as evidence
//! a person can read, what each of them did.
//!
//! Running yields values; rendering consumes them. [`trace`] turns the spans
//! of a run into plain values, [`render`] turns values into text, and
//! [`fault_proxy`] does to a connection what no well-behaved service can.

pub mod fault_proxy;
pub mod render;
pub mod trace;
