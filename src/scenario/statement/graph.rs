//! Statements about CUDA graphs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{Name, is_default};
use super::Statement;

/// `with torch.cuda.graph(…)`: capture, then instantiate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Capture {
    /// Name of the graph.
    pub graph: Name,
    /// The stream that captures; without it a side stream made for it, as PyTorch does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<Name>,
    /// What is forbidden meanwhile.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mode: CaptureMode,
    /// Private pool to share with other graphs; without it one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<Name>,
    /// What is captured.
    pub body: Vec<Statement>,
}

/// `cudaStreamBeginCapture` by itself: what follows is captured until `end_capture`, wherever that stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BeginCapture {
    /// Name of the graph.
    pub graph: Name,
    /// The stream that captures; without it the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<Name>,
    /// What is forbidden meanwhile.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mode: CaptureMode,
    /// Private pool to share with other graphs; without it one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<Name>,
}

/// `cudaStreamEndCapture`. The graph is not executable before `instantiate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndCapture {
    /// The graph.
    pub graph: Name,
    /// The stream on which the capture is ended; without it the one on which it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<Name>,
}

/// What is forbidden while a stream captures (CUDA driver API, `cuThreadExchangeStreamCaptureMode`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CaptureMode {
    /// Potentially unsafe calls of every thread.
    #[default]
    Global,
    /// Potentially unsafe calls of the capturing thread.
    ThreadLocal,
    /// Nothing but what conflicts with the capture itself.
    Relaxed,
}

/// `cudaGraphInstantiate`, where it is not part of the capture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Instantiate {
    /// The graph.
    pub graph: Name,
}

/// `graph.replay()` on the current stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// The graph.
    pub graph: Name,
}

/// `cudaGraphExecUpdate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Update {
    /// The executable graph that changes.
    pub graph: Name,
    /// The graph whose parameters it takes over.
    pub from: Name,
}

/// A captured graph becomes a node of the one being captured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Child {
    /// The graph.
    pub graph: Name,
}
