//! The timeline: a plot with our own item. The plot carries axis and grid; the view, and what gestures do to it, are ours.

pub(in crate::window) mod describe;
mod describe_memory;
pub(in crate::window) mod description_card;
mod highlight;
mod lane_names;
mod legend;
mod plot;

use std::sync::Arc;

use egui::{CursorIcon, Frame, Pos2, Rect, Response, RichText, ScrollArea, Sense, Stroke, Tooltip, Ui};
use egui::{PointerButton, Vec2, vec2};

use crate::drawing::drawable::Point;
use crate::drawing::layout::height;
use crate::drawing::{Density, EguiPainter, Hit, KeptShapes, Layout, Lit, Options, View, ViewChange, layout};
use crate::scenario::LaneSet;
use crate::text::{Key, Lang};
use crate::time::{Interval, Ns};
use crate::window::actions::{WindowAction, WindowCommand};
use crate::window::look::palette::Palette;
use crate::window::range::band;
use crate::window::shown_run::ShownRun;
use crate::window::shown_run::captured_graphs::{BoxId, SpanStretch};
use crate::window::state::run_view::RunView;
use crate::window::state::settings::Settings;
use describe::describe;
use description_card::card;
use legend::Legend;
use plot::{plot, publish};

/// For lane names, of the usual size.
const GUTTER: f32 = 128.0;
/// For the numbers of the axis.
const AXIS: f32 = 24.0;
/// Lanes grow by this factor at most where there is room, and shrink by that one where there is little.
const MAX_STRETCH: f32 = 3.0;
const MIN_STRETCH: f32 = 0.5;
/// Letters for a lecture hall stay large as long as lanes shrink by no more than that.
const MIN_LARGE: f32 = 0.7;
/// Letters grow where lanes are that much higher than they need to be.
const ROOMY: f32 = 1.25;

/// What a layout depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Basis {
    run: u64,
    view: View,
    width: f32,
    room: f32,
    dark: bool,
    lang: Lang,
    projector: bool,
    folded: LaneSet,
    pixels_per_point: f32,
    lit: Option<Lit>,
}

/// How large lanes are drawn.
#[derive(Clone, Copy, Debug)]
struct LaneSize {
    density: Density,
    stretch: f32,
}

/// The layout of the last frame, kept while nothing that it depends on changes, and where a range begins that is being dragged out.
#[derive(Default)]
pub(in crate::window) struct TimelinePanel {
    kept: Option<(Basis, Arc<Layout>)>,
    /// What was painted of it.
    shapes: KeptShapes,
    /// How large lanes are, which does not depend on the view, and what it was worked out for.
    size: Option<(Basis, LaneSize)>,
    /// Where a range begins that is being dragged out.
    range_from: Option<Ns>,
    legend: Legend,
    /// The spans of the box of a graph that the pointer is on, of the run of that number.
    box_spans: Option<((u64, BoxId), Vec<SpanStretch>)>,
}

impl TimelinePanel {
    /// Shows the lanes of the run, and leaves room for what stands below.
    pub(in crate::window) fn show(
        &mut self,
        ui: &mut Ui,
        palette: &Palette,
        settings: &Settings,
        run_view: &RunView,
        (folded, below): (LaneSet, f32),
        actions: &mut Vec<WindowAction>,
    ) {
        let Some(run) = &run_view.run else {
            ui.centered_and_justified(|ui| {
                ui.label(RichText::new(settings.lang.text(Key::NoRun)).color(palette.muted))
            });
            return;
        };
        let legend =
            self.legend.height(ui, settings.lang, run_view, (run, folded), ui.available_width() - self.gutter());
        let room = (ui.available_height() - below - legend).max(60.0);
        ScrollArea::vertical().id_salt("timeline").auto_shrink([false, true]).max_height(room).show(ui, |ui| {
            let lanes = self.layout(ui, palette, settings, (run_view, folded), run, room);
            // Axis and numbers stay where they are, however many lanes a run has.
            let size = vec2(ui.available_width(), (lanes.height + AXIS).max(room));
            let (whole, _) = ui.allocate_exact_size(size, Sense::hover());
            let frame = Rect::from_min_max(whole.min + vec2(self.gutter(), 0.0), whole.max);
            let painter = EguiPainter::new(ui.ctx(), frame.min.to_vec2());
            let mut shapes = Vec::new();
            painter.paint(ui.ctx(), lanes.lanes.iter().flat_map(|lane| &lane.names), &mut shapes);
            ui.painter().extend(shapes);
            lane_names::show(ui, palette, settings, &lanes, (whole.left(), frame), actions);
            plot(ui, palette, &lanes, &self.shapes, frame);
            let timed = Rect::from_min_size(frame.min, vec2(frame.width(), lanes.height));
            self.respond(ui, palette, settings.lang, run_view, run, &lanes, timed, actions);
        });
        self.legend.show(ui, palette, settings.lang, run_view, (run, folded), self.gutter(), actions);
    }

    /// The layout for what is seen now. Its lanes begin at x = 0, where the plot begins; names stand left of that.
    fn layout(
        &mut self,
        ui: &Ui,
        palette: &Palette,
        settings: &Settings,
        (run_view, folded): (&RunView, LaneSet),
        run: &ShownRun,
        room: f32,
    ) -> Arc<Layout> {
        let basis = Basis {
            run: run_view.number,
            view: run_view.views.current(),
            width: ui.available_width(),
            room,
            dark: settings.dark,
            lang: settings.lang,
            projector: settings.projector,
            folded,
            pixels_per_point: ui.ctx().pixels_per_point(),
            lit: run_view.hovered_item.map(Lit::Item),
        };
        if let Some((_, kept)) = self.kept.as_ref().filter(|(known, _)| *known == basis) {
            return Arc::clone(kept);
        }
        let natural = Options {
            lang: basis.lang,
            gutter: GUTTER,
            pixel: 1.0 / basis.pixels_per_point,
            axis: false,
            folded: basis.folded,
            lit: basis.lit,
            ..Options::new(basis.view, &palette.theme, basis.width)
        };
        let LaneSize { density, stretch } = self.size(basis, run, &natural);
        let gutter = self.gutter();
        let options = Options { density, stretch, gutter, origin: Point::new(-gutter, 0.0), ..natural };
        let lanes = Arc::new(layout(&run.recording, &run.prepared, &options));
        self.kept = Some((basis, Arc::clone(&lanes)));
        lanes
    }

    /// Room for lane names, which are larger for a lecture hall.
    fn gutter(&self) -> f32 {
        let scale = self.size.as_ref().map_or(1.0, |(_, size)| size.density.scale());
        GUTTER * scale.max(1.0)
    }

    /// The largest letters with which all lanes are seen at once, and by how much lanes grow to fill the room. Where even small
    /// ones do not do, lanes become lower.
    fn size(&mut self, basis: Basis, run: &ShownRun, natural: &Options<'_>) -> LaneSize {
        // Heights are steady: what is seen and what stands out has no part in them.
        let same = |known: &Basis| Basis { view: basis.view, lit: basis.lit, ..*known } == basis;
        if let Some((_, size)) = self.size.as_ref().filter(|(known, _)| same(known)) {
            return *size;
        }
        let room = basis.room - AXIS;
        let largest = if basis.projector { Density::Projector } else { Density::Large };
        let mut size = LaneSize { density: largest, stretch: 1.0 };
        for density in [largest, Density::Comfortable, Density::Compact] {
            let height = |stretch| height(&run.recording, &run.prepared, &Options { density, stretch, ..*natural });
            // The space between lanes does not stretch.
            let (once, lanes) = (height(1.0), height(2.0) - height(1.0));
            let mut stretch = 1.0 + (room - once) / lanes.max(1.0);
            // Each lane is rounded to whole points, which may add up to a few too many.
            for _ in 0..3 {
                let surplus = height(stretch.clamp(MIN_STRETCH, MAX_STRETCH)) + 1.0 - room;
                stretch -= surplus.max(0.0) / lanes.max(1.0);
            }
            size = LaneSize { density, stretch: stretch.clamp(MIN_STRETCH, MAX_STRETCH) };
            // In a lecture hall large letters are worth lower lanes.
            let least = match density {
                Density::Projector => MIN_LARGE,
                Density::Large => ROOMY,
                Density::Comfortable | Density::Compact => 1.0,
            };
            if stretch >= least {
                break;
            }
        }
        self.size = Some((basis, size));
        size
    }

    /// Pointing, gestures, and what is highlighted.
    #[expect(clippy::too_many_arguments, reason = "one place where picture, pointer and what is selected meet")]
    fn respond(
        &mut self,
        ui: &mut Ui,
        palette: &Palette,
        lang: Lang,
        run_view: &RunView,
        run: &ShownRun,
        layout: &Layout,
        area: Rect,
        actions: &mut Vec<WindowAction>,
    ) {
        publish(ui, run, layout, area, lang);
        let response = ui.interact(area, ui.scope_id().with("timeline"), Sense::click_and_drag());
        let pointer = response.hover_pos();
        let hit = pointer.and_then(|at| layout.hit(&run.prepared, local(at, area)));
        if hit != run_view.hovered {
            actions.push(WindowAction::Hover(hit));
        }
        self.gestures(ui, run_view, layout, area, &response, actions);
        highlight::chain(ui, palette, run, layout, area, run_view.selection, true);
        highlight::chain(ui, palette, run, layout, area, hit, false);
        self.find_box_spans(run_view, run);
        if let Some((_, stretches)) = self.box_spans.as_ref().filter(|_| run_view.graph_box.is_some()) {
            highlight::stretches(ui, palette.accent, run, layout, area, stretches);
        }
        if let Some(listed) = run_view.listed(run_view.hovered_hazard.or(run_view.hazard)) {
            highlight::hazard(ui, palette, lang, run, layout, area, listed);
        }
        if let Some(range) = &run_view.range {
            band::paint(ui, palette, layout, area, range.interval);
        }
        if let (Some(hit), None) = (hit, self.range_from) {
            tooltip(ui, palette, lang, run, hit);
        }
    }

    /// Looks for the spans of the box that the pointer is on, once for each.
    fn find_box_spans(&mut self, run_view: &RunView, run: &ShownRun) {
        let Some(graph_box) = run_view.graph_box else { return };
        let key = (run_view.number, graph_box);
        if self.box_spans.as_ref().is_none_or(|(known, _)| *known != key) {
            self.box_spans = Some((key, run.captured.spans(&run.recording, &run.prepared, graph_box)));
        }
    }

    fn gestures(
        &mut self,
        ui: &Ui,
        run_view: &RunView,
        layout: &Layout,
        area: Rect,
        response: &Response,
        actions: &mut Vec<WindowAction>,
    ) {
        let view = run_view.views.current();
        let time = |x: f32| layout.scale.time(x - area.left());
        if let Some(at) = response.hover_pos() {
            let (wheel, pinch) = ui.input(|input| (input.smooth_scroll_delta(), input.zoom_delta()));
            let factor = if pinch == 1.0 { (f64::from(wheel.y) / 200.0).exp() } else { f64::from(pinch) };
            // Two fingers never move quite straight: what is more decides. Shift turns a wheel sideways.
            if pinch == 1.0 && wheel.x.abs() > wheel.y.abs() {
                let by = time(area.left()) - layout.scale.time(wheel.x);
                actions.push(WindowAction::See(view.pan(by), ViewChange::Pan));
            } else if factor != 1.0 {
                actions.push(WindowAction::See(view.zoom(factor, time(at.x)), ViewChange::Zoom));
            }
            if wheel != Vec2::ZERO || pinch != 1.0 {
                ui.input_mut(|input| input.smooth_scroll_delta = Vec2::ZERO);
            }
        }
        self.drag(ui, view, layout, area, response, actions);
        let is_in_range = |at: Pos2| run_view.range.as_ref().is_some_and(|it| it.interval.contains(time(at.x)));
        if response.double_clicked() {
            let is_in_range = response.interact_pointer_pos().is_some_and(is_in_range);
            let command = if is_in_range { WindowCommand::ZoomToRange } else { WindowCommand::Fit };
            actions.push(WindowAction::Do(command));
        } else if response.clicked() {
            actions.push(WindowAction::Select(run_view.hovered));
        }
    }
}

impl TimelinePanel {
    /// A drag moves the view; with Shift, or with the other button, it selects a range that begins where the button was pressed.
    fn drag(
        &mut self,
        ui: &Ui,
        view: View,
        layout: &Layout,
        area: Rect,
        response: &Response,
        actions: &mut Vec<WindowAction>,
    ) {
        let time = |x: f32| layout.scale.time(x.clamp(area.left(), area.right()) - area.left());
        let selects = response.drag_started_by(PointerButton::Secondary)
            || response.drag_started_by(PointerButton::Primary) && ui.input(|input| input.modifiers.shift);
        if selects {
            self.range_from = ui.input(|input| input.pointer.press_origin()).map(|pressed| time(pressed.x));
        }
        match (self.range_from, response.interact_pointer_pos()) {
            (Some(from), Some(at)) if response.dragged() => {
                let to = time(at.x);
                actions.push(WindowAction::SelectRange(Some(Interval::new(from.min(to), from.max(to)))));
            }
            (None, _) if response.dragged_by(PointerButton::Primary) && response.drag_delta().x != 0.0 => {
                let by = time(area.left()) - layout.scale.time(response.drag_delta().x);
                actions.push(WindowAction::See(view.pan(by), ViewChange::Pan));
                ui.ctx().set_cursor_icon(CursorIcon::Grabbing);
            }
            _ => {}
        }
        if response.drag_stopped() {
            actions.push(WindowAction::EndGesture);
            self.range_from = None;
        }
    }
}

fn local(at: Pos2, area: Rect) -> Point {
    Point::new(at.x - area.left(), at.y - area.top())
}

/// A box at the pointer, with a hairline in the accent colour.
fn tooltip(ui: &Ui, palette: &Palette, lang: Lang, run: &ShownRun, hit: Hit) {
    let Some(description) = describe(run, hit, lang) else { return };
    let frame = Frame::popup(ui.style()).stroke(Stroke::new(1.0, palette.accent)).inner_margin(10.0);
    let id = ui.scope_id().with("tooltip");
    let mut tooltip = Tooltip::always_open(ui.ctx().clone(), ui.layer_id(), id, egui::PopupAnchor::Pointer).gap(14.0);
    tooltip.popup = tooltip.popup.frame(frame);
    tooltip.show(|ui| {
        ui.set_max_width(340.0);
        card(ui, palette, lang, &description);
    });
}
