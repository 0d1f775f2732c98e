//! Tests that need real connections.

mod ledger;
mod lifecycle;
mod requests;
#[path = "../support/mod.rs"]
mod support;

use std::net::TcpStream;

use axum::Router;
use host::{Host, RunningService, ServiceConfigBuilder};
use server::TeachingApi;

/// The teaching API.
fn start(config: ServiceConfigBuilder) -> RunningService {
    TeachingApi::start(config.build().unwrap()).unwrap()
}

/// A service of these routes.
fn serve(config: ServiceConfigBuilder, routes: Router) -> RunningService {
    Host::start(config.build().unwrap(), routes).unwrap()
}

fn connect(service: &RunningService) -> TcpStream {
    TcpStream::connect(service.local_addr()).unwrap()
}
