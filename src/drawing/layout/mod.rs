//! Layout: from a recording and a view to drawables, as a pure function.
//!
//! What is computed once for a recording is [`Prepared`]; what a frame costs then depends on its width, not on the number of spans.

mod axis;
mod errors;
mod folded;
mod hazard;
mod lane;
mod legend;
mod link;
mod lit;
mod memory;
mod peaks;
mod prepared;
mod queue;
mod rows;
mod sms;
mod spans;
mod steps;
mod sweep;
mod tallies;
#[cfg(test)]
pub(crate) mod testing;

pub use axis::{Tick, tick_step, ticks};
pub use errors::ErrorMark;
pub use hazard::hazard_marks;
pub use legend::{LegendItem, LegendOf, legend};
pub use link::{Chain, chain};
pub use lit::Lit;
pub use prepared::{Link, Prepared};
pub use rows::{RowKind, stream_name, stream_names, track_title};

use std::ops::Range;

use super::category;
use super::drawable::{Drawable, Point, Rect};
use super::theme::Theme;
use super::view::{TimeScale, View};
use crate::recording::Recording;
use crate::scenario::LaneSet;
use crate::text::Lang;
use crate::time::Interval;

/// How large everything is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Density {
    /// Many lanes on a small screen.
    Compact,
    /// A desk.
    #[default]
    Comfortable,
    /// A desk with a large screen.
    Large,
    /// A lecture hall.
    Projector,
}

impl Density {
    /// The factor on all sizes.
    pub fn scale(self) -> f32 {
        match self {
            Self::Compact => 0.85,
            Self::Comfortable => 1.0,
            Self::Large => 1.2,
            Self::Projector => 1.6,
        }
    }
}

/// Sizes that follow from the density.
#[derive(Clone, Copy, Debug)]
struct LaneMetrics {
    /// Factor on all sizes.
    scale: f32,
    /// Factor on the heights of lanes besides.
    stretch: f32,
}

/// What a layout depends on beside the recording.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The part of the time.
    pub view: View,
    /// Colours.
    pub theme: &'a Theme,
    /// Language of lane names and labels.
    pub lang: Lang,
    /// Left upper corner of the whole.
    pub origin: Point,
    /// Width of the whole, lane names included.
    pub width: f32,
    /// Room for lane names, left of the lanes; without any, no names are drawn.
    pub gutter: f32,
    /// Size of everything.
    pub density: Density,
    /// Factor on the heights of lanes, so that few of them fill the room there is.
    pub stretch: f32,
    /// Size of one device pixel in points: the width of an occupancy column.
    pub pixel: f32,
    /// Whether a time axis is drawn below the lanes. A plot of egui brings its own.
    pub axis: bool,
    /// Lanes of these kinds are a thin strip.
    pub folded: LaneSet,
    /// Lanes of these kinds are not there.
    pub hidden: LaneSet,
    /// Whether room for the durations of bubbles is kept below every stream, so that lanes stay where they are when the view
    /// changes; otherwise only where a duration is in view.
    pub steady: bool,
    /// What stands out; without it, everything is as bright as it is.
    pub lit: Option<Lit>,
}

impl<'a> Options<'a> {
    /// Comfortable, with names and axis, in English.
    pub fn new(view: View, theme: &'a Theme, width: f32) -> Self {
        Self {
            view,
            theme,
            lang: Lang::En,
            origin: Point::default(),
            width,
            gutter: 120.0,
            density: Density::Comfortable,
            stretch: 1.0,
            pixel: 1.0,
            axis: true,
            folded: LaneSet::NONE,
            hidden: LaneSet::NONE,
            steady: true,
            lit: None,
        }
    }

    fn metrics(&self) -> LaneMetrics {
        LaneMetrics { scale: self.density.scale(), stretch: self.stretch }
    }
}

/// Everything to be drawn for one recording, and where it is.
#[derive(Clone, Debug)]
pub struct Layout {
    /// From top to bottom.
    pub lanes: Vec<LaneLayout>,
    /// The time axis.
    pub axis: Vec<Drawable>,
    /// The boxes of all lanes lie in here: the area that time is spread over.
    pub plot: Rect,
    /// Height of the whole, axis included.
    pub height: f32,
    /// From time to x.
    pub scale: TimeScale,
    /// The view that was laid out.
    pub view: View,
    metrics: LaneMetrics,
}

/// One lane.
#[derive(Clone, Debug)]
pub struct LaneLayout {
    /// What it shows.
    pub row: RowKind,
    /// Its name, for the accessibility tree too.
    pub title: String,
    /// What stands below the name.
    pub under: String,
    /// Whether it is only a strip.
    pub is_folded: bool,
    /// Its box.
    pub rect: Rect,
    /// Where spans are drawn inside the box.
    pub inner: Rect,
    /// The box and what is in it, from back to front.
    pub drawables: Vec<Drawable>,
    /// Name and under-title, left of the box; none where there is no gutter.
    pub names: Vec<Drawable>,
}

/// What is at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// A span.
    Span {
        /// Index into the recording's lanes.
        lane: usize,
        /// Index into the lane's spans.
        span: usize,
    },
    /// A bubble: index into [`Prepared::bubbles`] of the lane.
    Bubble {
        /// Index into the recording's lanes.
        lane: usize,
        /// Index into the lane's bubbles.
        bubble: usize,
    },
    /// An error of the run: index into its errors.
    Error {
        /// Which.
        error: usize,
    },
    /// The launch queue at that depth.
    Queue {
        /// Operations that wait.
        depth: u32,
    },
    /// The SM map while so many SMs are busy.
    Sms {
        /// SMs that have a block.
        busy: usize,
    },
    /// A memory block: index into the recording's memory map.
    Block {
        /// Index into its blocks.
        block: usize,
    },
    /// A part of a segment that is cached: free for its stream.
    Segment {
        /// Index into the memory map's segments.
        segment: usize,
    },
    /// The memory that was held at that time.
    Memory {
        /// Bytes in blocks.
        allocated: u64,
        /// Bytes in segments.
        reserved: u64,
    },
}

/// Height of the time axis.
const AXIS: f32 = 22.0;

/// How high [`layout()`] is, worked out without laying anything out.
pub fn height(recording: &Recording, prepared: &Prepared, options: &Options<'_>) -> f32 {
    let width = (options.width - options.gutter).max(1.0);
    let scale = options.view.scale(0.0, width);
    let placed = rows::placed(recording, prepared, options, scale, Rect::new(0.0, 0.0, width, 0.0));
    let axis = if options.axis { AXIS * options.density.scale() } else { 0.0 };
    placed.last().map_or(0.0, |last| last.bottom) + axis
}

/// Lays `recording` out.
pub fn layout(recording: &Recording, prepared: &Prepared, options: &Options<'_>) -> Layout {
    let m = options.metrics();
    let left = options.origin.x + options.gutter;
    let right = (options.origin.x + options.width).max(left + 1.0);
    let scale = options.view.scale(left, right - left);
    let placed =
        rows::placed(recording, prepared, options, scale, Rect::new(left, options.origin.y, right - left, 0.0));
    let mut y = placed.last().map_or(options.origin.y, |last| last.bottom);
    let lanes: Vec<LaneLayout> =
        placed.iter().map(|placed| lane::draw(recording, prepared, options, scale, placed)).collect();
    let plot = Rect::new(
        left,
        options.origin.y,
        right - left,
        lanes.last().map_or(0.0, |lane| lane.rect.bottom() - options.origin.y),
    );
    let axis = if options.axis {
        let drawables = axis::draw(options.view, scale, left, right, y - 3.0 * m.scale, options.theme, m);
        y += AXIS * m.scale;
        drawables
    } else {
        Vec::new()
    };
    Layout { lanes, axis, plot, height: y - options.origin.y, scale, view: options.view, metrics: m }
}

impl Layout {
    /// All drawables, from back to front.
    pub fn drawables(&self) -> impl Iterator<Item = &Drawable> {
        self.lanes.iter().flat_map(|lane| lane.drawables.iter().chain(&lane.names)).chain(&self.axis)
    }

    /// The lane at `y`, the space between two counted to neither.
    pub fn lane_at(&self, y: f32) -> Option<&LaneLayout> {
        self.lanes.iter().find(|lane| (lane.rect.y..lane.rect.bottom()).contains(&y))
    }

    /// Where the mark of an error is drawn, if it is in view.
    pub fn error(&self, prepared: &Prepared, error: usize) -> Option<Rect> {
        let mark = prepared.error(error)?;
        let lane = self.lanes.iter().find(|lane| lane.row == RowKind::Host(mark.lane))?;
        errors::place(mark, lane.rect, self.metrics, self.scale)
    }

    /// Where a block of the memory map is drawn, as far as it is in view.
    pub fn block(&self, prepared: &Prepared, block: usize) -> Option<Rect> {
        let lane = self.lanes.iter().find(|lane| lane.row == RowKind::Memory)?;
        memory::block_rect(&prepared.memory, lane, self.metrics, self.scale, block)
    }

    /// Where a range of addresses is drawn in the memory lane, as far as that time is in view.
    pub fn addresses(&self, prepared: &Prepared, addresses: Range<u64>, time: Interval) -> Option<Rect> {
        let lane = self.lanes.iter().find(|lane| lane.row == RowKind::Memory)?;
        memory::addresses_rect(&prepared.memory, lane, self.metrics, self.scale, addresses, time)
    }

    /// What is at the point. Spans too thin to be pointed at are found within two points of it.
    pub fn hit(&self, prepared: &Prepared, point: Point) -> Option<Hit> {
        const REACH: f32 = 2.0;
        let lane = self.lane_at(point.y).filter(|lane| lane.rect.contains(point))?;
        let at = self.scale.time(point.x);
        let index = match lane.row {
            RowKind::Host(index) | RowKind::Regions(index) | RowKind::Stream(index) | RowKind::Copy(index) => index,
            RowKind::Queue => return Some(Hit::Queue { depth: prepared.queue.steps.value(at) }),
            RowKind::Sms => return prepared.sms.busy(at).map(|busy| Hit::Sms { busy }),
            RowKind::Memory => return memory::hit(&prepared.memory, lane.inner, self.metrics, self.scale, point),
            RowKind::MemoryUse => {
                let (allocated, reserved) = prepared.memory.held(at)?;
                return Some(Hit::Memory { allocated, reserved });
            }
        };
        if let RowKind::Host(host) = lane.row
            && let Some(error) = errors::hit(prepared, host, lane.rect, self.metrics, self.scale, point)
        {
            return Some(Hit::Error { error });
        }
        let track = prepared.track(index)?;
        let extents = &prepared.lanes.get(index)?.extents;
        let next = extents.first_after(0, at);
        let inside = |i: usize| extents.get(i).is_some_and(|span| span.start <= at);
        if inside(next) {
            return Some(Hit::Span { lane: index, span: next });
        }
        let near = |i: &usize| {
            let span = extents.get(*i)?;
            let distance = (self.scale.x(span.start) - point.x).max(point.x - self.scale.x(span.end)).max(0.0);
            (distance <= REACH).then_some(distance)
        };
        let neighbours = next.checked_sub(1).into_iter().chain([next]);
        if let Some((_, span)) = neighbours.filter_map(|i| Some((near(&i)?, i))).min_by(|a, b| a.0.total_cmp(&b.0)) {
            return Some(Hit::Span { lane: index, span });
        }
        let bubble = track.extents.first_after(0, at);
        let found = track.extents.get(bubble).is_some_and(|it| it.start <= at);
        found.then_some(Hit::Bubble { lane: index, bubble })
    }
}

#[cfg(test)]
mod tests;
