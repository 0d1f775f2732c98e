//! A command that sends such a request again, to the service of `lab serve`.

use wire::{Message, WireRequest, quoted_for};
/// Headers that the command repeats. curl sets the others itself.
const SENT_AGAIN: [&str; 2] = ["accept", "content-type"];

/// The command, if that service has the route. Values that are not recorded are shell
/// variables: `$CURSOR`, `$KEY`, `$BODY`, `$AUTHORIZATION`.
pub(super) fn curl(request: &WireRequest, shape: &Message, limit: Option<u16>) -> Option<String> {
    if !server::serves(request.method, &request.route) {
        return None;
    }
    let mut url = format!("{}{}", super::base_url(), request.route);
    if let Some(limit) = limit {
        url.push_str(&format!("?limit={limit}"));
    }
    let mut words = vec!["curl -i".to_owned()];
    match request.method {
        "GET" if request.cursor.is_some() => words.push("-G".to_owned()),
        "GET" | "POST" => {}
        "HEAD" => words.push("-I".to_owned()),
        method => words.push(format!("-X {method}")),
    }
    words.push(quoted(&url));
    for header in &shape.headers {
        match (&*header.name, &header.value) {
            ("authorization", _) => words.push(r#"-H "Authorization: $AUTHORIZATION""#.to_owned()),
            ("idempotency-key", _) => words.push(r#"-H "Idempotency-Key: $KEY""#.to_owned()),
            (name, Some(value)) if SENT_AGAIN.contains(&name) => {
                words.push(format!("-H {}", quoted(&format!("{name}: {value}"))));
            }
            _ => {}
        }
    }
    if request.cursor.is_some() {
        words.push(r#"--data-urlencode "cursor=$CURSOR""#.to_owned());
    }
    if request.method == "POST" {
        words.push(r#"--data-binary "$BODY""#.to_owned());
    }
    Some(words.join(" "))
}

/// The command uses POSIX variables, so it is quoted for a POSIX shell on every system.
fn quoted(word: &str) -> String {
    quoted_for(word, false)
}
