//! The figure: a whole picture for a slide or a page, with title, lanes, axis, source line and legend.

use std::sync::Arc;

use super::drawable::{Anchor, Drawable, Point, Rect, Text, Weight};
use super::hazard_spans::HazardSpans;
use super::layout::{Density, LegendItem, LegendOf, Options, Prepared, hazard_marks, layout, legend, tick_step};
use super::theme::{Rgba, Theme};
use super::view::View;
use super::{fonts, svg};
use crate::analysis::hazard::Hazard;
use crate::analysis::{Analysis, Outcome, OutcomeId, outcome_sentence};
use crate::recording::{Measured, Recording};
use crate::scenario::{LaneKind, LaneSet};
use crate::text::{Key, Lang};
use crate::time::{Interval, Ns};

/// Around everything, in points.
const MARGIN: f32 = 30.0;
/// For lane names.
const GUTTER: f32 = 120.0;

/// How a figure is to look.
#[derive(Clone, Debug)]
pub struct FigureOptions {
    /// Above everything; empty for none.
    pub title: String,
    /// Colours.
    pub theme: Theme,
    /// Language of names, labels and legend.
    pub lang: Lang,
    /// Width in points.
    pub width: f32,
    /// Size of lanes and letters.
    pub density: Density,
    /// Where the time axis begins; without it, at the start of the measured part.
    pub from: Option<Ns>,
    /// Where it ends; without it, where everything has ended.
    pub to: Option<Ns>,
    /// Whether there is no background.
    pub transparent: bool,
    /// The lanes that are drawn; without them, those that each scenario is about.
    pub lanes: Option<Vec<LaneKind>>,
}

impl Default for FigureOptions {
    fn default() -> Self {
        Self {
            title: String::new(),
            theme: Theme::light(),
            lang: Lang::En,
            width: 1280.0,
            density: Density::Comfortable,
            from: None,
            to: None,
            transparent: false,
            lanes: None,
        }
    }
}

/// One run in a figure. Several stand below each other on one time axis.
#[derive(Clone, Copy, Debug)]
pub struct Panel<'a> {
    /// What ran.
    pub recording: &'a Recording,
    /// Above its lanes, such as `With .item()`; may be empty.
    pub caption: &'a str,
}

/// Draws `panels` and returns the SVG.
pub fn figure(panels: &[Panel<'_>], options: &FigureOptions) -> String {
    let analyses: Vec<Analysis> = panels.iter().map(|panel| Analysis::new(panel.recording)).collect();
    let analysed = panels.iter().zip(&analyses);
    let prepared: Vec<Prepared> =
        analysed.map(|(panel, analysis)| Prepared::of_analysed(panel.recording, analysis)).collect();
    let mut sheet = Sheet::new(options, view(&prepared, options));
    sheet.title();
    for (i, ((panel, prepared), analysis)) in panels.iter().zip(&prepared).zip(&analyses).enumerate() {
        sheet.outcome(panel.recording, analysis);
        sheet.panel(panel, (prepared, analysis), i + 1 == panels.len());
    }
    sheet.footer(panels, &prepared);
    let background = (!options.transparent).then_some(options.theme.background);
    svg::paint(&sheet.drawables, sheet.width, sheet.y.ceil(), background)
}

/// What the options ask for, or everything up to the next tick.
fn view(prepared: &[Prepared], options: &FigureOptions) -> View {
    let start = options.from.unwrap_or(Ns::ZERO);
    let end = options.to.unwrap_or_else(|| {
        let end = prepared.iter().map(|p| p.extent().end).max().unwrap_or_default();
        let step = tick_step(end - start, 10).0;
        Ns(end.0.saturating_add(step - 1) / step * step)
    });
    View::new(Interval::new(start, end))
}

/// A picture that grows downward.
struct Sheet<'a> {
    options: &'a FigureOptions,
    view: View,
    width: f32,
    scale: f32,
    y: f32,
    drawables: Vec<Drawable>,
}

impl<'a> Sheet<'a> {
    fn new(options: &'a FigureOptions, view: View) -> Self {
        let scale = options.density.scale();
        let narrowest = (2.0 * MARGIN + 2.0 * GUTTER) * scale;
        let width = if options.width.is_finite() { options.width.max(narrowest) } else { narrowest };
        Self { options, view, width, scale, y: 14.0 * scale, drawables: Vec::new() }
    }

    fn left(&self) -> f32 {
        MARGIN * self.scale
    }

    fn right(&self) -> f32 {
        self.width - MARGIN * self.scale
    }

    fn title(&mut self) {
        if self.options.title.is_empty() {
            return;
        }
        let size = 20.0;
        let room = self.right() - self.left();
        if let Some(title) = fonts::fit(&self.options.title, size * self.scale, Weight::SemiBold, room) {
            self.text(&title, self.left(), 26.0, Anchor::Start, size, Weight::SemiBold, self.options.theme.text);
        }
        self.y += 36.0 * self.scale;
    }

    /// What went wrong, above the lanes; nothing where nothing did.
    fn outcome(&mut self, recording: &Recording, analysis: &Analysis) {
        const SIZE: f32 = 13.0;
        const MOST_LINES: usize = 3;
        let Some(outcome) = analysis.outcome(recording).cloned().or_else(|| Outcome::failed(recording)) else { return };
        match outcome.id() {
            OutcomeId::Failed | OutcomeId::Corrupted | OutcomeId::Hazards => {}
            OutcomeId::Fragile | OutcomeId::Right => return,
        }
        let said = outcome_sentence(recording, &outcome, self.options.lang);
        let room = self.right() - self.left();
        for line in fonts::wrap(&said, SIZE * self.scale, Weight::SemiBold, room, MOST_LINES) {
            self.text(&line, self.left(), 16.0, Anchor::Start, SIZE, Weight::SemiBold, self.options.theme.alert);
            self.y += 18.0 * self.scale;
        }
        self.y += 4.0 * self.scale;
    }

    /// Beside the time of the run, which takes `taken`; what has no room in one line goes on in the next.
    fn caption(&mut self, caption: &str, taken: f32) {
        const SIZE: f32 = 12.5;
        const MOST_LINES: usize = 3;
        const LINE: f32 = 17.0;
        let left = self.left() + 14.0 * self.scale;
        let room = (self.right() - left - taken - 20.0 * self.scale).max(GUTTER * self.scale);
        let lines = fonts::wrap(caption, SIZE * self.scale, Weight::SemiBold, room, MOST_LINES);
        for (number, line) in (0u8..).zip(&lines) {
            let down = 20.0 + LINE * f32::from(number);
            self.text(line, left, down, Anchor::Start, SIZE, Weight::SemiBold, self.options.theme.text);
        }
        let more = lines.len().saturating_sub(1) as f32;
        self.y += (28.0 + LINE * more) * self.scale;
    }

    fn panel(&mut self, panel: &Panel<'_>, (prepared, analysis): (&Prepared, &Analysis), is_last: bool) {
        let theme = &self.options.theme;
        let wall = wall(panel.recording, self.options.lang);
        self.text(&wall, self.right(), 20.0, Anchor::End, 11.5, Weight::Regular, theme.muted);
        self.caption(panel.caption, fonts::width(&wall, 11.5 * self.scale, Weight::Regular));
        let laid_out = layout(
            panel.recording,
            prepared,
            &Options {
                lang: self.options.lang,
                origin: Point::new(self.left(), self.y),
                gutter: GUTTER * self.scale,
                density: self.options.density,
                axis: is_last,
                steady: false,
                hidden: hidden(panel.recording, self.options),
                ..Options::new(self.view, theme, self.right() - self.left())
            },
        );
        self.drawables.extend(laid_out.drawables().cloned());
        if let Some(hazard) = telling(panel.recording, analysis) {
            let hazards = std::slice::from_ref(hazard);
            let look = (theme, self.options.lang);
            for spans in HazardSpans::find(panel.recording, prepared, hazards) {
                self.drawables.extend(hazard_marks(&laid_out, panel.recording, prepared, hazard, &spans, look));
            }
        }
        self.y += laid_out.height;
    }

    /// The source line, and the legend beside it or, where there is no room, below.
    fn footer(&mut self, panels: &[Panel<'_>], prepared: &[Prepared]) {
        const SIZE: f32 = 11.0;
        let theme = &self.options.theme;
        let source = sources(panels, self.options.lang);
        let entries = self.legend(panels, prepared);
        let source_width = fonts::width(&source, SIZE * self.scale, Weight::Regular);
        let legend_width: f32 = entries.iter().map(|entry| entry.width(self.scale)).sum();
        self.y += 18.0 * self.scale;
        let beside = source_width + legend_width + 24.0 * self.scale <= self.right() - self.left();
        if beside {
            let mut x = self.right() - legend_width + LegendEntry::GAP * self.scale;
            for entry in &entries {
                self.entry(entry, x);
                x += entry.width(self.scale);
            }
        } else {
            self.rows(&entries);
        }
        let room = self.right() - self.left();
        if let Some(source) = fonts::fit(&source, SIZE * self.scale, Weight::Regular, room) {
            self.text(&source, self.left(), 14.0, Anchor::Start, SIZE, Weight::Regular, theme.muted);
        }
        self.y += 30.0 * self.scale;
    }

    /// The legend in rows of its own.
    fn rows(&mut self, entries: &[LegendEntry]) {
        let mut x = self.left();
        for entry in entries {
            if x > self.left() && x + entry.width(self.scale) > self.right() {
                x = self.left();
                self.y += 20.0 * self.scale;
            }
            self.entry(entry, x);
            x += entry.width(self.scale);
        }
        self.y += 24.0 * self.scale;
    }

    /// What is seen; of the causes of idle time only the most telling.
    fn legend(&self, panels: &[Panel<'_>], prepared: &[Prepared]) -> Vec<LegendEntry> {
        const MOST_CAUSES: usize = 4;
        let view = self.view.interval;
        let recordings: Vec<&Recording> = panels.iter().map(|panel| panel.recording).collect();
        let shown: Vec<LegendOf<'_>> = recordings
            .iter()
            .zip(prepared)
            .map(|(recording, prepared)| (*recording, prepared, hidden(recording, self.options)))
            .collect();
        let mut causes = 0;
        let mut items = legend(&shown, view, Ns(view.dur().0 / 200));
        items.retain(|item| {
            causes += usize::from(matches!(item, LegendItem::Idle(_)));
            !matches!(item, LegendItem::Idle(_)) || causes <= MOST_CAUSES
        });
        let entry = |item: LegendItem| LegendEntry { item, text: item.name(&recordings, self.options.lang).into() };
        items.into_iter().map(entry).collect()
    }

    fn entry(&mut self, entry: &LegendEntry, x: f32) {
        let s = self.scale;
        let rect = Rect::new(x, self.y + 4.0 * s, 13.0 * s, 12.0 * s);
        self.drawables.push(entry.item.swatch(rect, &self.options.theme));
        let theme = &self.options.theme;
        let x = x + LegendEntry::TEXT * s;
        self.text(&entry.text, x, 14.0, Anchor::Start, LegendEntry::SIZE, Weight::Regular, theme.muted);
    }

    /// A text `down` points below the current place, sizes still to be scaled.
    #[expect(clippy::too_many_arguments, reason = "these are the parts of a text; a struct would only name them twice")]
    fn text(&mut self, text: &str, x: f32, down: f32, anchor: Anchor, size: f32, weight: Weight, color: Rgba) {
        let at = Point::new(x, self.y + down * self.scale);
        let text = Text { at, anchor, size: size * self.scale, weight, color, text: text.into() };
        self.drawables.push(Drawable::Text(text));
    }
}

/// The lanes that are left out.
fn hidden(recording: &Recording, options: &FigureOptions) -> LaneSet {
    let about = recording.scenario.as_ref().map(|scenario| &scenario.lanes[..]);
    LaneSet::but(options.lanes.as_deref().or(about))
}

/// The hazard that a figure shows: the first that did harm, or else the first.
fn telling<'a>(recording: &Recording, analysis: &'a Analysis) -> Option<&'a Hazard> {
    // Where a run failed, what would have met may not have run.
    let hazards = &analysis.verdict(recording).filter(|_| recording.errors.is_empty())?.hazards;
    hazards.iter().find(|hazard| hazard.corrupted == Some(true)).or(hazards.first())
}

/// The time of the run; of a measured one the median of those that nobody watched, and what the timeline took.
fn wall(recording: &Recording, lang: Lang) -> String {
    let traced = recording.wall.dur();
    match recording.measured.as_ref().and_then(Measured::median) {
        Some(median) => lang.fill(Key::WallAndTraced, &[&median.to_string(), &traced.to_string()]),
        None => traced.to_string(),
    }
}

struct LegendEntry {
    item: LegendItem,
    text: Arc<str>,
}

impl LegendEntry {
    const SIZE: f32 = 11.0;
    /// From its left edge to its text.
    const TEXT: f32 = 18.0;
    /// To the next entry.
    const GAP: f32 = 18.0;

    fn width(&self, scale: f32) -> f32 {
        fonts::width(&self.text, Self::SIZE * scale, Weight::Regular) + (Self::TEXT + Self::GAP) * scale
    }
}

/// `Streamscope · model · H200 profile`; different sources one after the other.
fn sources(panels: &[Panel<'_>], lang: Lang) -> String {
    let mut lines: Vec<String> = panels.iter().map(|panel| panel.recording.source.line(lang)).collect();
    lines.dedup();
    format!("Streamscope · {}", lines.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::layout::testing::{lane, recording};
    use crate::drawing::{Category, png};
    use crate::recording::SpanKind;
    use resvg::tiny_skia::Pixmap;
    use resvg::usvg::roxmltree::Document;

    fn small() -> Recording {
        recording(vec![lane(&[(0, 20_000, SpanKind::Kernel), (60_000, 100_000, SpanKind::Kernel)])])
    }

    /// The colours seen in the stream's lane at a share of the time axis, over its height.
    fn seen(options: &FigureOptions, share: f32) -> Vec<Rgba> {
        let recording = small();
        let svg = figure(&[Panel { recording: &recording, caption: "" }], options);
        let picture = Pixmap::decode_png(&png(&svg, 1.0).unwrap()).unwrap();
        let x = MARGIN + GUTTER + share * (options.width - 2.0 * MARGIN - GUTTER);
        let pixels = (0..picture.height()).filter_map(|y| picture.pixel(x as u32, y));
        pixels.map(|p| Rgba { r: p.red(), g: p.green(), b: p.blue(), a: p.alpha() }).collect()
    }

    #[test]
    fn busy_is_blue_and_idle_is_not() {
        for theme in [Theme::light(), Theme::dark()] {
            let kernel = theme.span(Category::Kernel).fill;
            let options = FigureOptions { theme, ..FigureOptions::default() };
            assert!(seen(&options, 0.80).contains(&kernel));
            assert!(!seen(&options, 0.40).contains(&kernel));
        }
    }

    #[test]
    fn a_transparent_figure_has_no_background() {
        let corner = |transparent| seen(&FigureOptions { transparent, ..FigureOptions::default() }, 0.5)[0];
        assert_eq!(corner(true).a, 0);
        assert_eq!(corner(false), Theme::light().background);
    }

    #[test]
    fn a_figure_says_where_it_comes_from_and_what_its_colours_mean() {
        let recording = small();
        let options = FigureOptions { lang: Lang::Zh, title: "气泡 <1>".to_owned(), ..FigureOptions::default() };
        let svg = figure(&[Panel { recording: &recording, caption: "a & b" }], &options);
        let document = Document::parse(&svg).unwrap();
        let texts: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
        for wanted in ["气泡 <1>", "a & b", "100 µs", "Streamscope · 模型 · H200 profile · PyTorch 主机开销", "Kernel"]
        {
            assert!(texts.contains(&wanted), "{wanted} in {texts:?}");
        }
        assert!(!texts.contains(&Lang::Zh.text(Key::KindMemset)));
    }

    #[test]
    fn what_is_out_of_view_is_not_in_the_legend() {
        let recording = recording(vec![lane(&[(0, 1000, SpanKind::Kernel), (5000, 6000, SpanKind::Memset)])]);
        let options = FigureOptions { from: Some(Ns(4500)), to: Some(Ns(7000)), ..FigureOptions::default() };
        let svg = figure(&[Panel { recording: &recording, caption: "" }], &options);
        assert!(svg.contains(Lang::En.text(Key::KindMemset)) && !svg.contains(">kernel<"));
    }

    #[test]
    fn an_empty_recording_and_absurd_options_still_give_a_picture() {
        let recording = recording(Vec::new());
        let panels = [Panel { recording: &recording, caption: "" }];
        let absurd =
            FigureOptions { width: f32::NAN, from: Some(Ns::MAX), to: Some(Ns(i64::MIN)), ..FigureOptions::default() };
        for options in [FigureOptions::default(), absurd] {
            assert!(png(&figure(&panels, &options), 1.0).is_ok());
        }
        assert!(png(&figure(&[], &FigureOptions::default()), 1.0).is_ok());
    }
}
