//! What an action needs besides the state.

use std::time::Duration;

use crossbeam_channel::Sender;
use egui::Context;

use crate::window::background::gpus::GpuThread;
use crate::window::background::model::ModelThread;
use crate::window::state::Banner;

/// What an action needs besides the state.
pub(in crate::window) struct Tools<'a> {
    pub(in crate::window) ctx: &'a Context,
    /// None when the thread could not be started.
    pub(in crate::window) model: Option<&'a mut ModelThread>,
    /// None when nobody asks for GPUs, or the thread could not be started.
    pub(in crate::window) gpus: Option<&'a mut GpuThread>,
    /// How long a frame waits for the model.
    pub(in crate::window) patience: Duration,
    /// Takes what is said later, when a screenshot has been written.
    pub(in crate::window) notices: &'a Sender<Banner>,
    /// Whether the thread of the model has died.
    pub(in crate::window) lost: bool,
    /// Whether the thread of the GPUs has died.
    pub(in crate::window) gpus_lost: bool,
}
