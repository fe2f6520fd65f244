//! Changes of statements: each is checked before anything is touched, and returns the edit that takes it back.

use serde_json::Value;

use super::edit::{Edit, EditError, Slot};
use crate::json;
use crate::scenario::path::StatementPath;
use crate::scenario::statement::BodyKey;
use crate::scenario::{Scenario, Statement};

pub(super) fn insert(scenario: &mut Scenario, to: Slot, statement: Box<Statement>) -> Result<Edit, EditError> {
    let list = scenario.list_mut(&to.list)?;
    if to.index > list.len() {
        return Err(EditError::BehindEnd { len: list.len(), slot: to });
    }
    let at = to.holding(statement.tag());
    list.insert(to.index, *statement);
    Ok(Edit::Remove { at })
}

pub(super) fn remove(scenario: &mut Scenario, at: StatementPath) -> Result<Edit, EditError> {
    let statement = take_out(scenario, &at)?;
    Ok(Edit::Insert { to: Slot { list: at.list, index: at.index }, statement: Box::new(statement) })
}

pub(super) fn replace(scenario: &mut Scenario, at: &StatementPath, statement: Statement) -> Result<Edit, EditError> {
    scenario.statement(at)?;
    let now = at.list.at(at.index, statement.tag());
    let mut old = statement;
    if let Some(place) = scenario.list_mut(&at.list)?.get_mut(at.index) {
        std::mem::swap(place, &mut old);
    }
    Ok(Edit::Replace { at: now, statement: Box::new(old) })
}

pub(super) fn relocate(scenario: &mut Scenario, from: &StatementPath, to: Slot) -> Result<Edit, EditError> {
    let statement = take_out(scenario, from)?;
    let inverse = Edit::Move { from: to.holding(statement.tag()), to: Slot::of(from) };
    let put_in = match scenario.list_mut(&to.list) {
        Ok(list) if to.index <= list.len() => {
            list.insert(to.index, statement);
            return Ok(inverse);
        }
        Ok(list) => EditError::BehindEnd { len: list.len(), slot: to },
        Err(astray) => astray.into(),
    };
    // Back to where it was.
    scenario.list_mut(&from.list)?.insert(from.index, statement);
    Err(put_in)
}

pub(super) fn wrap(
    scenario: &mut Scenario,
    first: Slot,
    count: usize,
    mut around: Statement,
    key: BodyKey,
) -> Result<Edit, EditError> {
    let tag = around.tag();
    let body = around.body_mut(key).ok_or(EditError::NoBody { tag, key })?;
    if !body.is_empty() {
        return Err(EditError::BodyTaken { tag, key });
    }
    let list = scenario.list_mut(&first.list)?;
    let end = first.index.checked_add(count).filter(|end| *end <= list.len());
    let Some(end) = end else { return Err(EditError::BehindEnd { len: list.len(), slot: first }) };
    body.extend(list.drain(first.index..end));
    list.insert(first.index, around);
    Ok(Edit::Unwrap { at: first.holding(tag), key })
}

pub(super) fn unwrap(scenario: &mut Scenario, at: &StatementPath, key: BodyKey) -> Result<Edit, EditError> {
    let no_body = EditError::NoBody { tag: at.tag, key };
    if scenario.statement(at)?.body(key).is_none() {
        return Err(no_body);
    }
    let list = scenario.list_mut(&at.list)?;
    let mut around = list.remove(at.index);
    let body = around.body_mut(key).map(std::mem::take).unwrap_or_default();
    let count = body.len();
    list.splice(at.index..at.index, body);
    Ok(Edit::Wrap { first: Slot::of(at), count, around: Box::new(around), key })
}

pub(super) fn set_field(
    scenario: &mut Scenario,
    at: StatementPath,
    field: String,
    value: Option<Value>,
) -> Result<Edit, EditError> {
    let statement = scenario.statement(&at)?;
    let wrong = |message: String| EditError::Field { at: at.clone(), message };
    let mut written = serde_json::to_value(statement).map_err(|error| wrong(error.to_string()))?;
    let fields = written.get_mut(at.tag.word()).and_then(Value::as_object_mut);
    let fields = fields.ok_or_else(|| wrong("it has no fields".to_owned()))?;
    let old = match value {
        Some(value) => fields.insert(field.clone(), value),
        None => fields.remove(&field),
    };
    // Read as a file is, for the same sentences.
    let changed: Statement = json::parse(&written.to_string()).map_err(|fault| wrong(fault.message))?;
    if let Some(place) = scenario.list_mut(&at.list)?.get_mut(at.index) {
        *place = changed;
    }
    Ok(Edit::SetField { at, field, value: old })
}

fn take_out(scenario: &mut Scenario, at: &StatementPath) -> Result<Statement, EditError> {
    scenario.statement(at)?;
    Ok(scenario.list_mut(&at.list)?.remove(at.index))
}
