//! A query is read as a whole, or refused: a limit, a cursor, or neither.

#![cfg_attr(fuzzing, no_main)]

use fuzz::target;
use http::{StatusCode, Uri};
use tests::{get, respond};

target!(query);

fn query(data: &[u8]) {
    let Ok(uri) = Uri::try_from([b"/items?", data].concat()) else {
        return;
    };

    let (served, _) = respond([get(&uri)]);

    match served[0].status() {
        StatusCode::OK => {
            let names = uri.query().unwrap_or_default().split('&');
            let names = names.map(|pair| pair.split('=').next().unwrap_or_default());
            assert!(names.filter(|name| *name == "limit").count() < 2);
        }
        StatusCode::BAD_REQUEST => {}
        other => panic!("{other}"),
    }
}
