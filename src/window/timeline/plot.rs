//! Axis, grid and lanes as they are drawn, and as a screen reader is told of them.

use std::sync::Arc;

use egui::{Color32, Rect, Role, Sense, Ui, Vec2, WidgetInfo, vec2};
use egui_plot::{GridMark, Plot};

use crate::bytes::Bytes;
use crate::drawing::layout::{RowKind, ticks};
use crate::drawing::{KeptShapes, Layout, TimelineItem};
use crate::text::{Key, Lang};
use crate::window::look::palette::Palette;
use crate::window::shown_run::ShownRun;

/// Room for a number on the axis.
const TICK: f32 = 84.0;

/// The plot: axis, grid and our item.
pub(super) fn plot(ui: &mut Ui, palette: &Palette, layout: &Arc<Layout>, kept: &KeptShapes, frame: Rect) {
    let marks = ticks(layout.view, ((frame.width() / TICK) as usize).max(1));
    let spaced = marks.clone();
    let step = marks.first().zip(marks.get(1)).map_or(1.0, |(a, b)| (b.at - a.at).0 as f64);
    let bounds = TimelineItem::plot_bounds(layout);
    let item = TimelineItem::new("timeline", Arc::clone(layout), kept.clone());
    let label = move |mark: GridMark, _: &_| {
        let found = marks.iter().find(|tick| tick.at.0 as f64 == mark.value);
        found.map_or_else(String::new, |tick| tick.label.clone())
    };
    let plot = Plot::new("lanes")
        .width(frame.width())
        .height(frame.height())
        .invert_y(true)
        .show_axes([true, false])
        .show_grid([true, false])
        .grid_color(palette.line)
        .show_background(false)
        .show_x(false)
        .show_y(false)
        .show_crosshair(false)
        .cursor_color(Color32::TRANSPARENT)
        .set_margin_fraction(Vec2::ZERO)
        .allow_zoom(false)
        .allow_drag(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .allow_axis_zoom_drag(false)
        .sense(Sense::hover())
        .x_grid_spacer(move |_| {
            spaced.iter().map(|tick| GridMark { value: tick.at.0 as f64, step_size: step }).collect()
        })
        .x_axis_formatter(label);
    let mut inside = ui.new_child(egui::UiBuilder::new().max_rect(frame));
    plot.show(&mut inside, move |plot| {
        plot.set_plot_bounds(bounds);
        plot.add(item);
    });
}

/// Lanes as nodes of the accessibility tree.
pub(super) fn publish(ui: &Ui, run: &ShownRun, layout: &Layout, area: Rect, lang: Lang) {
    for (i, lane) in layout.lanes.iter().enumerate() {
        let rect = Rect::from_min_size(area.min + vec2(lane.rect.x, lane.rect.y), vec2(lane.rect.w, lane.rect.h));
        let spans = lane.row.lane().and_then(|lane| run.recording.lanes.get(lane));
        let mut said = lane.title.clone();
        if let Some(spans) = spans {
            let count = lang.fill(Key::LaneSpans, &[&spans.spans.len().to_string()]);
            said = lang.fill(Key::Says, &[&said, &count]);
            let stream = run.analysis.metrics.streams.iter().find(|metrics| metrics.track == spans.track);
            if let Some(stream) = stream.filter(|_| spans.depth == 0) {
                let busy = lang.fill(Key::LaneBusy, &[&stream.busy.to_string()]);
                said = lang.list(&[&said, &busy]);
            }
        }
        if let Some((allocated, reserved)) = run.prepared.memory_peaks().filter(|_| lane.row == RowKind::Memory) {
            let map = &run.recording.memory_map;
            let counts = [map.blocks.len(), map.segments.len()].map(|count| count.to_string());
            let peaks = [allocated, reserved].map(|bytes| Bytes(bytes).to_string());
            let all = lang.fill(Key::LaneBlocks, &[&counts[0], &counts[1], &peaks[0], &peaks[1]]);
            said = lang.fill(Key::Says, &[&said, &all]);
        }
        let response = ui.interact(rect, ui.scope_id().with(("lane", i)), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &said));
    }
}
