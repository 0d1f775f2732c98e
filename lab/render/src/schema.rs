//! The JSON Schemas of a run, a card and a storm.

use evidence::{
    Comparison, Run,
    grade::Card,
    proxy::ProxyCard,
    storm::{Storm, Tally},
};
use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::RecursiveTransform};

/// The output of `lab scenario … --json`: a run; with `all` the runs in the order of the
/// course; with `--compare` a comparison, or the runs so far if Ctrl+C ended it.
#[derive(JsonSchema)]
#[schemars(untagged, title = "What the lab prints")]
#[expect(dead_code, reason = "only its schema is read")]
enum Printed {
    Run(Box<Run>),
    Comparison(Box<Comparison>),
    Runs(Vec<Run>),
}

/// The JSON Schema (draft 2020-12) of the output of [`json`](super::json) for a run, a
/// list of runs or a comparison: every member with its meaning and its unit.
///
/// It is generated from the types, so that the two cannot differ.
#[must_use]
pub fn run_schema() -> String {
    of::<Printed>()
}

/// The JSON Schema (draft 2020-12) of a card, which `lab grade --json` prints.
#[must_use]
pub fn card_schema() -> String {
    of::<Card>()
}

/// The JSON Schema (draft 2020-12) of a card of `lab proxy --json`.
#[must_use]
pub fn proxy_schema() -> String {
    of::<ProxyCard>()
}

/// The output of `lab storm --json`: a storm; with `--seeds` the results of all seeds.
#[derive(JsonSchema)]
#[schemars(untagged, title = "What `lab storm` prints")]
#[expect(dead_code, reason = "only its schema is read")]
enum Storms {
    One(Box<Storm>),
    Many(Box<Tally>),
}

/// The JSON Schema (draft 2020-12) of the output of [`json`](super::json) for storms.
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

/// Forbids members other than the named ones in an object.
fn closed(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    if object.contains_key("properties") {
        object.entry("additionalProperties").or_insert(false.into());
    }
}
