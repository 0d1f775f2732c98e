//! One call must create one job.

use std::collections::BTreeMap;

use super::{Case, Judgement, Level, Rule};
use crate::wire::JobResult;

pub(super) const RULE: Rule = Rule {
    id: "one-job",
    level: Level::Standard,
    source: "IETF draft The Idempotency-Key HTTP Header Field",
    text: "no job was created twice",
    why: "Two jobs may be two payments.",
    hint: "Send every attempt of a call with one key: the service then returns the existing job.",
    judge,
};

fn judge(cases: &[Case<'_>]) -> Judgement {
    Judgement::of_each(cases, |wire| {
        let mut created: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for request in wire
            .entries
            .iter()
            .filter(|it| it.job == Some(JobResult::Created))
        {
            created.entry(request.body).or_default().push(request.seq);
        }
        let more = created.values().flat_map(|seqs| seqs.iter().skip(1));
        let more: Vec<_> = more.copied().collect();
        match (created.is_empty(), more.len()) {
            (true, _) => Judgement::not_exercised(),
            (_, 0) => Judgement::kept(),
            (_, 1) => Judgement::broken(more, "1 job too many"),
            (_, number) => Judgement::broken(more, format!("{number} jobs too many")),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{
        Verdict::{Broken, Kept, NotExercised},
        testing::{Script, hold, hold_to_words},
    };

    #[test]
    fn two_jobs_of_one_body_break_it() {
        let first = || {
            Script::new()
                .post(0, 201, 1, Some(7))
                .job(JobResult::Created)
        };

        hold(
            &RULE,
            [
                (Script::new().respond(0, 200), NotExercised, vec![]),
                (first(), Kept, vec![]),
                (
                    first().post(9, 201, 1, Some(7)).job(JobResult::Replayed),
                    Kept,
                    vec![],
                ),
                (
                    first().post(9, 201, 2, Some(8)).job(JobResult::Created),
                    Kept,
                    vec![],
                ),
                (
                    first().post(9, 201, 1, Some(8)).job(JobResult::Created),
                    Broken,
                    vec![2],
                ),
            ],
        );
    }

    #[test]
    fn the_surplus_jobs_are_counted() {
        let create = |script: Script, key| {
            let posted = script.post(key, 201, 1, Some(key));
            posted.job(JobResult::Created)
        };
        let two = || create(create(Script::new(), 1), 2);

        hold_to_words(
            &RULE,
            [
                (two(), Some("1 job too many")),
                (create(two(), 3), Some("2 jobs too many")),
            ],
        );
    }
}
