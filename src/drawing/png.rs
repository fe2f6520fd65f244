//! From SVG to PNG, with the embedded fonts and no others, so that every machine makes the same picture.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{self, FontResolver, fontdb};
use thiserror::Error;
use ttf_parser::Face;

use super::fonts;

/// Most pixels of a picture: 1 GiB of memory.
const MAX_PIXELS: f64 = 268_435_456.0;

/// Why there is no picture.
#[derive(Debug, Error)]
pub enum FigureError {
    /// The SVG is not one.
    #[error("the figure is not valid SVG: {0}")]
    Svg(#[from] usvg::Error),
    /// More pixels than memory should be spent on.
    #[error("a picture of {width} × {height} pixels is too large; choose a smaller width or scale")]
    TooLarge {
        /// In pixels.
        width: f64,
        /// In pixels.
        height: f64,
    },
    /// The scale is zero, negative or not a number.
    #[error("the scale {0} is not a positive number")]
    Scale(f32),
    /// The compressor failed.
    #[error("the picture cannot be written as PNG: {0}")]
    Encode(String),
}

/// Draws `svg` with `scale` pixels for each point and returns the bytes of a PNG file.
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>, FigureError> {
    pixmap(svg, scale)?.encode_png().map_err(|error| FigureError::Encode(error.to_string()))
}

fn pixmap(svg: &str, scale: f32) -> Result<Pixmap, FigureError> {
    if !(scale.is_finite() && scale > 0.0) {
        return Err(FigureError::Scale(scale));
    }
    let tree = usvg::Tree::from_str(svg, &options())?;
    let size = tree.size();
    let [width, height] = [size.width(), size.height()].map(|points| (f64::from(points) * f64::from(scale)).ceil());
    let too_large = FigureError::TooLarge { width, height };
    if width * height > MAX_PIXELS {
        return Err(too_large);
    }
    let mut pixmap = Pixmap::new(width as u32, height as u32).ok_or(too_large)?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    Ok(pixmap)
}

fn options() -> usvg::Options<'static> {
    usvg::Options {
        font_family: fonts::SANS.to_owned(),
        fontdb: fonts::fontdb(),
        font_resolver: FontResolver {
            select_font: FontResolver::default_font_selector(),
            select_fallback: Box::new(|c, used, fonts| fallback(c, used, fonts)),
        },
        ..usvg::Options::default()
    }
}

/// The font that has `c` and is nearest in weight to the one that was asked for, so that Chinese in a title is bold too.
fn fallback(c: char, used: &[fontdb::ID], fonts: &fontdb::Database) -> Option<fontdb::ID> {
    let wanted = fonts.face(*used.first()?)?.weight.0;
    let has = |id| fonts.with_face_data(id, |data, index| Face::parse(data, index).ok()?.glyph_index(c));
    let candidates = fonts.faces().filter(|face| !used.contains(&face.id));
    let having = candidates.filter(|face| has(face.id).flatten().is_some());
    having.min_by_key(|face| face.weight.0.abs_diff(wanted)).map(|face| face.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::drawable::{Anchor, Drawable, Point, Text, Weight};
    use crate::drawing::{Rgba, svg};

    /// How many pixels a text blackens.
    fn ink(text: &str, weight: Weight) -> usize {
        let at = Point::new(4.0, 40.0);
        let text = Text { at, anchor: Anchor::Start, size: 32.0, weight, color: Rgba::hex(0), text: text.into() };
        let picture = pixmap(&svg::paint([&Drawable::Text(text)], 200.0, 60.0, None), 1.0).unwrap();
        picture.pixels().iter().filter(|pixel| pixel.alpha() > 127).count()
    }

    #[test]
    fn latin_and_chinese_have_two_weights() {
        for text in ["Stream", "主机阻塞"] {
            let (regular, bold) = (ink(text, Weight::Regular), ink(text, Weight::SemiBold));
            assert!(regular > 100, "{text}: {regular}");
            assert!(bold as f32 > 1.1 * regular as f32, "{text}: {regular} {bold}");
        }
    }

    #[test]
    fn what_cannot_be_drawn_is_an_error() {
        assert!(matches!(png("<svg", 1.0), Err(FigureError::Svg(_))));
        let svg = svg::paint([], 1000.0, 1000.0, None);
        assert!(matches!(png(&svg, 1e6), Err(FigureError::TooLarge { .. })));
        assert!(matches!(png(&svg, f32::NAN), Err(FigureError::Scale(_))));
    }
}
