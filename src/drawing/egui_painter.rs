//! The egui painter: one mesh for everything filled, then the few shapes that need smooth edges, then text.
//!
//! A quad in a mesh costs four vertices and no tessellation; it has no smooth edges, so everything is put on whole pixels.

use std::sync::Arc;

use egui::epaint::{CubicBezierShape, RectShape, TextShape};
use egui::{
    Color32, Context, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Mesh, Pos2, Shape, Stroke,
    StrokeKind, Vec2,
};

use super::drawable::{Anchor, Column, Drawable, Point, Rect, Text, Weight};
use super::fonts::{
    CJK_BOLD, CJK_REGULAR, INTER_REGULAR, INTER_SEMIBOLD, MONO, MONO_REGULAR, SANS, SANS_CJK, SEMIBOLD,
};
use super::hatch::{arrow_barbs, arrow_controls, curve_barbs, stripes};
use super::theme::Rgba;

/// Boxes with rounder corners than this are smooth shapes of their own rather than part of the mesh.
const MESH_RADIUS: f32 = 3.0;

/// `color` for egui.
pub fn color32(color: Rgba) -> Color32 {
    Color32::from_rgba_unmultiplied(color.r, color.g, color.b, color.a)
}

/// The embedded fonts: proportional, monospace, and the family [`SEMIBOLD`]. Install them before anything is painted.
pub fn egui_fonts() -> FontDefinitions {
    const SANS_SEMIBOLD: &str = "Inter SemiBold";
    const SANS_CJK_BOLD: &str = "Noto Sans CJK SC Bold";
    let mut fonts = FontDefinitions::default();
    let embedded = [
        (SANS, INTER_REGULAR),
        (SANS_SEMIBOLD, INTER_SEMIBOLD),
        (MONO, MONO_REGULAR),
        (SANS_CJK, CJK_REGULAR),
        (SANS_CJK_BOLD, CJK_BOLD),
    ];
    for (name, bytes) in embedded {
        fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(bytes)));
    }
    let families = [
        (FontFamily::Proportional, vec![SANS, SANS_CJK]),
        (FontFamily::Name(SEMIBOLD.into()), vec![SANS_SEMIBOLD, SANS_CJK_BOLD]),
        (FontFamily::Monospace, vec![MONO, SANS, SANS_CJK]),
    ];
    // What egui brings stays behind ours, for symbols that ours lack.
    let rest = fonts.families.get(&FontFamily::Proportional).cloned().unwrap_or_default();
    for (family, names) in families {
        let all = names.into_iter().map(str::to_owned).chain(rest.iter().cloned()).collect();
        fonts.families.insert(family, all);
    }
    fonts
}

/// Turns drawables into shapes. Where a drawable has x, it is painted at `origin.x + stretch · x`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EguiPainter {
    origin: Vec2,
    stretch: f32,
    pixels_per_point: f32,
}

impl EguiPainter {
    /// Paints with the drawables' own coordinates counted from `origin`.
    pub fn new(ctx: &Context, origin: Vec2) -> Self {
        Self { origin, stretch: 1.0, pixels_per_point: ctx.pixels_per_point() }
    }

    /// The same, stretched along x, while a plot's frame and the layout do not fit yet.
    pub fn stretched(self, stretch: f32) -> Self {
        Self { stretch, ..self }
    }

    /// Appends the shapes of `drawables` to `shapes`: a mesh for what is filled, and text after everything else.
    pub fn paint<'a>(
        &self,
        ctx: &Context,
        drawables: impl IntoIterator<Item = &'a Drawable, IntoIter: Clone>,
        shapes: &mut Vec<Shape>,
    ) {
        let drawables = drawables.into_iter();
        self.paint_fills(drawables.clone(), shapes);
        self.paint_texts(ctx, drawables, shapes);
    }

    /// Appends all but text. What comes of it depends on nothing else, and may be kept.
    pub fn paint_fills<'a>(&self, drawables: impl IntoIterator<Item = &'a Drawable>, shapes: &mut Vec<Shape>) {
        let mut canvas = Canvas { painter: *self, mesh: Mesh::default(), shapes };
        drawables.into_iter().for_each(|drawable| canvas.add(drawable));
        canvas.flush();
    }

    /// Appends the text. It points into a texture that egui makes anew when it is full, so nobody may keep it.
    pub fn paint_texts<'a>(
        &self,
        ctx: &Context,
        drawables: impl IntoIterator<Item = &'a Drawable>,
        shapes: &mut Vec<Shape>,
    ) {
        let texts = drawables.into_iter().filter_map(|drawable| match drawable {
            Drawable::Text(text) => Some(self.text(ctx, text)),
            _ => None,
        });
        shapes.extend(texts);
    }

    fn text(&self, ctx: &Context, text: &Text) -> Shape {
        let family = match text.weight {
            Weight::Regular => FontFamily::Proportional,
            Weight::SemiBold => FontFamily::Name(SEMIBOLD.into()),
        };
        let color = color32(text.color);
        let font = FontId::new(text.size, family);
        let galley = ctx.fonts_mut(|fonts| fonts.layout_no_wrap(text.text.to_string(), font, color));
        let baseline =
            galley.rows.first().map_or(0.0, |row| row.pos.y + row.row.glyphs.first().map_or(0.0, |glyph| glyph.pos.y));
        let at = self.place(text.at);
        let left = match text.anchor {
            Anchor::Start => at.x,
            Anchor::Middle => at.x - galley.size().x / 2.0,
            Anchor::End => at.x - galley.size().x,
        };
        let corner = Pos2::new(self.snap(left), self.snap(at.y - baseline));
        Shape::Text(TextShape::new(corner, galley, color))
    }

    fn place(&self, point: Point) -> Pos2 {
        Pos2::new(self.origin.x + self.stretch * point.x, self.origin.y + point.y)
    }

    /// `rect` on whole pixels; what has any width keeps at least one.
    fn pixels(&self, rect: Rect) -> egui::Rect {
        let low = self.place(Point::new(rect.x, rect.y));
        let high = self.place(Point::new(rect.right(), rect.bottom()));
        let left = self.snap(low.x);
        let mut right = self.snap(high.x);
        if right <= left && rect.w > 0.0 {
            right = left + self.pixel();
        }
        egui::Rect::from_min_max(Pos2::new(left, self.snap(low.y)), Pos2::new(right, self.snap(high.y)))
    }

    /// Left and right edge of `rect` in points, not rounded; `None` when no whole pixel lies between them.
    fn covered(&self, rect: Rect) -> Option<[f32; 2]> {
        let edges = [rect.x, rect.right()].map(|x| self.place(Point::new(x, 0.0)).x);
        let [first, last] = edges.map(|x| x * self.pixels_per_point);
        (first.ceil() < last.floor()).then_some(edges)
    }

    fn snap(&self, value: f32) -> f32 {
        (value * self.pixels_per_point).round() / self.pixels_per_point
    }

    fn pixel(&self) -> f32 {
        1.0 / self.pixels_per_point
    }
}

/// The mesh that grows, and the shapes before it.
struct Canvas<'a> {
    painter: EguiPainter,
    mesh: Mesh,
    shapes: &'a mut Vec<Shape>,
}

impl Canvas<'_> {
    fn add(&mut self, drawable: &Drawable) {
        match drawable {
            Drawable::Box { rect, radius, fill, outline } if *radius > MESH_RADIUS => {
                self.smooth_box(*rect, *radius, *fill, *outline);
            }
            Drawable::Box { rect, radius, fill, outline } => {
                let area = self.painter.pixels(*rect);
                match self.painter.covered(*rect) {
                    Some(covered) if outline.is_none() => self.covered_box(area, covered, *radius, *fill),
                    _ => self.soft_box(area, *radius, *fill),
                }
                self.outline(area, *outline);
            }
            Drawable::Hatch { rect, ground, stripe, outline } => self.hatch(*rect, *ground, *stripe, *outline),
            Drawable::Columns { y, h, columns } => self.columns(*y, *h, columns),
            Drawable::Steps { points, right, base, fill, edge } => self.steps(points, *right, *base, *fill, *edge),
            Drawable::Line { from, to, width, color } => {
                let ends = [self.painter.place(*from), self.painter.place(*to)];
                self.smooth(Shape::line_segment(ends, Stroke::new(*width, color32(*color))));
            }
            Drawable::Arrow { from, to, color } => self.arrow(*from, *to, *color),
            Drawable::Curve { from, controls: [a, b], to, width, color } => {
                self.curve([*from, *a, *b, *to], Stroke::new(*width, color32(*color)));
            }
            Drawable::Text(_) => {}
        }
    }

    /// Puts what is in the mesh before whatever comes next.
    fn flush(&mut self) {
        if !self.mesh.is_empty() {
            self.shapes.push(Shape::mesh(std::mem::take(&mut self.mesh)));
        }
    }

    fn smooth(&mut self, shape: Shape) {
        self.flush();
        self.shapes.push(shape);
    }

    fn smooth_box(&mut self, rect: Rect, radius: f32, fill: Rgba, outline: Option<Rgba>) {
        let stroke = outline.map_or(Stroke::NONE, |color| Stroke::new(self.painter.pixel().max(1.0), color32(color)));
        let corner = CornerRadius::same(radius.round() as u8);
        let area = self.painter.pixels(rect);
        self.smooth(RectShape::new(area, corner, color32(fill), stroke, StrokeKind::Inside).into());
    }

    fn quad(&mut self, left: f32, top: f32, right: f32, bottom: f32, color: Color32) {
        if left < right && top < bottom {
            self.mesh.add_colored_rect(egui::Rect::from_min_max(Pos2::new(left, top), Pos2::new(right, bottom)), color);
        }
    }

    /// A box whose first and last column of pixels are as faint as they are covered: a gap of a fraction of a pixel is neither
    /// lost nor widened, and many of them show no false pattern.
    fn covered_box(&mut self, area: egui::Rect, [left, right]: [f32; 2], radius: f32, fill: Rgba) {
        let scale = self.painter.pixels_per_point;
        let (first, last) = ((left * scale).ceil() / scale, (right * scale).floor() / scale);
        let inner = egui::Rect::from_x_y_ranges(first..=last, area.y_range());
        self.soft_box(inner, radius, fill);
        for (edge, part) in [(first - self.painter.pixel(), (first - left) * scale), (last, (right - last) * scale)] {
            if part > 0.02 {
                let color = color32(fill.with_alpha(f32::from(fill.a) / 255.0 * part.min(1.0)));
                self.quad(edge, area.top(), edge + self.painter.pixel(), area.bottom(), color);
            }
        }
    }

    /// A box whose corner pixels are fainter, which looks round.
    fn soft_box(&mut self, area: egui::Rect, radius: f32, fill: Rgba) {
        let color = color32(fill);
        let cut = self.painter.snap(radius * 0.5);
        if cut <= 0.0 || area.width() < 6.0 * cut {
            return self.quad(area.left(), area.top(), area.right(), area.bottom(), color);
        }
        let faint = color32(fill.with_alpha(f32::from(fill.a) / 255.0 * 0.4));
        let (left, right) = (area.left() + cut, area.right() - cut);
        let (top, bottom) = (area.top() + cut, area.bottom() - cut);
        self.quad(left, area.top(), right, area.bottom(), color);
        for (from, to) in [(area.left(), left), (right, area.right())] {
            self.quad(from, top, to, bottom, color);
            self.quad(from, area.top(), to, top, faint);
            self.quad(from, bottom, to, area.bottom(), faint);
        }
    }

    /// A line one point thick just inside the edge.
    fn outline(&mut self, area: egui::Rect, outline: Option<Rgba>) {
        let Some(color) = outline.map(color32) else { return };
        let line = self.painter.snap(1.0).max(self.painter.pixel());
        let (top, bottom) = (area.top() + line, area.bottom() - line);
        self.quad(area.left(), area.top(), area.right(), top, color);
        self.quad(area.left(), bottom, area.right(), area.bottom(), color);
        self.quad(area.left(), top, area.left() + line, bottom, color);
        self.quad(area.right() - line, top, area.right(), bottom, color);
    }

    fn hatch(&mut self, rect: Rect, ground: Rgba, stripe: Rgba, outline: Option<Rgba>) {
        let area = self.painter.pixels(rect);
        self.quad(area.left(), area.top(), area.right(), area.bottom(), color32(ground));
        let color = color32(stripe);
        let pixels = Rect::new(area.left(), area.top(), area.width(), area.height());
        // A stripe fades out to both sides within a pixel: smooth without tessellation.
        let half = 0.75 + 0.5 * self.painter.pixel();
        for [low, high] in stripes(pixels) {
            let first = u32::try_from(self.mesh.vertices.len()).unwrap_or(0);
            for end in [low, high] {
                for (by, color) in [(-half, Color32::TRANSPARENT), (0.0, color), (half, Color32::TRANSPARENT)] {
                    let x = (end.x + by).clamp(area.left(), area.right());
                    self.mesh.colored_vertex(Pos2::new(x, end.y), color);
                }
            }
            for side in [first, first + 1] {
                self.mesh.add_triangle(side, side + 1, side + 3);
                self.mesh.add_triangle(side + 1, side + 3, side + 4);
            }
        }
        self.outline(area, outline);
    }

    fn columns(&mut self, y: f32, h: f32, columns: &[Column]) {
        self.mesh.reserve_triangles(2 * columns.len());
        self.mesh.reserve_vertices(4 * columns.len());
        for run in columns.chunk_by(Column::is_continued_by) {
            if let (Some(first), Some(last)) = (run.first(), run.last()) {
                let area = self.painter.pixels(first.run(last, y, h));
                self.quad(area.left(), area.top(), area.right(), area.bottom(), color32(first.color));
            }
        }
    }

    fn steps(&mut self, points: &[Point], right: f32, base: f32, fill: Rgba, edge: Rgba) {
        let painter = self.painter;
        let (fill, edge) = (color32(fill), color32(edge));
        let bottom = painter.snap(painter.place(Point::new(0.0, base)).y);
        let line = painter.snap(1.0).max(painter.pixel());
        let mut before = bottom;
        for (i, point) in points.iter().enumerate() {
            let end = points.get(i + 1).map_or(right, |next| next.x);
            let from = painter.place(*point);
            let (left, top) = (painter.snap(from.x), painter.snap(from.y).min(bottom - line));
            let right = painter.snap(painter.place(Point::new(end, 0.0)).x);
            self.quad(left, top + line, right, bottom, fill);
            self.quad(left, top, right, top + line, edge);
            if i > 0 {
                self.quad(left, top.min(before), left + line, top.max(before), edge);
            }
            before = top;
        }
    }

    fn curve(&mut self, points: [Point; 4], stroke: Stroke) {
        let curve = points.map(|point| self.painter.place(point));
        let [_, _, before, tip] = curve;
        let point = |pos: Pos2| Point::new(pos.x, pos.y);
        let [left, right] = curve_barbs(point(before), point(tip)).map(|barb| Pos2::new(barb.x, barb.y));
        self.smooth(CubicBezierShape::from_points_stroke(curve, false, Color32::TRANSPARENT, stroke).into());
        self.smooth(Shape::line(vec![left, tip, right], stroke));
    }

    fn arrow(&mut self, from: Point, to: Point, color: Rgba) {
        let stroke = Stroke::new(1.4, color32(color));
        // The curve is laid out after placing, so that stretching does not bend its head.
        let place = |point: Point| {
            let at = self.painter.place(point);
            Point::new(at.x, at.y)
        };
        let (from, to) = (place(from), place(to));
        let pos = |point: Point| Pos2::new(point.x, point.y);
        let [a, b] = arrow_controls(from, to);
        let [left, right] = arrow_barbs(from, to);
        let curve = [pos(from), pos(a), pos(b), pos(to)];
        self.smooth(CubicBezierShape::from_points_stroke(curve, false, Color32::TRANSPARENT, stroke).into());
        self.smooth(Shape::line(vec![pos(left), pos(to), pos(right)], stroke));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Key, Lang};

    fn shapes(drawables: &[Drawable]) -> Vec<Shape> {
        let ctx = Context::default();
        ctx.set_fonts(egui_fonts());
        let mut shapes = Vec::new();
        let mut output = ctx.run_ui(egui::RawInput::default(), |ui| {
            shapes.clear();
            EguiPainter::new(ui.ctx(), Vec2::new(10.0, 20.0)).paint(ui.ctx(), drawables, &mut shapes);
        });
        output.textures_delta.clear();
        shapes
    }

    #[test]
    fn everything_filled_is_one_mesh_on_whole_pixels() {
        let rect = Rect::new(0.3, 0.0, 40.0, 30.0);
        let fill = Rgba::hex(0x2b76c6);
        let drawables = [
            Drawable::Hatch { rect, ground: fill.with_alpha(0.1), stripe: fill, outline: Some(fill) },
            Drawable::Box { rect: Rect::new(50.2, 0.0, 0.1, 30.0), radius: 2.0, fill, outline: None },
        ];
        let shapes = shapes(&drawables);
        let [Shape::Mesh(mesh)] = &shapes[..] else { panic!("{shapes:?}") };
        assert!(mesh.is_valid());
        let bounds = mesh.calc_bounds();
        assert_eq!(bounds, egui::Rect::from_min_max(Pos2::new(10.0, 20.0), Pos2::new(61.0, 50.0)));
    }

    #[test]
    fn text_stands_on_its_baseline() {
        let at = Point::new(100.0, 50.0);
        let text = |anchor| Text {
            at,
            anchor,
            size: 12.0,
            weight: Weight::SemiBold,
            color: Rgba::hex(0),
            text: "Host 主机".into(),
        };
        let shapes = shapes(&[Drawable::Text(text(Anchor::Start)), Drawable::Text(text(Anchor::End))]);
        let [Shape::Text(start), Shape::Text(end)] = &shapes[..] else { panic!("{shapes:?}") };
        assert_eq!(start.pos.x, 110.0);
        assert!((end.pos.x + end.galley.size().x - 110.0).abs() <= 1.0);
        assert!(start.pos.y < 70.0 && start.pos.y > 70.0 - 16.0, "{:?}", start.pos);
    }

    #[test]
    fn the_fonts_load_and_have_all_texts() {
        let ctx = Context::default();
        ctx.set_fonts(egui_fonts());
        let mut output = ctx.run_ui(egui::RawInput::default(), |ui| {
            for family in [FontFamily::Proportional, FontFamily::Name(SEMIBOLD.into())] {
                let font = FontId::new(12.0, family);
                for &key in Key::ALL {
                    for lang in [Lang::En, Lang::Zh] {
                        assert!(ui.fonts_mut(|fonts| fonts.has_glyphs(&font, lang.text(key))), "{key:?}");
                    }
                }
            }
        });
        output.textures_delta.clear();
    }
}
