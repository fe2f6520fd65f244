//! The captured graph: its nodes and edges as a picture that is moved and zoomed like the timeline.

use egui::{Align, Button, ComboBox, Label, Layout, PointerButton, Rect, RichText, ScrollArea, Sense, Ui, Vec2, vec2};

use super::picture::{GraphPicture, SeenColumns};
use crate::text::{Key, Lang};
use crate::window::actions::{WindowAction, WindowCommand};
use crate::window::look::palette::{Palette, strong};
use crate::window::look::widgets::card;
use crate::window::shown_run::ShownRun;
use crate::window::shown_run::captured_graphs::{BoxId, LaidOutGraph};
use crate::window::state::run_view::RunView;

/// Least and most height of the panel.
const HEIGHT: (f32, f32) = (112.0, 190.0);
/// What its frame and its head take.
const HEAD: f32 = 50.0;
/// Narrowest and widest column when a graph is shown first.
const READABLE: (f32, f32) = (60.0, 150.0);
/// Narrowest and widest column at all.
const COLUMN: (f32, f32) = (0.05, 220.0);
/// Lowest and highest row.
const ROW: (f32, f32) = (16.0, 34.0);

/// The graph that is shown, and its number; none where there is none.
fn chosen(run_view: &RunView) -> Option<(usize, &ShownRun, &LaidOutGraph)> {
    let run = run_view.run.as_ref()?;
    let graphs = &run.captured.graphs;
    let replayed = || graphs.iter().position(|shown| !shown.replays.is_empty());
    let number = run_view.graph.filter(|number| *number < graphs.len()).or_else(replayed).unwrap_or(0);
    Some((number, run, graphs.get(number)?))
}

/// Height of the panel, if there is a graph.
pub(in crate::window) fn height(run_view: &RunView) -> Option<f32> {
    let (_, _, shown) = chosen(run_view)?;
    Some((HEAD + 28.0 + ROW.1 * shown.layout.rows as f32).clamp(HEIGHT.0, HEIGHT.1))
}

/// The panel. What it remembers is what is seen of which graph, and the box that was last brought into view.
#[derive(Debug, Default)]
pub(in crate::window) struct GraphPanel {
    seen: Option<(usize, u32, SeenColumns)>,
    brought: Option<BoxId>,
}

impl GraphPanel {
    /// Shows the graph that is chosen.
    pub(in crate::window) fn show(
        &mut self,
        ui: &mut Ui,
        palette: &Palette,
        lang: Lang,
        run_view: &RunView,
        actions: &mut Vec<WindowAction>,
    ) {
        let Some(((number, run, shown), height)) = chosen(run_view).zip(height(run_view)) else { return };
        card(palette).show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.set_height(height - 20.0);
            head(ui, palette, lang, run, number, actions);
            let rows = shown.layout.rows.max(1) as f32;
            let room = height - HEAD;
            let row = (room / rows).clamp(ROW.0, ROW.1);
            ScrollArea::vertical().id_salt(("graph", number)).auto_shrink(false).max_height(room).show(ui, |ui| {
                let size = vec2(ui.available_width(), (row * rows).max(room));
                let (area, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
                let selected =
                    run_view.selection.and_then(|hit| run.captured.box_at(&run.recording, &run.prepared, hit));
                let window = self.window(shown, number, area.width(), selected);
                let seen = gestures(ui, &response, area, shown, window);
                // What nobody has moved goes on to fit the room there is.
                if seen != window || self.seen.is_some() {
                    self.seen = Some((number, shown.layout.columns, seen));
                }
                let picture = GraphPicture { shown, area, seen, row, scale: 1.0, lang };
                let pointed = response.hover_pos().and_then(|at| picture.at(at)).map(|it| (number, it));
                if pointed != run_view.graph_box {
                    actions.push(WindowAction::HoverBox(pointed));
                }
                if let Some(node) = pointed.filter(|_| response.clicked()) {
                    actions.push(WindowAction::SelectBox(node));
                }
                let hovered = run_view.hovered.and_then(|hit| run.captured.box_at(&run.recording, &run.prepared, hit));
                let of_this = |it: Option<BoxId>| it.filter(|(graph, _)| *graph == number).map(|(_, it)| it);
                picture.paint(ui, palette, &[of_this(selected), of_this(hovered), of_this(pointed)]);
                picture.publish(ui);
                if let Some((_, it)) = pointed {
                    response.on_hover_text_at_pointer(picture.told(it));
                }
            });
        });
    }

    /// What was seen before, or a graph from its beginning; a box that was selected just now is brought into view.
    fn window(&mut self, shown: &LaidOutGraph, number: usize, width: f32, selected: Option<BoxId>) -> SeenColumns {
        let columns = shown.layout.columns;
        let known = self.seen.filter(|(graph, count, _)| (*graph, *count) == (number, columns)).map(|seen| seen.2);
        let first = || SeenColumns { left: 0.0, column: (width / columns.max(1) as f32).clamp(READABLE.0, READABLE.1) };
        let mut window = known.unwrap_or_else(first);
        if known.is_none() {
            self.seen = None;
        }
        if let Some((_, it)) = selected.filter(|it| self.brought != Some(*it) && it.0 == number) {
            let column = shown.layout.boxes.get(it as usize).map_or(0.0, |it| it.column as f32);
            let seen = width / window.column;
            if column < window.left || column + 1.0 > window.left + seen {
                window.left = column + 0.5 - seen / 2.0;
                self.seen = Some((number, columns, window));
            }
        }
        self.brought = selected;
        bounded(window, columns, width)
    }
}

/// Kept within the graph.
fn bounded(window: SeenColumns, columns: u32, width: f32) -> SeenColumns {
    let columns = columns.max(1) as f32;
    let column = window.column.clamp((width / columns).clamp(COLUMN.0, READABLE.1), COLUMN.1);
    SeenColumns { left: window.left.clamp(0.0, (columns - width / column).max(0.0)), column }
}

/// Wheel and pinch zoom at the pointer, dragging moves, a double click shows all.
fn gestures(ui: &Ui, response: &egui::Response, area: Rect, shown: &LaidOutGraph, window: SeenColumns) -> SeenColumns {
    let mut next = window;
    if let Some(at) = response.hover_pos() {
        let (wheel, pinch) = ui.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
        let factor = if pinch == 1.0 { (wheel / 200.0).exp() } else { pinch };
        if factor != 1.0 {
            let x = at.x - area.left();
            next.column *= factor;
            next = bounded(SeenColumns { left: 0.0, ..next }, shown.layout.columns, area.width());
            next.left = window.left + x / window.column - x / next.column;
            ui.input_mut(|input| input.smooth_scroll_delta = Vec2::ZERO);
        }
    }
    if response.dragged_by(PointerButton::Primary) {
        next.left -= response.drag_delta().x / next.column;
    }
    if response.double_clicked() {
        next = SeenColumns { left: 0.0, column: 0.0 };
    }
    bounded(next, shown.layout.columns, area.width())
}

/// Which graph it is, how large, how often it is replayed, and the way out.
fn head(ui: &mut Ui, palette: &Palette, lang: Lang, run: &ShownRun, number: usize, actions: &mut Vec<WindowAction>) {
    let graphs = &run.captured.graphs;
    let Some(shown) = graphs.get(number) else { return };
    ui.horizontal(|ui| {
        ui.label(strong(lang.text(Key::CapturedGraph), 12.0));
        if graphs.len() > 1 {
            let name = |number: usize, shown: &LaidOutGraph| format!("{} · {}", number + 1, shown.graph.name);
            let list = ComboBox::from_id_salt("graph").width(0.0).selected_text(name(number, shown));
            let list = list.show_ui(ui, |ui| {
                for (other, shown) in graphs.iter().enumerate() {
                    if ui.selectable_label(other == number, name(other, shown)).clicked() {
                        actions.push(WindowAction::ShowGraph(other));
                    }
                }
            });
            list.response.on_hover_text(lang.text(Key::CapturedGraph));
        } else {
            ui.label(strong(shown.graph.name.as_str(), 12.0).color(palette.accent));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let close = ui.add(Button::new(lang.text(Key::Close)).small());
            if close.clicked() {
                actions.push(WindowAction::Do(WindowCommand::Graph));
            }
            let edges: usize = shown.graph.nodes.iter().map(|node| node.before.len()).sum();
            let counts = [shown.graph.nodes.len(), edges, shown.replays.len()].map(|count| count.to_string());
            let [nodes, edges, replays] = &counts;
            let said = lang.fill(Key::GraphCounts, &[nodes, edges, replays]);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.add(Label::new(RichText::new(said).size(12.0).color(palette.muted)).truncate());
            });
        });
    });
}

/// The part of a graph around a node, for the inspector.
pub(in crate::window) fn excerpt(ui: &mut Ui, palette: &Palette, lang: Lang, run: &ShownRun, (graph, number): BoxId) {
    let Some(shown) = run.captured.graphs.get(graph) else { return };
    let Some(it) = shown.layout.boxes.get(number as usize) else { return };
    let row = 26.0;
    let rows = shown.layout.rows.min(4) as f32;
    let (area, _) = ui.allocate_exact_size(vec2(ui.available_width(), rows * row), Sense::hover());
    let window = SeenColumns { left: it.column as f32 - 1.0, column: area.width() / 3.0 };
    // Rows above the first are left out, so that the node's own is seen.
    let hidden = (it.row as f32 + 1.0 - rows).max(0.0) * row;
    let ui = ui.new_child(egui::UiBuilder::new().max_rect(area));
    let mut within = ui;
    within.set_clip_rect(area.intersect(within.clip_rect()));
    let area = Rect::from_min_size(area.min - vec2(0.0, hidden), vec2(area.width(), shown.layout.rows as f32 * row));
    let picture = GraphPicture { shown, area, seen: window, row, scale: 0.92, lang };
    picture.paint(&within, palette, &[Some(number)]);
}
