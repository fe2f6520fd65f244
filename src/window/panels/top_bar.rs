//! The top bar: what is open, where the picture comes from, and the commands that have a button.

use egui::{
    Align, ComboBox, Label, Layout, Rect, RichText, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2,
};

use super::run_on;
use super::scenario_name;
use crate::text::{Key, Lang};
use crate::window::actions::{WindowAction, WindowCommand};
use crate::window::look::palette::{CONTROL, Palette, strong};
use crate::window::look::widgets::{command_button, segments};
use crate::window::state::WindowState;
use crate::window::state::settings::RunOn;

/// Shows the bar.
pub(in crate::window) fn show(ui: &mut Ui, palette: &Palette, state: &WindowState, actions: &mut Vec<WindowAction>) {
    let lang = state.settings.lang;
    // What can go when there is little room, first to go first: the name of the file, the scenario's title, which the course
    // shows too, and profiles side by side; the program's own name, and buttons of commands that also have keys.
    let room = ui.available_width();
    // In a lecture hall everything is larger.
    let scale = if state.settings.projector { 1.5 } else { 1.0 };
    let is_tight = room < 1330.0 * scale;
    let is_narrow = room < 900.0 * scale;
    let width = ui.ctx().content_rect().width();
    ui.horizontal(|ui| {
        side_button(ui, lang, WindowCommand::CoursePanel, state.settings.shows_course(width), actions);
        if !is_narrow {
            ui.label(strong("Streamscope", 16.0));
            ui.add_space(8.0);
        }
        let viewed = state.viewed.as_deref().map(scenario_name::file_name);
        let title = viewed.clone().unwrap_or_else(|| state.document().scenario().title.get(lang).to_owned());
        let title = RichText::new(title).size(14.0);
        if state.settings.projector {
            // Choosers and buttons stay; what they leave is the title's.
            const OTHERS: f32 = 520.0;
            ui.scope(|ui| {
                ui.set_max_width((room - OTHERS).max(40.0));
                ui.add(Label::new(title).truncate());
            });
        } else if !is_tight {
            ui.label(title);
        }
        let place = scenario_name::name(state, state.document().place());
        if !is_tight && !state.settings.projector && viewed.is_none() {
            ui.label(RichText::new(place).size(12.0).color(palette.muted));
        }
        if !is_narrow {
            ui.add_space(12.0);
        }
        if viewed.is_none() {
            run_on::chooser(ui, palette, state, is_tight, actions);
            profiles(ui, palette, state, is_tight, actions);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            side_button(ui, lang, WindowCommand::InspectorPanel, state.settings.shows_inspector(width), actions);
            for command in
                [WindowCommand::Keys, WindowCommand::Language, WindowCommand::Appearance, WindowCommand::Projector]
            {
                command_button(ui, lang, command, actions);
            }
            if !state.settings.projector {
                let commands: &[WindowCommand] = match is_narrow {
                    true => &[WindowCommand::Open],
                    false => &[WindowCommand::Export, WindowCommand::Save, WindowCommand::Open],
                };
                for &command in commands {
                    command_button(ui, lang, command, actions);
                }
            }
        });
    });
}

/// Shows or hides what stands at a side of the timeline.
fn side_button(ui: &mut Ui, lang: Lang, command: WindowCommand, shown: bool, actions: &mut Vec<WindowAction>) {
    let offer = command.offer();
    let (rect, response) = ui.allocate_exact_size(vec2(26.0, CONTROL.y), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, shown, lang.text(offer.text)));
    let visuals = ui.style().interact_selectable(&response, shown);
    let frame = Rect::from_center_size(rect.center(), vec2(18.0, 14.0));
    let side = match command {
        WindowCommand::CoursePanel => Rect::from_min_max(frame.min, pos2(frame.left() + 6.0, frame.bottom())),
        _ => Rect::from_min_max(pos2(frame.right() - 6.0, frame.top()), frame.max),
    };
    let stroke = Stroke::new(1.2, visuals.fg_stroke.color);
    ui.painter().rect_stroke(frame, 2.0, stroke, StrokeKind::Inside);
    if shown {
        ui.painter().rect_filled(side, 1.0, visuals.fg_stroke.color);
    } else {
        ui.painter().rect_stroke(side, 1.0, stroke, StrokeKind::Inside);
    }
    if response.has_focus() {
        ui.painter().rect_stroke(rect, 4.0, stroke, StrokeKind::Inside);
    }
    if response.on_hover_text(offer.told(ui.ctx(), lang)).clicked() {
        actions.push(WindowAction::Do(command));
    }
}

/// The profiles of the model, side by side or behind one another. A recording has none to be chosen.
fn profiles(ui: &mut Ui, palette: &Palette, state: &WindowState, is_tight: bool, actions: &mut Vec<WindowAction>) {
    let shows_recording = state.settings.run_on == RunOn::Recording && state.is_recorded();
    ui.add_enabled_ui(!shows_recording, |ui| {
        let titles = state.profiles.iter().map(|profile| profile.title.get(state.settings.lang));
        let clicked = if is_tight {
            let chosen = titles.clone().nth(state.profile).unwrap_or_default();
            let list = ComboBox::from_id_salt("profile").width(0.0).selected_text(chosen).show_ui(ui, |ui| {
                let item =
                    |(i, title): (usize, &str)| ui.selectable_label(i == state.profile, title).clicked().then_some(i);
                titles.enumerate().filter_map(item).last()
            });
            list.response.on_hover_text(state.settings.lang.text(Key::ProfileHint));
            list.inner.flatten()
        } else {
            segments(ui, palette, titles, state.profile)
        };
        actions.extend(clicked.map(WindowAction::UseProfile));
    });
}
