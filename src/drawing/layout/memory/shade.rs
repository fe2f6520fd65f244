//! Shading of what is too small for a rectangle of its own: each pixel is as opaque as it is covered, in the mean of the colours
//! that cover it.
//!
//! Only the corners of a rectangle are entered; sums along columns and rows then give every pixel, so that a long one costs no more
//! than a short one.

use super::super::super::drawable::{Column, Drawable, Rect};
use super::super::super::theme::Rgba;

/// The least opacity of a pixel that anything touches, so that it is seen at all.
const FAINTEST: f32 = 0.4;
/// Most pixels in a row and in a column; a larger picture is shaded more coarsely.
const MOST: (usize, usize) = (8192, 1024);

/// What is less covered is not covered: it is what rounding leaves of a sum.
const NOTHING: f64 = 1e-10;
/// Nothing is thinner, in pixels, so that whatever was entered is more than that.
const THINNEST: f64 = 1e-4;

/// What was entered, as differences from pixel to pixel: red, green and blue times coverage, and coverage.
type Cell = [f64; 4];

/// A grid of pixels over `area`.
#[derive(Debug)]
pub(super) struct Shade {
    area: Rect,
    columns: usize,
    rows: usize,
    cells: Vec<Cell>,
    /// The rows in which something was entered: the others are like the one above.
    entered: Vec<bool>,
}

impl Shade {
    pub(super) fn new(area: Rect, pixel: f32) -> Self {
        let count = |length: f32, most: usize| ((length / pixel.max(0.1)).ceil() as usize).clamp(1, most);
        let (columns, rows) = (count(area.w, MOST.0), count(area.h, MOST.1));
        // One row and one column more, in which what reaches the edge ends.
        let cells = vec![[0.0; 4]; (columns + 2) * (rows + 2)];
        Self { area, columns, rows, cells, entered: vec![false; rows + 2] }
    }

    /// Covers `rect` by `share` of it.
    pub(super) fn add(&mut self, rect: Rect, color: Rgba, share: f32) {
        let (across, down) = (self.columns as f32 / self.area.w.max(0.1), self.rows as f32 / self.area.h.max(0.1));
        let place =
            |at: f32, from: f32, factor: f32, most: usize| f64::from((at - from) * factor).clamp(0.0, most as f64);
        let [left, right] = [rect.x, rect.right()].map(|x| place(x, self.area.x, across, self.columns));
        let [top, bottom] = [rect.y, rect.bottom()].map(|y| place(y, self.area.y, down, self.rows));
        let [red, green, blue] = [color.r, color.g, color.b].map(f64::from);
        let share = f64::from(share);
        let color = [red * share, green * share, blue * share, share];
        let across = edges(left, right);
        for (row, high) in edges(top, bottom) {
            if high == 0.0 {
                continue;
            }
            if let Some(entered) = self.entered.get_mut(row) {
                *entered = true;
            }
            let first = row * (self.columns + 2);
            let Some(cells) = self.cells.get_mut(first..first + self.columns + 2) else { continue };
            for (column, wide) in across {
                if let Some(cell) = cells.get_mut(column).filter(|_| wide != 0.0) {
                    add(cell, &color, high * wide);
                }
            }
        }
    }

    /// The shaded rows; rows that are alike are one, and so are neighbours in a row.
    pub(super) fn finish(self) -> Vec<Drawable> {
        let pixel = (self.area.w / self.columns as f32, self.area.h / self.rows as f32);
        let mut above = vec![[0.0; 4]; self.columns + 2];
        let mut drawn: Vec<Drawable> = Vec::new();
        let mut is_shaded = false;
        for (row, cells) in self.cells.chunks(self.columns + 2).take(self.rows).enumerate() {
            let is_new = self.entered.get(row).copied().unwrap_or(false);
            if !is_new {
                if let Some(Drawable::Columns { h, .. }) = drawn.last_mut().filter(|_| is_shaded) {
                    *h += pixel.1;
                }
                continue;
            }
            let mut along = [0.0; 4];
            for (sum, cell) in above.iter_mut().zip(cells) {
                add(&mut along, cell, 1.0);
                add(sum, &along, 1.0);
            }
            let columns = columns(&above, self.area.x, pixel.0, self.columns);
            is_shaded = !columns.is_empty();
            if is_shaded {
                drawn.push(Drawable::Columns { y: self.area.y + row as f32 * pixel.1, h: pixel.1, columns });
            }
        }
        drawn
    }
}

fn add(sum: &mut Cell, other: &Cell, factor: f64) {
    sum.iter_mut().zip(other).for_each(|(sum, other)| *sum += other * factor);
}

fn color([red, green, blue, covered]: &Cell) -> Option<Rgba> {
    let mean = |sum: &f64| (sum / covered).clamp(0.0, 255.0).round() as u8;
    (*covered > NOTHING).then(|| {
        let mean = Rgba { r: mean(red), g: mean(green), b: mean(blue), a: 255 };
        mean.with_alpha((*covered as f32).max(FAINTEST))
    })
}

/// What changes from pixel to pixel along a stretch; an edge within a pixel is shared by it and the next.
fn edges(from: f64, to: f64) -> [(usize, f64); 4] {
    let to = to.max(from + THINNEST);
    let (first, last) = (from.floor(), to.floor());
    let (after_first, after_last) = (from - first, to - last);
    let (first, last) = (first as usize, last as usize);
    if first == last {
        return [(first, to - from), (first + 1, from - to), (0, 0.0), (0, 0.0)];
    }
    [(first, 1.0 - after_first), (first + 1, after_first), (last, after_last - 1.0), (last + 1, -after_last)]
}

fn columns(cells: &[Cell], left: f32, pixel: f32, count: usize) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for (index, color) in cells.iter().take(count).enumerate().filter_map(|(i, cell)| Some((i, color(cell)?))) {
        let (from, to) = (left + index as f32 * pixel, left + (index + 1) as f32 * pixel);
        match columns.last_mut() {
            Some(last) if last.color == color && last.right == from => last.right = to,
            _ => columns.push(Column { left: from, right: to, filled: Column::WHOLE, color }),
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BLUE: Rgba = Rgba { r: 0, g: 0, b: 200, a: 255 };

    fn shaded(rects: &[Rect], area: Rect) -> Vec<Drawable> {
        let mut shade = Shade::new(area, 1.0);
        rects.iter().for_each(|&rect| shade.add(rect, BLUE, 1.0));
        shade.finish()
    }

    #[test]
    fn a_pixel_is_as_opaque_as_it_is_covered() {
        let area = Rect::new(10.0, 20.0, 100.0, 8.0);
        let drawn = shaded(&[Rect::new(12.0, 20.0, 0.5, 8.0), Rect::new(12.5, 20.0, 0.25, 8.0)], area);
        let column = Column { left: 12.0, right: 13.0, filled: Column::WHOLE, color: BLUE.with_alpha(0.75) };
        assert_eq!(drawn, [Drawable::Columns { y: 20.0, h: 8.0, columns: vec![column] }]);
    }

    #[test]
    fn what_is_hardly_there_is_seen() {
        let drawn = shaded(&[Rect::new(50.0, 2.0, 1e-4, 1e-3)], Rect::new(0.0, 0.0, 100.0, 8.0));
        let column = Column { left: 50.0, right: 51.0, filled: Column::WHOLE, color: BLUE.with_alpha(FAINTEST) };
        assert_eq!(drawn, [Drawable::Columns { y: 2.0, h: 1.0, columns: vec![column] }]);
    }

    proptest! {
        #[test]
        fn opacity_adds_up_to_the_area(
            rects in prop::collection::vec((0f32..60.0, 0f32..30.0, 0.5f32..1.0, 0.5f32..1.0), 0..6),
        ) {
            // Apart from each other, so that none covers another.
            let places = (0..).zip(&rects).map(|(i, &(x, y, w, h))| Rect::new(x + 70.0 * i as f32, y, w, h));
            let rects: Vec<Rect> = places.collect();
            let area: f32 = rects.iter().map(|rect| rect.w * rect.h).sum();
            let mut found = 0.0;
            for drawable in shaded(&rects, Rect::new(0.0, 0.0, 500.0, 40.0)) {
                let Drawable::Columns { h, columns, .. } = drawable else { panic!("only columns") };
                for column in columns {
                    let alpha = f32::from(column.color.a) / 255.0;
                    // The faintest pixels are drawn stronger than they are.
                    found += h * (column.right - column.left) * if alpha > FAINTEST + 0.01 { alpha } else { 0.0 };
                }
            }
            prop_assert!(found <= area + 0.1 && found >= area - FAINTEST * 9.0 * rects.len() as f32, "{found} {area}");
        }

        #[test]
        fn any_rectangle_is_borne(x in any::<f32>(), y in any::<f32>(), w in any::<f32>(), h in any::<f32>()) {
            let mut shade = Shade::new(Rect::new(0.0, 0.0, 50.0, 20.0), 1.0);
            shade.add(Rect::new(x, y, w, h), BLUE, 1.0);
            prop_assert!(shade.finish().len() <= 22);
        }
    }
}
