//! The web UI's server, as a browser and a stranger see it: real sockets, and a server on
//! free ports for each test.

mod api;
mod assets;
mod cancel;
#[cfg(unix)]
mod client;
mod command;
mod events;
mod guard;
mod load;
mod metrics_view;
mod pages;
mod scenario_live;
#[cfg(target_os = "linux")]
mod soak;
mod stop;
mod storm;
pub(crate) mod support;
mod unkept;
mod wire;
