//! An edit in a line, in no language but the file's: `+ /program/2: {"synchronize":{}}`.

use std::fmt;

use serde::Serialize;

use super::Edit;

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Insert { to, statement } => write!(f, "+ {to}: {}", json(statement)),
            Self::Remove { at } => write!(f, "− {at}"),
            Self::Replace { at, statement } => write!(f, "{at} = {}", json(statement)),
            Self::Move { from, to } => write!(f, "{from} → {to}"),
            Self::Wrap { first, count, around, key: _ } => write!(f, "{first} × {count} → {}", around.tag()),
            Self::Unwrap { at, key } => write!(f, "{at} ← {}", key.word()),
            Self::SetField { at, field, value: Some(value) } => write!(f, "{at}/{field} = {value}"),
            Self::SetField { at, field, value: None } => write!(f, "− {at}/{field}"),
            Self::InsertKnob { index, knob } => write!(f, "+ /knobs/{index}: {}", json(knob)),
            Self::RemoveKnob { index } => write!(f, "− /knobs/{index}"),
            Self::SetKnob { index, knob } => write!(f, "/knobs/{index} = {}", json(knob)),
            Self::SetReferences(references) => write!(f, "/references = {}", json(references)),
            Self::ReplaceAll(scenario) => write!(f, "/ = {}", scenario.name),
        }
    }
}

/// In one line; a document's parts have nothing that JSON could not hold.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
