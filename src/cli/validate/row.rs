//! One figure beside what was measured, and whether it is close enough.

use serde::Serialize;

use super::{Case, MEDIAN_ERROR};
use crate::cli::outcome::table;
use crate::recording::{Measured, Recording, Walls};
use crate::scenario::Knobs;

/// The metric of the time of the whole run, of the model beside the untraced runs.
const WALL: &str = "wall_us";

/// What a figure is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Against {
    /// A run of the same scenario on a GPU.
    Recording,
    /// A figure that is written in the scenario: what PyTorch did.
    Reference,
}

/// What `validate --json` prints a list of.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    scenario: String,
    knobs: Knobs,
    metric: String,
    against: Against,
    /// The model's figure.
    model: Option<f64>,
    /// The recording's figure, where there is a recording.
    recorded: Option<f64>,
    /// What is held against: the recording's figure, or the reference's.
    measured: f64,
    /// Of the model's figure to `measured`; for a reference beside a recording, of the recording's figure.
    ratio: Option<f64>,
    /// The factors between which the ratio has to lie; null where it is only told.
    bar: Option<[f64; 2]>,
    /// Smallest and largest figure measured, where it was measured more than once.
    spread: Option<[f64; 2]>,
    pub(super) ok: bool,
}

impl Against {
    fn bar(self) -> [f64; 2] {
        match self {
            Self::Recording => [0.75, 1.25],
            Self::Reference => [0.75, 1.33],
        }
    }

    /// What the model's figure may be. A recording's spread is known from several runs, and the bar counts from there; a
    /// reference's spread only widens what the bar allows.
    fn allowed(self, measured: f64, spread: Option<[f64; 2]>) -> [f64; 2] {
        let [low, high] = spread.unwrap_or([measured; 2]);
        let [least, most] = self.bar();
        let [a, b] = match self {
            Self::Recording => [least * low, most * high],
            Self::Reference => [(least * measured).min(low), (most * measured).max(high)],
        };
        // A negative figure turns the factors round.
        [a.min(b), a.max(b)]
    }
}

/// The rows of a case; `model` is the model's run of it.
pub(super) fn rows(case: &Case, model: &Recording) -> Vec<Row> {
    let mut rows = Vec::new();
    if let Some(recording) = &case.recording {
        let measured = recording.measured.as_ref();
        if let Some(Walls { median, min, max, .. }) = measured.and_then(Measured::walls) {
            let spread = Some([min.us(), max.us()]);
            rows.push(case.held(Against::Recording, WALL, Some(model.wall.dur().us()), median.us(), spread));
        }
        for (metric, value) in &recording.values {
            if let (Some(value), Some(model)) = (value, model.values.get(metric)) {
                let spread = measured.and_then(|measured| measured.spread.get(metric).copied());
                rows.push(case.held(Against::Recording, metric, *model, *value, spread));
            }
        }
    }
    for reference in case.scenario.references.iter().filter(|it| case.scenario.knobs_of(it) == case.knobs) {
        let value = |recording: &Recording| recording.values.get(&reference.metric).copied().flatten();
        let row = case.held(Against::Reference, &reference.metric, value(model), reference.measured, reference.spread);
        rows.push(match &case.recording {
            None => row,
            // Between two measurements there is nothing that the model could miss.
            Some(recording) => {
                let recorded = value(recording);
                Row { recorded, ratio: ratio(recorded, reference.measured), bar: None, ok: true, ..row }
            }
        });
    }
    rows
}

impl Case {
    /// A row of the model's figure.
    fn held(&self, against: Against, metric: &str, model: Option<f64>, measured: f64, spread: Option<[f64; 2]>) -> Row {
        let [least, most] = against.allowed(measured, spread);
        Row {
            scenario: self.scenario.name.clone(),
            knobs: self.knobs.clone(),
            metric: metric.to_owned(),
            against,
            model,
            recorded: (against == Against::Recording).then_some(measured),
            measured,
            ratio: ratio(model, measured),
            bar: Some(against.bar()),
            spread,
            ok: model.is_some_and(|model| (least..=most).contains(&model)),
        }
    }
}

fn ratio(figure: Option<f64>, measured: f64) -> Option<f64> {
    figure.map(|figure| figure / measured).filter(|ratio| ratio.is_finite())
}

/// The median over recordings of how far the model's total time is off, as a share. `None` without recordings.
pub(super) fn median_error(rows: &[Row]) -> Option<f64> {
    let walls = rows.iter().filter(|row| row.against == Against::Recording && row.metric == WALL);
    let mut errors: Vec<f64> = walls.filter_map(|row| row.ratio).map(|ratio| (ratio - 1.0).abs()).collect();
    errors.sort_unstable_by(f64::total_cmp);
    errors.get(errors.len() / 2).copied()
}

/// The table for a person.
pub(super) fn shown(rows: &[Row]) -> String {
    let heading = ["scenario", "knobs", "metric", "against", "model", "recorded", "reference", "ratio", "spread", ""];
    let mut cells = vec![heading.map(str::to_owned).to_vec()];
    cells.extend(rows.iter().map(Row::cells));
    let mut text = table(&cells);
    if let Some(error) = median_error(rows) {
        let recordings = rows.iter().filter(|row| row.metric == WALL).count();
        text.push_str(&format!(
            "\ntotal time of the model against {recordings} recordings: median error {:.1}% (limit {:.0}%)\n\
             the ratio of a reference is that of the recording to it\n",
            error * 100.0,
            MEDIAN_ERROR * 100.0,
        ));
    }
    text
}

impl Row {
    fn cells(&self) -> Vec<String> {
        let knobs: Vec<String> = self.knobs.0.iter().map(|(id, value)| format!("{id}={value}")).collect();
        let figure = |value: Option<f64>| value.map_or_else(|| "null".to_owned(), shown_figure);
        let is_reference = self.against == Against::Reference;
        let (against, reference) =
            if is_reference { ("reference", figure(Some(self.measured))) } else { ("recording", String::new()) };
        vec![
            self.scenario.clone(),
            knobs.join(" "),
            self.metric.clone(),
            against.to_owned(),
            figure(self.model),
            self.recorded.map_or_else(String::new, shown_figure),
            reference,
            self.ratio.map_or_else(|| "null".to_owned(), |ratio| format!("{ratio:.3}")),
            self.spread.map_or_else(String::new, |[low, high]| format!("{}–{}", shown_figure(low), shown_figure(high))),
            self.verdict().to_owned(),
        ]
    }

    fn verdict(&self) -> &'static str {
        let Some([least, most]) = self.bar else { return "" };
        match (self.ok, self.ratio.is_none_or(|ratio| (least..=most).contains(&ratio))) {
            (true, true) => "ok",
            (true, false) => "ok: by the measurement's own spread",
            (false, _) => "OUTSIDE",
        }
    }
}

fn shown_figure(value: f64) -> String {
    if value.abs() < 10.0 && value.fract() != 0.0 { format!("{value:.3}") } else { format!("{value:.1}") }
}
