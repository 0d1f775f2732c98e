//! One call must create one job.

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
    Judgement::of_each_case(cases, |case| {
        let jobs = case.ties.jobs().into_iter().map(|attempts| {
            let created = attempts
                .iter()
                .filter(|it| it.job == Some(JobResult::Created));
            created.map(|it| it.seq).collect::<Vec<_>>()
        });
        let created: Vec<_> = jobs.filter(|seqs| !seqs.is_empty()).collect();
        let more = created.iter().flat_map(|seqs| seqs.iter().skip(1));
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
                // A blank more in the body, and a new key: it is still the same call.
                (
                    first()
                        .call(0)
                        .post(9, 201, 2, Some(8))
                        .call(0)
                        .job(JobResult::Created),
                    Broken,
                    vec![2],
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
