//! The embedded fonts, for every painter, and how wide a text is in them.

use std::sync::{Arc, LazyLock};

use resvg::usvg::fontdb;
use ttf_parser::Face;

use super::drawable::Weight;

/// Letters of window and figure.
pub const SANS: &str = "Inter";
/// Its Chinese companion.
pub const SANS_CJK: &str = "Noto Sans CJK SC";
/// Code.
pub const MONO: &str = "JetBrains Mono";
/// Name of the egui family of [`Weight::SemiBold`].
pub const SEMIBOLD: &str = "semibold";

/// Inter, weight 400.
pub const INTER_REGULAR: &[u8] = include_bytes!("../../assets/fonts/Inter-Regular.otf");
/// Inter, weight 600.
pub const INTER_SEMIBOLD: &[u8] = include_bytes!("../../assets/fonts/Inter-SemiBold.otf");
/// JetBrains Mono, weight 400.
pub const MONO_REGULAR: &[u8] = include_bytes!("../../assets/fonts/JetBrainsMono-Regular.ttf");
/// Noto Sans CJK SC, weight 400.
pub const CJK_REGULAR: &[u8] = include_bytes!("../../assets/fonts/NotoSansCJKsc-Regular.otf");
/// Noto Sans CJK SC, weight 700.
pub const CJK_BOLD: &[u8] = include_bytes!("../../assets/fonts/NotoSansCJKsc-Bold.otf");

/// A database with the embedded fonts and no others.
pub fn fontdb() -> Arc<fontdb::Database> {
    static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
        let mut fonts = fontdb::Database::new();
        for bytes in [INTER_REGULAR, INTER_SEMIBOLD, MONO_REGULAR, CJK_REGULAR, CJK_BOLD] {
            fonts.load_font_source(fontdb::Source::Binary(Arc::new(bytes)));
        }
        fonts.set_sans_serif_family(SANS);
        fonts.set_serif_family(SANS);
        fonts.set_monospace_family(MONO);
        Arc::new(fonts)
    });
    Arc::clone(&FONTS)
}

/// How wide `text` is in points, set in `size`.
pub fn width(text: &str, size: f32, weight: Weight) -> f32 {
    static REGULAR: LazyLock<Advances> = LazyLock::new(|| Advances::new(INTER_REGULAR, CJK_REGULAR));
    static SEMIBOLD: LazyLock<Advances> = LazyLock::new(|| Advances::new(INTER_SEMIBOLD, CJK_BOLD));
    let advances = match weight {
        Weight::Regular => &REGULAR,
        Weight::SemiBold => &SEMIBOLD,
    };
    text.chars().map(|c| advances.of(c)).sum::<f32>() * size
}

/// `text` cut to at most `room` points, with an ellipsis where it was cut; `None` where not even three characters fit.
pub fn fit(text: &str, size: f32, weight: Weight, room: f32) -> Option<Arc<str>> {
    const ELLIPSIS: &str = "…";
    const FEWEST: usize = 3;
    if width(text, size, weight) <= room {
        return Some(text.into());
    }
    let mut left = room - width(ELLIPSIS, size, weight);
    let mut kept = 0;
    let mut end = 0;
    for (at, c) in text.char_indices() {
        let mut buffer = [0; 4];
        left -= width(c.encode_utf8(&mut buffer), size, weight);
        if left < 0.0 {
            break;
        }
        kept += 1;
        end = at + c.len_utf8();
    }
    let shown = text.get(..end).unwrap_or_default().trim_end();
    (kept >= FEWEST).then(|| format!("{shown}{ELLIPSIS}").into())
}

/// `text` in at most `most` lines of `room` points, broken at spaces and beside Chinese characters; the last is cut to fit.
pub fn wrap(text: &str, size: f32, weight: Weight, room: f32, most: usize) -> Vec<Arc<str>> {
    let mut lines = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() && lines.len() + 1 < most {
        let (line, after) = rest.split_at(line_end(rest, size, weight, room));
        lines.push(line.trim_end().into());
        rest = after.trim_start();
    }
    lines.extend(fit(rest, size, weight, room).filter(|_| !rest.is_empty()));
    lines
}

/// Where the first line of `text` ends: at least one character is in it.
fn line_end(text: &str, size: f32, weight: Weight, room: f32) -> usize {
    /// What has no letters of Latin on both sides may be broken; punctuation does not begin a line.
    const NEVER_FIRST: &str = "，。：；、）”·";
    let (mut left, mut end, mut before) = (room, 0, ' ');
    for (at, c) in text.char_indices() {
        let is_free = !c.is_ascii() || !before.is_ascii() || before == ' ';
        if at > 0 && is_free && !NEVER_FIRST.contains(c) {
            end = at;
        }
        let mut buffer = [0; 4];
        left -= width(c.encode_utf8(&mut buffer), size, weight);
        if left < 0.0 && c != ' ' {
            return if end > 0 { end } else { at.max(c.len_utf8()) };
        }
        before = c;
    }
    text.len()
}

/// Widths of characters as parts of the font size, those of ASCII at hand.
struct Advances {
    ascii: [f32; 128],
    faces: Vec<Face<'static>>,
}

impl Advances {
    fn new(latin: &'static [u8], cjk: &'static [u8]) -> Self {
        let faces = [latin, cjk].iter().filter_map(|bytes| Face::parse(bytes, 0).ok()).collect();
        let mut advances = Self { ascii: [0.0; 128], faces };
        let mut ascii = [0.0; 128];
        for (code, advance) in (0u8..).zip(ascii.iter_mut()) {
            *advance = advances.look_up(char::from(code));
        }
        advances.ascii = ascii;
        advances
    }

    fn of(&self, c: char) -> f32 {
        self.ascii.get(c as usize).copied().unwrap_or_else(|| self.look_up(c))
    }

    /// A character that no font has is as wide as a CJK one.
    fn look_up(&self, c: char) -> f32 {
        let advance = |face: &Face<'_>| {
            let glyph = face.glyph_index(c)?;
            Some(f32::from(face.glyph_hor_advance(glyph)?) / f32::from(face.units_per_em()))
        };
        self.faces.iter().find_map(advance).unwrap_or(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Key, Lang};

    #[test]
    fn every_text_has_all_its_glyphs_in_both_weights() {
        for fonts in [[INTER_REGULAR, CJK_REGULAR], [INTER_SEMIBOLD, CJK_BOLD]] {
            let faces = fonts.map(|bytes| Face::parse(bytes, 0).unwrap());
            for &key in Key::ALL {
                for lang in [Lang::En, Lang::Zh] {
                    for c in lang.text(key).chars() {
                        assert!(faces.iter().any(|face| face.glyph_index(c).is_some()), "{key:?}: {c}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_cut_text_fits() {
        let text = "gemm 1024×1024×1024";
        for room in [20.0, 40.0, 80.0] {
            if let Some(cut) = fit(text, 10.0, Weight::Regular, room) {
                assert!(width(&cut, 10.0, Weight::Regular) <= room, "{cut}");
                assert!(cut.ends_with('…'));
            }
        }
        assert_eq!(fit(text, 10.0, Weight::Regular, 500.0).as_deref(), Some(text));
        assert_eq!(fit(text, 10.0, Weight::Regular, 5.0), None);
    }

    #[test]
    fn a_wrapped_text_fits_and_nothing_but_spaces_is_lost() {
        for text in [
            "cudaErrorIllegalAddress (700) in “D2H 1 B”: used memory",
            "“重放”出错，显存已经还回去了；3 个操作没有执行",
        ] {
            for room in [90.0, 200.0, 1000.0] {
                let lines = wrap(text, 10.0, Weight::Regular, room, 20);
                assert!(lines.iter().all(|line| width(line, 10.0, Weight::Regular) <= room), "{lines:?}");
                let kept = |text: &str| text.replace(' ', "");
                assert_eq!(kept(&lines.concat()), kept(text));
            }
            assert_eq!(wrap(text, 10.0, Weight::Regular, 90.0, 2).len(), 2);
        }
        assert!(wrap("", 10.0, Weight::Regular, 90.0, 2).is_empty());
    }

    #[test]
    fn all_fonts_load() {
        let fonts = fontdb();
        let families: Vec<&str> = fonts.faces().map(|face| face.families[0].0.as_str()).collect();
        assert_eq!(families, [SANS, SANS, MONO, SANS_CJK, SANS_CJK]);
        assert_eq!(fonts.faces().map(|face| face.weight.0).collect::<Vec<_>>(), [400, 600, 400, 400, 700]);
    }
}
