//! Storms of random settings with twice the length. A word that depends on where the storm was
//! cut off would change.

use std::{mem::discriminant, ops::ControlFlow, sync::atomic::AtomicBool, time::Duration};

use rand::{RngExt, rngs::ChaCha12Rng, seq::IndexedRandom};

use super::draw::generator;
use crate::{
    Incident, Settings, Setup, StormPolicy,
    policy::Backoff,
    results::word::Word,
    simulation::{parallel, simulate_one},
};

const ROWS: u32 = 400;

/// The most rows whose word may change: two in a hundred.
const MOST_CHANGED: usize = 8;

fn one_of<T: Copy>(random: &mut ChaCha12Rng, values: &[T]) -> T {
    *values.choose(random).expect("a value")
}

/// Settings under which a word is possible: a load from a third of the capacity to all of it.
fn settings(random: &mut ChaCha12Rng) -> Settings {
    let incidents = [
        Incident::Spike,
        Incident::Cut,
        Incident::Pause,
        Incident::Refusal,
    ];
    Settings {
        calls_per_second: random.random_range(35.0..100.0),
        incident: one_of(random, &incidents),
        incident_lasts: Duration::from_secs_f64(random.random_range(1.0..10.0)),
        spike: random.random_range(1.5..4.0),
        refused: random.random_range(0.2..=1.0),
        queue: one_of(random, &[20, 100, 300]),
        ..Settings::DEFAULT
    }
}

fn setup(random: &mut ChaCha12Rng) -> Setup {
    let backoffs = [
        Backoff::Jitter,
        Backoff::Exponential,
        Backoff::Constant,
        Backoff::None,
    ];
    Setup {
        attempts: random.random_range(1..=4),
        backoff: one_of(random, &backoffs),
        base: Duration::from_secs_f64(random.random_range(0.05..1.0)),
        budget: one_of(random, &[0, 0, 1, 10, 100, 1_000]),
        concurrency: one_of(random, &[0, 0, 5, 20]),
        deadline: one_of(random, &[Duration::ZERO, Duration::from_secs(2)]),
        ..Setup::DEFAULT
    }
}

/// A row whose word changes, in words; none if it does not.
fn changed(row: u32) -> Option<String> {
    let mut random = generator(2, row, 0);
    let (settings, setup) = (settings(&mut random), setup(&mut random));
    let word = |settings: &Settings| -> Option<Word> {
        let policy = StormPolicy::new("any", setup);
        let run = simulate_one(settings, row.into(), &policy, |_| ControlFlow::Continue(()));
        run.expect("it can be simulated").word
    };
    let twice = Settings {
        length: settings.length * 2,
        ..settings
    };
    let (one, two) = (word(&settings)?, word(&twice)?);
    let is_changed = discriminant(&one) != discriminant(&two);
    is_changed.then(|| format!("{one} becomes {two}: {settings:?}, {setup:?}"))
}

#[test]
#[ignore = "takes minutes; `.ci/full` runs it"]
#[expect(
    clippy::print_stdout,
    reason = "`--nocapture` shows every row that changes"
)]
fn twice_the_length_changes_at_most_two_words_in_a_hundred() {
    let changed: Vec<_> = parallel::each(ROWS, &AtomicBool::new(false), changed)
        .into_iter()
        .flatten()
        .collect();

    changed.iter().for_each(|row| println!("{row}"));
    assert!(changed.len() <= MOST_CHANGED, "{changed:#?}");
}
