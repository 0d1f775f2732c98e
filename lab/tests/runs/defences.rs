//! The effects of removing a defence from the reference client.

use std::path::Path;

use scenario::{
    ClientUnderTest, Comparison, Overrides, RELIABLE, Reliable, Settings, WITHOUT, Without,
    catalogue::{self, CATALOGUE},
    compare::Sample,
    run, sample,
};

use crate::{pairwise_runs::PairwiseRun, settings};

fn settings_of(client: &'static Without) -> Settings {
    Settings {
        client,
        ..settings(RELIABLE, Overrides::NONE)
    }
}

/// A comparison of the reference client with the one without a defence, whose rules are
/// judged on several runs.
async fn compare(without: &'static Without, name: &str) -> Comparison {
    let scenario = catalogue::find(name).expect("a scenario of the catalogue");
    let settings = settings_of(without);
    let broken = run(scenario, &settings).await.expect("a run");
    let sample = sample(scenario, &settings, [&Reliable, without]).await;
    let whole = PairwiseRun::of(name, RELIABLE).run.clone();
    let next = scenario.next_comparison(broken.client);
    Comparison::of([whole, broken], sample.expect("all").as_ref(), next)
}

#[tokio::test]
async fn without_a_defence_only_its_named_rules_break() {
    for without in WITHOUT {
        let defence = without.defence;

        let comparison = compare(without, defence.shows_best_in()).await;

        let [whole, broken] = comparison.compared.sides.each_ref();
        let broken: Vec<_> = broken.broken.iter().map(|rule| rule.id).collect();
        assert_eq!(broken, defence.breaks, "{}", defence.id);
        assert_eq!(whole.broken, [], "{}", defence.id);
        assert!(comparison.compared.differ(), "{}", defence.id);
        assert!(comparison.runs[0].passed(), "{}", defence.id);
    }
}

/// The scenario has an expectation where the wire has no rule.
#[tokio::test]
async fn a_call_without_a_deadline_outlasts_its_caller() {
    let without = WITHOUT
        .iter()
        .find(|without| without.defence.id == "deadline");
    let comparison = compare(without.expect("known"), "deadline").await;

    let [whole, broken] = &comparison.runs;
    let asked = scenario::Fact::from(scenario::StopReason::Deadline);
    assert_eq!(whole.outcome.fact("gave_up"), Some(&asked));
    assert!(!broken.passed());
    let last = broken.wire.entries.last().expect("a request").arrived;
    assert!(last > std::time::Duration::from_secs(5), "{last:?}");
}

#[tokio::test]
async fn a_defence_matters_only_in_the_scenarios_that_it_names() {
    for without in WITHOUT {
        let defence = without.defence;
        for scenario in CATALOGUE {
            let name = scenario.name();
            let broken = run(scenario, &settings_of(without)).await.expect("a run");
            let whole = PairwiseRun::of(name, RELIABLE).run.clone();
            let all = [&whole, &broken].map(|run| vec![run.wire.clone()]);

            let both = Comparison::of([whole, broken], Some(&Sample(all)), String::new());

            let shows = defence.shows_in(name);
            assert_eq!(both.compared.differ(), shows, "{} in {name}", defence.id);
            let remarks: Vec<_> = both
                .compared
                .remarks
                .iter()
                .map(|remark| &remark.text)
                .collect();
            let says_so = remarks
                .iter()
                .any(|text| text.contains("the results of this scenario are the same"));
            assert_eq!(says_so, !shows, "{remarks:?}");
        }
    }
}

#[test]
fn a_defence_names_its_rules_its_scenarios_and_its_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for without in WITHOUT {
        let defence = without.defence;

        assert!(root.join(defence.file).is_file(), "{}", defence.file);
        for name in defence.shows_in {
            assert!(catalogue::find(name).is_ok(), "{name}");
        }
        for rule in defence.breaks {
            assert!(judge::rules::find(rule).is_some(), "{rule}");
        }
        let is_a_rule = judge::rules::find(defence.id).is_some();
        assert_eq!(defence.breaks.first() == Some(&defence.id), is_a_rule);
    }
}

#[tokio::test]
async fn comparisons_lead_from_one_defence_to_the_next_and_to_an_end() {
    let mut walked = Vec::new();
    for (place, without) in WITHOUT.iter().enumerate() {
        let client = ClientUnderTest::identity(*without);
        let scenario = catalogue::find(without.defence.shows_best_in()).expect("known");

        let next = scenario.next_comparison(client);

        let expected = match WITHOUT.get(place + 1).map(|next| next.defence) {
            Some(next) => format!(
                "scenario {} --without {} --compare",
                next.shows_best_in(),
                next.id
            ),
            None => "scenario all".to_owned(),
        };
        assert_eq!(next, expected);
        let words = ["lab"].into_iter().chain(next.split(' '));
        assert_eq!(lab::cli::check(words), Ok(()), "{next}");
        walked.push(next);
    }
    assert_eq!(walked.len(), WITHOUT.len());
}
