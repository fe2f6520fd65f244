//! Numbers as cards: how many stand side by side, how large they are, and how they look.

use egui::{Frame, Label, Margin, RichText, Role, ScrollArea, Stroke, Ui, Vec2, WidgetInfo, vec2};

use crate::text::{Key, Lang};
use crate::window::look::palette::{Palette, strong};

/// One number and what is said below it.
pub(super) struct NumberCard {
    pub(super) title: String,
    pub(super) value: String,
    pub(super) under: String,
    /// What it means, for who asks.
    pub(super) hint: Option<String>,
    /// Whether it is wrong.
    pub(super) is_wrong: bool,
}

impl NumberCard {
    /// A number that needs no more words.
    pub(super) fn new(title: &str, value: String, under: String) -> Self {
        Self { title: title.to_owned(), value, under, hint: None, is_wrong: false }
    }

    /// One that is not what it should be.
    pub(super) fn alarming(self) -> Self {
        Self { is_wrong: true, ..self }
    }
}

/// How large a card is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct CardSize {
    /// Narrowest.
    least: f32,
    height: f32,
    spacing: f32,
    margin: Vec2,
    title: f32,
    value: f32,
    /// Whether there is room for what is said below the number, or that is told to who points at it.
    has_under: bool,
}

const LARGE: CardSize = CardSize {
    least: 130.0,
    height: 78.0,
    spacing: 10.0,
    margin: vec2(12.0, 9.0),
    title: 12.0,
    value: 19.0,
    has_under: true,
};
const SMALL: CardSize = CardSize {
    least: 88.0,
    height: 46.0,
    spacing: 6.0,
    margin: vec2(8.0, 5.0),
    title: 11.0,
    value: 15.0,
    has_under: false,
};

/// How a number of cards is arranged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Arrangement {
    size: CardSize,
    in_row: usize,
    width: f32,
    height: f32,
}

impl Arrangement {
    /// `room` is what cards and timeline share. Cards that would take more than a third of it are small ones; the timeline has
    /// half in any case, and more cards than that can be scrolled.
    pub(super) fn new(count: usize, room: Vec2) -> Self {
        let of = |size: CardSize| {
            let in_row = count.min(((room.x + size.spacing) / (size.least + size.spacing)) as usize).max(1);
            let height = count.div_ceil(in_row) as f32 * (size.height + size.spacing);
            Self { size, in_row, width: (room.x + size.spacing) / in_row as f32 - size.spacing, height }
        };
        let large = of(LARGE);
        if large.height <= room.y / 3.0 {
            return large;
        }
        let small = of(SMALL);
        Self { height: small.height.min((room.y / 2.0).max(0.0)), ..small }
    }

    /// Of all rows, with the space below.
    pub(super) fn height(&self) -> f32 {
        self.height
    }

    /// Shows the cards.
    pub(super) fn show(&self, ui: &mut Ui, palette: &Palette, lang: Lang, numbers: &[NumberCard]) {
        let spacing = vec2(self.size.spacing, self.size.spacing);
        let height = self.height - self.size.spacing;
        ScrollArea::vertical().id_salt("numbers").auto_shrink([false, true]).max_height(height).show(ui, |ui| {
            ui.spacing_mut().item_spacing = spacing;
            for row in numbers.chunks(self.in_row) {
                ui.horizontal(|ui| row.iter().for_each(|number| self.card(ui, palette, lang, number)));
            }
        });
        ui.spacing_mut().item_spacing = spacing;
    }

    fn card(&self, ui: &mut Ui, palette: &Palette, lang: Lang, number: &NumberCard) {
        let CardSize { margin, title, value, has_under, .. } = self.size;
        /// Of the line around a card.
        const LINE: f32 = 1.0;
        let frame = Frame::new()
            .fill(palette.panel)
            .stroke(Stroke::new(LINE, if number.is_wrong { palette.alert } else { palette.line }))
            .corner_radius(6)
            .inner_margin(Margin::symmetric(margin.x as i8, margin.y as i8));
        let width = self.width - 2.0 * (margin.x + LINE);
        let shown = frame.show(ui, |ui| {
            ui.vertical(|ui| {
                ui.set_width(width.max(40.0));
                ui.spacing_mut().item_spacing.y = 2.0;
                ui.add(Label::new(RichText::new(&number.title).size(title).color(palette.muted)).truncate());
                let (ink, quiet) =
                    if number.is_wrong { (palette.alert, palette.alert) } else { (palette.text, palette.muted) };
                ui.add(Label::new(strong(number.value.as_str(), value).color(ink)).truncate());
                if has_under {
                    ui.add(Label::new(RichText::new(&number.under).size(11.0).color(quiet)).truncate());
                }
            });
        });
        if !has_under {
            // A screen reader needs no room.
            let said = lang.fill(Key::Says, &[&number.title, &lang.list(&[&number.value, &number.under])]);
            shown.response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &said));
        }
        let under = Some(&number.under).filter(|under| !has_under && !under.is_empty());
        let more: Vec<&str> = under.into_iter().chain(&number.hint).map(String::as_str).collect();
        if !more.is_empty() {
            shown.response.on_hover_text(more.join("\n"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_timeline_keeps_half_of_the_room() {
        for count in 1..60 {
            for width in [120.0, 412.0, 692.0, 1200.0] {
                for height in [0.0, 90.0, 200.0, 358.0, 700.0] {
                    let cards = Arrangement::new(count, vec2(width, height));
                    assert!(cards.height() <= height / 2.0, "{count} in {width}×{height}: {cards:?}");
                    assert!(cards.in_row >= 1 && cards.width >= cards.size.least.min(width), "{cards:?}");
                }
            }
        }
        assert_eq!(Arrangement::new(5, vec2(692.0, 448.0)).size, LARGE);
        assert_eq!(Arrangement::new(7, vec2(412.0, 358.0)).size, SMALL);
    }
}
