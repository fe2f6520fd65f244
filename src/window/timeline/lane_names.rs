//! The names left of the lanes: a click folds lanes of that kind to a strip, or opens them.

use egui::{CursorIcon, Rect, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};

use crate::drawing::Layout;
use crate::text::Key;
use crate::window::actions::WindowAction;
use crate::window::look::palette::Palette;
use crate::window::state::settings::Settings;

/// Half the size of the sign that says whether a lane is open.
const SIGN: f32 = 3.0;

/// Takes clicks on the names, which stand between `left` and the frame of the lanes.
pub(super) fn show(
    ui: &Ui,
    palette: &Palette,
    settings: &Settings,
    layout: &Layout,
    (left, frame): (f32, Rect),
    actions: &mut Vec<WindowAction>,
) {
    for (i, lane) in layout.lanes.iter().enumerate().filter(|(_, lane)| !lane.names.is_empty()) {
        let top = frame.top() + lane.rect.y;
        let rect = Rect::from_min_max(pos2(left, top), pos2(frame.left() - 4.0, top + lane.rect.h));
        let response = ui.interact(rect, ui.scope_id().with(("name", i)), Sense::click());
        let kind = lane.row.kind();
        let key = if lane.is_folded { Key::OpenLanes } else { Key::FoldLanes };
        let said = settings.lang.fill(key, &[&lane.title]);
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &said));
        let is_pointed = response.hovered() || response.has_focus();
        if is_pointed || lane.is_folded {
            let color = if is_pointed { palette.accent } else { palette.muted };
            sign(ui, rect, lane.is_folded, Stroke::new(1.4, color));
        }
        if response.on_hover_cursor(CursorIcon::PointingHand).on_hover_text(said).clicked() {
            actions.push(WindowAction::FoldLanes(kind));
        }
    }
}

/// A corner that points to the right where lanes are folded, and down where they are open.
fn sign(ui: &Ui, rect: Rect, is_folded: bool, stroke: Stroke) {
    let middle = pos2(rect.left() + SIGN + 2.0, rect.center().y);
    let corner = if is_folded {
        [vec2(-SIGN / 2.0, -SIGN), vec2(SIGN / 2.0, 0.0), vec2(-SIGN / 2.0, SIGN)]
    } else {
        [vec2(-SIGN, -SIGN / 2.0), vec2(0.0, SIGN / 2.0), vec2(SIGN, -SIGN / 2.0)]
    };
    ui.painter().add(Shape::line(corner.map(|by| middle + by).to_vec(), stroke));
}
