//! Attacks on a running service, over raw sockets.
//!
//! After each of them the attacker has a clear response or a close, others were served
//! meanwhile, and a stop finds nothing to cut off. The doc line of each test names the
//! defence that it holds; without that defence it fails. What is told apart by a unit
//! test, such as JSON with two meanings, is not attacked here again.

mod attacked;
mod bodies;
#[cfg(target_os = "linux")]
mod floods;
mod heads;
mod paths;
#[cfg(target_os = "linux")]
#[path = "../support/program.rs"]
mod program;
mod slow;
#[path = "../support/mod.rs"]
mod support;
