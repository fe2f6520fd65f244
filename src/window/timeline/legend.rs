//! The legend below the time axis: what is seen now. Pointing at an entry lights that in the lanes, and dims the rest.

use egui::{Align2, FontId, Rect, Role, Sense, Ui, Vec2, WidgetInfo, pos2, vec2};

use crate::drawing::{LegendItem, View, legend};
use crate::recording::Recording;
use crate::scenario::LaneSet;
use crate::text::{Key, Lang};
use crate::time::{Interval, Ns};
use crate::window::actions::WindowAction;
use crate::window::look::palette::Palette;
use crate::window::look::widgets::{flow, swatch};
use crate::window::shown_run::ShownRun;
use crate::window::state::run_view::RunView;

/// Height of a row.
const ROW: f32 = 18.0;
/// More rows than that are not worth the lanes' room: what does not fit is told to who points at the last entry.
const MOST_ROWS: usize = 2;
const SWATCH: Vec2 = vec2(14.0, 11.0);
/// From the swatch to the name, and from the name to the next entry.
const BEFORE_NAME: f32 = 6.0;
const GAP: f32 = 16.0;
const LETTERS: f32 = 11.0;

/// The number of a run, the lanes of it that are folded, which part is seen, and how wide that is.
type SeenPart = (u64, LaneSet, View, u32);

/// A run, and the lanes of it that are folded: a strip needs no legend.
type Drawn<'a> = (&'a ShownRun, LaneSet);

/// The entries for what was seen last, and how much room the legend of that run takes.
#[derive(Default)]
pub(super) struct Legend {
    entries: Option<(SeenPart, Vec<LegendItem>)>,
    rows: Option<((u64, LaneSet, Lang, f32), usize)>,
}

impl Legend {
    /// Room for all that there is in the run, so that lanes stay where they are when the view changes.
    pub(super) fn height(&mut self, ui: &Ui, lang: Lang, run_view: &RunView, run: Drawn<'_>, room: f32) -> f32 {
        let key = (run_view.number, run.1, lang, room);
        let known = self.rows.filter(|(known, _)| *known == key).map(|(_, rows)| rows);
        let rows = known.unwrap_or_else(|| {
            let all = items(run, run.0.prepared.extent(), Ns::ZERO);
            let widths: Vec<f32> = names(run.0, &all, lang).iter().map(|name| width(ui, name)).collect();
            flow(&widths, GAP, room).last().map_or(0, |(row, _)| row + 1).min(MOST_ROWS)
        });
        self.rows = Some((key, rows));
        rows as f32 * ROW
    }

    /// Shows it right of `gutter`.
    #[expect(clippy::too_many_arguments, reason = "what every part of the timeline is given")]
    pub(super) fn show(
        &mut self,
        ui: &mut Ui,
        palette: &Palette,
        lang: Lang,
        run_view: &RunView,
        run: Drawn<'_>,
        gutter: f32,
        actions: &mut Vec<WindowAction>,
    ) {
        let rows = self.rows.map_or(0, |(_, rows)| rows);
        let (whole, _) = ui.allocate_exact_size(vec2(ui.available_width(), rows as f32 * ROW), Sense::hover());
        let area = Rect::from_min_max(whole.min + vec2(gutter, 0.0), whole.max);
        let seen = self.seen(run_view, run, area.width());
        let names = names(run.0, seen, lang);
        let (places, shown) = places(ui, &names, area.width(), rows, lang);
        let mut hovered = None;
        for ((item, name), (row, x)) in seen.iter().zip(&names).zip(&places).take(shown) {
            let at = area.min + vec2(*x, *row as f32 * ROW);
            let is_other = run_view.hovered_item.is_some_and(|it| it != *item);
            if entry(ui, palette, *item, name, at, is_other) {
                hovered = Some(*item);
            }
        }
        if let (Some(left_out @ [_, ..]), Some((row, x))) = (names.get(shown..), places.get(shown)) {
            more(ui, palette, lang, left_out, area.min + vec2(*x, *row as f32 * ROW));
        }
        if hovered != run_view.hovered_item {
            actions.push(WindowAction::HoverItem(hovered));
        }
    }

    /// What is seen now, looked up once for each view.
    fn seen(&mut self, run_view: &RunView, run: Drawn<'_>, width: f32) -> &[LegendItem] {
        let view = run_view.views.current();
        let key = (run_view.number, run.1, view, width.max(1.0) as u32);
        if self.entries.as_ref().is_none_or(|(known, _)| *known != key) {
            // A cause with less time than a point is wide is not seen.
            let least = Ns(view.interval.dur().0 / i64::from(key.3));
            self.entries = Some((key, items(run, view.interval, least)));
        }
        self.entries.as_ref().map_or(&[], |(_, items)| items)
    }
}

fn items((run, folded): Drawn<'_>, view: Interval, least: Ns) -> Vec<LegendItem> {
    legend(&[(&run.recording, &run.prepared, folded)], view, least)
}

fn names(run: &ShownRun, items: &[LegendItem], lang: Lang) -> Vec<String> {
    let shown: [&Recording; 1] = [&run.recording];
    items.iter().map(|item| item.name(&shown, lang)).collect()
}

/// Of an entry with the space behind it.
fn width(ui: &Ui, name: &str) -> f32 {
    let font = FontId::proportional(LETTERS);
    let text = ui.painter().layout_no_wrap(name.to_owned(), font, egui::Color32::PLACEHOLDER);
    SWATCH.x + BEFORE_NAME + text.size().x + GAP
}

/// Where entries stand, and how many are shown; behind them is room to say how many are not.
fn places(ui: &Ui, names: &[String], room: f32, rows: usize, lang: Lang) -> (Vec<(usize, f32)>, usize) {
    let widths: Vec<f32> = names.iter().map(|name| width(ui, name)).collect();
    let fits = |places: &[(usize, f32)]| places.last().is_none_or(|(row, _)| *row < rows);
    let whole = flow(&widths, GAP, room);
    if fits(&whole) {
        return (whole, names.len());
    }
    let more = width(ui, &lang.fill(Key::LegendMore, &["00"]));
    for shown in (0..names.len()).rev() {
        let widths: Vec<f32> = widths.iter().take(shown).copied().chain([more]).collect();
        let places = flow(&widths, GAP, room);
        if fits(&places) {
            return (places, shown);
        }
    }
    (Vec::new(), 0)
}

/// Shows one entry; whether the pointer is on it.
fn entry(ui: &Ui, palette: &Palette, item: LegendItem, name: &str, at: egui::Pos2, is_other: bool) -> bool {
    let size = vec2(width(ui, name) - GAP + 4.0, ROW);
    let response = ui.interact(Rect::from_min_size(at, size), ui.scope_id().with(("legend", item)), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, name));
    let piece = Align2::LEFT_CENTER.anchor_size(at + vec2(0.0, ROW / 2.0), SWATCH);
    let mut painter = ui.painter().clone();
    if is_other {
        painter.multiply_opacity(0.45);
    }
    swatch(&painter, palette, item, piece);
    let color = if response.hovered() { palette.text } else { palette.muted };
    let text = pos2(piece.right() + BEFORE_NAME, piece.center().y);
    painter.text(text, Align2::LEFT_CENTER, name, FontId::proportional(LETTERS), color);
    response.hovered()
}

/// Says how many entries there are beside, and which to who points at it.
fn more(ui: &Ui, palette: &Palette, lang: Lang, left_out: &[String], at: egui::Pos2) {
    let text = lang.fill(Key::LegendMore, &[&left_out.len().to_string()]);
    let rect = Rect::from_min_size(at, vec2(width(ui, &text) - GAP, ROW));
    let response = ui.interact(rect, ui.scope_id().with("legend, more"), Sense::hover());
    let all = lang.list(left_out);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, lang.fill(Key::Says, &[&text, &all])));
    let at = rect.left_center();
    ui.painter().text(at, Align2::LEFT_CENTER, text, FontId::proportional(LETTERS), palette.accent);
    response.on_hover_text(all);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_flow_as_words_do() {
        let places = flow(&[60.0, 60.0, 60.0, 200.0, 10.0], GAP, 120.0);
        assert_eq!(places, [(0, 0.0), (0, 60.0), (1, 0.0), (2, 0.0), (3, 0.0)]);
        // The third would end 16 points of space behind the edge: it fits.
        assert_eq!(flow(&[60.0, 60.0, 60.0], GAP, 164.0).last(), Some(&(0, 120.0)));
    }
}
