//! What stands out of a picture while all else is dimmed.

use super::super::drawable::Drawable;
use super::super::theme::{Rgba, Theme};
use super::category::Category;
use super::legend::LegendItem;
use super::rows::RowKind;
use super::sweep::Occupancy;
use crate::recording::Cause;
use crate::time::Ns;

/// What is left of a colour that is dimmed.
const DIMMED: f32 = 0.2;

/// What stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lit {
    /// Whatever an entry of the legend stands for.
    Item(LegendItem),
}

impl Lit {
    /// Whether a part of a span does.
    pub(super) fn has_part(self, category: Category) -> bool {
        match self {
            Self::Item(item) => item == LegendItem::Kind(category),
        }
    }

    /// Whether bubbles of `cause` do.
    pub(super) fn has_idle(self, cause: Cause) -> bool {
        match self {
            Self::Item(item) => item == LegendItem::Idle(cause),
        }
    }

    /// Whether a row that is no lane of spans does.
    pub(super) fn has_row(self, row: RowKind) -> bool {
        match self {
            Self::Item(item) => item.is_in(row),
        }
    }

    /// How much of a column does, and in which colour.
    pub(super) fn part_of(self, found: &Occupancy, theme: &Theme) -> Option<(Ns, Rgba)> {
        match self {
            Self::Item(LegendItem::Kind(category)) => {
                let time = found.times.get(category as usize).copied().filter(|time| *time > Ns::ZERO)?;
                Some((time, theme.span(category).fill))
            }
            Self::Item(_) => None,
        }
    }
}

/// `color` where it does not stand out.
pub(super) fn dimmed(color: Rgba, theme: &Theme) -> Rgba {
    let mixed = Rgba { a: 255, ..color }.with_alpha(DIMMED).over(theme.lane);
    Rgba { a: color.a, ..mixed }
}

/// Dims what is in `drawables`.
pub(super) fn dim(drawables: &mut [Drawable], theme: &Theme) {
    for drawable in drawables {
        drawable.recolor(|color| dimmed(color, theme));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{lane, recording};
    use super::super::{Options, Prepared, View, layout};
    use super::*;
    use crate::recording::{Recording, SpanKind};
    use crate::time::Interval;

    /// The colours of what is drawn of `recording`, apart from lanes and letters; hatching by its stripes.
    fn colors(recording: &Recording, lit: Lit, theme: &Theme) -> Vec<Rgba> {
        let prepared = Prepared::new(recording);
        let view = View::new(Interval::new(Ns(0), Ns(1000)));
        let options = Options { gutter: 0.0, axis: false, lit: Some(lit), ..Options::new(view, theme, 100.0) };
        let laid_out = layout(recording, &prepared, &options);
        let drawables = laid_out.lanes.iter().flat_map(|lane| &lane.drawables[1..]);
        let colors = drawables.flat_map(|drawable| match drawable {
            Drawable::Box { fill, .. } => vec![*fill],
            Drawable::Hatch { stripe, .. } => vec![*stripe],
            Drawable::Columns { columns, .. } => columns.iter().map(|column| column.color).collect(),
            _ => Vec::new(),
        });
        colors.collect()
    }

    #[test]
    fn what_is_lit_keeps_its_colour_and_nothing_else_does() {
        let few = vec![(0, 300, SpanKind::Kernel), (300, 600, SpanKind::Memset), (700, 900, SpanKind::Kernel)];
        let many = (0..200).map(|i| (5 * i, 5 * i + 3, if i % 2 == 0 { SpanKind::Kernel } else { SpanKind::Memset }));
        for spans in [few, many.collect()] {
            let recording = recording(vec![lane(&spans)]);
            let theme = Theme::dark();
            let [kernel, memset] = [Category::Kernel, Category::Memset].map(|it| theme.span(it).fill);
            let cause = Prepared::new(&recording).bubbles(0)[0].cause;
            let (_, idle) = theme.idle(cause);
            let items = [
                (LegendItem::Kind(Category::Kernel), kernel),
                (LegendItem::Kind(Category::Memset), memset),
                (LegendItem::Idle(cause), idle),
            ];
            for (item, own) in items {
                let found = colors(&recording, Lit::Item(item), &theme);
                assert!(found.contains(&own), "{item:?}");
                let others = [kernel, memset, idle].into_iter().filter(|color| *color != own);
                for other in others {
                    assert!(!found.contains(&other), "{item:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_dimmed_stays_as_opaque_as_it_was_and_comes_near_the_lane() {
        for theme in [Theme::light(), Theme::dark()] {
            let color = theme.span(Category::Kernel).fill.with_alpha(0.5);
            let dimmed = dimmed(color, &theme);
            assert_eq!(dimmed.a, color.a);
            assert!(dimmed.contrast(theme.lane) < 1.6 && color.contrast(theme.lane) > 3.0);
        }
    }
}
