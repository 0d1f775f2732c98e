//! The errors of a service of a case.

use host::{HostFailure, StartError, StopError};

/// Why a service of a case failed. It says nothing about the client.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// It did not start.
    #[error("the service could not be started")]
    Start(#[from] StartError),
    /// It did not stop cleanly.
    #[error("the service could not be stopped")]
    Stop(#[from] StopError),
    /// The lab itself failed while the case went on.
    #[error(transparent)]
    Failed(#[from] HostFailure),
}
