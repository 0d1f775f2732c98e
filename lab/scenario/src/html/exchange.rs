//! The recorded exchanges of a run, folded: each opens to show its request and its
//! response.

use maud::{Markup, html};
use wire::{Exchange, Header, Message};

use super::Side;
/// All recorded exchanges; empty if there are none.
pub(super) fn exchanges(side: &Side<'_>) -> Markup {
    html! {
        @for exchange in &side.run.wire.exchanges {
            details.exchange {
                summary { (exchange.seq) " · " (summary(exchange)) }
                (message("Received", &exchange.request))
                @if let Some(response) = &exchange.response { (message("Sent", response)) }
                @if let Some(curl) = &exchange.curl {
                    p { "The same to the service of " code { "lab serve" } ":" }
                    pre { (curl) }
                }
            }
        }
    }
}

fn summary(exchange: &Exchange) -> Markup {
    let response = exchange.response.as_ref();
    html! {
        code { (exchange.request.start) }
        " → "
        code { (response.map_or("no response", |response| response.start.as_str())) }
        @if let Some(remark) = response.and_then(|it| it.remark.as_ref()) { ", " (remark) }
    }
}

fn message(title: &str, message: &Message) -> Markup {
    html! {
        h3 { (title) }
        pre {
            (message.start) "\n"
            @for Header { name, value } in &message.headers {
                (name) ": " (value.as_deref().unwrap_or(Header::NOT_KEPT)) "\n"
            }
            @if let Some(body) = &message.body { "\n" (body) "\n" }
        }
        @if let Some(remark) = &message.remark { p.remark { (remark) } }
    }
}
