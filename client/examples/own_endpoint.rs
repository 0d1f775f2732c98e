//! The retry layer on a client and endpoints of your own.
//!
//! ```sh
//! cargo run -p reliable-api-client --example own_endpoint
//! ```
//!
//! No `ApiClient` here: [`RetryMiddleware`] goes onto a plain
//! `reqwest_middleware` stack. The service fails once and then succeeds. A GET
//! is repeated, a POST only with permission, and the [`RetryReport`] in the
//! response says how it went.

#![expect(clippy::print_stdout, reason = "an example talks to a person")]

use std::{error::Error, sync::Arc, time::Duration};

use reliable_api_client::{
    Backoff, Clock, Endpoint, RepeatPermission, RetryMiddleware, RetryReport, SystemClock,
    SystemRandom,
};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware};
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{any, method},
};

/// Names for spans and metrics, which never see a URL.
const ORDERS: Endpoint = Endpoint::new("orders", "/orders");
const PAYMENTS: Endpoint = Endpoint::new("payments", "/payments");

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = client()?;

    let service = service_that_fails_once().await;
    let request = client.get(service.uri() + "/orders").with_extension(ORDERS);
    tell("GET /orders", &request.send().await?);

    let service = service_that_fails_once().await;
    let payment = client
        .post(service.uri() + "/payments")
        .header("Idempotency-Key", "order-4711")
        .body(r#"{"amount":42}"#)
        .with_extension(PAYMENTS)
        // This service recognises the key: that is known here, and nowhere else.
        .with_extension(RepeatPermission);
    tell("POST /payments, with permission", &payment.send().await?);

    let service = service_that_fails_once().await;
    let payment = client
        .post(service.uri() + "/payments")
        .header("Idempotency-Key", "order-4712")
        .body(r#"{"amount":42}"#)
        .with_extension(PAYMENTS);
    tell(
        "POST /payments, with a key and no permission",
        &payment.send().await?,
    );
    Ok(())
}

/// A `reqwest` client with the retry layer and nothing else of this crate.
fn client() -> Result<ClientWithMiddleware, Box<dyn Error>> {
    reliable_api_client::install_tls_provider();
    let session = reqwest::Client::builder()
        .no_proxy()
        .tls_certs_only([])
        .read_timeout(Duration::from_secs(5));
    // Redirects and hidden retries are settings of the session: no middleware
    // sees them.
    let http = reliable_api_client::without_hidden_requests(session).build()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let backoff = Backoff::new(
        Duration::from_millis(20),
        Duration::from_millis(200),
        Arc::clone(&clock),
        Arc::new(SystemRandom),
    )?;
    let retries = RetryMiddleware::with_policy(backoff, clock).deadline(Duration::from_secs(10));
    Ok(ClientBuilder::new(http).with(retries).build())
}

/// Prints what the caller got, and what it took.
fn tell(what: &str, response: &reqwest::Response) {
    println!("{what}\n  response  {}", response.status());
    if let Some(report) = response.extensions().get::<RetryReport>() {
        println!("  attempts  {}", report.attempts);
        match report.stopped {
            Some(why) => println!("  stopped   {why:?}"),
            None => println!("  stopped   no rule had to stop it"),
        }
    }
    println!();
}

async fn service_that_fails_once() -> MockServer {
    let service = MockServer::start().await;
    Mock::given(any())
        .respond_with(ResponseTemplate::new(503))
        .up_to_n_times(1)
        .mount(&service)
        .await;
    Mock::given(method("GET"))
        .respond_with(ResponseTemplate::new(200))
        .mount(&service)
        .await;
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(201))
        .mount(&service)
        .await;
    service
}
