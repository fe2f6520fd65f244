//! Rows of a table. Columns are as wide as they are told, and nothing is remembered from the frame before: what changes while it is
//! shown never overprints.

use egui::{Align, Label, Layout, RichText, Ui, vec2};

/// Between two columns.
pub(in crate::window) const GAP: f32 = 12.0;

/// A cell: width, side and text.
pub(in crate::window) type Cell = (f32, Align, RichText);

/// Cells side by side; long texts wrap.
pub(in crate::window) fn row(ui: &mut Ui, cells: impl IntoIterator<Item = Cell>) {
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = GAP;
        for (width, side, text) in cells {
            ui.allocate_ui_with_layout(vec2(width, 0.0), Layout::top_down(side), |ui| {
                ui.set_width(width);
                ui.add(Label::new(text).wrap());
            });
        }
    });
}
