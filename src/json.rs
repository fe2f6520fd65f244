//! Reading JSON with errors that say where, what, and what is allowed.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, Visitor};

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

/// Line and column of the part of `text` that a JSON pointer names, or of the innermost part around it that is there.
/// None when `text` is not JSON.
pub fn locate(text: &str, pointer: &str) -> Option<(usize, usize)> {
    let mut part = text.trim_start();
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        match inside(part, &token) {
            Some(inner) => part = inner,
            None => break,
        }
    }
    next::<IgnoredAny>(part)?;
    let before = text.get(..text.len() - part.len())?;
    let line = before.rsplit('\n').next()?;
    Some((before.matches('\n').count() + 1, line.chars().count() + 1))
}

/// The text from the value on that `token` names in the list or object at the start of `text`.
fn inside<'a>(text: &'a str, token: &str) -> Option<&'a str> {
    if let Some(mut items) = text.strip_prefix('[') {
        for _ in 0..token.parse::<usize>().ok()? {
            items = next::<IgnoredAny>(items)?.1.trim_start().strip_prefix(',')?;
        }
        let item = items.trim_start();
        return (!item.starts_with(']')).then_some(item);
    }
    let mut entries = text.strip_prefix('{')?;
    loop {
        let (key, rest) = next::<String>(entries)?;
        let value = rest.trim_start().strip_prefix(':')?.trim_start();
        if key == token {
            return Some(value);
        }
        entries = next::<IgnoredAny>(value)?.1.trim_start().strip_prefix(',')?;
    }
}

/// The value at the start of `text`, and what follows it.
fn next<'a, T: Deserialize<'a>>(text: &'a str) -> Option<(T, &'a str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<T>();
    let value = values.next()?.ok()?;
    let end = values.byte_offset();
    Some((value, text.get(end..)?))
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
    let (line, bytes) = (error.line().max(1), error.column());
    let before = text.split('\n').nth(line - 1).unwrap_or_default().as_bytes();
    let column = String::from_utf8_lossy(before.get(..bytes).unwrap_or(before)).chars().count().max(1);
    let said = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let said = said.strip_suffix(&place).unwrap_or(&said);
    let at_value =
        bytes.checked_sub(1).and_then(|at| before.get(at)).is_some_and(|byte| b"\"[{-0123456789tfn".contains(byte));
    let message = if said == "expected value" && at_value {
        "wrong kind of value; allowed: a name in double quotes, or an object with one name as its key".to_owned()
    } else {
        sentence(said, error.classify())
    };
    Fault { line, column, message }
}

/// The words of the parser, made into a sentence for people who write the file by hand.
fn sentence(said: &str, category: serde_json::error::Category) -> String {
    use serde_json::error::Category;

    if let Some(inside) = said.strip_prefix("EOF while parsing ") {
        return format!("the text ends inside {inside}: is the file complete?");
    }
    let known = match said {
        "recursion limit exceeded" => "nested more than 128 deep: no file needs that",
        "expected value" => {
            "not JSON: expected an object, a list, a text in double quotes, a number, true, false or null"
        }
        "expected ident" => "not JSON: a bare word can only be true, false or null; a text stands in double quotes",
        "key must be a string" => "not JSON: a key stands in double quotes",
        "trailing comma" => "not JSON: after the last item stands no comma",
        "trailing characters" => "not JSON: there is more after the end of the document",
        "expected `,` or `}`" | "expected `,` or `]`" => "not JSON: expected a comma or the closing bracket",
        "invalid type: unit variant, expected newtype variant" => {
            "the name alone says too little: expected an object of the form {\"name\": {…}}"
        }
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    for (start, meaning) in
        [("unknown field ", "unknown key"), ("unknown variant ", "unknown name"), ("duplicate field ", "second key")]
    {
        if let Some(rest) = said.strip_prefix(start) {
            return format!("{meaning} {}", allowed(rest));
        }
    }
    if let Some(key) = said.strip_prefix("missing field ") {
        return format!("the key {key} is missing in this object");
    }
    if let Some(rest) = said.strip_prefix("invalid type: ").or_else(|| said.strip_prefix("invalid value: ")) {
        return format!("wrong kind of value: {}", allowed(rest));
    }
    match category {
        Category::Syntax => format!("not JSON: {said}"),
        Category::Io | Category::Data | Category::Eof => said.to_owned(),
    }
}

/// `x, expected y` as `x; allowed: y`, with the types of the program in the words of a file.
fn allowed(said: &str) -> String {
    let Some((found, expected)) = said.split_once(", expected ") else {
        return match said.split_once(", there are no ") {
            Some((found, _)) => format!("{found}; allowed: none"),
            None => said.to_owned(),
        };
    };
    let expected = match expected {
        "f64" | "f32" => "a number",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, not negative",
        "i32" | "i64" => "a whole number",
        "a boolean" => "true or false",
        "a string" | "string" => "a text in double quotes",
        "a sequence" => "a list in square brackets",
        "a map" => "an object in braces",
        "unit" => "null",
        "string or map" => "a name, or an object with one name as its key",
        other if other.starts_with("struct ") => "an object in braces",
        other => other.strip_prefix("one of ").unwrap_or(other),
    };
    format!("{found}; allowed: {expected}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_leads_to_line_and_column() {
        let text = "{\"a\": [1,\n  {\"名\": [], \"b/c\": true}, []]}";
        for (pointer, place) in [
            ("", (1, 1)),
            ("/a", (1, 7)),
            ("/a/0", (1, 8)),
            ("/a/1", (2, 3)),
            ("/a/1/名", (2, 9)),
            ("/a/1/b~1c", (2, 20)),
            ("/a/2", (2, 27)),
            // What is not there leads to what is around it.
            ("/a/2/0", (2, 27)),
            ("/a/3", (1, 7)),
            ("/b", (1, 1)),
        ] {
            assert_eq!(locate(text, pointer), Some(place), "{pointer}");
        }
        assert_eq!(locate("not JSON", "/a"), None);
        assert_eq!(locate("", ""), None);
    }
}
