//! What runs beside the window: the model, the GPUs, the reading of files. They know nothing of the state.

pub(in crate::window) mod gpus;
pub(in crate::window) mod model;
pub(in crate::window) mod read_file;
pub(in crate::window) mod run_failure;
pub(in crate::window) mod thread;
