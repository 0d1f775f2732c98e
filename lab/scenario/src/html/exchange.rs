//! A request and its response, as a browser's network panel shows them.

use maud::{Markup, html};
use wire::{Exchange, Message};

use crate::exchange::base_url;

/// An exchange, and a command that sends a similar request to a service.
pub(super) fn exchange(exchange: &Exchange, service: &str) -> Markup {
    let curl = exchange.curl.as_ref();
    html! {
        div.exchange {
            (message("Request", &exchange.request))
            @match &exchange.response {
                Some(response) => (message("Response", response)),
                None => p { "No response." },
            }
            @if let Some(curl) = curl.map(|curl| curl.replace(&base_url(), service)) {
                p.command {
                    "A similar request to the service of " code { "lab serve" } ": "
                    code { (curl) } " " button.copy type="button" { "Copy curl" }
                }
            }
        }
    }
}

fn message(title: &str, message: &Message) -> Markup {
    html! {
        div {
            h4 { (title) }
            pre {
                (message.start) "\n"
                @for header in &message.headers { (header.name) ": " (header.shown()) "\n" }
                @if let Some(body) = &message.body { "\n" (body) "\n" }
            }
            @if let Some(remark) = &message.remark { p.remark { (remark) } }
        }
    }
}
