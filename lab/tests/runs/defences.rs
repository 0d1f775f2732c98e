//! The effects of removing a defence from the reference client.

use scenario::{
    ClientUnderTest, Comparison, WITHOUT, Without,
    catalogue::{self, CATALOGUE},
};
use testkit::files::root;

use crate::runs::other_runs::OtherRun;

/// A comparison of the reference client with the one without a defence.
fn compare(without: &'static Without, name: &str) -> Comparison {
    let scenario = catalogue::find(name).expect("a scenario of the catalogue");
    let other_run = OtherRun::of(without, name);
    let broken = other_run.run.clone();
    let next = scenario.next_comparison(broken.client);
    Comparison::of([other_run.reliable().clone(), broken], next)
}

#[test]
fn without_a_defence_only_its_named_rules_break() {
    for without in WITHOUT {
        let defence = without.defence;

        let comparison = compare(without, defence.shows_best_in());

        let checks = comparison.compared.checks.iter();
        let broken = checks.filter(|check| check.held[1] == Some(false));
        let broken: Vec<_> = broken.filter_map(|check| check.rule).collect();
        assert_eq!(broken, defence.breaks, "{}", defence.id);
        assert!(comparison.compared.differ(), "{}", defence.id);
        assert!(comparison.runs[0].passed(), "{}", defence.id);
        let terms = comparison.runs[1].terms.join(", ");
        let says_jitter = terms.contains("full jitter");
        assert_eq!(says_jitter, defence.id != "backoff-jitter", "{terms}");
    }
}

/// The scenario has an expectation where the wire has no rule.
#[test]
fn a_call_without_a_deadline_outlasts_its_caller() {
    let without = WITHOUT
        .iter()
        .find(|without| without.defence.id == "deadline");
    let comparison = compare(without.expect("known"), "deadline");

    let [whole, broken] = &comparison.runs;
    let asked = scenario::Fact::from(scenario::StopReason::Deadline);
    assert_eq!(whole.outcome.fact("gave_up"), Some(&asked));
    assert!(!broken.passed());
    let last = broken.wire.entries.last().expect("a request").arrived;
    assert!(last > std::time::Duration::from_secs(5), "{last:?}");
}

#[test]
fn a_defence_matters_only_in_the_scenarios_that_it_names() {
    for without in WITHOUT {
        let defence = without.defence;
        for scenario in CATALOGUE {
            let name = scenario.name();
            let remark = OtherRun::of(without, name).run.lesson.without.clone();
            let remark = remark.expect("a remark");

            let comparison = compare(without, name);

            let shows = defence.shows_in(name);
            assert_eq!(
                comparison.compared.differ(),
                shows,
                "{} in {name}",
                defence.id
            );
            let says_so = remark.contains("the results of this scenario are the same");
            assert_eq!(says_so, !shows, "{remark}");
        }
    }
}

#[test]
fn a_defence_names_its_rules_its_scenarios_and_its_file() {
    for without in WITHOUT {
        let defence = without.defence;

        assert!(root().join(defence.file).is_file(), "{}", defence.file);
        for name in defence.shows_in {
            assert!(catalogue::find(name).is_ok(), "{name}");
        }
        for rule in defence.breaks {
            assert!(judge::rules::find(rule).is_some(), "{rule}");
        }
    }
}

#[test]
fn comparisons_lead_from_one_defence_to_the_next_and_to_an_end() {
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
