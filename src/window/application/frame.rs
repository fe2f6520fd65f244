//! What happens in a frame: reports are taken, keys and widgets are asked, and what they ask for is done.

use std::time::Duration;

use egui::{CentralPanel, Context, Frame, Margin, Panel, Ui};

use super::Window;
use crate::text::Key;
use crate::window::actions::WindowAction;
use crate::window::actions::pressed::pressed;
use crate::window::look::palette::Palette;
use crate::window::panels::numbers::{self, Below};
use crate::window::panels::{banner, course, finder, inspector, key_sheet, knobs, path_dialog, source_line, top_bar};
use crate::window::state::sentence::Sentence;
use crate::window::state::{Banner, WindowState};

impl Window {
    /// One frame: keys, widgets, then what they asked for.
    pub fn frame(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        self.take_reports(&ctx);
        // An open dialog has the keyboard to itself.
        let is_busy = self.state.dialog.is_some() || self.state.finder.is_some();
        let mut actions = if is_busy { Vec::new() } else { pressed(&ctx) };
        actions.extend(dropped(&ctx));
        self.act(&ctx, actions);
        let mut actions = Vec::new();
        self.show(ui, &mut actions);
        if !actions.is_empty() {
            let run = self.state.shown.number;
            self.act(&ctx, actions);
            if self.state.shown.number != run {
                // The picture of before is not shown again: this frame is drawn anew.
                ctx.request_discard("there is a new run");
            }
            ctx.request_repaint();
        }
        if !ctx.input(|input| input.pointer.any_down()) {
            self.state.documents.open.end_turn();
        }
        self.keep_settings();
        if let Some(keeper) = &mut self.keeper {
            keeper.follow(self.state.documents.all());
        }
    }

    /// What the background has to say.
    fn take_reports(&mut self, ctx: &Context) {
        self.with_tools(ctx, |state, tools| {
            let patience = std::mem::replace(&mut tools.patience, Duration::ZERO);
            state.take_model_reports(tools);
            tools.patience = patience;
            state.take_gpu_reports(tools);
        });
        while let Ok(banner) = self.notices.1.try_recv() {
            self.state.banner = Some(banner);
        }
    }

    fn act(&mut self, ctx: &Context, actions: Vec<WindowAction>) {
        for action in actions {
            self.with_tools(ctx, |state, tools| state.apply(action, tools));
        }
        if self.palette.theme.dark != self.state.settings.dark {
            self.palette = Palette::new(self.state.settings.dark);
            self.palette.apply(ctx);
        }
        let zoom = if self.state.settings.projector { 1.35 } else { 1.0 };
        if ctx.zoom_factor() != zoom {
            ctx.set_zoom_factor(zoom);
        }
    }

    fn show(&mut self, ui: &mut Ui, actions: &mut Vec<WindowAction>) {
        let palette = &self.palette;
        let bar = |inner: Margin| Frame::new().fill(palette.panel).inner_margin(inner);
        Panel::top("top")
            .frame(bar(Margin::symmetric(18, 8)))
            .show(ui, |ui| top_bar::show(ui, palette, &self.state, actions));
        banner::show(ui, palette, &self.state, actions);
        let knobs = bar(Margin::symmetric(18, 8)).fill(palette.background);
        Panel::top("knobs").frame(knobs).show(ui, |ui| knobs::show(ui, palette, &self.state, actions));
        let width = ui.ctx().content_rect().width();
        if self.state.settings.shows_course(width) {
            Panel::left("course")
                .frame(bar(Margin::same(0)))
                .default_size(232.0)
                .size_range(150.0..=320.0)
                .show(ui, |ui| course::show(ui, palette, &self.state, actions));
        }
        if self.state.settings.shows_inspector(width) {
            Panel::right("inspector")
                .frame(bar(Margin::symmetric(18, 14)))
                .exact_size(304.0)
                .show(ui, |ui| inspector::show(ui, palette, &self.state, actions));
        }
        let middle = Frame::new().fill(palette.background).inner_margin(Margin::symmetric(18, 10));
        CentralPanel::default().frame(middle).show(ui, |ui| {
            let WindowState { settings, shown, .. } = &self.state;
            let below = Below::new(ui, &self.state);
            source_line::show(ui, palette, &self.state, actions);
            let lanes = (self.state.folded(), below.height());
            self.timeline.show(ui, palette, settings, shown, lanes, actions);
            ui.add_space(6.0);
            if self.state.graph_shown {
                self.graph.show(ui, palette, settings.lang, shown, actions);
            }
            numbers::show(ui, palette, &self.state, &below, actions);
            dim(ui, palette, self.state.progress.model.is_some());
        });
        path_dialog::show(ui, palette, &mut self.state, actions);
        key_sheet::show(ui, palette, &self.state, actions);
        finder::show(ui, palette, &mut self.state, actions);
    }

    pub(super) fn keep_settings(&mut self) {
        if self.saved == self.state.settings {
            return;
        }
        self.saved = self.state.settings.clone();
        if let Some(Err(error)) = self.settings_path.as_deref().map(|path| self.saved.write(path)) {
            self.state.banner = Some(Banner::Failure(Sentence::about(Key::FailedToKeepSettings, error)));
            self.settings_path = None;
        }
    }
}

/// Veils the picture while the model works on another, so that nobody takes the old one for the answer. A short wait shows nothing.
fn dim(ui: &Ui, palette: &Palette, is_stale: bool) {
    const SECONDS: f32 = 0.3;
    const DIMMED: f32 = 0.55;
    let part = ui.ctx().animate_bool_with_time(ui.scope_id().with("stale"), is_stale, SECONDS);
    if is_stale && part > 0.0 {
        let veil = palette.background.gamma_multiply(DIMMED * part);
        // Where the picture comes from, how far the next one is and its end stay bright.
        let area = ui.max_rect().with_min_y(ui.max_rect().top() + source_line::HEIGHT);
        ui.painter().rect_filled(area, 0.0, veil);
    }
}

/// Files that were dropped onto the window.
fn dropped(ctx: &Context) -> Vec<WindowAction> {
    let files = ctx.input(|input| input.raw.dropped_files.clone());
    files.iter().map(|file| WindowAction::OpenFile(file.path().to_owned())).collect()
}
