//! A redirect must not be followed.

use std::collections::HashSet;

use super::{Case, Judgement, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "no-redirect",
    level: Level::Contract,
    source: "this service's contract",
    text: "the redirect was not followed",
    why: "A library that follows a redirect may send the credentials to any target.",
    hint: "Turn redirects off, and return status and Location to the caller.",
    judge,
};

fn judge(cases: &[Case<'_>]) -> Judgement {
    Judgement::of_each_case(cases, |Case { wire, ties, .. }| {
        let redirect = |status: Option<u16>| matches!(status, Some(301 | 302 | 303 | 307 | 308));
        let mut entries = wire.entries.iter();
        if !entries.any(|it| redirect(it.status)) {
            return Judgement::not_exercised();
        }
        let replays: HashSet<_> = ties.replays().map(|(_, next)| next.seq).collect();
        let later = entries.map(|it| it.seq);
        let later: Vec<_> = later.filter(|seq| !replays.contains(seq)).collect();
        match later.len() {
            0 => Judgement::kept(),
            _ if !wire.one_caller => Judgement::cannot_tell("there were several callers"),
            1 => Judgement::broken(later, "followed by 1 request"),
            times => Judgement::broken(later, format!("followed by {times} requests")),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{
        Verdict::{self, Broken, Kept, NotExercised},
        testing::{Script, hold, hold_to_words},
    };

    #[test]
    fn the_target_or_a_second_request_breaks_it() {
        let moved = || Script::new().respond(0, 302);
        let target = moved()
            .respond(1, 200)
            .with(|it| it.route = "/items".into());

        hold(
            &RULE,
            [
                (Script::new().respond(0, 200), NotExercised, vec![]),
                (moved(), Kept, vec![]),
                (target, Broken, vec![2]),
                (moved().respond(1, 302), Broken, vec![2]),
            ],
        );
    }

    #[test]
    fn a_request_resent_by_the_transport_is_the_same_request() {
        let on = |script: Script, connection, position| {
            script.with(|it| (it.connection, it.position) = (Some(connection), Some(position)))
        };
        let lost = on(Script::new().respond(0, 302), 1, 2);

        hold(&RULE, [(on(lost.respond(1, 302), 2, 1), Kept, vec![])]);
    }

    #[test]
    fn the_requests_that_followed_are_counted() {
        let followed = || Script::new().respond(0, 302).respond(1, 200);

        hold_to_words(
            &RULE,
            [
                (followed(), Some("followed by 1 request")),
                (followed().respond(2, 200), Some("followed by 2 requests")),
            ],
        );
    }

    #[test]
    fn with_several_callers_it_cannot_be_told() {
        let mut wire = Script::new().respond(0, 302).respond(1, 200).record();
        wire.one_caller = false;

        let judgement = (RULE.judge)(&[Case::of(&wire)]);

        assert_eq!(judgement.verdict, Verdict::CannotTell);
    }
}
