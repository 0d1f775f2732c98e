//! The frame of a report: its style sheet, and a content security policy that allows
//! nothing else.

use std::time::Duration;

use base64::{Engine, prelude::BASE64_STANDARD};
use maud::{Markup, PreEscaped, html};
use ring::digest::{SHA256, digest};

use crate::{paint::harmless, report_mark::PAGE_START};

/// The style sheet of reports and of the web UI.
pub const STYLE: &str = concat!(
    include_str!("style/base.css"),
    include_str!("style/parts.css"),
    include_str!("style/tables.css"),
    include_str!("style/timeline.css"),
    include_str!("style/columns.css"),
    include_str!("style/report.css"),
    include_str!("style/compared.css"),
    include_str!("style/controls.css"),
    include_str!("style/frame.css"),
    include_str!("style/storm.css"),
    include_str!("style/client.css"),
);

/// Wraps a body in a document that loads nothing and runs no script.
pub fn document(title: &str, body: Markup) -> String {
    of_head(title, html! {}, body)
}

/// The same for a page that changes on the disk: the browser reads it again after each period.
pub fn refreshing_document(title: &str, period: Duration, body: Markup) -> String {
    let refresh = html! { meta http-equiv="refresh" content=(period.as_secs()); };
    of_head(title, refresh, body)
}

fn of_head(title: &str, head: Markup, body: Markup) -> String {
    let page = html! {
        (PreEscaped(PAGE_START))
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                (head)
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body.report { (crate::timeline::patterns()) (body) }
        }
    };
    harmless(&page.into_string())
}

/// Even if markup from the wire got into the report, it could neither run nor load
/// anything: the policy allows only the style sheet with this hash.
fn policy() -> String {
    let hash = BASE64_STANDARD.encode(digest(&SHA256, STYLE.as_bytes()));
    format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'")
}
