//! The service over real sockets, under attack, and as a program.
//!
//! Each test starts a service or a program of its own, so all share a process. Only `resources`
//! has one of its own, since it counts the descriptors and threads of the process.

mod attacks;
#[cfg(unix)]
mod binary;
#[cfg(unix)]
mod program;
mod sockets;
