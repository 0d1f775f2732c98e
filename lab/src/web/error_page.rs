//! Errors as pages: a browser that asks for a page gets one that says what is wrong.

use axum::{extract::Request, middleware::Next, response::Response};
use http::{HeaderMap, StatusCode, header::ACCEPT};
use maud::html;

use super::{
    fields::Fields,
    modes::Modes,
    page::{Page, View},
    problem::Shown,
};

/// Whether the sender of a request reads pages, as a browser does.
pub(crate) fn reads_pages(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

/// The middleware that turns problem objects into pages.
pub(crate) async fn errors_as_pages(request: Request, next: Next) -> Response {
    let reads_pages = reads_pages(request.headers());
    let query = request.uri().query().unwrap_or_default().as_bytes();
    let modes = Modes::of(&Fields::parse(query)).left();
    let path = request.uri().path().to_owned();
    let mut response = next.run(request).await;
    match response.extensions_mut().remove::<Shown>() {
        Some(problem) if reads_pages => {
            let mut page = page(&problem, &path, modes);
            // `Allow` and the like stay.
            for (name, value) in response.headers() {
                page.headers_mut()
                    .entry(name)
                    .or_insert_with(|| value.clone());
            }
            page
        }
        _ => response,
    }
}

/// The page of a problem.
fn page(problem: &Shown, path: &str, modes: Modes) -> Response {
    let title = if problem.status == StatusCode::NOT_FOUND {
        "Not found".to_owned()
    } else {
        let reason = problem.status.canonical_reason();
        reason.unwrap_or("Error").to_owned()
    };
    let main = html! {
        div.titled {
            h1 { (title) }
            p { (problem.status.as_str()) " for " code { (path) } }
        }
        p.wrong role="alert" { b { "✗ " } (problem.detail) }
        p {
            "Go to the " a href=(modes.link("/")) { "overview" } ", the "
            a href=(modes.link("/course")) { "course" } " or the last "
            a href=(modes.link("/runs")) { "runs" } "."
        }
    };
    let page = Page {
        view: None,
        title,
        address: None,
        status: problem.status,
        ..Page::of(View::Overview, main)
    };
    page.respond(modes)
}
