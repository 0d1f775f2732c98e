//! What a run, a card and a storm look like as JSON, said for programs.

use evidence::{
    Comparison, Run,
    grade::Card,
    storm::{Storm, Tally, check::Figures},
};
use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::RecursiveTransform};

/// What `lab scenario … --json` prints: a run; with `all` the runs in the order of
/// the course; with `--compare` a comparison, or the runs there are where Ctrl+C came
/// in between.
#[derive(JsonSchema)]
#[schemars(untagged, title = "What the lab prints")]
#[expect(dead_code, reason = "only its schema is read")]
enum Printed {
    Run(Box<Run>),
    Comparison(Box<Comparison>),
    Runs(Vec<Run>),
}

/// The JSON Schema (draft 2020-12) of what [`json`](super::json) makes of a run, of a
/// list of runs and of a comparison: every member, what it means, and its unit.
///
/// It is generated from the types, so that it says what they say.
#[must_use]
pub fn run_schema() -> String {
    of::<Printed>()
}

/// The JSON Schema (draft 2020-12) of what [`json`](super::json) makes of a card: what
/// `lab grade --json` prints.
#[must_use]
pub fn card_schema() -> String {
    of::<Card>()
}

/// What `lab storm --json` prints: a storm; with `--seeds` what they came to; with
/// `--check` figures.
#[derive(JsonSchema)]
#[schemars(untagged, title = "What `lab storm` prints")]
#[expect(dead_code, reason = "only its schema is read")]
enum Storms {
    One(Box<Storm>),
    Many(Box<Tally>),
    Figures(Box<Figures>),
}

/// The JSON Schema (draft 2020-12) of what [`json`](super::json) makes of storms.
#[must_use]
pub fn storm_schema() -> String {
    of::<Storms>()
}

fn of<T: JsonSchema>() -> String {
    let settings = SchemaSettings::draft2020_12()
        .for_serialize()
        .with_transform(RecursiveTransform(closed));
    super::json(&settings.into_generator().into_root_schema_for::<T>())
}

/// Allows an object no member but those that are named.
fn closed(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    if object.contains_key("properties") {
        object.entry("additionalProperties").or_insert(false.into());
    }
}
