//! The recorded exchanges as text, in the order of a browser's network panel: the
//! request, then its response.

use anstyle::Style;
use render::{Sheet, fit};
use wire::{Exchange, Header, Message, WireRecord};

/// The most exchanges to show; the middle ones of a longer list are omitted.
const MOST: usize = 20;

/// The most characters of a body to show.
const BODY: usize = 320;

/// Renders all exchanges of a run.
pub(super) fn exchanges(sheet: &mut Sheet<'_>, wire: &WireRecord) {
    sheet.gap();
    sheet.title("Exchanges");
    if wire.exchanges.is_empty() {
        sheet.line("No request reached the service.");
    }
    let left_out = wire.exchanges.len().saturating_sub(MOST);
    for (place, one) in wire.exchanges.iter().enumerate() {
        if left_out > 0 && place == MOST / 2 {
            sheet.line(&format!(
                "({left_out} exchanges not shown; --json has them all)"
            ));
        }
        if left_out == 0 || !(MOST / 2..MOST / 2 + left_out).contains(&place) {
            exchange(sheet, one);
        }
    }
}

fn exchange(sheet: &mut Sheet<'_>, exchange: &Exchange) {
    let seq = exchange.seq;
    message(sheet, &format!("{seq:>3} → "), &exchange.request);
    match &exchange.response {
        Some(response) => message(sheet, "    ← ", response),
        None => line(sheet, "    ← ", "no response"),
    }
    if let Some(curl) = &exchange.curl {
        // A command to copy must not be wrapped.
        let curl = fit(curl, usize::MAX, sheet.options.ascii);
        sheet.line(&format!("    $ {curl}"));
    }
}

fn message(sheet: &mut Sheet<'_>, first: &str, message: &Message) {
    let start = fit(&message.start, usize::MAX, sheet.options.ascii);
    line(sheet, first, &sheet.styled(Style::new().bold(), &start));
    for header in &message.headers {
        if let Some(value) = &header.value {
            foreign(sheet, &format!("{}: {value}", header.name));
        }
    }
    let not_kept = message
        .headers
        .iter()
        .filter(|header| header.value.is_none());
    let not_kept: Vec<_> = not_kept.map(|header| header.name.as_str()).collect();
    if !not_kept.is_empty() {
        let not_kept = not_kept.join(", ");
        foreign(sheet, &format!("{not_kept}: {}", Header::NOT_KEPT));
    }
    if let Some(body) = &message.body {
        let mut shown: String = body.chars().take(BODY).collect();
        if shown.len() < body.len() {
            shown.push('…');
        }
        foreign(sheet, &shown);
    }
    if let Some(remark) = &message.remark {
        foreign(sheet, &format!("({remark})"));
    }
}

/// A line with text from the wire, below its message's mark.
fn foreign(sheet: &mut Sheet<'_>, text: &str) {
    let text = fit(text, usize::MAX, sheet.options.ascii);
    sheet.beside_foreign("      ", &text);
}

fn line(sheet: &mut Sheet<'_>, first: &str, text: &str) {
    let first = fit(first, usize::MAX, sheet.options.ascii);
    sheet.beside_foreign(&first, text);
}
