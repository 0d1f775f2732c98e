//! One call must create one job.

use wire::{JobResult, counted};

use super::{Case, Judge, Judgement, Rule, RuleLevel};

/// The rule.
pub const RULE: Rule = Rule {
    id: "one-job",
    level: RuleLevel::Standard,
    source: "IETF draft The Idempotency-Key HTTP Header Field",
    text: "no job was created twice",
    why: "Two jobs may be two payments.",
    hint: "Send every attempt of a call with one key: the service then returns the existing job.",
    judge: Judge::Forbids(judge),
};

fn judge(case: &Case<'_>) -> Judgement {
    let jobs = case.ties.jobs().into_iter().map(|attempts| {
        let created = attempts
            .iter()
            .filter(|attempt| attempt.job == Some(JobResult::Created));
        created.map(|attempt| attempt.seq).collect::<Vec<_>>()
    });
    let created: Vec<_> = jobs.filter(|seqs| !seqs.is_empty()).collect();
    let of_one_job = created.iter();
    let more: Vec<_> = of_one_job
        .flat_map(|seqs| seqs.iter().skip(1).copied())
        .collect();
    match (created.is_empty(), more.len()) {
        (true, _) => Judgement::not_exercised(),
        (_, 0) => Judgement::kept(),
        (_, number) => {
            let found = format!("{} too many", counted(number as u64, "job"));
            Judgement::broken(more, found)
        }
    }
}

#[cfg(test)]
mod tests {
    use wire::JobResult::*;

    use super::*;
    use crate::rules::testing::{Script, hold};

    #[test]
    fn two_jobs_of_one_body_break_it() {
        let first = || Script::new().post(0, 201, 1, Some(7)).job(Created);
        let twice = || first().post(9, 201, 1, Some(8)).job(Created);

        hold! { RULE;
            Script::new().respond(0, 200) => NotExercised,
            first() => Kept,
            first().post(9, 201, 1, Some(7)).job(Replayed) => Kept,
            first().post(9, 201, 2, Some(8)).job(Created) => Kept,
            // A blank more in the body, and a new key: it is still the same call.
            first().call(0).post(9, 201, 2, Some(8)).call(0).job(Created) => Broken [2],
            twice() => Broken [2]: "1 job too many",
            twice().post(18, 201, 1, Some(9)).job(Created) => Broken [2, 3]: "2 jobs too many",
        }
    }
}
