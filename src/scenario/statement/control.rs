//! Statements that arrange other statements.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{Flag, Name, Number};
use super::Statement;
use crate::text::Localized;

/// Statements several times over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// How often.
    pub times: Number,
    /// Name of the index, which counts from 0 and can be used in expressions and in `buf[i]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// What is repeated.
    pub body: Vec<Statement>,
}

/// Statements that depend on the knobs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// An expression over knobs and loop indices, such as `"=item"`, `"=op == 'gemm'"` or `"=batch > 16"`.
    pub test: Flag,
    /// What happens if it holds.
    pub then: Vec<Statement>,
    /// What happens if not.
    #[serde(default, rename = "else", skip_serializing_if = "Vec::is_empty")]
    pub otherwise: Vec<Statement>,
}

/// Statements under a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// The name.
    pub name: Localized,
    /// What belongs to it.
    pub body: Vec<Statement>,
}

/// A value of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// Its name, with the unit at the end: `step_us`.
    pub name: Name,
    /// An expression over knobs and the values that `clock`, `item`, `elapsed` and `read_host` named; `null` for none.
    pub value: Option<Number>,
    /// What a person calls it; without it, its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Localized>,
    /// The unit that a person reads: `µs`, `tokens/s`, or `%` for a share of 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Localized>,
}
