//! The public cases: each is loaded, run on the model and judged, and has the outcome that the table in `tests/cases` states.

use std::fs;
use std::path::PathBuf;

use streamscope::analysis::Analysis;
use streamscope::analysis::hazard::{self, Hazard, Verdict};
use streamscope::profile::Profile;
use streamscope::program::lower;
use streamscope::recording::{Recording, Span};
use streamscope::scenario::{Knobs, Scenario, open};
use streamscope::text::Lang;

use super::running::run_lowered;

/// A line of the table.
pub struct Case {
    pub name: String,
    pub knobs: String,
    hazards: String,
    run: String,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

/// All lines.
pub fn cases() -> Vec<Case> {
    let table = fs::read_to_string(folder().join("README.md")).unwrap();
    let rows = table.lines().filter(|line| line.starts_with('|')).skip(2);
    let cell = |row: &str| row.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let case = |cells: Vec<String>| match cells.as_slice() {
        [_, name, knobs, hazards, run, _source, _] => {
            Case { name: name.clone(), knobs: knobs.clone(), hazards: hazards.clone(), run: run.clone() }
        }
        _ => panic!("a row with {} cells: {cells:?}", cells.len()),
    };
    rows.map(|row| case(cell(row))).collect()
}

impl Case {
    /// Its scenario with its knobs.
    pub fn open(&self) -> (Scenario, Knobs) {
        let scenario = open(&folder().join(format!("{}.json", self.name))).unwrap_or_else(|error| panic!("{error}"));
        let mut knobs = Knobs::defaults(&scenario.knobs);
        for (id, value) in self.knobs.split(',').filter_map(|pair| pair.trim().split_once('=')) {
            knobs.set_text(&scenario.knobs, id, value).unwrap_or_else(|error| panic!("{}: {error}", self.name));
        }
        (scenario, knobs)
    }

    /// The error codes that a run must meet.
    pub fn errors(&self) -> &str {
        self.claims().find_map(|claim| claim.strip_prefix("errors ")).unwrap_or("")
    }

    /// What the table says about a run.
    pub fn claims(&self) -> impl Iterator<Item = &str> {
        self.run.split(';').map(str::trim).filter(|claim| !claim.is_empty())
    }

    /// What is not as the table says.
    fn misses(&self, profile: &Profile) -> Vec<String> {
        let (scenario, knobs) = self.open();
        let program = lower(&scenario, &knobs).unwrap_or_else(|error| panic!("{}: {error}", self.name));
        let recording = run_lowered(&scenario, &knobs, &program, profile);
        let verdict = hazard::judge_run(&program, &recording);
        let mut misses = self.hazards_missed(&verdict);
        let untrue = self.claims().filter(|claim| !holds(claim, &recording, &verdict));
        misses.extend(untrue.map(|claim| format!("`{claim}` does not hold")));
        if self.errors() != errors(&recording) {
            misses.push(format!("errors {}", errors(&recording)));
        }
        misses
    }

    fn hazards_missed(&self, verdict: &Verdict) -> Vec<String> {
        let mut found: Vec<&Hazard> = verdict.hazards.iter().chain(&verdict.fragile).collect();
        let mut misses = Vec::new();
        let mut more = false;
        for stated in self.hazards.split(';').map(str::trim).filter(|stated| *stated != "none") {
            if stated == "…" {
                more = true;
                continue;
            }
            match found.iter().position(|hazard| fits(stated, hazard)) {
                Some(index) => {
                    let class = found.remove(index).class;
                    if more {
                        found.retain(|hazard| hazard.class != class);
                    }
                }
                None => misses.push(format!("not found: {stated}")),
            }
        }
        if !more {
            misses.extend(found.iter().map(|hazard| format!("too much: {}", hazard::short(hazard))));
        }
        misses
    }
}

/// Whether a hazard is the one that the table states.
fn fits(stated: &str, hazard: &Hazard) -> bool {
    let (class, rest) = stated.split_once(' ').unwrap();
    let (object, pair) = rest.split_once(": ").unwrap();
    let (first, second) = pair.split_once(" → ").unwrap();
    let fits = |pattern: &str, text: &str| pattern == "*" || text.starts_with(pattern);
    class == hazard.class.id()
        && (object == "*" || object == hazard.object)
        && fits(first, hazard.first.label.get(Lang::En))
        && fits(second, hazard.second.label.get(Lang::En))
}

/// The codes of its errors, by name where they have none.
pub fn errors(recording: &Recording) -> String {
    let shown =
        |error: &streamscope::recording::RunError| error.code.map_or(error.name.clone(), |code| code.to_string());
    recording.errors.iter().map(shown).collect::<Vec<_>>().join(", ")
}

fn spans(recording: &Recording, prefix: &str) -> Vec<Span> {
    recording.gpu_spans().filter(|span| recording.name(span.name).starts_with(prefix)).collect()
}

fn overlap(recording: &Recording, pair: &str) -> bool {
    let (a, b) = pair.split_once(" / ").unwrap();
    let (a, b) = (spans(recording, a), spans(recording, b));
    assert!(!a.is_empty() && !b.is_empty(), "nothing is called `{pair}`");
    a.iter().any(|a| b.iter().any(|b| a != b && a.start < b.end && b.start < a.end))
}

/// Whether a claim is true of a run.
pub fn holds(claim: &str, recording: &Recording, verdict: &Verdict) -> bool {
    if let Some(pair) = claim.strip_prefix("overlap ") {
        return overlap(recording, pair);
    }
    if let Some(pair) = claim.strip_prefix("apart ") {
        return !overlap(recording, pair);
    }
    if let Some(codes) = claim.strip_prefix("errors ") {
        return codes == errors(recording);
    }
    let analysis = Analysis::new(recording);
    let blocks = |call: &str| analysis.metrics.host_blocked.iter().any(|blocked| recording.name(blocked.call) == call);
    if let Some(call) = claim.strip_prefix("blocks ") {
        return blocks(call);
    }
    if let Some(call) = claim.strip_prefix("free ") {
        return !blocks(call);
    }
    if let Some(cause) = claim.strip_prefix("idle ") {
        let mut causes =
            analysis.metrics.idle_by_cause.iter().filter(|(_, idle)| idle.0 > 0).map(|(cause, _)| cause.id());
        return causes.next() == Some(cause) && causes.next().is_none();
    }
    let corrupted = || verdict.hazards.iter().any(|hazard| hazard.corrupted == Some(true));
    match claim {
        "corrupted" => return corrupted(),
        "intact" => return !corrupted(),
        _ => {}
    }
    let (name, bounds) = claim.split_once(" in ").unwrap_or_else(|| panic!("what is `{claim}`?"));
    let (low, high) = bounds.split_once("..").unwrap();
    let value = match name {
        "peak" => Some(recording.memory.peak_bytes as f64),
        name => recording.values.get(name).copied().flatten(),
    };
    value.is_some_and(|value| (low.parse::<f64>().unwrap()..=high.parse().unwrap()).contains(&value))
}

#[test]
fn every_case_has_the_outcome_that_the_table_states() {
    let profile = streamscope::profile::shipped("h200").unwrap();
    let mut missed = Vec::new();
    for case in cases() {
        for miss in case.misses(&profile) {
            missed.push(format!("{} {}: {miss}", case.name, case.knobs));
        }
    }
    assert!(missed.is_empty(), "{} claims missed:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn every_file_is_in_the_table() {
    let known = cases();
    for entry in fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if let Some(stem) = name.strip_suffix(".json") {
            assert!(known.iter().any(|case| case.name == stem), "{stem} is not in the table");
        }
    }
}
