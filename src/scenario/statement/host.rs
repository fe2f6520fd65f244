//! Statements about the host.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{Name, Number};
use super::Statement;
use crate::text::Localized;

/// The host computes something of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Work {
    /// How long, in microseconds.
    pub dur_us: Number,
    /// What the timeline says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Localized>,
}

/// The wall clock is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Clock {
    /// Name of the value, in microseconds.
    pub into: Name,
}

/// A read of a tensor that the host waits for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// The tensor. One of more than one element is indexed first, as in `x[0, 0].item()`.
    pub of: Name,
    /// Name of the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub into: Option<Name>,
}

/// An operation whose result has a size that only the GPU knows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nonzero {
    /// The tensor.
    pub of: Name,
}

/// The host reads a buffer of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// The buffer.
    pub buffer: Name,
    /// Name of the value: the mean of the buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub into: Option<Name>,
}

/// The host writes a buffer of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Write {
    /// The buffer.
    pub buffer: Name,
    /// Value of every element afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Number>,
}

/// Statements of another host thread, which starts here. It sees the names that stand at this place; those that it binds or
/// drops are its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Thread {
    /// Its name.
    pub name: Name,
    /// What it does.
    pub body: Vec<Statement>,
}

/// A signal between host threads. Once given it stays given; a loop gives `"ready[i]"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Signal {
    /// Its name.
    pub name: Name,
}
