//! The catalogue: what kernels exist, what they compute, and how their work grows with their shape.
//!
//! How long a kernel takes is a property of a machine and stands in its [`crate::profile`].

mod dtype;
mod grid;

pub use dtype::Dtype;
pub use grid::Grid;

use std::hash::{Hash, Hasher};

use crate::time::Ns;

/// A kernel with its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// `[m, k] @ [k, n]`.
    Matmul {
        /// Rows of the result.
        m: u64,
        /// Length of the dot products.
        k: u64,
        /// Columns of the result.
        n: u64,
        /// Element type.
        dtype: Dtype,
    },
    /// `m` rows of `k` elements through a layer with `n` outputs, bias included.
    Linear {
        /// Rows.
        m: u64,
        /// Inputs.
        k: u64,
        /// Outputs.
        n: u64,
        /// Element type.
        dtype: Dtype,
    },
    /// Normalization of `rows` rows of `cols` elements.
    LayerNorm {
        /// Rows.
        rows: u64,
        /// Elements a row.
        cols: u64,
    },
    /// Softmax over `rows` rows of `cols` elements.
    Softmax {
        /// Rows.
        rows: u64,
        /// Elements a row.
        cols: u64,
    },
    /// One result for each element.
    Elementwise {
        /// Which.
        function: Elementwise,
        /// Elements.
        elements: u64,
        /// Element type.
        dtype: Dtype,
    },
    /// Sum of all elements.
    Sum {
        /// Elements.
        elements: u64,
        /// Element type.
        dtype: Dtype,
    },
    /// Takes a given time alone on an idle GPU.
    Timed {
        /// That time.
        dur: Ns,
        /// Its blocks and what they need.
        grid: Grid,
    },
}

/// What an elementwise kernel computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Elementwise {
    /// `a + b`.
    Add,
    /// `x + number`.
    AddScalar(f64),
    /// `x * number`.
    MulScalar(f64),
    /// Gaussian error linear unit.
    Gelu,
    /// `x`.
    Clone,
    /// A number, whatever was there.
    Fill(f64),
}

/// The numbers of a scenario are finite, so that a kernel equals itself.
impl Eq for Elementwise {}

impl Hash for Elementwise {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Self::AddScalar(number) | Self::MulScalar(number) | Self::Fill(number) => {
                // -0 equals 0, and adding 0 makes it that.
                (number + 0.0).to_bits().hash(state);
            }
            Self::Add | Self::Gelu | Self::Clone => {}
        }
    }
}

/// How much a kernel does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// Floating-point operations.
    pub flops: f64,
    /// Bytes read and written.
    pub bytes: f64,
}

impl Kernel {
    /// The family in a profile's catalogue. Kernels of one family are compared by their dimensions.
    pub fn family(&self) -> &'static str {
        match self {
            Self::Matmul { .. } => "matmul",
            Self::Linear { .. } => "linear",
            Self::LayerNorm { .. } => "layer_norm",
            Self::Softmax { .. } => "softmax",
            Self::Elementwise { function, .. } => match function {
                Elementwise::Add => "add",
                Elementwise::AddScalar(_) | Elementwise::MulScalar(_) => "scalar",
                Elementwise::Gelu => "gelu",
                Elementwise::Clone => "clone",
                Elementwise::Fill(_) => "fill",
            },
            Self::Sum { .. } => "sum",
            Self::Timed { .. } => "timed",
        }
    }

    /// The dimensions that a catalogue lists: `m, k, n`, or rows and columns, or elements.
    pub fn dims(&self) -> [u64; 3] {
        match *self {
            Self::Matmul { m, k, n, .. } | Self::Linear { m, k, n, .. } => [m, k, n],
            Self::LayerNorm { rows, cols } | Self::Softmax { rows, cols } => [rows, cols, 1],
            Self::Elementwise { elements, .. } | Self::Sum { elements, .. } => [elements, 1, 1],
            Self::Timed { .. } => [1, 1, 1],
        }
    }

    /// Element type.
    pub fn dtype(&self) -> Dtype {
        match *self {
            Self::Matmul { dtype, .. } | Self::Linear { dtype, .. } => dtype,
            Self::Elementwise { dtype, .. } | Self::Sum { dtype, .. } => dtype,
            Self::LayerNorm { .. } | Self::Softmax { .. } | Self::Timed { .. } => Dtype::F32,
        }
    }

    /// How much it does.
    pub fn work(&self) -> Work {
        let size = self.dtype().bytes() as f64;
        match *self {
            Self::Matmul { m, k, n, .. } | Self::Linear { m, k, n, .. } => {
                let (m, k, n) = (m as f64, k as f64, n as f64);
                Work { flops: 2.0 * m * k * n, bytes: size * (m * k + k * n + m * n) }
            }
            Self::LayerNorm { rows, cols } | Self::Softmax { rows, cols } => {
                let elements = rows as f64 * cols as f64;
                Work { flops: 8.0 * elements, bytes: 2.0 * size * elements }
            }
            Self::Elementwise { function, elements, .. } => {
                let touched = match function {
                    Elementwise::Add => 3.0,
                    Elementwise::Fill(_) => 1.0,
                    Elementwise::AddScalar(_) | Elementwise::MulScalar(_) => 2.0,
                    Elementwise::Gelu | Elementwise::Clone => 2.0,
                };
                Work { flops: elements as f64, bytes: touched * size * elements as f64 }
            }
            Self::Sum { elements, .. } => Work { flops: elements as f64, bytes: size * elements as f64 },
            Self::Timed { .. } => Work { flops: 0.0, bytes: 0.0 },
        }
    }

    /// What a person calls it, such as `gemm 1024×1024×1024`.
    pub fn label(&self) -> String {
        match *self {
            Self::Matmul { m, k, n, .. } if m == k && k == n => format!("gemm {m}³"),
            Self::Matmul { m, k, n, .. } => format!("gemm {m}×{k}×{n}"),
            Self::Linear { m, k, n, .. } => format!("linear {m}×{k}→{n}"),
            Self::LayerNorm { rows, cols } => format!("layer_norm {rows}×{cols}"),
            Self::Softmax { rows, cols } => format!("softmax {rows}×{cols}"),
            Self::Elementwise { function, .. } => match function {
                Elementwise::Add => "add".to_owned(),
                Elementwise::AddScalar(by) => format!("add {by}"),
                Elementwise::MulScalar(by) => format!("mul {by}"),
                Elementwise::Gelu => "gelu".to_owned(),
                Elementwise::Clone => "clone".to_owned(),
                Elementwise::Fill(value) => format!("fill {value}"),
            },
            Self::Sum { .. } => "sum".to_owned(),
            Self::Timed { dur, .. } => format!("kernel {dur}"),
        }
    }

    /// The value of every element of the result when each operand holds one value throughout; what is missing counts as 0.
    pub fn compute(&self, operands: &[f64]) -> f64 {
        let operand = |i: usize| operands.get(i).copied().unwrap_or(0.0);
        match *self {
            Self::Matmul { k, .. } | Self::Linear { k, .. } => operand(0) * operand(1) * k as f64,
            Self::LayerNorm { .. } => 0.0,
            Self::Softmax { cols, .. } => 1.0 / cols.max(1) as f64,
            Self::Elementwise { function, .. } => match function {
                Elementwise::Add => operand(0) + operand(1),
                Elementwise::AddScalar(by) => operand(0) + by,
                Elementwise::MulScalar(by) => operand(0) * by,
                Elementwise::Gelu => gelu(operand(0)),
                Elementwise::Clone => operand(0),
                Elementwise::Fill(value) => value,
            },
            Self::Sum { elements, .. } => operand(0) * elements as f64,
            Self::Timed { .. } => operand(0),
        }
    }
}

/// PyTorch's `approximate="tanh"` form, close enough for a value that is only looked at.
fn gelu(x: f64) -> f64 {
    0.5 * x
        * (1.0
            + (std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2 * (x + 0.044_715 * x.powi(3))).tanh())
}
