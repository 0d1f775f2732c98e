//! What the lab reads of its own JSON, from a file or over the wire: a card is counted, and
//! the progress of a load is shown.

#![cfg_attr(fuzzing, no_main)]

use evidence::{
    grade::{PrintedCard, Summary},
    load::{Load, Progress},
};
use fuzz::target;

target!(report);

fn report(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    if let Ok(card) = PrintedCard::read(text) {
        let summary = Summary::of([&card, &card]);
        let once = Summary::of([&card]);
        assert_eq!((summary.cards, once.cards), (2, 1));
        for (twice, once) in summary.tasks.iter().zip(&once.tasks) {
            assert_eq!(twice.attempted, 2 * once.attempted);
            assert!(once.reached + once.missed <= once.attempted);
        }
    }
    if let Ok(mut progress) = serde_json::from_str::<Progress>(text) {
        progress.tally.cut();
        let load = Load {
            seconds: 1,
            rate: 1,
            seed: 0,
            filter: String::new(),
        };
        let shown = render::load(&load, &progress, &["items"], &render::Options::default());
        assert!(shown.contains("as expected"));
    }
}
