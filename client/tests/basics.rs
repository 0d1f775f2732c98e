//! Facts that hold with any features of the crate: requests and their retries, listings,
//! and refusals.

use std::{sync::Arc, time::SystemTime};

use reliable_api_client::{
    ApiClient, ApiError, CrawlStart, Endpoint, MemoryCheckpoints, RepeatPermission, StopReason,
    VirtualClock,
};
use serde_json::{Value, json};
use wiremock::{Mock, MockServer, ResponseTemplate, matchers::path};

const ORDERS: Endpoint = Endpoint::new("orders", "/orders");

/// A service that is unavailable twice before each success, and a client of it.
async fn service(success: &Value) -> (MockServer, ApiClient, VirtualClock) {
    let service = MockServer::start().await;
    let busy = ResponseTemplate::new(503).insert_header("retry-after", "20");
    let busy = Mock::given(path("/orders")).respond_with(busy);
    busy.up_to_n_times(2).mount(&service).await;
    let success = ResponseTemplate::new(200).set_body_json(success);
    let success = Mock::given(path("/orders")).respond_with(success);
    success.mount(&service).await;
    let clock = VirtualClock::starting_at(SystemTime::UNIX_EPOCH);
    let client = ApiClient::builder(&service.uri()).clock(Arc::new(clock.clone()));
    (service, client.build().expect("a client"), clock)
}

#[tokio::test]
async fn a_request_is_repeated_by_the_rules() {
    for (permission, attempts) in [(None, 1), (Some(RepeatPermission), 3)] {
        let (_service, client, clock) = service(&json!({"id": 7})).await;
        let mut request = client.post(ORDERS).json(&json!({}));
        if let Some(permission) = permission {
            request = request.permit_repetition(permission);
        }

        let response = request.send().await;

        assert_eq!(clock.sleeps().len(), attempts as usize - 1);
        match response {
            Ok(response) => assert_eq!(response.attempts(), attempts),
            Err(ApiError::Http(error)) => {
                assert_eq!(error.stopped, Some(StopReason::NotEligible));
                assert_eq!(error.attempts, attempts);
            }
            Err(other) => panic!("another class: {other}"),
        }
    }
}

#[tokio::test]
async fn a_listing_is_read_and_crawled() {
    let page = json!({"items": [{"id": 1}, {"id": 2}], "next_cursor": null});
    let (_service, client, _clock) = service(&page).await;

    let mut items = client.listing(ORDERS).items();
    let mut read = 0;
    while let Some(item) = items.next_item().await {
        item.expect("an item");
        read += 1;
    }
    let store = MemoryCheckpoints::default();
    let crawl = client.listing(ORDERS).crawl(store.clone()).await;
    let mut crawl = crawl.expect("memory").pages().expect("not finished");
    let first = crawl.next_page().await.expect("a page").expect("a page");
    first.commit().await.expect("memory");
    let again = client.listing(ORDERS).crawl(store).await;

    assert_eq!(read, 2);
    assert!(matches!(again, Ok(CrawlStart::Finished(_))), "{again:?}");
}

/// A client that was built without TLS says so before it sends anything.
#[test]
fn https_needs_the_feature_tls() {
    let built = ApiClient::builder("https://h4.invalid").build();

    assert_eq!(built.is_ok(), cfg!(feature = "tls"), "{built:?}");
}
