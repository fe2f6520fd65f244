//! Host time of PyTorch operations.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Curve;
use crate::text::Key;

macro_rules! host_ops {
    ($($(#[$doc:meta])* $variant:ident = $id:literal as $shown:literal,)*) => {
        /// An operation of PyTorch, as far as its host time goes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum HostOp {
            $($(#[$doc])* #[serde(rename = $id)] $variant,)*
        }

        impl HostOp {
            /// Every one.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// What the timeline calls it; where that is no code but words, in English.
            pub fn shown(self) -> &'static str {
                match self {
                    $(Self::$variant => $shown,)*
                }
            }
        }
    };
}

host_ops! {
    /// `a + b`.
    Add = "add" as "a + b",
    /// `x + number`, `x * number`.
    Scalar = "scalar" as "x * number",
    /// `x.add_(1)`, and other operations in place.
    InPlace = "in_place" as "in place",
    /// `torch.add(a, b, out=c)`.
    Out = "out" as "out=",
    /// `torch.matmul`.
    Matmul = "matmul" as "torch.matmul",
    /// `torch.nn.Linear`.
    Linear = "linear" as "nn.Linear",
    /// `torch.nn.LayerNorm`.
    LayerNorm = "layer_norm" as "nn.LayerNorm",
    /// `gelu`.
    Gelu = "gelu" as "gelu",
    /// `softmax`.
    Softmax = "softmax" as "softmax",
    /// `x[:, :n]`.
    Slice = "slice" as "slice",
    /// `x[0]`.
    Select = "select" as "select",
    /// `torch.empty`.
    Empty = "empty" as "torch.empty",
    /// `torch.full`.
    Full = "full" as "torch.full",
    /// `x.clone()`.
    Clone = "clone" as "clone",
    /// `x.sum()`.
    Sum = "sum" as "sum",
    /// A kernel of the user's own, such as `torch.cuda._sleep`.
    Custom = "custom" as "custom kernel",
    /// `d.copy_(h, non_blocking=True)` over the link.
    CopyLink = "copy_link" as "copy_",
    /// `d.copy_(other)` within the device.
    CopyDevice = "copy_device" as "copy_",
    /// `h.to("cuda")`.
    ToDevice = "to_device" as ".to(\"cuda\")",
    /// `d.to("cpu")`, `.cpu()`.
    ToHost = "to_host" as ".to(\"cpu\")",
    /// `x.item()`.
    Item = "item" as ".item()",
    /// `x.tolist()`.
    Tolist = "tolist" as ".tolist()",
    /// `print(x)`.
    Print = "print" as "print(tensor)",
    /// `x.nonzero()`.
    Nonzero = "nonzero" as ".nonzero()",
    /// `event.record()`.
    Record = "record" as "event.record",
    /// `event.record()` of a timing event.
    RecordTiming = "record_timing" as "event.record",
    /// `stream.wait_event`.
    WaitEvent = "wait_event" as "wait_event",
    /// `stream.wait_stream`.
    WaitStream = "wait_stream" as "wait_stream",
    /// `with torch.cuda.stream(s)`.
    WithStream = "with_stream" as "with stream",
    /// `x.record_stream(s)`.
    RecordStream = "record_stream" as "record_stream",
    /// `torch.cuda.synchronize()`.
    Synchronize = "synchronize" as "synchronize",
    /// `stream.synchronize()`.
    StreamSynchronize = "stream_synchronize" as "stream.synchronize",
    /// `event.synchronize()`.
    EventSynchronize = "event_synchronize" as "event.synchronize",
    /// `event.query()`.
    Query = "query" as "event.query",
    /// `torch.cuda.Stream()`.
    StreamNew = "stream_new" as "torch.cuda.Stream",
    /// `torch.cuda.Event()`.
    EventNew = "event_new" as "torch.cuda.Event",
    /// `g.replay()`.
    Replay = "replay" as "graph.replay",
    /// `torch.cuda.empty_cache()`.
    EmptyCache = "empty_cache" as "empty_cache",
}

impl HostOp {
    /// The words of the text table for an operation that the timeline calls by no code.
    pub fn words(self) -> Option<Key> {
        match self {
            Self::Scalar => Some(Key::OpScalar),
            Self::InPlace => Some(Key::OpInPlace),
            Self::Custom => Some(Key::OpCustom),
            _code => None,
        }
    }
}

/// Host time of PyTorch operations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pytorch {
    /// How it was measured.
    pub measured: String,
    /// Host time in µs of each operation on an idle GPU, the CUDA calls in it included, without waiting for the GPU.
    pub op_us: BTreeMap<HostOp, f64>,
    /// Added to the first launch after the thread has not launched for a while, since the interpreter's and PyTorch's code
    /// and data have left the caches: `[pause µs, added µs]`, and no more after longer pauses.
    pub cold_us: Curve,
    /// How the time above the CUDA calls divides.
    pub layers: Layers,
    /// Smallest and largest factor by which the same loop differed between machines and days.
    pub spread: [f64; 2],
}

/// How host time above the CUDA calls divides, in parts of 1 (the lecture's proportions; the total is what was measured).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layers {
    /// The Python interpreter.
    pub python: f64,
    /// PyTorch's dispatcher, with autograd.
    pub dispatcher: f64,
    /// The operator in C++, with the allocator.
    pub aten: f64,
}

impl Pytorch {
    /// Host time of `op` in µs.
    pub fn us(&self, op: HostOp) -> f64 {
        self.op_us.get(&op).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Lang;

    #[test]
    fn what_is_no_code_reads_the_same_in_the_table() {
        for op in HostOp::ALL {
            assert_eq!(op.words().map_or(op.shown(), |key| Lang::En.text(key)), op.shown());
        }
    }
}
