//! The threads beside the window: they are started when it is attached, and again when one has died.

use std::sync::PoisonError;

use egui::Context;

use super::Window;
use crate::document::drafts::Keeper;
use crate::drawing::egui_fonts;
use crate::text::Key;
use crate::window::actions::tools::Tools;
use crate::window::background::gpus;
use crate::window::background::model;
use crate::window::background::thread::{BackgroundThread, Tell, Watch};
use crate::window::state::sentence::Sentence;
use crate::window::state::{Banner, WindowState};

impl Window {
    /// Gives the window fonts, colours and its background threads, looks for GPUs and runs the scenario.
    pub fn attach(&mut self, ctx: &Context) {
        ctx.set_fonts(egui_fonts());
        self.palette.apply(ctx);
        self.start_model(ctx);
        self.start_gpus(ctx);
        self.start_keeper(ctx);
        self.with_tools(ctx, WindowState::ask_for_gpus);
        self.with_tools(ctx, |state, tools| match state.viewed.take() {
            Some(path) => state.view(path, tools),
            None => state.run_scenario(tools),
        });
    }

    fn start_model(&mut self, ctx: &Context) {
        let wake = ctx.clone();
        let run = |request: model::ModelRequest, watch: Watch<'_>, tell: Tell<'_, model::ModelNews>| {
            model::carry_out(&request, watch, tell);
        };
        self.model = BackgroundThread::start("model", run, move || wake.request_repaint()).ok();
    }

    fn start_gpus(&mut self, ctx: &Context) {
        let Some(gpus) = self.gpus_to_ask.clone() else { return };
        let wake = ctx.clone();
        let answer = move |question, watch: Watch<'_>, tell: Tell<'_, gpus::GpuAnswer>| {
            let mut gpus = gpus.lock().unwrap_or_else(PoisonError::into_inner);
            gpus::answer(&mut *gpus, question, watch, tell);
        };
        self.gpus = BackgroundThread::start("gpu", answer, move || wake.request_repaint()).ok();
    }

    fn start_keeper(&mut self, ctx: &Context) {
        let Some((shelf, kept)) = self.shelf.take() else { return };
        let (notices, wake) = (self.notices.0.clone(), ctx.clone());
        let fail = move |error| {
            // When the window has gone, nobody is left to be told.
            let _gone = notices.send(Banner::Failure(Sentence::about(Key::FailedToKeepEdits, error)));
            wake.request_repaint();
        };
        match Keeper::start(shelf, kept, fail) {
            Ok(keeper) => self.keeper = Some(keeper),
            Err(error) => {
                self.state.banner = Some(Banner::Failure(Sentence::about(Key::FailedToKeepEdits, error)));
            }
        }
    }

    /// Lets the state do something that needs more than the state.
    pub(super) fn with_tools(&mut self, ctx: &Context, what: impl FnOnce(&mut WindowState, &mut Tools<'_>)) {
        let mut tools = Tools {
            ctx,
            model: self.model.as_mut(),
            gpus: self.gpus.as_mut(),
            patience: self.patience,
            notices: &self.notices.0,
            lost: false,
            gpus_lost: false,
        };
        what(&mut self.state, &mut tools);
        let (lost, gpus_lost) = (tools.lost, tools.gpus_lost);
        // The next run gets a thread of its own.
        if gpus_lost {
            self.start_gpus(ctx);
        }
        if lost {
            self.start_model(ctx);
        }
    }
}
