//! What becomes of a card: JSON with a schema.

use serde_json::{Value, json};

use crate::{
    grade::{grade, reliable},
    printed,
};

/// A card of the reference client as it is printed, of these options.
fn card(options: &str) -> Value {
    let graded = grade(&format!("--json --seed 7 {options}"), &[&reliable()]);
    serde_json::from_str(&graded.stdout).expect("a card")
}

#[test]
fn a_card_is_what_its_schema_says() {
    let schema = serde_json::from_str(&printed("schema card")).expect("JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("a schema");
    let card = card("--all");

    let errors: Vec<_> = validator.iter_errors(&card).collect();

    assert!(errors.is_empty(), "{errors:#?}");
    for place in ["", "/tasks/0", "/tasks/0/rules/0", "/tasks/0/plays/0"] {
        let mut more = card.clone();
        more.pointer_mut(place).expect("an object")["surprise"] = json!(1);
        assert!(!validator.is_valid(&more), "{place}");
    }
}
