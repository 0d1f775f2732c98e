//! A page is read where a reader of JSON finds one, and kept as it came.

#![cfg_attr(fuzzing, no_main)]

use client::{ApiError, ResponseProblem};
use fuzz::target;
use http::Response;
use serde_json::Value;
use tests::{client, says, wait};

target!(page);

fn page(data: &[u8]) {
    let reply = Response::builder().header("content-type", "application/json");
    says(reply.body(data.to_vec()).expect("a response"));
    let read = wait(client().items().pages().next_page()).expect("a page or an error");

    let value: Option<Value> = serde_json::from_slice(data).ok();
    match (read, value) {
        (Ok(page), value) => {
            let text = str::from_utf8(data).expect("JSON is text");
            assert!(page.items.iter().all(|item| text.contains(item.text())));
            // A value has limits that a text has not: of depth, and of numbers.
            if let Some(value) = value {
                let items = value["items"].as_array().expect("an array");
                let cursor = page.next_cursor.as_ref().map(client::Cursor::as_str);
                assert_eq!(page.items.len(), items.len());
                assert_eq!(cursor, value["next_cursor"].as_str());
            }
        }
        (Err(ApiError::Response(error)), Some(value)) => match error.problem {
            ResponseProblem::InvalidJson { .. } => panic!("it is {value}"),
            ResponseProblem::MissingField { field } => assert_eq!(value.get(field), None),
            ResponseProblem::NotAnObject { .. } => assert!(!value.is_object()),
            ResponseProblem::EmptyCursor => assert_eq!(value["next_cursor"], ""),
            _ => {}
        },
        (Err(ApiError::Response(_)), None) => {}
        (Err(error), _) => panic!("{error}"),
    }
}
