//! The document: knobs, a setup, a program, and the figures it is held against.
//!
//! [`Scenario`] mirrors the file word for word. [`load`] reads one with line and column in every error; [`preset`] finds
//! the shipped ones. What a scenario *means* is decided by [`crate::program`].

mod check;
mod document;
pub mod expression;
mod file;
mod key_order;
mod knob;
mod lanes;
mod layout;
pub mod path;
mod preset;
mod source_text;
pub mod statement;
mod tree;
mod value;

pub use check::{Misfit, check};
pub use document::{Device, FORMAT_VERSION, HostOverhead, Reference, Scenario};
pub use file::{LoadError, json, load, open, open_with_text, save, save_like, schema};
pub use knob::{ChoiceOption, Knob, KnobError, KnobValue, Knobs};
pub use lanes::{FirstView, LaneKind, LaneSet};
pub use path::StatementPath;
pub use preset::{Preset, preset, presets};
pub use source_text::SourceText;
pub use statement::{Statement, StatementTag};
pub use tree::{Astray, AstrayReason};
use value::is_default;
pub use value::{Flag, Name, Number};
