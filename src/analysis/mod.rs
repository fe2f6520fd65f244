//! What a recording means: bubbles and their causes, and one set of numbers for picture, table and JSON.

mod bubble;
mod queue;

pub use bubble::{Bubble, Bubbles, Place, bubbles, gpu_busy};
pub use queue::{QueueDepth, queue_depth};
