//! `streamscope validate`: the model beside what was measured.

use serde::Serialize;

use super::arguments::ValidateOptions;
use super::outcome::{Failure, Finished, print, print_json, table};
use super::{input, later};
use crate::gpu;
use crate::model;
use crate::profile::Profile;
use crate::scenario::{Knobs, Reference, Scenario, presets};

/// The model may be off by these factors.
const BAR: [f64; 2] = [0.75, 1.33];

#[derive(Serialize)]
struct Row {
    scenario: String,
    knobs: Knobs,
    metric: String,
    model: Option<f64>,
    measured: f64,
    ratio: Option<f64>,
    /// The factors between which `ratio` has to lie.
    bar: [f64; 2],
    /// Smallest and largest figure measured, where it was measured more than once.
    spread: Option<[f64; 2]>,
    /// Whether the ratio is inside the bar, or the model's figure inside the measurement's own spread.
    ok: bool,
}

pub(super) fn validate(options: &ValidateOptions) -> Result<Finished, Failure> {
    if options.against.is_some() {
        return Err(later("comparing with a folder of recordings"));
    }
    if let Some(on) = &options.on
        && input::gpu(on)?.is_some()
    {
        gpu::devices().map_err(Failure::machine)?;
    }
    let profile = input::profile(&options.profile, &[])?;
    let mut rows = Vec::new();
    for preset in presets() {
        let scenario = preset.scenario().map_err(Failure::input)?;
        for reference in &scenario.references {
            rows.push(row(&scenario, reference, &profile)?);
        }
    }
    let all_ok = rows.iter().all(|row| row.ok);
    if options.json {
        print_json(&rows)?;
    } else {
        print(&shown(&rows));
    }
    Ok(if all_ok { Finished::Done } else { Finished::Findings })
}

fn row(scenario: &Scenario, reference: &Reference, profile: &Profile) -> Result<Row, Failure> {
    let mut knobs = Knobs::defaults(&scenario.knobs);
    for (id, value) in &reference.knobs {
        knobs.set(&scenario.knobs, id, value.clone()).map_err(Failure::input)?;
    }
    let program = input::lower(&scenario.name, scenario, &knobs)?;
    let recording = model::run(scenario, &knobs, &program, profile, &mut |_| true).map_err(Failure::input)?;
    let model = recording.values.get(&reference.metric).copied().flatten();
    let ratio = model.map(|model| model / reference.measured);
    let in_bar = ratio.is_some_and(|ratio| (BAR[0]..=BAR[1]).contains(&ratio));
    let in_spread = model.zip(reference.spread).is_some_and(|(model, [low, high])| (low..=high).contains(&model));
    Ok(Row {
        scenario: scenario.name.clone(),
        knobs,
        metric: reference.metric.clone(),
        model,
        measured: reference.measured,
        ratio,
        bar: BAR,
        spread: reference.spread,
        ok: in_bar || in_spread,
    })
}

fn shown(rows: &[Row]) -> String {
    let heading = ["scenario", "knobs", "metric", "model", "measured", "ratio", "spread", ""];
    let mut cells = vec![heading.map(str::to_owned).to_vec()];
    for row in rows {
        let knobs: Vec<String> = row.knobs.0.iter().map(|(id, value)| format!("{id}={value}")).collect();
        let in_bar = row.ratio.is_some_and(|ratio| (row.bar[0]..=row.bar[1]).contains(&ratio));
        let verdict = match (row.ok, in_bar) {
            (true, true) => "ok",
            (true, false) => "ok: inside the measurement's own spread",
            (false, _) => "OUTSIDE",
        };
        cells.push(vec![
            row.scenario.clone(),
            knobs.join(" "),
            row.metric.clone(),
            row.model.map_or_else(|| "null".to_owned(), |value| format!("{value:.1}")),
            format!("{:.1}", row.measured),
            row.ratio.map_or_else(|| "null".to_owned(), |ratio| format!("{ratio:.3}")),
            row.spread.map_or_else(String::new, |[low, high]| format!("{low}–{high}")),
            verdict.to_owned(),
        ]);
    }
    table(&cells)
}
