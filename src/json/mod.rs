//! Reading JSON with errors that say where, what, and what is allowed.

mod locate;
mod wording;

use std::cell::Cell;
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

/// The whole number under `key` in the object that `text` is, if it is there. All else is only checked to be JSON: a file of a later
/// version may hold what this one does not know.
///
/// # Errors
/// When the text is not JSON, not an object, or the number is not one.
pub fn version(text: &str, key: &str) -> Result<Option<u64>, Fault> {
    look_for(text, key, false)
}

/// As [`version`], but nothing behind the key is looked at: for large texts, which are read whole right after.
///
/// # Errors
/// As [`version`].
pub fn version_ahead(text: &str, key: &str) -> Result<Option<u64>, Fault> {
    look_for(text, key, true)
}

fn look_for(text: &str, key: &str, stops: bool) -> Result<Option<u64>, Fault> {
    let found = Cell::new(None);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let header = Header { key, stops, found: &found };
    let read = deserializer.deserialize_map(header).and_then(|()| deserializer.end());
    match read {
        Err(error) if !stops || found.get().is_none() => Err(fault(text, &error)),
        Ok(()) | Err(_) => Ok(found.get()),
    }
}

/// Reads the value that `text` is.
///
/// # Errors
/// When the text is not JSON or not such a value.
pub fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Fault> {
    serde_json::from_str(text).map_err(|error| fault(text, &error))
}

/// Notes the number under `key`. Where it `stops` there, it does so by an error: reading cannot be broken off otherwise.
struct Header<'k> {
    key: &'k str,
    stops: bool,
    found: &'k Cell<Option<u64>>,
}

impl<'de> Visitor<'de> for Header<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with the key `{}`", self.key)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key != self.key {
                map.next_value::<IgnoredAny>()?;
            } else if self.found.get().is_some() {
                return Err(de::Error::custom(format_args!("duplicate field `{key}`")));
            } else {
                self.found.set(Some(map.next_value()?));
                if self.stops {
                    return Err(de::Error::custom("found"));
                }
            }
        }
        Ok(())
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
