//! What a rule comes to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Play;
use crate::wire::WireRecord;

/// What a rule comes to, with the requests that show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Judgement {
    /// What it comes to.
    pub verdict: Verdict,
    /// The requests that show it, in order; none where nothing was broken.
    pub requests: Vec<RequestRef>,
    /// What was found, in words.
    pub found: Option<String>,
}

/// Whether a rule was kept. Of several plays the greatest verdict counts.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// What the rule is about did not happen: the fault was not delivered.
    NotExercised,
    /// The client chose not to do what the rule is about: it did not retry, it gave up.
    Skipped,
    /// It was kept.
    Kept,
    /// The record does not show it: the sample is too small, or entries were dropped.
    CannotTell,
    /// It was broken.
    Broken,
}

/// A request of one of several plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RequestRef {
    /// The number of the play, from 0.
    pub play: usize,
    /// The number of the request in it.
    pub seq: u64,
}

impl Judgement {
    pub(super) fn kept() -> Self {
        Self::plain(Verdict::Kept)
    }

    pub(super) fn skipped() -> Self {
        Self::plain(Verdict::Skipped)
    }

    pub(super) fn skipped_because(found: impl Into<String>) -> Self {
        Self {
            found: Some(found.into()),
            ..Self::skipped()
        }
    }

    pub(super) fn not_exercised() -> Self {
        Self::plain(Verdict::NotExercised)
    }

    pub(super) fn cannot_tell(why: impl Into<String>) -> Self {
        Self {
            found: Some(why.into()),
            ..Self::plain(Verdict::CannotTell)
        }
    }

    /// Kept if there are none of these requests of a single play, else broken by them.
    pub(super) fn kept_unless(seqs: Vec<u64>, found: impl Into<String>) -> Self {
        match seqs.is_empty() {
            true => Self::kept(),
            false => Self::broken(seqs, found),
        }
    }

    /// What a client would have done that the lab ended cannot be told.
    pub(super) fn still_running() -> Self {
        Self::cannot_tell("still running when the play ended")
    }

    /// Broken by these requests of a single play.
    pub(super) fn broken(seqs: Vec<u64>, found: impl Into<String>) -> Self {
        let requests = seqs.into_iter().map(|seq| RequestRef { play: 0, seq });
        Self::broken_by(requests.collect(), found)
    }

    /// Broken by these requests of several plays.
    pub(super) fn broken_by(requests: Vec<RequestRef>, found: impl Into<String>) -> Self {
        Self {
            requests,
            found: Some(found.into()),
            ..Self::plain(Verdict::Broken)
        }
    }

    /// Judges each play by itself, as [`of_each_play`](Self::of_each_play) does, by what
    /// the wire saw alone.
    pub(super) fn of_each(plays: &[Play<'_>], judge: impl Fn(&WireRecord) -> Self) -> Self {
        Self::of_each_play(plays, |play| judge(play.wire))
    }

    /// Judges each play by itself. One that breaks the rule decides; else one that
    /// cannot tell; else one that kept it; else one that skipped it.
    pub(super) fn of_each_play(plays: &[Play<'_>], judge: impl Fn(&Play<'_>) -> Self) -> Self {
        let judged = plays.iter().enumerate().map(|(number, play)| {
            let mut judged = judge(play);
            for request in &mut judged.requests {
                request.play = number;
            }
            judged.unless_dropped(play)
        });
        judged.reduce(Self::and).unwrap_or_else(Self::not_exercised)
    }

    /// That nothing is wrong cannot be told of a play of which requests were dropped.
    pub(super) fn unless_dropped(self, play: &Play<'_>) -> Self {
        match self.verdict {
            Verdict::Kept | Verdict::Skipped if play.wire.dropped > 0 => {
                Self::cannot_tell("not every request was kept")
            }
            _ => self,
        }
    }

    fn plain(verdict: Verdict) -> Self {
        Self {
            verdict,
            requests: Vec::new(),
            found: None,
        }
    }

    fn and(mut self, mut other: Self) -> Self {
        if self.verdict == Verdict::Broken && other.verdict == Verdict::Broken {
            self.requests.append(&mut other.requests);
            return self;
        }
        match self.verdict >= other.verdict {
            true => self,
            false => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Verdict::*, *};
    use crate::rules::{find, testing::Script};

    /// What a rule comes to for plays of one task.
    fn judged<'a>(wires: impl IntoIterator<Item = &'a WireRecord>) -> Judgement {
        let plays: Vec<_> = wires.into_iter().map(Play::of).collect();
        let rule = find("retry-after-seconds").expect("known");
        (rule.judge)(&plays)
    }

    /// A play of each verdict.
    fn plays() -> [(Verdict, WireRecord); 5] {
        let asked = || Script::new().respond(0, 503).retry_after(2);
        let waited = || asked().respond(2_000, 200);
        [
            (NotExercised, Script::new().respond(0, 200)),
            (Skipped, asked()),
            (Kept, waited()),
            (CannotTell, waited().dropping(1)),
            (Broken, asked().respond(9, 200)),
        ]
        .map(|(verdict, script)| (verdict, script.record()))
    }

    #[test]
    fn of_several_plays_the_greatest_verdict_counts() {
        let plays = plays();
        for (one, first) in &plays {
            for (other, second) in &plays {
                let judgement = judged([first, second]);

                assert_eq!(judgement.verdict, *one.max(other), "{one}, {other}");
            }
        }
    }

    #[test]
    fn the_requests_of_every_play_that_breaks_it_are_named() {
        let [.., (_, kept), _, (_, broken)] = plays();

        let judgement = judged([&broken, &kept, &broken]);

        let shown = judgement.requests.iter().map(|it| (it.play, it.seq));
        assert_eq!(shown.collect::<Vec<_>>(), [(0, 2), (2, 2)]);
    }

    #[test]
    fn says_why_nothing_can_be_told() {
        let [.., (_, unclear), _] = plays();

        let found = judged([&unclear]).found;

        assert_eq!(found.as_deref(), Some("not every request was kept"));
    }
}
