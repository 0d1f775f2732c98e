//! The parameters of a storm as a table: each row has the name, the meaning and the values of
//! a setting. The command line, the web UI and the JSON are derived from it.

use serde::{Serialize, Serializer};
use serde_json::Value as Json;

/// One setting of a `T`.
#[derive(Debug)]
pub struct Parameter<T: 'static> {
    /// Its name in JSON. The command line uses `-` for `_`, and no unit.
    pub name: &'static str,
    /// Its meaning, in one sentence.
    pub what: &'static str,
    /// Its values.
    pub values: Values,
    /// Whether users can set it. The others differ only between policies of stories.
    pub is_option: bool,
    pub(super) get: fn(&T) -> Value,
    pub(super) set: fn(&mut T, Value),
}

/// The values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values {
    /// Whole numbers.
    Whole {
        /// The minimum.
        least: u32,
        /// The maximum.
        most: u32,
    },
    /// Numbers.
    Number {
        /// The minimum.
        least: f64,
        /// The maximum.
        most: f64,
    },
    /// One of a few words.
    OneOf(&'static [&'static str]),
}

/// Numbers have at most three digits after the point, so that every text shows them exactly.
const FRACTION: f64 = 1e3;

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A whole number.
    Whole(u32),
    /// A number.
    Number(f64),
    /// A word.
    Word(&'static str),
}

/// A type whose fields are set by a table of parameters.
pub trait Parameters: Default + 'static {
    /// The table.
    const PARAMETERS: &'static [Parameter<Self>];

    /// The rows that users can set.
    fn options() -> impl Iterator<Item = &'static Parameter<Self>> {
        Self::PARAMETERS
            .iter()
            .filter(|parameter| parameter.is_option)
    }

    /// Sets a parameter to a value in JSON: a number or a word.
    ///
    /// # Errors
    ///
    /// [`ParameterError`] if there is no such parameter, or if the value is not one of its values.
    fn set(&mut self, name: &str, value: &Json) -> Result<(), ParameterError> {
        let parameter = Self::parameter(name)?;
        let taken = parameter.values.of_json(value);
        let taken = taken.ok_or_else(|| parameter.refused(value.to_string()))?;
        (parameter.set)(self, taken);
        Ok(())
    }

    /// Sets a parameter to a value in text form.
    ///
    /// # Errors
    ///
    /// [`ParameterError`] if there is no such parameter, or if the value is not one of its values.
    fn set_text(&mut self, name: &str, text: &str) -> Result<(), ParameterError> {
        let parameter = Self::parameter(name)?;
        let taken = parameter.values.of_text(text);
        let taken = taken.ok_or_else(|| parameter.refused(format!("'{text}'")))?;
        (parameter.set)(self, taken);
        Ok(())
    }

    /// The parameter with this name that users can set.
    ///
    /// # Errors
    ///
    /// [`ParameterError::Unknown`] if there is none.
    fn parameter(name: &str) -> Result<&'static Parameter<Self>, ParameterError> {
        let known = Self::options().find(|parameter| parameter.name == name);
        known.ok_or_else(|| ParameterError::Unknown {
            name: name.to_owned(),
        })
    }
}

/// Why a parameter could not be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    /// There is no parameter with this name.
    #[error("there is no setting '{name}'")]
    Unknown {
        /// The name.
        name: String,
    },
    /// The value is not one of its values.
    #[error("{name} must be {rule}, got {got}")]
    Refused {
        /// The parameter.
        name: &'static str,
        /// Its values, as text.
        rule: String,
        /// The given value.
        got: String,
    },
}

impl<T> Parameter<T> {
    /// Its value.
    #[must_use]
    pub fn value(&self, of: &T) -> Value {
        (self.get)(of)
    }

    /// Its unit, which is the end of its name; empty for a count.
    #[must_use]
    pub fn unit(&self) -> &'static str {
        if self.name.ends_with("_seconds") {
            "s"
        } else {
            ""
        }
    }

    fn refused(&self, got: String) -> ParameterError {
        ParameterError::Refused {
            name: self.name,
            rule: self.values.to_string(),
            got,
        }
    }
}

impl Values {
    fn of_json(self, json: &Json) -> Option<Value> {
        match self {
            Self::Whole { least, most } => {
                let number = u32::try_from(json.as_u64()?).ok()?;
                let is_within = (least..=most).contains(&number);
                is_within.then_some(Value::Whole(number))
            }
            Self::Number { least, most } => {
                let exact = json.as_f64()?;
                let number = (exact * FRACTION).round() / FRACTION;
                // A sum in JavaScript may be off in its last digit.
                let has_few_digits = (number - exact).abs() <= 1e-9;
                let is_within = (least..=most).contains(&number);
                (has_few_digits && is_within).then_some(Value::Number(number))
            }
            Self::OneOf(words) => {
                let word = json.as_str()?;
                let known = words.iter().find(|known| **known == word);
                known.map(|known| Value::Word(known))
            }
        }
    }

    /// Only digits and a point: other readers do not accept `+1`, `1e3` and `inf` as
    /// numbers.
    fn of_text(self, text: &str) -> Option<Value> {
        match self {
            Self::OneOf(_) => self.of_json(&text.into()),
            _ if !text
                .chars()
                .all(|sign| sign.is_ascii_digit() || sign == '.') =>
            {
                None
            }
            Self::Whole { .. } => self.of_json(&text.parse::<u64>().ok()?.into()),
            Self::Number { .. } => self.of_json(&text.parse::<f64>().ok()?.into()),
        }
    }
}

impl std::fmt::Display for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Whole { least, most } => write!(f, "a whole number from {least} to {most}"),
            Self::Number { least, most } => write!(
                f,
                "a number from {least} to {most} with at most three digits after the point"
            ),
            Self::OneOf(words) => write!(f, "one of {}", words.join(", ")),
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Whole(number) => number.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Word(word) => f.write_str(word),
        }
    }
}

/// Writes the parameters as an object with their values.
pub(super) fn serialize<T: Parameters, S: Serializer>(
    of: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(
        T::PARAMETERS
            .iter()
            .map(|parameter| (parameter.name, parameter.value(of))),
    )
}

/// Declares an enum of choices, each with its word.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$of])* $variant,)+
        }

        impl $name {
            /// The words.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// Its word.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            pub(super) fn of(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

/// Declares a type of parameters by a table. Each row has the field, the name of its parameter, the
/// values, the default and the meaning. Users cannot set those of the second part.
macro_rules! parameters {
    (
        #[doc = $doc:literal]
        $of:ident

        $(#[$about_default:meta])*
        DEFAULT {
            $($field:ident $name:literal: $kind:ident($($values:tt)+) = $default:expr, $what:literal;)+
        }
        $(OF_STORIES {
            $($of_stories:ident $story_name:literal: $story_kind:ident($($story_values:tt)+) = $story_default:expr, $story_what:literal;)+
        })?
    ) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $of {
            $(#[doc = $what] pub $field: parameters!(@type $kind($($values)+)),)+
            $($(#[doc = $story_what] pub $of_stories: parameters!(@type $story_kind($($story_values)+)),)+)?
        }

        impl $of {
            $(#[$about_default])*
            pub const DEFAULT: Self = Self {
                $($field: $default,)+
                $($($of_stories: $story_default,)+)?
            };
        }

        impl Default for $of {
            fn default() -> Self {
                Self::DEFAULT
            }
        }

        impl Parameters for $of {
            const PARAMETERS: &'static [Parameter<Self>] = &[
                $(parameters!(@parameter true, $field $name: $kind($($values)+), $what),)+
                $($(parameters!(@parameter false, $of_stories $story_name: $story_kind($($story_values)+), $story_what),)+)?
            ];
        }

        impl serde::Serialize for $of {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                crate::parameter::serialize(self, serializer)
            }
        }
    };

    (@parameter $is_option:literal, $field:ident $name:literal: $kind:ident($($values:tt)+), $what:literal) => {
        Parameter {
            name: $name,
            what: $what,
            values: parameters!(@values $kind($($values)+)),
            is_option: $is_option,
            get: |of| parameters!(@value $kind(of.$field)),
            set: |of, value| parameters!(@set $kind($($values)+) of.$field = value),
        }
    };

    (@type whole($($values:tt)+)) => { u32 };
    (@type number($($values:tt)+)) => { f64 };
    (@type seconds($($values:tt)+)) => { Duration };
    (@type choice($choice:ident)) => { $choice };

    (@values whole($least:literal..=$most:literal)) => {
        Values::Whole { least: $least, most: $most }
    };
    (@values choice($choice:ident)) => { Values::OneOf($choice::WORDS) };
    (@values $kind:ident($least:literal..=$most:literal)) => {
        Values::Number { least: $least, most: $most }
    };

    (@value whole($field:expr)) => { Value::Whole($field) };
    (@value number($field:expr)) => { Value::Number($field) };
    (@value seconds($field:expr)) => { Value::Number($field.as_secs_f64()) };
    (@value choice($field:expr)) => { Value::Word($field.word()) };

    (@set whole($($values:tt)+) $of:ident.$field:ident = $value:ident) => {
        if let Value::Whole(number) = $value { $of.$field = number }
    };
    (@set number($($values:tt)+) $of:ident.$field:ident = $value:ident) => {
        if let Value::Number(number) = $value { $of.$field = number }
    };
    (@set seconds($($values:tt)+) $of:ident.$field:ident = $value:ident) => {
        if let Value::Number(number) = $value { $of.$field = Duration::from_secs_f64(number) }
    };
    (@set choice($choice:ident) $of:ident.$field:ident = $value:ident) => {
        if let Value::Word(word) = $value && let Some(chosen) = $choice::of(word) {
            $of.$field = chosen
        }
    };
}

pub(super) use {choice, parameters};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Settings, Setup};

    /// The minimum and the maximum of a parameter, or all of its words.
    fn ends(values: Values) -> Vec<Json> {
        match values {
            Values::Whole { least, most } => vec![least.into(), most.into()],
            Values::Number { least, most } => vec![least.into(), most.into()],
            Values::OneOf(words) => words.iter().map(|word| json!(word)).collect(),
        }
    }

    fn check<T: Parameters + Copy>(default: T) {
        let shown = |of: &T| -> Vec<_> {
            let shown = |parameter: &Parameter<T>| (parameter.name, json!(parameter.value(of)));
            T::PARAMETERS.iter().map(shown).collect()
        };

        for (place, parameter) in T::PARAMETERS.iter().enumerate() {
            if !parameter.is_option {
                assert!(T::parameter(parameter.name).is_err(), "{}", parameter.name);
                continue;
            }
            let own = json!(parameter.value(&default));
            for value in ends(parameter.values).into_iter().chain([own]) {
                let mut expected = shown(&default);
                expected[place].1 = value.clone();
                let (mut of, mut again) = (default, default);

                assert_eq!(of.set(parameter.name, &value), Ok(()));
                let text = parameter.value(&of).to_string();
                assert_eq!(again.set_text(parameter.name, &text), Ok(()));

                assert_eq!(shown(&of), expected, "{} {value}", parameter.name);
                assert_eq!(shown(&again), expected, "{} {value}", parameter.name);
            }
        }
    }

    #[test]
    fn a_knob_sets_its_own_value_and_no_other() {
        check(Settings::DEFAULT);
        check(Setup::DEFAULT);
    }

    #[test]
    fn a_rejected_value_is_reported_unchanged_with_the_rule() {
        let mut settings = Settings::DEFAULT;
        let clients = "clients must be a whole number from 1 to 2000";
        let spike =
            "spike must be a number from 1 to 100 with at most three digits after the point";
        let load = "load must be one of open, closed";
        for (name, texts, rule) in [
            ("clients", &["0", "+1", "1.5"][..], clients),
            ("spike", &["inf", "1e1", "1.2345"], spike),
            ("load", &[""], load),
        ] {
            for text in texts {
                let error = settings.set_text(name, text).expect_err(text);
                assert_eq!(error.to_string(), format!("{rule}, got '{text}'"));
            }
        }
        for (name, value, rule) in [
            ("clients", json!(0), clients),
            ("clients", json!(2_001), clients),
            ("clients", json!("7"), clients),
            ("spike", json!(0.5), spike),
        ] {
            let error = settings.set(name, &value).expect_err(name);
            assert_eq!(error.to_string(), format!("{rule}, got {value}"));
        }
        let unknown = [
            settings.set_text("speed", "1"),
            settings.set("speed", &json!(1)),
        ];
        for error in unknown.map(|set| set.expect_err("unknown")) {
            assert_eq!(error.to_string(), "there is no setting 'speed'");
        }
        assert_eq!(settings, Settings::DEFAULT);
    }

    #[test]
    fn the_unit_of_a_knob_follows_from_its_name() {
        let unit = |name| Settings::parameter(name).expect("known").unit();

        assert_eq!(["think_seconds", "clients"].map(unit), ["s", ""]);
    }
}
