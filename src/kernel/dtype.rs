//! Element types.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Type of a tensor's elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Dtype {
    /// 32-bit floating point, PyTorch's default.
    #[default]
    F32,
    /// 16-bit floating point.
    F16,
    /// 16-bit brain floating point.
    Bf16,
    /// 64-bit integer.
    I64,
    /// Bytes.
    U8,
}

impl Dtype {
    /// Size of an element.
    pub fn bytes(self) -> u64 {
        match self {
            Self::I64 => 8,
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
            Self::U8 => 1,
        }
    }

    /// The name in files and labels.
    pub fn id(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::I64 => "i64",
            Self::U8 => "u8",
        }
    }
}
