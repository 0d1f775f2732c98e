//! A knob takes a value within its range, or stays as it is: first a line that names it,
//! then the value.

#![cfg_attr(fuzzing, no_main)]

use evidence::storm::{Knobs, Settings};
use fuzz::{line, target};
use serde_json::Value;

target!(storm_setting);

fn storm_setting(data: &[u8]) {
    let (name, value) = line(data);
    let (Ok(name), Ok(text)) = (str::from_utf8(name), str::from_utf8(value)) else {
        return;
    };
    let json: Value = serde_json::from_str(text).unwrap_or_default();
    let (mut typed, mut sent) = (Settings::DEFAULT, Settings::DEFAULT);
    let is_typed = typed.set_text(name, text).is_ok();
    let is_sent = sent.set(name, &json).is_ok();

    assert!(is_typed || typed == Settings::DEFAULT);
    assert!(is_sent || sent == Settings::DEFAULT);
    if is_typed && is_sent {
        assert_eq!(typed, sent);
    }
    let Ok(knob) = Settings::knob(name) else {
        return assert!(!is_typed && !is_sent);
    };
    let shown = knob.value(&typed).to_string();
    assert!(typed.set_text(name, &shown).is_ok());
    // Together they make sense, or it is said why not.
    if let Err(error) = typed.check() {
        assert!(!error.to_string().is_empty());
    }
}
