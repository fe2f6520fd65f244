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
        Err(error) => window = window.without_gpus(error.to_string()),
    }
    let viewport = ViewportBuilder::default()
        .with_title("Streamscope")
        .with_app_id("streamscope")
        .with_inner_size([1440.0, 860.0])
        .with_min_inner_size([760.0, 480.0]);
    let options = eframe::NativeOptions { viewport, renderer: eframe::Renderer::Glow, ..Default::default() };
    let create = move |creation: &CreationContext<'_>| {
        let mut window = window;
        window.attach(&creation.egui_ctx);
        Ok(Box::new(window) as Box<dyn eframe::App>)
    };
    eframe::run_native("streamscope", options, Box::new(create)).map_err(|error| WindowError::display(&error))
}
