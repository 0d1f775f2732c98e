//! Creating a job once, however often it is sent.

use client::{IdempotencyKey, JsonObject};
use host::fault_injection::ResponseFault;
use serde_json::json as value;
use tests::{Loopback, http_error};
fn object(text: &str) -> JsonObject {
    JsonObject::from_iter([("kind".to_owned(), value!(text))])
}

#[tokio::test]
async fn a_replay_names_the_same_job_and_another_body_conflicts() {
    let loopback = Loopback::start();
    let client = &loopback.client;
    let (key, other) = (
        client.new_idempotency_key(),
        IdempotencyKey::new("k2").expect("a key"),
    );

    let first = client.create_job(&key, &object("report")).await;
    let replay = client.create_job(&key, &object("report")).await;
    let conflict = client.create_job(&key, &object("invoice")).await;
    let second = client.create_job(&other, &object("report")).await;

    let ledger = loopback.stop().await;
    let first = first.expect("a job");
    assert_eq!(replay.expect("the job"), first, "{ledger:#?}");
    assert_ne!(second.expect("another job"), first, "{ledger:#?}");
    let conflict = http_error(conflict);
    assert_eq!(conflict.status, 409, "{ledger:#?}");
    assert_eq!(conflict.code(), Some("idempotency_conflict"), "{ledger:#?}");
    let request_id = &*ledger.entries[2].request_id;
    assert_eq!(conflict.request_id(), Some(request_id), "{ledger:#?}");
    assert_eq!(ledger.total, 4, "no retry: {ledger:#?}");
}

#[tokio::test]
async fn a_job_whose_first_response_was_lost_is_created_once() {
    let service = Loopback::with_faults(&[ResponseFault::LostResponse]);
    let key = IdempotencyKey::new("order-4711").expect("a key");

    let job = service.client.create_job(&key, &object("report")).await;
    let asked_again = service.client.create_job(&key, &object("report")).await;

    let ledger = service.stop().await;
    let job = job.expect("the second response came through");
    assert_eq!(asked_again.expect("the same job"), job, "{ledger:#?}");
    let [created, repeated, again] = &*ledger.entries else {
        panic!("two requests of one call, and one more: {ledger:#?}")
    };
    assert_eq!((created.status, repeated.status), (None, Some(201)));
    assert!(created.idempotency_key.is_some() && created.body.is_some());
    for entry in [repeated, again] {
        let same = (&created.idempotency_key, &created.body);
        assert_eq!((&entry.idempotency_key, &entry.body), same, "{ledger:#?}");
    }
}
