//! A hazard's fix: the edge that is missing, as a statement of the scenario.

use serde_json::{Value, json};

use super::{Hazard, MissingKind};
use crate::program::lower;
use crate::scenario::{Knobs, Scenario};

/// The scenario with the missing edge of `hazard` put in; `None` where there is no one edge that would do, as for work that
/// belongs inside a capture.
pub fn fix(scenario: &Scenario, hazard: &Hazard) -> Option<Scenario> {
    let missing = &hazard.missing;
    let mut document = serde_json::to_value(scenario).ok()?;
    match missing.kind {
        MissingKind::Wait => {
            let wait = json!({"wait_stream": {"other": missing.from, "stream": missing.to}});
            let path = before_loops(&document, hazard).to_owned();
            insert(&mut document, &path, wait)?;
        }
        MissingKind::Sync => {
            let path = before_loops(&document, hazard).to_owned();
            insert(&mut document, &path, json!({"synchronize": {"stream": missing.from}}))?;
        }
        MissingKind::RecordStream => {
            let record = json!({"record_stream": {"tensor": missing.from, "stream": missing.to}});
            insert(&mut document, &hazard.first.path, record)?;
        }
        MissingKind::Keep => remove_release(&mut document, &hazard.first.path)?,
    }
    let fixed: Scenario = serde_json::from_value(document).ok()?;
    // An edge may have ends that have no name in the scenario.
    lower(&fixed, &Knobs::defaults(&fixed.knobs)).ok().map(|_| fixed)
}

/// Where the second operation waits: before the outermost loop that the first is not in, so that it waits once.
fn before_loops<'h>(document: &Value, hazard: &'h Hazard) -> &'h str {
    let (first, second) = (&hazard.first, &hazard.second);
    let mut found = second.path.as_str();
    // What a graph holds runs where it is replayed, and another thread in its own time: neither is seen from the path.
    if first.thread != second.thread || uses(document, "replay") {
        return found;
    }
    let mut inner = found;
    while let Some((outer, tag)) = around(inner) {
        let holds_first = first.path.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
        match tag {
            "repeat" if !holds_first => found = outer,
            "on" if !holds_first => {}
            _ => break,
        }
        inner = outer;
    }
    found
}

/// The statement whose body holds the one at `path`, and its tag.
fn around(path: &str) -> Option<(&str, &str)> {
    let (list, _number) = path.rsplit_once('/')?.0.rsplit_once('/')?;
    let (outer, _body) = list.rsplit_once('/')?;
    let (_, tag) = outer.rsplit_once('/').filter(|(before, _)| !before.is_empty())?;
    Some((outer, tag))
}

/// Whether a statement with that tag stands anywhere.
fn uses(value: &Value, tag: &str) -> bool {
    match value {
        Value::Object(fields) => fields.iter().any(|(key, value)| key == tag || uses(value, tag)),
        Value::Array(values) => values.iter().any(|value| uses(value, tag)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The list that the statement at `path` stands in, and its place there. A path names the statement's list, its number and its
/// tag, as in `/program/3/on/body/1/launch`.
fn place<'d>(document: &'d mut Value, path: &str) -> Option<(&'d mut Vec<Value>, usize)> {
    let (statement, _tag) = path.rsplit_once('/')?;
    let (list, number) = statement.rsplit_once('/')?;
    let list = document.pointer_mut(list)?.as_array_mut()?;
    let number = number.parse().ok().filter(|number| *number < list.len())?;
    Some((list, number))
}

fn insert(document: &mut Value, path: &str, statement: Value) -> Option<()> {
    let (list, number) = place(document, path)?;
    list.insert(number, statement);
    Some(())
}

/// Removes the statement that gave memory back which a graph still uses.
fn remove_release(document: &mut Value, path: &str) -> Option<()> {
    let (list, number) = place(document, path)?;
    let releases = ["drop", "raw_free", "free_async", "free_host"];
    let is_release = list.get(number)?.as_object()?.keys().all(|tag| releases.contains(&tag.as_str()));
    is_release.then(|| {
        list.remove(number);
    })
}
