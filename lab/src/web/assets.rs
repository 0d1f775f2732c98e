//! The files of the web UI. They are part of the binary, so that it needs no other file
//! and always matches its server.

use std::hash::{DefaultHasher, Hash, Hasher};

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use http::{
    HeaderMap, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH},
};
use include_dir::{Dir, include_dir};

use super::problem::Problem;

/// The style sheet that reports and the web UI share.
const STYLE_SHEET: &str = "style.css";

/// Every file of the web UI.
static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets");

/// A file as a response, or 304 if the browser has this version.
pub(crate) fn respond(name: &str, headers: &HeaderMap) -> Response {
    let Some((media_type, content)) = media_type(name).zip(read(name)) else {
        return Problem::not_found().into_response();
    };
    let tag = tag(content);
    let head = [(CACHE_CONTROL, "no-cache"), (ETAG, &*tag)];
    let known = headers.get(IF_NONE_MATCH);
    if known.is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, head).into_response();
    }
    (head, [(CONTENT_TYPE, media_type)], Body::from(content)).into_response()
}

/// The content of a file. The style sheet is that of reports, too.
fn read(name: &str) -> Option<&'static [u8]> {
    if name == STYLE_SHEET {
        return Some(render::page::STYLE.as_bytes());
    }
    Some(FILES.get_file(name)?.contents())
}

fn media_type(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "js" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        _ => None,
    }
}

/// An entity tag, which changes with the content.
fn tag(content: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(name: &str, known: &str) -> Response {
        let mut headers = HeaderMap::new();
        headers.insert(IF_NONE_MATCH, known.parse().expect("a value"));
        respond(name, &headers)
    }

    #[test]
    fn each_file_is_sent_once_and_not_again_to_a_browser_that_has_it() {
        for file in FILES.files() {
            let name = file.path().to_str().expect("UTF-8");

            let sent = response(name, "\"old\"");

            assert_eq!(sent.status(), StatusCode::OK, "{name}");
            let tag = sent.headers()[ETAG].to_str().expect("text");
            let again = response(name, tag);
            assert_eq!(again.status(), StatusCode::NOT_MODIFIED, "{name}");
            assert_eq!(again.headers()[ETAG], tag);
        }
    }

    #[test]
    fn another_name_is_no_file() {
        for name in ["../Cargo.toml", "..", "", "/etc/passwd", ".js", "absent.js"] {
            let status = response(name, "\"old\"").status();

            assert_eq!(status, StatusCode::NOT_FOUND, "{name:?}");
        }
    }
}
