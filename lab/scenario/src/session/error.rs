//! The errors of a run that could not take place.

use std::io;

use host::{HostFailure, StartError, StopError};

/// Why a scenario could not be run. It says nothing about the client.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The settings break a rule of the client.
    #[error(transparent)]
    Settings(#[from] client::ConfigError),
    /// The service did not start.
    #[error("the service could not be started")]
    Start(#[from] StartError),
    /// The service did not stop cleanly.
    #[error("the service could not be stopped")]
    Stop(#[from] StopError),
    /// The process failed while the run went on.
    #[error(transparent)]
    Failed(#[from] HostFailure),
    /// The network between client and service could not be set up.
    #[error("no port for the faults of the network")]
    Network(#[source] io::Error),
}
