//! What may be repeated, asked of the retry layer alone.

use std::sync::Arc;

use client::{RetryMiddleware, RetryReport, StopReason, telemetry::GIVE_UPS};
use metrics_util::debugging::DebuggingRecorder;
use reqwest::Body;
use reqwest_middleware::ClientBuilder;

use crate::support::{
    counted::Counted,
    scripted::{scripted, status},
};

#[tokio::test]
async fn a_put_whose_body_is_a_stream_says_that_the_body_forbids_the_retry() {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    client::install_tls_provider();
    let http = reqwest::Client::builder().tls_certs_only([]).build();
    let layer = ClientBuilder::new(http.expect("a session"))
        .with(RetryMiddleware::new().recorder(Arc::new(recorder)))
        .with(scripted(async |_| Ok(status(503))))
        .build();
    // The body of a response comes piece by piece, and so it is a stream.
    let stream = Body::from(status(200));

    let response = layer.put("http://service.test/report").body(stream).send();

    let response = response.await.expect("the response that ended it");
    let report = response.extensions().get::<RetryReport>();
    let report = report.expect("the layer reports");
    assert_eq!(
        (report.attempts, report.stopped),
        (1, Some(StopReason::BodyIsStream))
    );
    assert_eq!(Counted::read(&snapshotter).sum(GIVE_UPS.name), 1.0);
}
