//! Below the timeline: the numbers, where the GPU idles, and the verdict.

use egui::{Align2, CornerRadius, FontId, Label, Rect, RichText, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::command::Action;
use super::run::Run;
use super::state::State;
use super::style::{Palette, strong};
use super::widgets::card;
use super::{graph, hazards};
use crate::analysis::hazard::explain;
use crate::analysis::{cause_key, verdict};
use crate::drawing::color32;
use crate::recording::{Instrument, Measured, Walls};
use crate::text::{Key, Lang};

/// Narrowest card.
const LEAST: f32 = 130.0;
/// Between cards.
const SPACING: f32 = 10.0;

/// How many cards stand side by side in that width.
fn cards_in_row(count: usize, width: f32) -> usize {
    count.min(((width + SPACING) / (LEAST + SPACING)) as usize).max(1)
}

/// Room that the timeline leaves for all of this.
pub(super) fn height(state: &State, run: &Run, width: f32) -> f32 {
    /// Of a row of cards.
    const ROW: f32 = 78.0;
    /// Of causes, hazards and verdict, when the verdict takes two lines, with the spaces between.
    const REST: f32 = 142.0;
    if let Some(height) = graph::height(state) {
        return height + SPACING + REST;
    }
    let count = STANDING + run.recording.values.len() + usize::from(run.recording.measured.is_some());
    let rows = count.div_ceil(cards_in_row(count, width)) as f32;
    rows * (ROW + SPACING) + REST
}

/// Numbers that every run has.
const STANDING: usize = 4;

/// Shows numbers, causes of idle time, hazards and verdict.
pub(super) fn show(ui: &mut Ui, palette: &Palette, state: &State, actions: &mut Vec<Action>) {
    let lang = state.settings.lang;
    let Some(run) = &state.run else { return };
    // The graph has taken their place.
    if graph::height(state).is_none() {
        cards(ui, palette, run, lang);
    }
    ui.add_space(8.0);
    card(palette).show(ui, |ui| {
        ui.set_width(ui.available_width());
        idle_bar(ui, palette, run, lang);
        ui.add_space(4.0);
        hazards::line(ui, palette, state, actions);
        // Where there is no panel beside the timeline, the selected hazard is explained here.
        let hazard = state.listed(state.sight.hazard).filter(|_| state.settings.projector);
        let said = match hazard {
            Some(listed) => explain(&listed.hazard, lang),
            None => verdict(&run.recording, &run.analysis, lang),
        };
        ui.add(Label::new(RichText::new(said).size(13.0)).wrap());
    });
}

/// One number and what is said below it.
struct Number {
    title: String,
    value: String,
    under: String,
    /// What it means, for who asks.
    hint: Option<String>,
}

impl Number {
    fn new(title: &str, value: String, under: String) -> Self {
        Self { title: title.to_owned(), value, under, hint: None }
    }
}

/// The wall time: of a measured run, the median and the spread of the runs that were not watched.
fn wall(run: &Run, lang: Lang) -> Number {
    let title = lang.text(Key::NumberWall);
    match run.recording.measured.as_ref().and_then(Measured::walls) {
        Some(Walls { median, min, max, runs }) => {
            let count = runs.to_string();
            let under = lang.fill(Key::NumberRuns, &[&range(&min.to_string(), &max.to_string()), &count]);
            let hint = Some(lang.fill(Key::NumberRunsHint, &[&count]));
            Number { hint, ..Number::new(title, median.to_string(), under) }
        }
        None if run.recording.broke_the_context() => {
            Number::new(title, "–".to_owned(), lang.text(Key::NumberBroken).to_owned())
        }
        None => {
            let metrics = &run.analysis.metrics;
            let under = lang.fill(Key::NumberLaunches, &[&metrics.launch.count.to_string()]);
            Number::new(title, metrics.wall.to_string(), under)
        }
    }
}

/// `7.84–8.98 ms`: a unit that both share stands once.
fn range(least: &str, most: &str) -> String {
    match (least.split_once(' '), most.split_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number}–{most}"),
        _ => format!("{least}–{most}"),
    }
}

/// What it cost to look, and how well was looked.
fn looking(run: &Run, measured: &Measured, lang: Lang) -> Number {
    let cost = measured.cost_of_looking(run.recording.wall.dur());
    let value = cost.map_or_else(|| "–".to_owned(), |cost| format!("{cost:.2}×"));
    let title = lang.text(Key::NumberLooking);
    let (Some(instrument), Some(error)) = (measured.instrument, measured.clock_error) else {
        let hint = Some(lang.text(Key::VerdictBroken).to_owned());
        return Number { hint, ..Number::new(title, value, lang.text(Key::NumberBroken).to_owned()) };
    };
    let (instrument, error) = (lang.text(instrument_key(instrument)), error.to_string());
    let hint = Some(lang.fill(Key::NumberLookingHint, &[&measured.date, &error]));
    Number { hint, ..Number::new(title, value, lang.fill(Key::NumberInstrument, &[instrument, &error])) }
}

fn instrument_key(instrument: Instrument) -> Key {
    match instrument {
        Instrument::Stamps => Key::InstrumentStamps,
        Instrument::Events => Key::InstrumentEvents,
    }
}

fn numbers(run: &Run, lang: Lang) -> Vec<Number> {
    let metrics = &run.analysis.metrics;
    let number = |title: Key, value: String, under: String| Number::new(lang.text(title), value, under);
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let blocked = metrics.blocked();
    let share = blocked.0 as f64 / metrics.wall.0.max(1) as f64;
    let call = metrics.host_blocked.first().map_or("", |blocked| run.recording.name(blocked.call));
    let blocked_under = if call.is_empty() { String::new() } else { lang.fill(Key::BlockedIn, &[call]) };
    let launch = &metrics.launch;
    let mut numbers = vec![
        wall(run, lang),
        number(
            Key::NumberBusy,
            percent(metrics.utilization()),
            lang.fill(Key::NumberOf, &[&metrics.gpu_busy.to_string(), &metrics.gpu_span.dur().to_string()]),
        ),
        number(Key::NumberBlocked, percent(share), blocked_under),
        number(
            Key::NumberQueue,
            lang.fill(Key::QueueMax, &[&launch.queue_max.to_string()]),
            lang.fill(Key::NumberLatency, &[&launch.median.to_string()]),
        ),
    ];
    numbers.extend(run.recording.measured.as_ref().map(|measured| looking(run, measured, lang)));
    for (name, value) in &run.recording.values {
        let value = value.map_or_else(|| "–".to_owned(), shown);
        numbers.push(Number::new(name, value, lang.text(Key::NumberReported).to_owned()));
    }
    numbers
}

/// A reported value with as many digits as say something.
fn shown(value: f64) -> String {
    match value.abs() {
        _ if value.fract() == 0.0 && value.abs() < 1e9 => format!("{value:.0}"),
        a if a >= 1000.0 => format!("{value:.0}"),
        a if a >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

fn cards(ui: &mut Ui, palette: &Palette, run: &Run, lang: Lang) {
    let numbers = numbers(run, lang);
    /// What the frame of a card adds to its contents.
    const FRAME: f32 = 26.0;
    let whole = ui.available_width();
    let in_row = cards_in_row(numbers.len(), whole);
    let width = (whole + SPACING) / in_row as f32 - SPACING - FRAME;
    ui.spacing_mut().item_spacing = vec2(SPACING, SPACING);
    for row in numbers.chunks(in_row) {
        ui.horizontal(|ui| {
            for number in row {
                let shown = card(palette).show(ui, |ui| number_card(ui, palette, number, width.max(60.0)));
                if let Some(hint) = &number.hint {
                    shown.response.on_hover_text(hint);
                }
            }
        });
    }
}

fn number_card(ui: &mut Ui, palette: &Palette, number: &Number, width: f32) {
    ui.vertical(|ui| {
        ui.set_width(width);
        ui.spacing_mut().item_spacing.y = 2.0;
        ui.add(Label::new(RichText::new(&number.title).size(12.0).color(palette.muted)).truncate());
        ui.add(Label::new(strong(number.value.as_str(), 19.0)).truncate());
        ui.add(Label::new(RichText::new(&number.under).size(11.0).color(palette.muted)).truncate());
    });
}

/// Idle time of the GPU as one bar, a part for each cause.
fn idle_bar(ui: &mut Ui, palette: &Palette, run: &Run, lang: Lang) {
    let metrics = &run.analysis.metrics;
    ui.horizontal(|ui| {
        ui.label(RichText::new(lang.text(Key::WhereIdle)).size(12.0).color(palette.muted));
        let (bar, response) = ui.allocate_exact_size(vec2(ui.available_width(), 16.0), Sense::hover());
        let mut by_cause: Vec<_> = metrics.idle_by_cause.iter().collect();
        by_cause.sort_by_key(|(_, idle)| std::cmp::Reverse(**idle));
        let said: Vec<String> =
            by_cause.iter().map(|(cause, idle)| format!("{} {idle}", lang.text(cause_key(**cause)))).collect();
        let said = format!("{}: {}", lang.text(Key::WhereIdle), said.join(", "));
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &said));
        let total = metrics.gpu_idle.0.max(1) as f32;
        let mut left = bar.left();
        for (cause, idle) in by_cause {
            let width = bar.width() * idle.0 as f32 / total;
            let part = Rect::from_min_size(pos2(left, bar.top()), vec2((width - 1.5).max(1.0), bar.height()));
            left += width;
            let color = palette.theme.cause(*cause);
            ui.painter().rect_filled(part, CornerRadius::same(2), color32(color));
            let text = format!("{} · {idle}", lang.text(cause_key(*cause)));
            let ink = color32(palette.theme.background);
            let galley = ui.painter().layout_no_wrap(text, FontId::new(11.0, super::style::semibold()), ink);
            if galley.size().x + 10.0 < part.width() {
                let at = Align2::LEFT_CENTER.anchor_size(part.left_center() + vec2(6.0, 0.0), galley.size()).min;
                ui.painter().galley(at, galley, ink);
            }
        }
        response.on_hover_text(said);
    });
}
