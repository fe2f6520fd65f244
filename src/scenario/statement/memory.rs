//! Statements about memory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{Flag, Name, Number, is_default};
use crate::kernel::Dtype;

/// A tensor on the device, from the caching allocator, bound to the current stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tensor {
    /// Its name.
    pub name: Name,
    /// Elements in each dimension.
    pub shape: Vec<Number>,
    /// Element type.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dtype: Dtype,
    /// `torch.full`: every element gets this value by a kernel. Without it, `torch.empty`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<Number>,
}

/// A buffer in host memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostTensor {
    /// Its name.
    pub name: Name,
    /// Elements in each dimension.
    pub shape: Vec<Number>,
    /// Element type.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dtype: Dtype,
    /// Page-locked, so that the copy engine reaches it without staging.
    #[serde(default, skip_serializing_if = "is_default")]
    pub pinned: Flag,
    /// Every element gets this value. Without it the pages are fresh: the first access faults each one in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<Number>,
}

/// Another name for the leading part of a tensor, such as `inp[:13]`, or a part further on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// The new name.
    pub name: Name,
    /// The tensor that it looks into.
    pub of: Name,
    /// Elements in each dimension of the view.
    pub shape: Vec<Number>,
    /// Elements before the first one of the view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<Number>,
}

/// The name goes out of scope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drop {
    /// The name.
    pub name: Name,
}

/// A name starts to stand for another tensor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rebind {
    /// The name.
    pub name: Name,
    /// What it stands for from now on.
    pub to: Name,
}

/// `tensor.record_stream(stream)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordStream {
    /// The tensor whose memory block is meant.
    pub tensor: Name,
    /// The stream that uses it; without it the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<Name>,
}

/// `torch.cuda.empty_cache()`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EmptyCache {}

/// `cudaMalloc`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawMalloc {
    /// Name of the new memory.
    pub name: Name,
    /// Size.
    pub bytes: Number,
}

/// `cudaFree`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawFree {
    /// The memory.
    pub name: Name,
}

/// `cudaMallocAsync` on the current stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MallocAsync {
    /// Name of the new memory.
    pub name: Name,
    /// Size.
    pub bytes: Number,
}

/// `cudaFreeAsync` on the current stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FreeAsync {
    /// The memory.
    pub name: Name,
}

/// `cudaMallocHost`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MallocHost {
    /// Name of the new memory.
    pub name: Name,
    /// Size.
    pub bytes: Number,
}

/// `cudaFreeHost`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FreeHost {
    /// The memory.
    pub name: Name,
}
