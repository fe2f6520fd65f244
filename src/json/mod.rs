//! Reading JSON with errors that say where, what, and what is allowed.

mod locate;
mod wording;

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, Visitor};

pub use locate::locate;

/// What is wrong with a JSON text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong and what is allowed.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// The whole number under `key` in the object that `text` is, if it is there. All else is only checked to be JSON: a file
/// of a later version may hold what this one does not know.
///
/// # Errors
/// When the text is not JSON, not an object, or the number is not one.
pub fn version(text: &str, key: &str) -> Result<Option<u64>, Fault> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let found = deserializer.deserialize_map(Header(key)).and_then(|found| deserializer.end().map(|()| found));
    found.map_err(|error| fault(text, &error))
}

/// Reads the value that `text` is.
///
/// # Errors
/// When the text is not JSON or not such a value.
pub fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Fault> {
    serde_json::from_str(text).map_err(|error| fault(text, &error))
}

struct Header<'k>(&'k str);

impl<'de> Visitor<'de> for Header<'_> {
    type Value = Option<u64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with the key `{}`", self.0)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<u64>, A::Error> {
        let mut found = None;
        while let Some(key) = map.next_key::<String>()? {
            if key != self.0 {
                map.next_value::<IgnoredAny>()?;
            } else if found.is_some() {
                return Err(de::Error::custom(format_args!("duplicate field `{key}`")));
            } else {
                found = Some(map.next_value()?);
            }
        }
        Ok(found)
    }
}

fn fault(text: &str, error: &serde_json::Error) -> Fault {
    let line = error.line().max(1);
    let before = text.split('\n').nth(line - 1).unwrap_or_default().as_bytes();
    let before = before.get(..error.column()).unwrap_or(before);
    let column = String::from_utf8_lossy(before).chars().count().max(1);
    let said = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let said = said.strip_suffix(&place).unwrap_or(&said);
    // The parser has the same words for what is not JSON and for JSON that is no enum.
    let message = if said == "expected value" && serde_json::from_str::<IgnoredAny>(text).is_ok() {
        wording::NOT_ONE_NAME.to_owned()
    } else {
        wording::sentence(said, error.is_syntax())
    };
    Fault { line, column, message }
}
