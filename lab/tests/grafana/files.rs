//! The files under test, as values.

use std::{fs, path::Path};

use saphyr::{LoadableYamlNode, ScalarOwned, YamlOwned};
use serde_json::{Map, Value};

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// A file, by its path from the root.
pub(crate) fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The files of a folder with this ending, by their paths from the root, in order.
pub(crate) fn folder(path: &str, ending: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut files: Vec<_> = names
        .map(|name| format!("{path}/{}", name.to_string_lossy()))
        .filter(|file| file.ends_with(ending))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{path} has no file {ending}");
    files
}

/// A YAML file, with its anchors and merge keys resolved.
pub(crate) fn yaml(path: &str) -> Value {
    yaml_of(path, &text(path))
}

/// YAML text; `name` is its name in error messages.
pub(crate) fn yaml_of(name: &str, text: &str) -> Value {
    let documents =
        YamlOwned::load_from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let [document] = documents.as_slice() else {
        panic!("{name} is not one document");
    };
    json(document)
}

fn json(yaml: &YamlOwned) -> Value {
    match yaml {
        YamlOwned::Value(ScalarOwned::Null) => Value::Null,
        YamlOwned::Value(ScalarOwned::Boolean(yes)) => (*yes).into(),
        YamlOwned::Value(ScalarOwned::Integer(number)) => (*number).into(),
        YamlOwned::Value(ScalarOwned::FloatingPoint(number)) => number.into_inner().into(),
        YamlOwned::Value(ScalarOwned::String(text)) => text.as_str().into(),
        YamlOwned::Sequence(items) => items.iter().map(json).collect(),
        YamlOwned::Mapping(entries) => {
            // Keys beside `<<` take precedence over those that it merges.
            let mut whole = Map::new();
            let (bases, own): (Vec<_>, Vec<_>) = entries
                .iter()
                .map(|(key, value)| (key.as_str().expect("a text as key"), json(value)))
                .partition(|(key, _)| *key == "<<");
            for (_, base) in bases {
                whole.extend(base.as_object().expect("<< points to a mapping").clone());
            }
            whole.extend(own.into_iter().map(|(key, value)| (key.to_owned(), value)));
            whole.into()
        }
        other => panic!("{other:?} has no place in these files"),
    }
}

/// The text at a pointer, which must be one.
pub(crate) fn string<'a>(value: &'a Value, pointer: &str) -> &'a str {
    let found = value.pointer(pointer).and_then(Value::as_str);
    found.unwrap_or_else(|| panic!("there is no text at {pointer} of {value}"))
}

/// The list at a pointer; empty if there is none.
pub(crate) fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    let found = value.pointer(pointer).and_then(Value::as_array);
    found.map_or(&[], Vec::as_slice)
}
