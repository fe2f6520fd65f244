//! Drawing: a recording becomes drawables by a pure function, and two painters put those on paper or on the screen.
//!
//! [`layout()`] knows time, lanes and bubbles; [`svg`] and [`egui_painter`] know shapes only. [`figure()`] is a whole picture for
//! a slide, [`png()`] its raster image with the embedded fonts.

pub mod drawable;
pub mod fonts;
pub mod graph;
pub mod layout;
pub mod svg;
pub mod theme;
pub mod view;

mod category;
mod color;
#[cfg(feature = "window")]
mod egui_painter;
mod figure;
mod hatch;
mod hazard_spans;
mod knobs_caption;
#[cfg(feature = "window")]
mod plot_item;
mod png;

pub use category::{Category, LAYERS};
pub use color::Rgba;
#[cfg(feature = "window")]
pub use egui_painter::{EguiPainter, color32, egui_fonts};
pub use figure::{FigureOptions, Panel, figure};
pub use hazard_spans::{HazardSpans, SpanPlace};
pub use knobs_caption::knobs_caption;
pub use layout::{Density, ErrorMark, Hit, Layout, LegendItem, LegendOf, Lit, Options, Prepared, layout, legend};
#[cfg(feature = "window")]
pub use plot_item::{KeptShapes, TimelineItem};
pub use png::{FigureError, png};
pub use theme::{Swatch, Theme};
pub use view::{TimeScale, View, ViewChange, ViewHistory};
