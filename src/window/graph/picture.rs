//! A part of a captured graph as it is drawn: boxes for nodes, lines for edges.

use egui::epaint::CubicBezierShape;
use egui::{
    Align2, Color32, CornerRadius, FontId, Pos2, Rect, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2,
};

use crate::drawing::drawable::Weight;
use crate::drawing::graph::GraphBox;
use crate::drawing::{Category, color32, fonts};
use crate::text::{Key, Lang};
use crate::window::look::palette::{Palette, semibold};
use crate::window::shown_run::captured_graphs::LaidOutGraph;

/// Boxes that are told to a screen reader at most.
const MAX_TOLD: usize = 200;
/// Predecessors that are named at most.
const MAX_NAMED: usize = 6;

/// Which columns are seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SeenColumns {
    /// The column at the left edge.
    pub(super) left: f32,
    /// Width of a column in points.
    pub(super) column: f32,
}

/// A part of a graph, placed on the screen.
pub(super) struct GraphPicture<'r> {
    pub(super) shown: &'r LaidOutGraph,
    pub(super) area: Rect,
    pub(super) seen: SeenColumns,
    /// Height of a row.
    pub(super) row: f32,
    /// Factor on letters.
    pub(super) scale: f32,
    pub(super) lang: Lang,
}

impl GraphPicture<'_> {
    fn rect(&self, it: &GraphBox) -> Rect {
        let SeenColumns { left, column } = self.seen;
        let gap = (column * 0.2).min(26.0);
        let x = self.area.left() + (it.column as f32 - left) * column + gap / 2.0;
        let used = self.row * self.shown.layout.rows as f32;
        let y = self.area.top() + (self.area.height() - used) / 2.0 + it.row as f32 * self.row;
        let height = (self.row * 0.74).min(25.0);
        Rect::from_min_size(pos2(x, y + (self.row - height) / 2.0), vec2((column - gap).max(1.0), height))
    }

    /// First column in view, and the one behind the last.
    fn columns(&self) -> (u32, u32) {
        let SeenColumns { left, column } = self.seen;
        (left.max(0.0) as u32, (left + self.area.width() / column).ceil().max(0.0) as u32)
    }

    fn boxes(&self) -> impl Iterator<Item = (u32, &GraphBox)> {
        let (from, to) = self.columns();
        let range = self.shown.layout.within(from, to);
        let first = range.start as u32;
        (first..).zip(self.shown.layout.boxes.get(range).unwrap_or_default())
    }

    /// The box at a point.
    pub(super) fn at(&self, at: Pos2) -> Option<u32> {
        let column = (self.seen.left + (at.x - self.area.left()) / self.seen.column).max(0.0) as u32;
        let range = self.shown.layout.within(column, column + 1);
        let first = range.start as u32;
        let mut boxes = (first..).zip(self.shown.layout.boxes.get(range)?);
        boxes.find(|(_, it)| self.rect(it).expand(2.0).contains(at)).map(|(number, _)| number)
    }

    /// Draws it, with some boxes outlined.
    pub(super) fn paint(&self, ui: &Ui, palette: &Palette, lit: &[Option<u32>]) {
        let painter = ui.painter().with_clip_rect(self.area.intersect(ui.clip_rect()));
        let (from, to) = self.columns();
        let is_lit = |number: u32| lit.contains(&Some(number));
        // Where columns are narrower than this, lines between them would hide what they join.
        if self.seen.column > 6.0 {
            for (start, end) in self.shown.layout.edges_within(from, to) {
                let both = [*start, *end].map(|number| self.shown.layout.boxes.get(number as usize));
                let [Some(start_box), Some(end_box)] = both else { continue };
                let color = if is_lit(*start) || is_lit(*end) { palette.accent } else { palette.off };
                self.edge(&painter, self.rect(start_box), self.rect(end_box), color);
            }
        }
        for (number, it) in self.boxes() {
            self.node(&painter, palette, it, is_lit(number));
        }
    }

    fn edge(&self, painter: &egui::Painter, from: Rect, to: Rect, color: Color32) {
        let (start, end) = (from.right_center(), to.left_center());
        let stroke = Stroke::new(1.3, color);
        if (start.y - end.y).abs() < 0.5 {
            painter.line_segment([start, end], stroke);
        } else {
            // The turn is made in the gap before the second, so that the line runs past what stands between.
            let bend = (end.x - start.x).min(self.seen.column) * 0.5;
            let turn = pos2((end.x - self.seen.column * 0.6).max(start.x), start.y);
            painter.line_segment([start, turn], stroke);
            let points = [turn, turn + vec2(bend, 0.0), end - vec2(bend, 0.0), end];
            painter.add(CubicBezierShape::from_points_stroke(points, false, Color32::TRANSPARENT, stroke));
        }
        if self.seen.column > 40.0 {
            let tip = [end, end + vec2(-5.0, -3.0), end + vec2(-5.0, 3.0)];
            painter.add(egui::Shape::convex_polygon(tip.to_vec(), color, Stroke::NONE));
        }
    }

    fn node(&self, painter: &egui::Painter, palette: &Palette, it: &GraphBox, is_lit: bool) {
        let Some(node) = it.nodes.first().and_then(|node| self.shown.graph.nodes.get(*node as usize)) else { return };
        let swatch = palette.theme.span(Category::of(node.kind));
        let rect = self.rect(it);
        let corner = CornerRadius::same(if rect.width() > 10.0 { 4 } else { 0 });
        // A run lies on more of its kind.
        if it.nodes.len() > 1 && rect.width() > 10.0 {
            let below = color32(swatch.fill).gamma_multiply(0.5);
            painter.rect_filled(rect.translate(vec2(3.0, 3.0)), corner, below);
        }
        painter.rect_filled(rect, corner, color32(swatch.fill));
        if is_lit {
            let stroke = Stroke::new(2.0, palette.text);
            painter.rect_stroke(rect.expand(1.5), corner, stroke, StrokeKind::Outside);
        }
        let label = self.label(it);
        let size = 11.0 * self.scale;
        if let Some(text) = fonts::fit(&label, size, Weight::SemiBold, rect.width() - 10.0) {
            let font = FontId::new(size, semibold());
            painter.text(rect.center(), Align2::CENTER_CENTER, text.as_ref(), font, color32(swatch.text));
        }
    }

    fn label(&self, it: &GraphBox) -> String {
        let label = it.nodes.first().and_then(|node| self.shown.graph.nodes.get(*node as usize));
        let label = label.map_or("", |node| node.label.get(self.lang));
        match it.nodes.len() {
            0 | 1 => label.to_owned(),
            count => format!("{count}× {label}"),
        }
    }

    /// What is said of a box to who points at it.
    pub(super) fn told(&self, number: u32) -> String {
        let lang = self.lang;
        let Some(it) = self.shown.layout.boxes.get(number as usize) else { return String::new() };
        let first = it.nodes.first().copied().unwrap_or_default();
        let Some(node) = self.shown.graph.nodes.get(first as usize) else { return String::new() };
        let kind = lang.text(Category::of(node.kind).key());
        let label = self.label(it);
        let place = match it.nodes.last() {
            Some(last) if *last != first => lang.fill(Key::GraphNodes, &[&first.to_string(), &last.to_string()]),
            _ => lang.fill(Key::GraphNode, &[&first.to_string()]),
        };
        let before: Vec<&str> = node
            .before
            .iter()
            .filter_map(|it| self.shown.graph.nodes.get(*it as usize))
            .map(|it| it.label.get(self.lang))
            .take(MAX_NAMED)
            .collect();
        match before.is_empty() {
            true => format!("{label}\n{kind} · {place}\n{}", lang.text(Key::GraphRoot)),
            false => format!("{label}\n{kind} · {place}\n{}", lang.fill(Key::GraphAfter, &[&lang.list(&before)])),
        }
    }

    /// Boxes as nodes of the accessibility tree.
    pub(super) fn publish(&self, ui: &Ui) {
        if self.seen.column < 12.0 {
            return;
        }
        for (number, it) in self.boxes().take(MAX_TOLD) {
            let rect = self.rect(it).intersect(self.area);
            let response = ui.interact(rect, ui.scope_id().with(("node", number)), Sense::hover());
            response.widget_info(|| WidgetInfo::labeled(Role::Label, true, self.label(it)));
        }
    }
}
