//! `streamscope run`.

use std::path::Path;

use super::arguments::RunOptions;
use super::input::Ready;
use super::outcome::{Failure, Finished, print, print_json, table};
use super::{figure, later};
use crate::analysis::{Analysis, Outcome, WrongValue, hazard, outcome_sentence, summary, verdict};
use crate::recording::{self, Measured, Recording, Reported, Walls};
use crate::text::Lang;
use crate::time::Ns;

pub(super) fn run(options: &RunOptions) -> Result<Finished, Failure> {
    if options.trace.is_some() {
        return Err(later("writing a Chrome trace"));
    }
    if let Some(path) = &options.figure {
        figure::check_format(path)?;
    }
    let mut ready = Ready::new(&options.scenario, &options.setting, options.runs)?;
    let recording = ready.run()?;
    let mut walls = vec![recording.wall.dur()];
    // A GPU makes all its runs for one recording.
    if ready.is_on_model() {
        for _ in 1..options.runs.unwrap_or(1) {
            walls.push(ready.run()?.wall.dur());
        }
    }
    let analysis = Analysis::new(&recording);
    if let Some(path) = &options.save {
        recording::write(&recording, path).map_err(Failure::input)?;
    }
    if let Some(path) = &options.figure {
        figure::write(&recording, path, &figure::default_options(&recording), 2.0)?;
    }
    if options.json {
        return print_json(&summary(&recording, &analysis, &walls));
    }
    print(&report(&options.scenario, &recording, &analysis))?;
    Ok(Finished::Done)
}

/// How long it took, and how far to believe that. `traced` is the wall time of the run that the timeline shows, if there is
/// one.
fn measurement(measured: &Measured, traced: Ns, row: &mut dyn FnMut(&str, String)) {
    if let Some(Walls { median, min, max, runs }) = measured.walls() {
        row("wall time", format!("{median} (median of {runs} runs, {min} to {max})"));
    }
    row(
        "traced run",
        measured.instrument.map_or_else(
            || "none: the program broke the GPU's context".to_owned(),
            |instrument| format!("{traced}, watched by {}", instrument.id()),
        ),
    );
    if let Some(cost) = measured.cost_of_looking(traced) {
        row("cost of looking", format!("{cost:.2}×"));
    }
    if let Some(error) = measured.clock_error {
        row("clocks agree", format!("within {error}"));
    }
}

/// The numbers for a person.
fn report(name: &str, recording: &Recording, analysis: &Analysis) -> String {
    let metrics = &analysis.metrics;
    let knobs: Vec<String> = recording.knobs.0.iter().map(|(id, value)| format!("{id}={value}")).collect();
    let shown = Path::new(name).file_stem().map_or(name.into(), |stem| stem.to_string_lossy());
    let mut text = format!("{shown} {}\n{}\n\n", knobs.join(" "), recording.source);
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut row = |name: &str, value: String| rows.push(vec![name.to_owned(), value]);
    match &recording.measured {
        None => row("wall time", metrics.wall.to_string()),
        Some(measured) => measurement(measured, metrics.wall, &mut row),
    }
    row(
        "GPU busy",
        format!("{} of {} ({:.1}%)", metrics.gpu_busy, metrics.gpu_span.dur(), metrics.utilization() * 100.0),
    );
    if let Some((used, share)) = recording.sm_use.and_then(|used| Some((used, used.share()?))) {
        let mean = share * f64::from(used.sms);
        row("SMs with a block", format!("{mean:.1} of {} while kernels ran ({:.1} %)", used.sms, share * 100.0));
    }
    for blocked in &metrics.host_blocked {
        row("host blocked", format!("{} in {}", blocked.time, recording.name(blocked.call)));
    }
    let launch = &metrics.launch;
    row("launches", format!("{}, latency {} (median), queue up to {}", launch.count, launch.median, launch.queue_max));
    for (cause, idle) in &metrics.idle_by_cause {
        row("GPU idle", format!("{idle} {}", cause.id()));
    }
    let outcome = analysis.outcome(recording).cloned().or_else(|| Outcome::failed(recording));
    let wrong = outcome.as_ref().map_or(&[][..], Outcome::wrong_values);
    for value in recording.reported() {
        row(value.name, reported(&value, wrong.iter().find(|wrong| wrong.name == value.name)));
    }
    for error in &recording.errors {
        row("error", format!("{}: {} at {}", error.title(), error.text, error.at.path));
    }
    text.push_str(&table(&rows));
    for found in analysis.verdict(recording).iter().flat_map(|verdict| verdict.hazards.iter().chain(&verdict.fragile)) {
        text.push_str(&format!("\n{}\n  {}\n", hazard::short(found), hazard::explain(found, Lang::En)));
    }
    // What went wrong comes before how fast it was.
    if let Some(outcome) = outcome {
        text.push_str(&format!("\n{}.\n", outcome_sentence(recording, &outcome, Lang::En)));
    }
    if recording.errors.is_empty() || metrics.gpu_span.dur() > Ns::ZERO || recording.broke_the_context() {
        text.push_str(&format!("\n{}\n", verdict(recording, analysis, Lang::En)));
    }
    text
}

/// A reported value; one that is not what the program means, with what it should be.
fn reported(it: &Reported<'_>, wrong: Option<&WrongValue>) -> String {
    let shown = it.shown(it.value, Lang::En);
    match wrong {
        Some(wrong) => format!("{shown}, should be {}", it.shown(Some(wrong.meant), Lang::En)),
        None => shown,
    }
}
