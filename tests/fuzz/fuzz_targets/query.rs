//! A query is read as a whole, or refused: a limit, a cursor, or neither.

#![cfg_attr(fuzzing, no_main)]

use axum::body::Body;
use fuzz::{respond, target};
use http::{Request, StatusCode, Uri};

target!(query);

fn query(data: &[u8]) {
    let uri = [b"/items?", data].concat();
    let Ok(uri) = Uri::try_from(uri) else {
        return;
    };
    let request = Request::get(&uri).body(Body::empty()).expect("a request");
    let (served, _) = respond(|config| config, [request]);

    match served[0].status {
        StatusCode::OK => {
            let names = uri.query().unwrap_or_default().split('&');
            let names = names.map(|pair| pair.split('=').next().unwrap_or_default());
            assert!(names.filter(|name| *name == "limit").count() < 2);
        }
        StatusCode::BAD_REQUEST => {}
        other => panic!("{other}"),
    }
}
