//! What a painter knows: a few shapes in points, x to the right, y down. Pure data, so that a layout can be tested without one.

use std::sync::Arc;

use super::theme::Rgba;

/// A point in points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f32,
    /// Down.
    pub y: f32,
}

impl Point {
    /// The point at `x`, `y`.
    pub const fn new(x: f32, y: f32) -> Self {
        Self { x, y }
    }
}

/// An axis-parallel rectangle in points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f32,
    /// Upper edge.
    pub y: f32,
    /// Width, never negative.
    pub w: f32,
    /// Height, never negative.
    pub h: f32,
}

impl Rect {
    /// From its left upper corner and size.
    pub const fn new(x: f32, y: f32, w: f32, h: f32) -> Self {
        Self { x, y, w, h }
    }

    /// From `left` to `right`, with the vertical extent of `self`.
    pub fn columns(self, left: f32, right: f32) -> Self {
        Self { x: left, w: (right - left).max(0.0), ..self }
    }

    /// Right edge.
    pub fn right(self) -> f32 {
        self.x + self.w
    }

    /// Lower edge.
    pub fn bottom(self) -> f32 {
        self.y + self.h
    }

    /// Made smaller by `by` on every side.
    pub fn inset(self, by: f32) -> Self {
        Self { x: self.x + by, y: self.y + by, w: (self.w - 2.0 * by).max(0.0), h: (self.h - 2.0 * by).max(0.0) }
    }

    /// Whether the point lies inside.
    pub fn contains(self, point: Point) -> bool {
        (self.x..self.right()).contains(&point.x) && (self.y..self.bottom()).contains(&point.y)
    }
}

/// Which end of a text stands at its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The first character begins there.
    Start,
    /// The text is centred there.
    Middle,
    /// The last character ends there.
    End,
}

/// Thickness of letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Weight {
    /// 400.
    Regular,
    /// 600.
    SemiBold,
}

/// One line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// Where the anchor and the baseline meet.
    pub at: Point,
    /// Which end stands there.
    pub anchor: Anchor,
    /// Font size in points.
    pub size: f32,
    /// Thickness.
    pub weight: Weight,
    /// Colour.
    pub color: Rgba,
    /// What it says, already cut to fit.
    pub text: Arc<str>,
}

/// A stretch of time narrower than a few pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// Left edge.
    pub left: f32,
    /// Right edge.
    pub right: f32,
    /// Which part of the height is filled, from where to where, counted from the foot as shares of it.
    pub filled: (f32, f32),
    /// With what.
    pub color: Rgba,
}

impl Column {
    /// The whole height.
    pub const WHOLE: (f32, f32) = (0.0, 1.0);

    /// Whether `next` goes on where this one ends, and looks the same.
    pub fn is_continued_by(&self, next: &Self) -> bool {
        self.color == next.color && self.filled == next.filled && next.left - self.right < 0.01
    }

    /// Where a run from this column to `last` is drawn, in a row of height `h` at `y`.
    pub fn run(&self, last: &Self, y: f32, h: f32) -> Rect {
        let (from, to) = self.filled;
        Rect::new(self.left, y + h * (1.0 - to), last.right - self.left, h * (to - from))
    }
}

/// Something that a painter can draw.
#[derive(Clone, Debug, PartialEq)]
pub enum Drawable {
    /// A filled rectangle.
    Box {
        /// Where.
        rect: Rect,
        /// Corner radius.
        radius: f32,
        /// Inside.
        fill: Rgba,
        /// A line of one point just inside the edge.
        outline: Option<Rgba>,
    },
    /// Diagonal stripes on a ground.
    Hatch {
        /// Where.
        rect: Rect,
        /// Below the stripes.
        ground: Rgba,
        /// The stripes.
        stripe: Rgba,
        /// A line of one point just inside the edge.
        outline: Option<Rgba>,
    },
    /// Columns side by side, from left to right.
    Columns {
        /// Upper edge.
        y: f32,
        /// Height.
        h: f32,
        /// From left to right.
        columns: Vec<Column>,
    },
    /// The area between a line of steps and `base`.
    Steps {
        /// From each point the line runs level to the x of the next.
        points: Vec<Point>,
        /// Where the line ends.
        right: f32,
        /// y of the lower edge.
        base: f32,
        /// Below the line.
        fill: Rgba,
        /// The line.
        edge: Rgba,
    },
    /// A straight line.
    Line {
        /// One end.
        from: Point,
        /// The other.
        to: Point,
        /// Thickness.
        width: f32,
        /// Colour.
        color: Rgba,
    },
    /// A curved arrow that leaves downward and arrives downward, or both upward where its tip is above its tail.
    Arrow {
        /// Its tail.
        from: Point,
        /// Its tip.
        to: Point,
        /// Colour.
        color: Rgba,
    },
    /// An arrow along a cubic curve.
    Curve {
        /// Its tail.
        from: Point,
        /// The control points of the curve.
        controls: [Point; 2],
        /// Its tip.
        to: Point,
        /// Thickness.
        width: f32,
        /// Colour.
        color: Rgba,
    },
    /// A line of text.
    Text(Text),
}

impl Drawable {
    /// Puts another colour in place of each.
    pub fn recolor(&mut self, change: impl Fn(Rgba) -> Rgba) {
        let over = |color: &mut Rgba| *color = change(*color);
        match self {
            Self::Box { fill, outline, .. } => {
                over(fill);
                outline.iter_mut().for_each(over);
            }
            Self::Hatch { ground, stripe, outline, .. } => {
                over(ground);
                over(stripe);
                outline.iter_mut().for_each(over);
            }
            Self::Columns { columns, .. } => columns.iter_mut().for_each(|column| over(&mut column.color)),
            Self::Steps { fill, edge, .. } => {
                over(fill);
                over(edge);
            }
            Self::Line { color, .. } | Self::Arrow { color, .. } | Self::Curve { color, .. } => over(color),
            Self::Text(text) => over(&mut text.color),
        }
    }
}
