//! From a JSON pointer to a place in the text.

use serde::Deserialize;
use serde::de::IgnoredAny;

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
