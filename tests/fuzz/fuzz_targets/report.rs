//! The lab reads its own JSON: a card is shown on a board.

#![cfg_attr(fuzzing, no_main)]

use fuzz::target;
use grade::{Board, Learner, PrintedCard};

target!(report);

fn report(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    let learner = Learner {
        name: text.to_owned(),
        card: PrintedCard::read(text).map_err(|error| error.to_string()),
    };
    let board = Board::new(vec![learner], &[]);
    assert!(board.text().lines().all(|line| line.chars().count() <= 80));
    assert!(board.html().contains("By name"));
}
