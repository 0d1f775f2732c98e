//! What a comparison leads with, over the whole catalogue.

use scenario::{
    Compared,
    compare::{Difference, DifferenceKind, Stake},
};

use crate::runs::other_runs::{OTHER_RUNS, OtherRun};

fn difference(other_run: &OtherRun) -> Option<Difference> {
    Difference::of([other_run.reliable(), &other_run.run])
}

fn shown(
    Stake {
        figure,
        words,
        did_harm,
    }: &Stake,
) -> String {
    format!("{} {figure} {words}", if *did_harm { "✗" } else { "✓" })
}

#[test]
fn the_large_number_never_flatters_the_client_that_did_harm() {
    let mut led = Vec::new();
    for other_run in OTHER_RUNS.iter() {
        let (scenario, name) = (other_run.scenario.name(), other_run.run.client.name);
        let Some(Difference { kind, stakes }) = difference(other_run) else {
            continue;
        };
        let did_harm = !other_run.run.passed();
        let [reliable, other] = &stakes;
        assert!(!reliable.did_harm, "{scenario} {name}");
        assert_eq!(other.did_harm, did_harm, "{scenario} {name}");
        let numbers = stakes
            .each_ref()
            .map(|stake| stake.figure.parse::<u64>().ok());
        if let [Some(of_reliable), Some(of_other)] = numbers
            && did_harm
        {
            let is_worse = match kind {
                DifferenceKind::Ending => of_other < of_reliable,
                _ => of_other > of_reliable,
            };
            assert!(is_worse, "{scenario} {name}: {stakes:?}");
        }
        assert_ne!((did_harm, &*other.figure), (true, "ok"), "{scenario}");
        let sides = [shown(reliable), shown(other)].join(" | ");
        led.push(format!("{scenario} {name}: {sides}"));
    }
    insta::assert_snapshot!(led.join("\n"), @"
    flaky-gives-up naive: ✓ 2 requests at the service | ✗ 3 requests at the service
    retry-after-seconds naive: ✓ 0 requests not allowed | ✗ 1 request not allowed
    retry-after-seconds without-retry-after-seconds: ✓ 0 requests not allowed | ✗ 1 request not allowed
    retry-after-date naive: ✓ 0 requests not allowed | ✗ 1 request not allowed
    retry-later naive: ✓ 0 requests not allowed | ✗ 9 requests not allowed
    retry-later without-retry-after-seconds: ✓ 0 requests not allowed | ✗ 2 requests not allowed
    bad-json naive: ✓ 0 requests not allowed | ✗ 9 requests not allowed
    text-json naive: ✓ 0 items taken from an invalid page | ✗ 2 items taken from an invalid page
    text-json without-body-media-type: ✓ 0 items taken from an invalid page | ✗ 2 items taken from an invalid page
    no-content naive: ✓ 0 requests not allowed | ✗ 9 requests not allowed
    redirect naive: ✓ 1 request at the service | ✗ 2 requests at the service
    not-found naive: ✓ 0 requests not allowed | ✗ 9 requests not allowed
    bad-items naive: ✓ 0 items taken from an invalid page | ✗ 2 items taken from an invalid page
    bad-cursor naive: ✓ 0 items taken from an invalid page | ✗ 1 item taken from an invalid page
    looping-items naive: ✓ 0 requests not allowed | ✗ 45 requests not allowed
    endless-items naive: ✓ error the listing was abandoned | ✗ no end until the lab stopped it
    item-cap naive: ✓ error the listing was abandoned | ✗ no end until the lab stopped it
    resumed-crawl naive: ✓ 3 requests at the service | ✗ 4 requests at the service
    replay naive: ✓ 1 job created | ✗ 2 jobs created
    replay without-idempotency-key-reuse: ✓ 1 job created | ✗ 2 jobs created
    conflict naive: ✓ 1 job created | ✗ 2 jobs created
    conflict without-idempotency-key-reuse: ✓ 1 job created | ✗ 2 jobs created
    post-without-permission naive: ✓ 0 requests not allowed | ✗ 1 request not allowed
    lost-response naive: ✓ 1 job created | ✗ 2 jobs created
    lost-response without-idempotency-key-reuse: ✓ 1 job created | ✗ 2 jobs created
    read-timeout naive: ✓ ok the call succeeded | ✗ no end until the lab stopped it
    oversized-body naive: ✓ 0 invalid responses accepted | ✗ 1 invalid response accepted
    connection-refused naive: ✓ 3 attempts | ✗ 10 attempts
    tls-refused naive: ✓ 1 attempt | ✗ 10 attempts
    deadline naive: ✓ 0 requests not allowed | ✗ 9 requests not allowed
    deadline without-retry-after-seconds: ✓ 0 requests not allowed | ✗ 2 requests not allowed
    deadline without-deadline: ✓ 1 request at the service | ✗ 3 requests at the service
    retry-budget naive: ✓ 7 requests at the service | ✗ 50 requests at the service
    too-many-requests naive: ✓ 16 calls succeeded | ✗ 8 calls succeeded
    ");
}

/// A comparison without a large number has no difference but that of time.
#[test]
fn where_nothing_differs_only_the_time_does() {
    for other_run in OTHER_RUNS.iter() {
        if difference(other_run).is_some() {
            continue;
        }
        let compared = Compared::of([other_run.reliable(), &other_run.run]);

        let effects = compared.effects.iter().filter(|effect| effect.differs);
        let labels: Vec<_> = effects.map(|effect| effect.label).collect();
        let is_time = |label: &&str| *label == "time until the caller knew";
        let name = other_run.scenario.name();
        assert!(labels.iter().all(is_time), "{name}: {labels:?}");
    }
}
