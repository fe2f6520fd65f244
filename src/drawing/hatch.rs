//! The geometry of hatching and of arrows, shared by all painters so that figure and window look the same.

use super::drawable::{Point, Rect};

/// Distance between stripes along x, in points.
const SPACING: f32 = 6.5;

/// The middle lines of the stripes in `rect`, each from lower left to upper right at 45°. They line up across rectangles.
pub fn stripes(rect: Rect) -> impl Iterator<Item = [Point; 2]> {
    let (first, last) = (rect.x + rect.y, rect.right() + rect.bottom());
    let from = (first / SPACING).ceil() as i64;
    let to = (last / SPACING).floor() as i64;
    (from..=to).filter_map(move |i| {
        // On a stripe, x + y is the same everywhere.
        let sum = i as f32 * SPACING;
        let left = rect.x.max(sum - rect.bottom());
        let right = rect.right().min(sum - rect.y);
        (left < right).then(|| [Point::new(left, sum - left), Point::new(right, sum - right)])
    })
}

/// Control points of an arrow's cubic curve between `from` and `to`.
pub fn arrow_controls(from: Point, to: Point) -> [Point; 2] {
    let reach = ((to.y - from.y).abs() * 0.55).max(6.0) * down(from, to);
    [Point::new(from.x, from.y + reach), Point::new(to.x, to.y - reach)]
}

/// The two barbs of an arrow's head: their outer ends. Both meet at the tip.
pub fn arrow_barbs(from: Point, to: Point) -> [Point; 2] {
    let back = 5.5 * down(from, to);
    [Point::new(to.x - 3.5, to.y - back), Point::new(to.x + 3.5, to.y - back)]
}

/// 1 where an arrow leaves and arrives downward, −1 where upward.
fn down(from: Point, to: Point) -> f32 {
    if to.y < from.y { -1.0 } else { 1.0 }
}

/// The barbs of the head of a curve that comes from `before`.
pub fn curve_barbs(before: Point, to: Point) -> [Point; 2] {
    const LENGTH: f32 = 8.0;
    const HALF: f32 = 4.5;
    let (dx, dy) = (to.x - before.x, to.y - before.y);
    let length = dx.hypot(dy).max(f32::MIN_POSITIVE);
    let (along, across) = ((dx / length, dy / length), (-dy / length, dx / length));
    [-HALF, HALF]
        .map(|side| Point::new(to.x - LENGTH * along.0 + side * across.0, to.y - LENGTH * along.1 + side * across.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn stripes_stay_inside(x in -500f32..500.0, y in 0f32..200.0, w in 0f32..300.0, h in 0f32..40.0) {
            let rect = Rect::new(x, y, w, h);
            for point in stripes(rect).flatten() {
                prop_assert!(point.x >= rect.x - 1e-3 && point.x <= rect.right() + 1e-3);
                prop_assert!(point.y >= rect.y - 1e-3 && point.y <= rect.bottom() + 1e-3);
            }
        }
    }
}
