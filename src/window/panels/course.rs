//! The left panel: the shipped scenarios by chapter, and the files that were opened.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use egui::text::{LayoutJob, TextWrapping};
use egui::{CornerRadius, FontId, Rect, RichText, Role, ScrollArea, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::scenario_name::name;
use crate::document::{Document, Place};
use crate::scenario;
use crate::text::{Key, Lang, Localized};
use crate::window::actions::WindowAction;
use crate::window::look::palette::{Palette, semibold, strong};
use crate::window::state::WindowState;

/// A shipped scenario in the list.
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) title: Localized,
}

/// The shipped scenarios by the number of their chapter.
static COURSE: LazyLock<BTreeMap<u32, Vec<Entry>>> = LazyLock::new(|| {
    let mut course: BTreeMap<u32, Vec<Entry>> = BTreeMap::new();
    for preset in scenario::presets() {
        let Ok(scenario) = preset.scenario() else { continue };
        let chapter = scenario.chapter.as_deref().and_then(|chapter| chapter.split('.').next()?.parse().ok());
        course.entry(chapter.unwrap_or(0)).or_default().push(Entry { name: preset.name, title: scenario.title });
    }
    course
});

/// The shipped scenarios, in the order of the course.
pub(super) fn shipped() -> impl Iterator<Item = &'static Entry> {
    COURSE.values().flatten()
}

fn chapter(number: u32) -> Key {
    match number {
        1 => Key::Chapter1,
        2 => Key::Chapter2,
        3 => Key::Chapter3,
        4 => Key::Chapter4,
        5 => Key::Chapter5,
        6 => Key::Chapter6,
        _ => Key::Chapter0,
    }
}

/// Shows the list.
pub(in crate::window) fn show(ui: &mut Ui, palette: &Palette, state: &WindowState, actions: &mut Vec<WindowAction>) {
    let lang = state.settings.lang;
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        header(ui, palette, lang, Key::Course);
        for (number, entries) in COURSE.iter() {
            ui.add_space(5.0);
            ui.horizontal(|ui| {
                ui.add_space(10.0);
                ui.label(strong(format!("{number}  {}", lang.text(chapter(*number))), 12.5));
            });
            ui.add_space(1.0);
            for entry in entries {
                let is_open = state.viewed.is_none() && *state.document().place() == Place::Preset(entry.name);
                if item(ui, palette, entry.title.get(lang), is_open, None) == Clicked::Item {
                    actions.push(WindowAction::OpenPreset(entry.name));
                }
            }
        }
        ui.add_space(16.0);
        header(ui, palette, lang, Key::MyScenarios);
        let copies = state.documents.copies();
        if state.documents.files.is_empty() && copies.is_empty() {
            ui.horizontal(|ui| {
                ui.add_space(10.0);
                ui.add(
                    egui::Label::new(RichText::new(lang.text(Key::MyScenariosHint)).small().color(palette.muted))
                        .wrap(),
                );
            });
        }
        for place in state.documents.files.iter().cloned().map(Place::File).chain(copies) {
            let is_open = match (&state.viewed, &place) {
                (Some(viewed), Place::File(path)) => viewed == path,
                (Some(_), _) => false,
                (None, place) => state.document().place() == place,
            };
            let is_edited = state.documents.at(&place).is_some_and(Document::is_edited);
            let name = name(state, &place);
            let clicked = item(ui, palette, &name, is_open, is_edited.then_some(lang));
            actions.extend(match clicked {
                Clicked::Nothing => None,
                Clicked::Item => Some(WindowAction::Reopen(place)),
                Clicked::Cross => Some(WindowAction::Discard(place)),
            });
        }
    });
}

fn header(ui: &mut Ui, palette: &Palette, lang: Lang, key: Key) {
    ui.horizontal(|ui| {
        ui.add_space(10.0);
        ui.label(strong(lang.text(key).to_uppercase(), 11.0).color(palette.muted));
    });
}

/// What of a line was clicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clicked {
    Nothing,
    Item,
    Cross,
}

/// One line of the list, with a cross if it can be discarded, which is told in that language.
fn item(ui: &mut Ui, palette: &Palette, text: &str, is_open: bool, discard: Option<Lang>) -> Clicked {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 24.0), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Tab, ui.is_enabled(), is_open, text));
    let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
    if is_open {
        painter.rect_filled(rect, CornerRadius::same(4), palette.selected);
        painter.rect_filled(rect.with_max_x(rect.left() + 3.0), CornerRadius::ZERO, palette.accent);
    } else if response.hovered() || response.has_focus() {
        painter.rect_filled(rect, CornerRadius::same(4), palette.raised);
    }
    let (font, color) = if is_open {
        (FontId::new(12.5, semibold()), palette.text)
    } else {
        (FontId::proportional(12.5), palette.muted)
    };
    let mut job = LayoutJob::simple_singleline(text.to_owned(), font, color);
    let cross_width = if discard.is_some() { 22.0 } else { 0.0 };
    job.wrap = TextWrapping::truncate_at_width(rect.width() - 33.0 - cross_width);
    let galley = painter.layout_job(job);
    painter.galley(rect.left_center() + vec2(25.0, -galley.size().y / 2.0), galley, color);
    let cross = discard.is_some_and(|lang| cross(ui, palette, rect, text, lang));
    if cross {
        return Clicked::Cross;
    }
    match response.on_hover_cursor(egui::CursorIcon::PointingHand).clicked() {
        true => Clicked::Item,
        false => Clicked::Nothing,
    }
}

/// The cross at the right end of a line; whether it was clicked.
fn cross(ui: &Ui, palette: &Palette, line: Rect, text: &str, lang: Lang) -> bool {
    let rect = Rect::from_center_size(pos2(line.right() - 15.0, line.center().y), vec2(18.0, 18.0));
    let response = ui.interact(rect, ui.scope_id().with(("discard", text)), Sense::click());
    let label = lang.fill(Key::Discard, &[text]);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), &label));
    let is_lit = response.hovered() || response.has_focus();
    if is_lit {
        ui.painter().rect_filled(rect, CornerRadius::same(4), palette.hovered);
    }
    let stroke = Stroke::new(1.3, if is_lit { palette.text } else { palette.muted });
    let arm = 3.2;
    ui.painter().line_segment([rect.center() - vec2(arm, arm), rect.center() + vec2(arm, arm)], stroke);
    ui.painter().line_segment([rect.center() + vec2(-arm, arm), rect.center() + vec2(arm, -arm)], stroke);
    response.on_hover_text(lang.text(Key::DiscardHint)).clicked()
}
