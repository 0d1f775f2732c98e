//! A URL must not contain a credential.

use wire::counted;

use super::{Case, Judge, Judgement, Rule, RuleLevel};

/// The rule.
pub const RULE: Rule = Rule {
    id: "no-url-credentials",
    level: RuleLevel::Standard,
    source: "RFC 9110 §17.9",
    text: "the token was sent, and not in a URL",
    why: "URLs are written to logs, histories and Referer headers, with everything in them.",
    hint: "Send it as Authorization: Bearer, and nowhere else.",
    judge: Judge::Case(judge),
};

fn judge(Case { wire, .. }: &Case<'_>) -> Judgement {
    let leaking = wire.entries.iter().filter(|entry| entry.token_in_url);
    let seqs: Vec<_> = leaking.map(|request| request.seq).collect();
    match seqs.len() {
        _ if wire.entries.is_empty() => Judgement::not_exercised(),
        0 if wire.entries.iter().any(|entry| entry.authorization) => Judgement::kept(),
        0 => Judgement::skipped(),
        urls => Judgement::broken(seqs, format!("it was in {}", counted(urls as u64, "URL"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{Script, hold};

    #[test]
    fn a_token_in_a_url_breaks_it() {
        let get = || Script::new().respond(0, 200);
        let header = || get().with(|request| request.authorization = true);
        let url = |script: Script| script.with(|request| request.token_in_url = true);

        hold! { RULE;
            Script::new() => NotExercised,
            get() => Skipped,
            header() => Kept,
            header().dropping(1) => CannotTell,
            url(get()) => Broken [1]: "it was in 1 URL",
            url(header()) => Broken [1],
            url(header().respond(1, 200)) => Broken [2],
            url(url(get()).respond(1, 200)) => Broken [1, 2]: "it was in 2 URLs",
        }
    }
}
