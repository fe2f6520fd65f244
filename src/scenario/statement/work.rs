//! Statements that give the GPU something to do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{Flag, Name, Number, is_default};
use crate::text::Localized;

/// A kernel. Its shape follows from the tensors that it reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// Which kernel of the catalogue, or one of a given duration.
    pub kernel: KernelChoice,
    /// Tensors that it reads, in the order of its operands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<Name>,
    /// Functional form: the result is a new tensor under this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out: Option<Name>,
    /// In place or `out=`: the result goes into existing tensors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<Name>,
    /// What the timeline says; without it the kernel and its shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Localized>,
}

/// Which kernel is launched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(
    clippy::large_enum_variant,
    reason = "a document has few launches, and a box would be in the way of each match"
)]
pub enum KernelChoice {
    /// `a @ b`: `[m, k]` and `[k, n]` give `[m, n]`.
    Matmul,
    /// `torch.nn.Linear`: `[…, in]` and the weight `[out, in]` give `[…, out]`.
    Linear,
    /// `torch.nn.LayerNorm` over the last dimension.
    LayerNorm,
    /// `gelu(x)`.
    Gelu,
    /// `softmax(x, -1)`.
    Softmax,
    /// `a + b`.
    Add,
    /// `x + number`.
    AddScalar(Number),
    /// `x * number`.
    MulScalar(Number),
    /// `x.clone()`, or a strided tensor made contiguous.
    Clone,
    /// `torch.full`, `fill_`.
    Fill(Number),
    /// `x.sum()`.
    Sum,
    /// A kernel that takes a given time alone on an idle GPU.
    Timed(Timed),
}

/// A kernel that takes a given time alone on an idle GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timed {
    /// Duration of the grid alone on an idle GPU, in microseconds.
    pub dur_us: Number,
    /// Number of blocks; 1 without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<Number>,
    /// Threads a block; 128 without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<Number>,
    /// Registers a thread; 32 without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registers: Option<Number>,
    /// Bytes of shared memory a block; 0 without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_bytes: Option<Number>,
}

/// `to.copy_(from)`. The direction follows from where the two live.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Copy {
    /// Source.
    pub from: Name,
    /// Destination.
    pub to: Name,
    /// Whether the host may go on before the copy is done. What really happens depends on the host memory.
    #[serde(default, skip_serializing_if = "is_default")]
    pub non_blocking: Flag,
    /// A copy through raw pointers, which PyTorch's pinned allocator does not see.
    #[serde(default, skip_serializing_if = "is_default")]
    pub untracked: bool,
}

/// `tensor.to("cuda")`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToDevice {
    /// Source, in host memory.
    pub of: Name,
    /// Name of the new tensor.
    pub out: Name,
    /// Whether the host may go on before the copy is done.
    #[serde(default, skip_serializing_if = "is_default")]
    pub non_blocking: Flag,
}

/// `tensor.to("cpu")`: into fresh pageable memory, or with `non_blocking` into pinned memory (PyTorch 2.x,
/// `aten/src/ATen/native/TensorConversions.cpp`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToHost {
    /// Source, on the device.
    pub of: Name,
    /// Name of the new buffer.
    pub out: Name,
    /// Whether the host may go on before the copy is done.
    #[serde(default, skip_serializing_if = "is_default")]
    pub non_blocking: Flag,
}

/// `cudaMemsetAsync`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Memset {
    /// The tensor.
    pub tensor: Name,
    /// The value of every element afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Number>,
}

/// `cudaLaunchHostFunc`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostFunction {
    /// How long the function runs, in microseconds.
    pub dur_us: Number,
    /// What the timeline says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Localized>,
}

/// A collective, such as an all-reduce. On one GPU it is what the others see of it: a kernel of a few blocks that reads and
/// writes the tensor for a given time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Collective {
    /// The tensor.
    pub tensor: Name,
    /// How long it takes, in microseconds.
    pub dur_us: Number,
    /// Number of blocks; 16 without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<Number>,
    /// What the timeline says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Localized>,
}
