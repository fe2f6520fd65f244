//! Statements about streams and events.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{Name, Number, is_default};
use super::Statement;

/// A stream. The legacy default stream exists already, as `default`, and so does `per_thread`, of which each host thread has
/// one of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stream {
    /// Its name.
    pub name: Name,
    /// How it orders with the legacy default stream.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kind: StreamKind,
    /// CUDA priority: lower is more urgent, 0 the least. Out of range is clamped, as CUDA does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Number>,
}

/// How a stream orders with the legacy default stream (CUDA Runtime API, "Stream synchronization behavior").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamKind {
    /// Not at all. Every `torch.cuda.Stream` is one (PyTorch, `c10/cuda/CUDAStream.cpp`).
    #[default]
    NonBlocking,
    /// Work on either waits for the other.
    Blocking,
}

/// `with torch.cuda.stream(…)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct On {
    /// The stream that becomes the current one.
    pub stream: Name,
    /// What happens on it.
    pub body: Vec<Statement>,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// Its name.
    pub name: Name,
    /// Whether it stores a time. PyTorch's default is not to (`c10/cuda/CUDAEvent.h`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub timing: bool,
    /// Whether a host thread that waits for it sleeps instead of spinning.
    #[serde(default, skip_serializing_if = "is_default")]
    pub blocking_sync: bool,
}

/// `event.record(stream)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The event.
    pub event: Name,
    /// The stream; without it the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<Name>,
    /// `cudaEventRecordExternal`: a node of its own in a captured graph. Outside a capture it is error 401.
    #[serde(default, skip_serializing_if = "is_default")]
    pub external: bool,
}

/// `stream.wait_event(event)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wait {
    /// The event; its most recent record counts.
    pub event: Name,
    /// The stream that waits; without it the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<Name>,
    /// `cudaEventWaitExternal`: a node of its own in a captured graph. Outside a capture it is error 401.
    #[serde(default, skip_serializing_if = "is_default")]
    pub external: bool,
}

/// `stream.wait_stream(other)`: an event recorded on the other and waited for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitStream {
    /// The stream whose work so far is waited for.
    pub other: Name,
    /// The stream that waits; without it the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<Name>,
}

/// The host waits: for the device when neither is named, otherwise for a stream or an event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Synchronize {
    /// The stream to wait for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<Name>,
    /// The event to wait for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<Name>,
}

/// `event.query()` or `stream.query()`: one of the two is named.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// The event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<Name>,
    /// The stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<Name>,
    /// Name of the value: 1 when complete, else 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub into: Option<Name>,
}

/// `start.elapsed_time(end)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Elapsed {
    /// Timing event recorded first.
    pub start: Name,
    /// Timing event recorded last.
    pub end: Name,
    /// Name of the value, in microseconds.
    pub into: Name,
}
