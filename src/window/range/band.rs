//! The selected range over the timeline: a band with its duration.

use egui::{Align2, FontId, Rect, Stroke, Ui, pos2, vec2};

use crate::drawing::Layout;
use crate::time::Interval;
use crate::window::look::palette::{Palette, semibold};

/// Paints `range`, as far as it is in view, over the lanes in `area`.
pub(in crate::window) fn paint(ui: &Ui, palette: &Palette, layout: &Layout, area: Rect, range: Interval) {
    let [left, right] = [range.start, range.end].map(|at| area.left() + layout.scale.x(at));
    if right < area.left() || left > area.right() {
        return;
    }
    let painter = ui.painter().with_clip_rect(area);
    let band = Rect::from_x_y_ranges(left.max(area.left() - 2.0)..=right.min(area.right() + 2.0), area.y_range());
    painter.rect_filled(band, 0.0, palette.accent.gamma_multiply(0.14));
    for x in [left, right] {
        painter.vline(x, area.y_range(), Stroke::new(1.5, palette.accent));
    }
    let font = FontId::new(12.5, semibold());
    let text = painter.layout_no_wrap(range.dur().to_string(), font, palette.on_primary);
    let pad = vec2(7.0, 2.0);
    let size = text.size() + 2.0 * pad;
    // It stays whole where the band is narrow or reaches out of view.
    let middle = band
        .center()
        .x
        .clamp(area.left() + size.x / 2.0, (area.right() - size.x / 2.0).max(area.left() + size.x / 2.0));
    let plate = Align2::CENTER_TOP.anchor_size(pos2(middle, area.top() + 3.0), size);
    painter.rect_filled(plate, 4.0, palette.accent);
    painter.galley(plate.min + pad, text, palette.on_primary);
}
