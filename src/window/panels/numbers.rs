//! Below the timeline: the numbers, where the GPU idles, and the verdict.

use egui::{FontId, Label, RichText, Ui, vec2};

use super::number_cards::{Arrangement, NumberCard};
use super::{advice, idle_bar, verdict_line};
use crate::analysis::hazard::explain;
use crate::analysis::{Outcome, WrongValue, verdict};
use crate::recording::{Instrument, Measured, Walls};
use crate::text::{Key, Lang};
use crate::time::Ns;
use crate::window::actions::WindowAction;
use crate::window::graph::panel;
use crate::window::look::palette::{Palette, semibold};
use crate::window::look::widgets::card;
use crate::window::shown_run::ShownRun;
use crate::window::state::WindowState;

/// Size of the sentences.
const TEXT: f32 = 13.0;
/// The line above the timeline that says where the picture comes from.
const SOURCE: f32 = 26.0;
/// Below the captured graph.
const GAP: f32 = 16.0;

/// What stands below the timeline, arranged for the room that the two have.
pub(in crate::window) struct Below {
    numbers: Vec<NumberCard>,
    /// None where the captured graph has taken their place.
    cards: Option<Arrangement>,
    height: f32,
}

impl Below {
    /// For all of `ui`.
    pub(in crate::window) fn new(ui: &Ui, state: &WindowState) -> Self {
        let Some(run) = &state.shown.run else { return Self { numbers: Vec::new(), cards: None, height: 0.0 } };
        let said = said_height(ui, state, run);
        if let Some(height) = panel::height(&state.shown).filter(|_| state.graph_shown) {
            return Self { numbers: Vec::new(), cards: None, height: height + GAP + said };
        }
        let outcome = verdict_line::outcome(state);
        let wrong = outcome.as_ref().map_or(&[][..], Outcome::wrong_values);
        let numbers = numbers(run, wrong, state.settings.lang);
        let room = vec2(ui.available_width(), ui.available_height() - said - SOURCE);
        let cards = Arrangement::new(numbers.len(), room);
        Self { numbers, cards: Some(cards), height: cards.height() + said }
    }

    /// How high it is.
    pub(in crate::window) fn height(&self) -> f32 {
        self.height
    }
}

/// Of causes, hazards and verdict, with the spaces between. What is said may take many lines where there is little room; that
/// it takes fewer than three moves nothing.
fn said_height(ui: &Ui, state: &WindowState, run: &ShownRun) -> f32 {
    /// Without the two sentences.
    const REST: f32 = 76.0;
    /// Left and right of the sentences, in their card.
    const FRAME: f32 = 26.0;
    let width = ui.available_width() - FRAME;
    let tall = |said: String, font: FontId, width: f32| {
        ui.painter().layout(said, font, egui::Color32::PLACEHOLDER, width).size().y
    };
    let hazards = verdict_line::said(state)
        .map_or(0.0, |said| tall(said, FontId::new(TEXT, semibold()), width - verdict_line::SIGN));
    let verdict = tall(sentence(state, run), FontId::proportional(TEXT), width);
    REST + hazards.max(18.0) + verdict.max(51.0)
}

/// What is said about the run: where there is no panel beside the timeline, the selected hazard is explained here.
fn sentence(state: &WindowState, run: &ShownRun) -> String {
    let lang = state.settings.lang;
    match state.shown.listed(state.shown.hazard).filter(|_| state.settings.projector) {
        Some(listed) => explain(&listed.hazard, lang),
        // What failed before the GPU had work says nothing about speed.
        None if !run.recording.errors.is_empty() && run.analysis.metrics.gpu_span.dur() == Ns::ZERO => String::new(),
        None => {
            let said = verdict(&run.recording, &run.analysis, lang);
            match advice::line(state) {
                Some(helps) => match lang {
                    Lang::En => format!("{said} {helps}"),
                    Lang::Zh => format!("{said}{helps}"),
                },
                None => said,
            }
        }
    }
}

/// Shows numbers, causes of idle time, hazards and verdict.
pub(in crate::window) fn show(
    ui: &mut Ui,
    palette: &Palette,
    state: &WindowState,
    below: &Below,
    actions: &mut Vec<WindowAction>,
) {
    let lang = state.settings.lang;
    let Some(run) = &state.shown.run else { return };
    if let Some(cards) = &below.cards {
        cards.show(ui, palette, lang, &below.numbers);
    }
    ui.add_space(8.0);
    card(palette).show(ui, |ui| {
        ui.set_width(ui.available_width());
        verdict_line::show(ui, palette, state, actions);
        ui.add_space(2.0);
        idle_bar::show(ui, palette, run, lang, actions);
        ui.add_space(2.0);
        let said = sentence(state, run);
        if !said.is_empty() {
            ui.add(Label::new(RichText::new(said).size(TEXT)).wrap());
        }
    });
}

/// The wall time: of a measured run, the median and the spread of the runs that were not watched.
fn wall(run: &ShownRun, lang: Lang) -> NumberCard {
    let title = lang.text(Key::NumberWall);
    match run.recording.measured.as_ref().and_then(Measured::walls) {
        Some(Walls { median, min, max, runs }) => {
            let count = runs.to_string();
            let under = lang.fill(Key::NumberRuns, &[&range(&min.to_string(), &max.to_string()), &count]);
            let hint = Some(lang.fill(Key::NumberRunsHint, &[&count]));
            NumberCard { hint, ..NumberCard::new(title, median.to_string(), under) }
        }
        None if run.recording.broke_the_context() => {
            NumberCard::new(title, "–".to_owned(), lang.text(Key::NumberBroken).to_owned())
        }
        None => {
            let metrics = &run.analysis.metrics;
            let under = lang.fill(Key::NumberLaunches, &[&metrics.launch.count.to_string()]);
            NumberCard::new(title, metrics.wall.to_string(), under)
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
fn looking(run: &ShownRun, measured: &Measured, lang: Lang) -> NumberCard {
    let cost = measured.cost_of_looking(run.recording.wall.dur());
    let value = cost.map_or_else(|| "–".to_owned(), |cost| format!("{cost:.2}×"));
    let title = lang.text(Key::NumberLooking);
    let (Some(instrument), Some(error)) = (measured.instrument, measured.clock_error) else {
        let hint = Some(lang.text(Key::VerdictBroken).to_owned());
        return NumberCard { hint, ..NumberCard::new(title, value, lang.text(Key::NumberBroken).to_owned()) };
    };
    let (instrument, error) = (lang.text(instrument_key(instrument)), error.to_string());
    let hint = Some(lang.fill(Key::NumberLookingHint, &[&measured.date, &error]));
    NumberCard { hint, ..NumberCard::new(title, value, lang.fill(Key::NumberInstrument, &[instrument, &error])) }
}

fn instrument_key(instrument: Instrument) -> Key {
    match instrument {
        Instrument::Stamps => Key::InstrumentStamps,
        Instrument::Events => Key::InstrumentEvents,
    }
}

/// How many SMs a busy GPU used, where that is known.
fn busy_sms(run: &ShownRun, lang: Lang) -> Option<String> {
    let used = run.recording.sm_use?;
    let mean = format!("{:.1}", used.share()? * f64::from(used.sms));
    Some(lang.fill(Key::NumberBusySms, &[&mean, &used.sms.to_string()]))
}

fn numbers(run: &ShownRun, wrong: &[WrongValue], lang: Lang) -> Vec<NumberCard> {
    let metrics = &run.analysis.metrics;
    let number = |title: Key, value: String, under: String| NumberCard::new(lang.text(title), value, under);
    let percent = |share: f64| format!("{:.0}%", share * 100.0);
    let blocked = metrics.blocked();
    let share = blocked.0 as f64 / metrics.wall.0.max(1) as f64;
    let call = metrics.host_blocked.first().map_or("", |blocked| run.recording.name(blocked.call));
    let blocked_under = if call.is_empty() { String::new() } else { lang.fill(Key::BlockedIn, &[call]) };
    let launch = &metrics.launch;
    let mut numbers = vec![
        wall(run, lang),
        NumberCard {
            hint: busy_sms(run, lang),
            ..number(
                Key::NumberBusy,
                percent(metrics.utilization()),
                lang.fill(Key::NumberOf, &[&metrics.gpu_busy.to_string(), &metrics.gpu_span.dur().to_string()]),
            )
        },
        number(Key::NumberBlocked, percent(share), blocked_under),
        number(
            Key::NumberQueue,
            lang.fill(Key::QueueMax, &[&launch.queue_max.to_string()]),
            lang.fill(Key::NumberLatency, &[&launch.median.to_string()]),
        ),
    ];
    numbers.extend(run.recording.measured.as_ref().map(|measured| looking(run, measured, lang)));
    for reported in run.recording.reported() {
        let (label, value) = (reported.label(lang), reported.shown(reported.value, lang));
        let meant = wrong.iter().find(|wrong| wrong.name == reported.name).map(|wrong| wrong.meant);
        numbers.push(match meant {
            Some(meant) => {
                let meant = reported.shown(Some(meant), lang);
                NumberCard::new(label, value, lang.fill(Key::ShouldBe, &[&meant])).alarming()
            }
            None => NumberCard::new(label, value, lang.text(Key::NumberReported).to_owned()),
        });
    }
    numbers
}
