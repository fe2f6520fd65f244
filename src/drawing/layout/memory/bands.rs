//! Address space as height: a band for each region, those of one pool and stream together.

use super::super::super::drawable::Rect;
use super::map::{MapLane, MapPlace, User};

/// Between regions, and between those of different users.
const GAP: f32 = 1.0;
const WIDE_GAP: f32 = 4.0;
/// A region is at least that high, where there is room.
const LEAST: f32 = 11.0;

/// From this height on a segment has a frame.
pub(super) const FRAMED: f32 = 5.0;

/// Where the regions are.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bands {
    /// Upper edge and height, in the order of the regions.
    extents: Vec<(f32, f32)>,
    /// Pool and stream with the extent of all their bands, from top to bottom.
    pub(super) users: Vec<(User, (f32, f32))>,
}

impl Bands {
    pub(super) fn new(map: &MapLane, inner: Rect, scale: f32) -> Self {
        let user = |index: usize| map.regions.get(index).and_then(|region| region.user);
        let pairs = map.order.iter().zip(map.order.iter().skip(1));
        let gap = |above: usize, below: usize| if user(above) == user(below) { GAP } else { WIDE_GAP } * scale;
        let gaps: f32 = pairs.map(|(&above, &below)| gap(above, below)).sum();
        // Many regions leave no room between them.
        let shrink = (0.25 * inner.h / gaps.max(f32::MIN_POSITIVE)).min(1.0);
        let heights = heights(map, inner.h - gaps * shrink, LEAST * scale);
        let mut extents = vec![(inner.y, 0.0); map.regions.len()];
        let mut users: Vec<(User, (f32, f32))> = Vec::new();
        let mut y = inner.y;
        let mut above = None;
        for &index in &map.order {
            y += above.map_or(0.0, |above| gap(above, index) * shrink);
            let h = heights.get(index).copied().unwrap_or(0.0);
            if let Some(extent) = extents.get_mut(index) {
                *extent = whole(inner.y, y, h);
            }
            match (user(index), users.last_mut()) {
                (Some(user), Some((last, (top, height)))) if user == *last => *height = y + h - *top,
                (Some(user), _) => users.push((user, (y, h))),
                (None, _) => {}
            }
            y += h;
            above = Some(index);
        }
        Self { extents, users }
    }

    /// A segment, with its frame: from `left` to `right` over the addresses of `place`.
    pub(super) fn outer(&self, place: MapPlace, left: f32, right: f32) -> Rect {
        let (y, h) = self.extents.get(place.region).copied().unwrap_or_default();
        over(place, left, right, y, h)
    }

    /// A block, within the frame of its segment.
    pub(super) fn rect(&self, place: MapPlace, left: f32, right: f32) -> Rect {
        let (y, h) = self.extents.get(place.region).copied().unwrap_or_default();
        let frame = if h >= FRAMED { 1.0 } else { 0.0 };
        over(place, left, right, y + frame, h - 2.0 * frame)
    }
}

/// Edges on whole points below `from`, so that a thin block at the edge of a band is not spread over two rows of pixels.
fn whole(from: f32, y: f32, h: f32) -> (f32, f32) {
    if h < FRAMED {
        return (y, h);
    }
    let [top, bottom] = [y, y + h].map(|edge| from + (edge - from).round());
    (top, bottom - top)
}

fn over(place: MapPlace, left: f32, right: f32, y: f32, h: f32) -> Rect {
    Rect::new(left, y + place.low * h, (right - left).max(0.0), (place.high - place.low) * h)
}

/// Heights in proportion to sizes, but for those that would be lower than `least`.
fn heights(map: &MapLane, mut room: f32, least: f32) -> Vec<f32> {
    let size = |index: usize| map.regions.get(index).map_or(0, |region| region.to - region.from) as f64;
    let least = least.min(room / map.regions.len().max(1) as f32);
    let mut ascending: Vec<usize> = (0..map.regions.len()).collect();
    ascending.sort_by(|&a, &b| size(a).total_cmp(&size(b)));
    let mut total: f64 = ascending.iter().map(|&index| size(index)).sum();
    let mut heights = vec![0.0; map.regions.len()];
    for index in ascending {
        let h = ((size(index) / total.max(1.0)) as f32 * room).max(least);
        if let Some(height) = heights.get_mut(index) {
            *height = h;
        }
        // What a small one takes above its share, all larger ones give.
        room = (room - h).max(0.0);
        total -= size(index);
    }
    heights
}
