//! JSON laid out as a person would write it: what is short stands on one line, several objects of a list stand one below
//! the other, and the two braces of `{"launch": {…}}` stay together.

use super::key_order::KeyOrder;

/// Wide enough for a launch with three names, narrow enough for a projector.
const WIDTH: usize = 100;
const INDENT: usize = 2;

/// Lays out `compact`, which is JSON, and ends it with a line break.
pub fn layout(compact: &str) -> String {
    laid_out(&Reader { rest: compact }.piece())
}

/// As [`layout`], with the keys in the order in which `like`, which is JSON too, has them.
pub fn layout_like(compact: &str, like: &str) -> String {
    let like = Reader { rest: like }.piece();
    let mut piece = Reader { rest: compact }.piece();
    KeyOrder::of(&like).apply(&mut piece, "");
    laid_out(&piece)
}

fn laid_out(piece: &Piece<'_>) -> String {
    let mut out = String::new();
    piece.write(0, 0, &mut out);
    out.push('\n');
    out
}

/// JSON with the texts of its parts as they are written.
#[derive(Clone)]
pub(super) enum Piece<'a> {
    Atom(&'a str),
    List(Vec<Piece<'a>>),
    Object(Vec<(&'a str, Piece<'a>)>),
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn eat(&mut self, token: char) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn piece(&mut self) -> Piece<'a> {
        if self.eat('[') {
            Piece::List(self.items(']', Self::piece))
        } else if self.eat('{') {
            Piece::Object(self.items('}', |reader| {
                let key = reader.atom();
                reader.eat(':');
                (key, reader.piece())
            }))
        } else {
            Piece::Atom(self.atom())
        }
    }

    fn items<T>(&mut self, close: char, read: impl Fn(&mut Self) -> T) -> Vec<T> {
        let mut items = Vec::new();
        while !self.rest.is_empty() && !self.eat(close) {
            items.push(read(self));
            self.eat(',');
        }
        items
    }

    /// A text with its quotes, a number or a word.
    fn atom(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        let mut escaped = false;
        let end = if self.rest.starts_with('"') {
            let closing = self.rest.char_indices().skip(1).find(|&(_, c)| {
                let closes = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                closes
            });
            closing.map(|(at, _)| at + 1)
        } else {
            self.rest.find(|c: char| matches!(c, ',' | ':' | ']' | '}') || c.is_ascii_whitespace())
        };
        let (atom, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        atom
    }
}

impl Piece<'_> {
    /// Writes the piece where `column` characters of the line are taken and lines start with `indent` spaces.
    fn write(&self, indent: usize, column: usize, out: &mut String) {
        if self.is_flat() && column + self.width() <= WIDTH {
            return self.write_flat(out);
        }
        match self {
            Self::Atom(atom) => out.push_str(atom),
            Self::List(items) => {
                let lines = items.iter().map(|item| ("", item));
                write_lines('[', ']', lines, indent, out);
            }
            Self::Object(entries) => match entries.as_slice() {
                [(key, inner @ Self::Object(_))] if indent > 0 => {
                    out.push('{');
                    out.push_str(key);
                    out.push_str(": ");
                    inner.write(indent, column + key.chars().count() + 3, out);
                    out.push('}');
                }
                _ => write_lines('{', '}', entries.iter().map(|(key, value)| (*key, value)), indent, out),
            },
        }
    }

    /// Whether one line can hold it: no list of several objects is inside.
    fn is_flat(&self) -> bool {
        match self {
            Self::Atom(_) => true,
            Self::List(items) => {
                items.iter().all(Self::is_flat)
                    && (items.len() < 2 || !items.iter().any(|item| matches!(item, Self::Object(_))))
            }
            Self::Object(entries) => entries.iter().all(|(_, value)| value.is_flat()),
        }
    }

    fn width(&self) -> usize {
        let separators = |count: usize| 2 + 2 * count.saturating_sub(1);
        match self {
            Self::Atom(atom) => atom.chars().count(),
            Self::List(items) => items.iter().map(Self::width).sum::<usize>() + separators(items.len()),
            Self::Object(entries) => {
                let entry = |(key, value): &(&str, Self)| key.chars().count() + 2 + value.width();
                entries.iter().map(entry).sum::<usize>() + separators(entries.len())
            }
        }
    }

    fn write_flat(&self, out: &mut String) {
        match self {
            Self::Atom(atom) => out.push_str(atom),
            Self::List(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { ", " });
                    item.write_flat(out);
                }
                out.push(']');
            }
            Self::Object(entries) => {
                out.push('{');
                for (i, (key, value)) in entries.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { ", " });
                    out.push_str(key);
                    out.push_str(": ");
                    value.write_flat(out);
                }
                out.push('}');
            }
        }
    }
}

/// One item a line between two brackets; an item without a key has an empty one.
fn write_lines<'a, 'b: 'a>(
    open: char,
    close: char,
    items: impl Iterator<Item = (&'a str, &'a Piece<'b>)>,
    indent: usize,
    out: &mut String,
) {
    out.push(open);
    let inner = indent + INDENT;
    for (i, (key, item)) in items.enumerate() {
        out.push_str(if i == 0 { "\n" } else { ",\n" });
        out.extend(std::iter::repeat_n(' ', inner));
        let mut column = inner;
        if !key.is_empty() {
            out.push_str(key);
            out.push_str(": ");
            column += key.chars().count() + 2;
        }
        item.write(inner, column, out);
    }
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
    out.push(close);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_looks_as_a_person_writes_it() {
        let compact = r#"{"title":{"en":"a \" {","zh":"甲"},"knobs":[],"setup":[{"item":{"of":"x"}}],"program":[{"repeat":{"times":3,"body":[{"item":{"of":"x"}},{"synchronize":{}}]}}]}"#;
        let expected = r#"{
  "title": {"en": "a \" {", "zh": "甲"},
  "knobs": [],
  "setup": [{"item": {"of": "x"}}],
  "program": [
    {"repeat": {
      "times": 3,
      "body": [
        {"item": {"of": "x"}},
        {"synchronize": {}}
      ]
    }}
  ]
}
"#;
        assert_eq!(layout(compact), expected);
    }

    #[test]
    fn what_is_too_wide_is_broken() {
        let compact = format!("{{\"shape\":[{}1]}}", "1000,".repeat(20));
        let lines = layout(&compact);
        assert!(lines.lines().all(|line| line.len() <= WIDTH));
        assert_eq!(lines.lines().count(), 25);
    }
}
