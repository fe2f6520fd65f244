//! The timeline as an item of an `egui_plot` plot, which carries grid, axes and gestures.

use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, PoisonError};

use egui::{Color32, Shape, Ui, Vec2};
use egui_plot::{PlotBounds, PlotGeometry, PlotItem, PlotItemBase, PlotTransform};

use super::egui_painter::EguiPainter;
use super::layout::Layout;

/// Paints a [`Layout`] in a plot whose x is nanoseconds and whose y is points downward (`invert_y(true)`).
///
/// Lay out with `origin` (0, 0), `gutter` 0, no axis and the width of the plot's frame. In a frame in which the plot has just been
/// resized or zoomed by egui itself, the layout is stretched to the plot's transform, so it never parts from the grid.
/// Pointing is answered by [`Layout::hit`], not by egui_plot.
pub struct TimelineItem {
    base: PlotItemBase,
    layout: Arc<Layout>,
    kept: KeptShapes,
}

/// The shapes of the layout that was painted last: they stay until the layout or its place changes, so that a frame in which nothing
/// happens builds no meshes.
#[derive(Clone, Debug, Default)]
pub struct KeptShapes(Arc<Mutex<Option<Kept>>>);

#[derive(Debug)]
struct Kept {
    layout: Arc<Layout>,
    painter: EguiPainter,
    /// For each lane all but its text.
    lanes: Vec<Vec<Shape>>,
}

impl KeptShapes {
    /// Appends the shapes of all lanes, those kept where they are of this layout at this place.
    fn paint(&self, ui: &Ui, painter: EguiPainter, layout: &Arc<Layout>, shapes: &mut Vec<Shape>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |kept: &&mut Kept| Arc::ptr_eq(&kept.layout, layout) && kept.painter == painter;
        if kept.as_mut().filter(is_same).is_none() {
            let fills = layout.lanes.iter().map(|lane| {
                let mut fills = Vec::new();
                painter.paint_fills(&lane.drawables, &mut fills);
                fills
            });
            *kept = Some(Kept { layout: Arc::clone(layout), painter, lanes: fills.collect() });
        }
        let fills = kept.iter().flat_map(|kept| &kept.lanes);
        for (fills, lane) in fills.zip(&layout.lanes) {
            shapes.extend(fills.iter().cloned());
            painter.paint_texts(ui.ctx(), &lane.drawables, shapes);
        }
    }
}

impl TimelineItem {
    /// Names the item, for the plot's own bookkeeping. `kept` is the same in each frame.
    pub fn new(name: &str, layout: Arc<Layout>, kept: KeptShapes) -> Self {
        Self { base: PlotItemBase::new(name.to_owned()), layout, kept }
    }

    /// The bounds that show `layout` exactly: set them on the plot in each frame.
    pub fn plot_bounds(layout: &Layout) -> PlotBounds {
        let seen = layout.view.interval;
        PlotBounds::from_min_max([seen.start.0 as f64, 0.0], [seen.end.0 as f64, f64::from(layout.height)])
    }
}

impl PlotItem for TimelineItem {
    fn shapes(&self, ui: &Ui, transform: &PlotTransform, shapes: &mut Vec<Shape>) {
        let seen = self.layout.view.interval;
        let [left, right] = [seen.start, seen.end].map(|at| transform.position_from_point_x(at.0 as f64));
        let stretch = (right - left) / self.layout.plot.w.max(1.0);
        let origin = Vec2::new(left - stretch * self.layout.plot.x, transform.position_from_point_y(0.0));
        let painter = EguiPainter::new(ui.ctx(), origin).stretched(stretch);
        self.kept.paint(ui, painter, &self.layout, shapes);
    }

    fn initialize(&mut self, _x_range: RangeInclusive<f64>) {}

    fn color(&self) -> Color32 {
        Color32::TRANSPARENT
    }

    fn geometry(&self) -> PlotGeometry<'_> {
        PlotGeometry::None
    }

    fn bounds(&self) -> PlotBounds {
        Self::plot_bounds(&self.layout)
    }

    fn base(&self) -> &PlotItemBase {
        &self.base
    }

    fn base_mut(&mut self) -> &mut PlotItemBase {
        &mut self.base
    }
}
