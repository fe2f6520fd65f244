//! The table of a range as text for elsewhere.

use super::table::{RangePart, RangeValue};
use crate::text::{Key, Lang};

/// As a table of Markdown.
pub(in crate::window) fn markdown(parts: &[RangePart], lang: Lang) -> String {
    let mut out = format!("| {} | {} | % |\n|---|--:|--:|\n", lang.text(Key::RangeTitle), lang.text(Key::RangeValue));
    for part in parts {
        for row in &part.rows {
            let (name, value) = (row.name.replace('|', "\\|"), row.value.text());
            let name = lang.fill(Key::Says, &[part.heading, &name]);
            out += &format!("| {name} | {value} | {} |\n", row.value.share().unwrap_or_default());
        }
    }
    out
}

/// As comma-separated values: times in µs, shares from 0 to 1.
pub(in crate::window) fn csv(parts: &[RangePart]) -> String {
    let mut out = "part,name,value,unit,share\n".to_owned();
    for part in parts {
        for row in &part.rows {
            let (value, unit, share) = match row.value {
                RangeValue::Time(time, share) => (time.us().to_string(), "us", share),
                RangeValue::Count(count) => (count.to_string(), "", None),
                RangeValue::Mean(mean) => (mean.to_string(), "", None),
                RangeValue::Share(share) => (share.to_string(), "share", None),
            };
            let share = share.map_or_else(String::new, |share| share.to_string());
            out += &format!("{},{},{value},{unit},{share}\n", quoted(part.heading), quoted(&row.name));
        }
    }
    out
}

/// A field with a comma, a quote or a line break stands in quotes (RFC 4180).
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
