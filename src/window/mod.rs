//! The window: an eframe application around [`state::WindowState`].
//!
//! In each frame, widgets read the state and send [`actions::WindowAction`]s; these are then applied, and only they change the state.
//!
//! - `state`: what the window knows
//! - `actions`: what changes it: keys and widgets, and what the background reports
//! - `background`: the threads of the model and of the GPUs
//! - `shown_run`: a run with everything that its picture needs
//! - `timeline`, `range`, `graph`, `panels`: what is shown; `look`: colours and widgets

mod actions;
mod application;
mod background;
mod graph;
mod look;
mod panels;
mod range;
mod shown_run;
mod start;
mod state;
mod timeline;

use eframe::CreationContext;
use egui::ViewportBuilder;

use crate::worker::{self, Client};

pub use application::Window;
pub use background::gpus::Gpus;
pub use start::{Start, WindowError};

/// Opens the window and returns when it is closed.
///
/// # Errors
/// [`WindowError`] when the start is wrong or there is no display.
pub fn run(start: Start) -> Result<(), WindowError> {
    let worker = start.worker.clone().map_or_else(worker::Command::this_program, Ok);
    let mut window = Window::new(start)?;
    match worker {
        Ok(command) => window = window.with_gpus(Client::new(command)),
        Err(error) => window = window.without_gpus(&error.to_string()),
    }
    /// The least room, in points, in which all is still there.
    const LEAST: [f32; 2] = [640.0, 440.0];
    let size = window.place().map_or([1440.0, 860.0], |place| place.size.map(|length| length as f32));
    let mut viewport = ViewportBuilder::default()
        .with_title("Streamscope")
        .with_app_id("streamscope")
        .with_inner_size([size[0].max(LEAST[0]), size[1].max(LEAST[1])])
        .with_min_inner_size(LEAST)
        // A screen that is not there any more takes nothing with it.
        .with_clamp_size_to_monitor_size(true);
    if let Some(at) = window.place().and_then(|place| place.at) {
        viewport = viewport.with_position(at.map(|edge| edge as f32));
    }
    let options = eframe::NativeOptions { viewport, renderer: eframe::Renderer::Glow, ..Default::default() };
    let create = move |creation: &CreationContext<'_>| {
        let mut window = window;
        window.attach(&creation.egui_ctx);
        Ok(Box::new(window) as Box<dyn eframe::App>)
    };
    eframe::run_native("streamscope", options, Box::new(create)).map_err(|error| WindowError::display(&error))
}
