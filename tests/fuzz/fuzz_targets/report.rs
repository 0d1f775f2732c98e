//! The lab reads its own JSON: a card is counted.

#![cfg_attr(fuzzing, no_main)]

use fuzz::target;
use grade::{PrintedCard, Summary};
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
}
