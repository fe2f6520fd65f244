//! The timeline as an item of an `egui_plot` plot, which carries grid, axes and gestures.

use std::ops::RangeInclusive;
use std::sync::Arc;

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
}

impl TimelineItem {
    /// Names the item, for the plot's own bookkeeping.
    pub fn new(name: &str, layout: Arc<Layout>) -> Self {
        Self { base: PlotItemBase::new(name.to_owned()), layout }
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
        for lane in &self.layout.lanes {
            painter.paint(ui.ctx(), &lane.drawables, shapes);
        }
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
