//! What runs in the background, as far as it has come.

/// Which part is done of each run, 0–1; `None` where nothing runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::window) struct BackgroundProgress {
    /// The model, or the reading of a file.
    pub(in crate::window) model: Option<f32>,
    /// A GPU.
    pub(in crate::window) gpu: Option<f32>,
}
