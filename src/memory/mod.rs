//! The caching allocator of PyTorch, pure over a small device trait, so that the model, the GPU executor and the hazard
//! checker drive the same one.

mod addresses;
mod caching;
mod pinned;
mod pool;

pub use addresses::Addresses;
pub use caching::{Allocator, Change, Device, OutOfMemory, Outcome, Usage};
pub use pinned::{PinnedCache, pinned_block_bytes};
pub use pool::Block;
