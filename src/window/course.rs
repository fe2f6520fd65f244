//! The left panel: the shipped scenarios by chapter, and the files that were opened.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use egui::text::{LayoutJob, TextWrapping};
use egui::{CornerRadius, FontId, RichText, Role, ScrollArea, Sense, Ui, WidgetInfo, vec2};

use super::command::Action;
use super::state::{Document, Place, State};
use super::style::{Palette, semibold, strong};
use crate::scenario;
use crate::text::{Key, Lang, Localized};

/// A shipped scenario in the list.
struct Entry {
    name: &'static str,
    title: Localized,
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
pub(super) fn show(ui: &mut Ui, palette: &Palette, state: &State, actions: &mut Vec<Action>) {
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
                let is_open = state.document.place == Place::Preset(entry.name);
                if item(ui, palette, entry.title.get(lang), is_open) {
                    actions.push(Action::OpenPreset(entry.name));
                }
            }
        }
        ui.add_space(16.0);
        header(ui, palette, lang, Key::MyScenarios);
        let copies = state.copies();
        if state.files.is_empty() && copies.is_empty() {
            ui.horizontal(|ui| {
                ui.add_space(10.0);
                ui.add(
                    egui::Label::new(RichText::new(lang.text(Key::MyScenariosHint)).small().color(palette.muted))
                        .wrap(),
                );
            });
        }
        for place in state.files.iter().cloned().map(Place::File).chain(copies) {
            let is_open = state.document.place == place;
            if item(ui, palette, &name(state, &place), is_open) {
                actions.push(Action::Reopen(place));
            }
        }
    });
}

/// What a person calls a scenario: its file, and whether it holds what was not saved.
pub(super) fn name(state: &State, place: &Place) -> String {
    let lang = state.settings.lang;
    let document = if *place == state.document.place { Some(&state.document) } else { state.remembered.get(place) };
    let is_edited = document.is_some_and(Document::is_edited);
    match place {
        Place::Copy { of, number: 1 } => lang.fill(Key::Edited, &[of]),
        Place::Copy { of, number } => lang.fill(Key::EditedAgain, &[of, &number.to_string()]),
        Place::Preset(name) => format!("{name}.json"),
        Place::File(path) => {
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
            if is_edited { lang.fill(Key::Edited, &[&name]) } else { name.into_owned() }
        }
    }
}

fn header(ui: &mut Ui, palette: &Palette, lang: Lang, key: Key) {
    ui.horizontal(|ui| {
        ui.add_space(10.0);
        ui.label(strong(lang.text(key).to_uppercase(), 11.0).color(palette.muted));
    });
}

/// One line of the list; whether it was clicked.
fn item(ui: &mut Ui, palette: &Palette, text: &str, is_open: bool) -> bool {
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
    job.wrap = TextWrapping::truncate_at_width(rect.width() - 33.0);
    let galley = painter.layout_job(job);
    painter.galley(rect.left_center() + vec2(25.0, -galley.size().y / 2.0), galley, color);
    response.on_hover_cursor(egui::CursorIcon::PointingHand).clicked()
}
