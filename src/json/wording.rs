//! The words of the parser, made into sentences for people who write the file by hand.

/// Where a name, or an object with one name as its key, should stand and something else does.
pub const NOT_ONE_NAME: &str =
    "wrong kind of value; allowed: a name in double quotes, or an object with one name as its only key";

/// What `said` means.
pub fn sentence(said: &str, is_syntax: bool) -> String {
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
        "control character (\\u0000-\\u001F) found while parsing a string" => {
            "not JSON: a text ends on the line on which it starts; a line break in it is written `\\n`"
        }
        "invalid type: unit variant, expected newtype variant" => {
            "the name alone says too little; allowed: an object of the form {\"name\": {…}}"
        }
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    if let Some(rest) = said.strip_prefix("unknown field ") {
        format!("unknown key {}", allowed(rest))
    } else if let Some(rest) = said.strip_prefix("unknown variant ") {
        format!("unknown name {}", allowed(rest))
    } else if let Some(key) = said.strip_prefix("duplicate field ") {
        format!("the key {key} stands twice in this object")
    } else if let Some(key) = said.strip_prefix("missing field ") {
        format!("the key {key} is missing in this object")
    } else if let Some(rest) = said.strip_prefix("invalid type: ").or_else(|| said.strip_prefix("invalid value: ")) {
        format!("wrong kind of value: {}", allowed(rest))
    } else if let Some(rest) = said.strip_prefix("invalid length ") {
        format!("wrong kind of value: a list of {}", allowed(rest))
    } else if is_syntax {
        format!("not JSON: {said}")
    } else {
        said.to_owned()
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
    let found = match found {
        "sequence" => "a list",
        "map" => "an object",
        other => other,
    };
    let expected = match expected {
        "f64" | "f32" => "a number",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, not negative",
        "i32" | "i64" => "a whole number",
        "a boolean" => "true or false",
        "a string" | "string" => "a text in double quotes",
        "a sequence" => "a list in square brackets",
        "a map" => "an object in braces",
        "unit" => "nothing: the name stands alone, in double quotes",
        "string or map" => "a name, or an object with one name as its key",
        other if other.starts_with("struct ") => "an object in braces",
        other => other.strip_prefix("one of ").unwrap_or(other),
    };
    format!("{found}; allowed: {expected}")
}
