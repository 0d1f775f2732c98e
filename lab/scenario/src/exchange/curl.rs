//! A command that sends such a request again, to the service of `lab serve`.

use wire::{Message, WireRequest, quoted_for};

/// The cursor of a page, which the reader has to set.
const CURSOR: &str =
    r#"--data-urlencode "cursor=${CURSOR:?set it to the next_cursor of the page before}""#;

/// Headers that the command repeats. curl sets the others itself.
const SENT_AGAIN: [&str; 2] = ["accept", "content-type"];

/// The command, if that service has the route. A value that is not recorded has an example in
/// its place. A cursor cannot have one, since the service accepts only its own: until it is
/// set, the shell refuses the command and says where the cursor comes from.
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
            ("authorization", _) => words.push("-H 'Authorization: Bearer my-token'".to_owned()),
            ("idempotency-key", _) => words.push("-H 'Idempotency-Key: my-key'".to_owned()),
            (name, Some(value)) if SENT_AGAIN.contains(&name) => {
                words.push(format!("-H {}", quoted(&format!("{name}: {value}"))));
            }
            _ => {}
        }
    }
    if request.cursor.is_some() {
        words.push(CURSOR.to_owned());
    }
    if request.method == "POST" {
        words.push(r#"--data-binary '{"task":"my-task"}'"#.to_owned());
    }
    Some(words.join(" "))
}

/// The command may use a POSIX variable, so it is quoted for a POSIX shell on every system.
fn quoted(word: &str) -> String {
    quoted_for(word, false)
}
