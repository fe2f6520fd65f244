//! The SVG painter. Text stays text, in the families of the embedded fonts.

use std::fmt::Write;

use super::drawable::{Anchor, Column, Drawable, Point, Rect, Text, Weight};
use super::fonts::{SANS, SANS_CJK};
use super::hatch::{arrow_barbs, arrow_controls, curve_barbs, stripes};
use super::theme::Rgba;

/// Paints `drawables` on a picture of `width` by `height` points, over `background` if there is one.
pub fn paint<'a>(
    drawables: impl IntoIterator<Item = &'a Drawable>,
    width: f32,
    height: f32,
    background: Option<Rgba>,
) -> String {
    let mut out = String::new();
    let (w, h) = (number(width), number(height));
    // Writing into a String cannot fail.
    let _ = write!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}" font-family="{SANS}, '{SANS_CJK}', sans-serif">"#,
    );
    if let Some(color) = background {
        rect(&mut out, Rect::new(0.0, 0.0, width, height), 0.0, color, None);
    }
    for drawable in drawables {
        paint_one(&mut out, drawable);
    }
    out.push_str("</svg>\n");
    out
}

fn paint_one(out: &mut String, drawable: &Drawable) {
    match drawable {
        Drawable::Box { rect: r, radius, fill, outline } => rect(out, *r, *radius, *fill, *outline),
        Drawable::Hatch { rect: r, ground, stripe, outline } => hatch(out, *r, *ground, *stripe, *outline),
        Drawable::Columns { y, h, columns: list } => columns(out, *y, *h, list),
        Drawable::Steps { points, right, base, fill, edge } => steps(out, points, *right, *base, *fill, *edge),
        Drawable::Line { from, to, width, color } => {
            line(out, &format!("M{}L{}", point(*from), point(*to)), *width, *color);
        }
        Drawable::Arrow { from, to, color } => arrow(out, *from, *to, *color),
        Drawable::Curve { from, controls, to, width, color } => curve(out, *from, *controls, *to, *width, *color),
        Drawable::Text(it) => text(out, it),
    }
}

fn rect(out: &mut String, rect: Rect, radius: f32, fill: Rgba, outline: Option<Rgba>) {
    // The outline lies inside the edge.
    let r = if outline.is_some() { rect.inset(0.5) } else { rect };
    let radius = radius.min(r.w / 2.0);
    let [x, y, w, h] = [r.x, r.y, r.w, r.h].map(number);
    let _ = write!(out, r#"<rect x="{x}" y="{y}" width="{w}" height="{h}""#);
    if radius > 0.0 {
        let _ = write!(out, r#" rx="{}""#, number(radius));
    }
    color(out, "fill", fill);
    if let Some(line) = outline {
        color(out, "stroke", line);
    }
    out.push_str("/>");
}

fn hatch(out: &mut String, area: Rect, ground: Rgba, stripe: Rgba, outline: Option<Rgba>) {
    /// Half the thickness of a stripe, along x.
    const HALF: f32 = 0.75;
    rect(out, area, 0.0, ground, None);
    let mut path = String::new();
    for [low, high] in stripes(area) {
        // Cut off level, so that stripes end with the rectangle.
        let corner = |p: Point, by: f32| point(Point::new((p.x + by).clamp(area.x, area.right()), p.y));
        let [a, b, c, d] = [corner(low, -HALF), corner(high, -HALF), corner(high, HALF), corner(low, HALF)];
        let _ = write!(path, "M{a}L{b}L{c}L{d}Z");
    }
    filled(out, &path, stripe);
    if let Some(line) = outline {
        rect(out, area, 0.0, line.with_alpha(0.0), Some(line));
    }
}

/// Neighbours of one colour become one shape.
fn columns(out: &mut String, y: f32, h: f32, columns: &[Column]) {
    out.push_str(r#"<g shape-rendering="crispEdges">"#);
    for run in columns.chunk_by(Column::is_continued_by) {
        if let (Some(first), Some(last)) = (run.first(), run.last()) {
            // Absolute edges, so that neighbours share theirs to the last digit.
            let area = first.run(last, y, h);
            let (left, right) = (number(first.left), number(last.right));
            let (top, bottom) = (number(area.y), number(area.bottom()));
            filled(out, &format!("M{left} {top}H{right}V{bottom}H{left}Z"), first.color);
        }
    }
    out.push_str("</g>");
}

fn steps(out: &mut String, points: &[Point], right: f32, base: f32, fill: Rgba, edge: Rgba) {
    let Some(first) = points.first() else { return };
    let mut path = format!("M{}", point(*first));
    for next in points.iter().skip(1) {
        let _ = write!(path, "H{}V{}", number(next.x), number(next.y));
    }
    let _ = write!(path, "H{}", number(right));
    filled(out, &format!("{path}V{base}H{left}Z", base = number(base), left = number(first.x)), fill);
    line(out, &path, 1.0, edge);
}

fn arrow(out: &mut String, from: Point, to: Point, color: Rgba) {
    let [a, b] = arrow_controls(from, to);
    let [left, right] = arrow_barbs(from, to);
    let tip = point(to);
    let path = format!("M{}C{} {} {tip}M{}L{tip}L{}", point(from), point(a), point(b), point(left), point(right));
    line(out, &path, 1.4, color);
}

fn curve(out: &mut String, from: Point, [a, b]: [Point; 2], to: Point, width: f32, color: Rgba) {
    let [left, right] = curve_barbs(b, to).map(point);
    let tip = point(to);
    let path = format!("M{}C{} {} {tip}M{left}L{tip}L{right}", point(from), point(a), point(b));
    line(out, &path, width, color);
}

fn text(out: &mut String, text: &Text) {
    let anchor = match text.anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let (x, y, size) = (number(text.at.x), number(text.at.y), number(text.size));
    let _ = write!(out, r#"<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}""#);
    if text.weight == Weight::SemiBold {
        out.push_str(r#" font-weight="600""#);
    }
    color(out, "fill", text.color);
    let _ = write!(out, ">{}</text>", escaped(&text.text));
}

fn filled(out: &mut String, path: &str, fill: Rgba) {
    if !path.is_empty() {
        let _ = write!(out, r#"<path d="{path}""#);
        color(out, "fill", fill);
        out.push_str("/>");
    }
}

fn line(out: &mut String, path: &str, width: f32, stroke: Rgba) {
    let _ = write!(out, r#"<path d="{path}" fill="none" stroke-width="{}""#, number(width));
    color(out, "stroke", stroke);
    out.push_str("/>");
}

/// The attribute `name`, and that of its opacity where it is not solid.
fn color(out: &mut String, name: &str, color: Rgba) {
    let Rgba { r, g, b, a } = color;
    if a == 0 {
        let _ = write!(out, r#" {name}="none""#);
        return;
    }
    let _ = write!(out, r##" {name}="#{r:02x}{g:02x}{b:02x}""##);
    if a < 255 {
        let _ = write!(out, r#" {name}-opacity="{:.3}""#, f32::from(a) / 255.0);
    }
}

fn point(point: Point) -> String {
    format!("{} {}", number(point.x), number(point.y))
}

/// Hundredths are finer than any screen. What is not a number becomes zero.
fn number(value: f32) -> String {
    let value = if value.is_finite() { value } else { 0.0 };
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// `text` as content of an element. What XML forbids altogether is replaced.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\t' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use resvg::usvg::roxmltree::Document;

    proptest! {
        #[test]
        fn any_text_survives(text in "\\PC{0,40}|[\\x00-\\x1f<>&\"']{0,10}") {
            let drawable = Drawable::Text(Text {
                at: Point::new(f32::NAN, 1.0),
                anchor: Anchor::Start,
                size: 10.0,
                weight: Weight::Regular,
                color: Rgba::hex(0),
                text: text.as_str().into(),
            });
            let svg = paint([&drawable], 10.0, 10.0, None);
            let document = Document::parse(&svg).unwrap();
            let shown = document.descendants().find(|node| node.has_tag_name("text")).and_then(|node| node.text());
            if text.chars().all(|c| !c.is_control() && c < '\u{fffe}') {
                prop_assert_eq!(shown.unwrap_or_default(), text);
            }
        }
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([1.0, 0.5, -0.001, 12.346, f32::INFINITY].map(number), ["1", "0.5", "0", "12.35", "0"]);
    }
}
