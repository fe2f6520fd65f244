//! The small values in statements: numbers, flags and names, each of which may be an expression.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::expression::Expression;

/// A number, or an expression such as `"=2*batches"`.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// Written as a number.
    Literal(f64),
    /// Written as a text that starts with `=`.
    Expression(Expression),
}

/// A switch: `true`, `false`, or an expression that is not zero, such as `"=pinned"`.
#[derive(Clone, Debug, PartialEq)]
pub enum Flag {
    /// Written as `true` or `false`.
    Literal(bool),
    /// Written as a text that starts with `=`.
    Expression(Expression),
}

/// The name of a tensor, buffer, stream, event, graph or value; `buf[i]` is indexed by an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// Before the bracket.
    pub base: String,
    /// In the bracket.
    pub index: Option<Expression>,
}

/// Whether a value need not be written, since reading puts it there.
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Default for Flag {
    fn default() -> Self {
        Self::Literal(false)
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self::Literal(value)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.index {
            None => f.write_str(&self.base),
            Some(index) => write!(f, "{}[{}]", self.base, index.source()),
        }
    }
}

impl Name {
    /// Reads `base` or `base[expression]`.
    ///
    /// # Errors
    /// A sentence that says what a name may look like.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (base, index) = match text.split_once('[') {
            None => (text, None),
            Some((base, rest)) => {
                let inner = rest
                    .strip_suffix(']')
                    .ok_or_else(|| format!("the name `{text}` has a `[` without a `]` at its end"))?;
                (base, Some(Expression::parse(inner).map_err(|error| format!("in the name `{text}`: {error}"))?))
            }
        };
        let first_fits = base.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if first_fits && base.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') {
            Ok(Self { base: base.to_owned(), index })
        } else {
            Err(format!(
                "`{text}` is not a name: use a letter, then letters, digits, `_` or `-`, as in `x` or `buf[i]`"
            ))
        }
    }
}

/// What stands behind the `=`, if the text is an expression.
fn expression<E: de::Error>(text: &str, what: &str) -> Result<Expression, E> {
    let inner = text.strip_prefix('=').ok_or_else(|| {
        E::custom(format!("`{text}` is not {what}: write one, or an expression that starts with `=`"))
    })?;
    Expression::parse(inner).map_err(E::custom)
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Numeric;

        impl Visitor<'_> for Numeric {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or an expression such as \"=2*n\"")
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Number, E> {
                Ok(Number::Literal(value))
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Number, E> {
                Ok(Number::Literal(value as f64))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Number, E> {
                Ok(Number::Literal(value as f64))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Number, E> {
                expression(text, "a number").map(Number::Expression)
            }
        }

        deserializer.deserialize_any(Numeric)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Literal(value) if value.fract() == 0.0 && value.abs() < 9e15 => {
                serializer.serialize_i64(*value as i64)
            }
            Self::Literal(value) => serializer.serialize_f64(*value),
            Self::Expression(expression) => serializer.collect_str(&format_args!("={}", expression.source())),
        }
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Switch;

        impl Visitor<'_> for Switch {
            type Value = Flag;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false, or an expression such as \"=pinned\"")
            }

            fn visit_bool<E: de::Error>(self, value: bool) -> Result<Flag, E> {
                Ok(Flag::Literal(value))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Flag, E> {
                expression(text, "true or false").map(Flag::Expression)
            }
        }

        deserializer.deserialize_any(Switch)
    }
}

impl Serialize for Flag {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Literal(value) => serializer.serialize_bool(*value),
            Self::Expression(expression) => serializer.collect_str(&format_args!("={}", expression.source())),
        }
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(de::Error::custom)
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Number {
    fn schema_name() -> Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number, or an expression over knobs and loop indices such as \"=2*batches\".",
            "oneOf": [{ "type": "number" }, { "type": "string", "pattern": "^=" }]
        })
    }
}

impl JsonSchema for Flag {
    fn schema_name() -> Cow<'static, str> {
        "Flag".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A switch, or an expression over knobs and loop indices such as \"=pinned\".",
            "oneOf": [{ "type": "boolean" }, { "type": "string", "pattern": "^=" }]
        })
    }
}

impl JsonSchema for Name {
    fn schema_name() -> Cow<'static, str> {
        "Name".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A name, which may be indexed: x, buf[i].",
            "type": "string",
            "pattern": r"^[A-Za-z_][A-Za-z0-9_-]*(\[.+\])?$"
        })
    }
}
