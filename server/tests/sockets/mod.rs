//! Tests that need real connections.

mod ledger;
mod lifecycle;
mod requests;

use std::net::TcpStream;

use axum::Router;
use host::{Host, RunningService, ServiceConfig};
use server::TeachingApi;

/// The teaching API.
fn start(config: ServiceConfig) -> RunningService {
    TeachingApi::start(config).unwrap()
}

/// A service of these routes.
fn serve(config: ServiceConfig, routes: Router) -> RunningService {
    Host::start(config, routes).unwrap()
}

fn connect(service: &RunningService) -> TcpStream {
    testkit::http::connect(service.local_addr())
}
