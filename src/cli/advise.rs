//! `streamscope advise`.

use std::collections::BTreeMap;

use serde::Serialize;

use super::arguments::AdviseOptions;
use super::input;
use super::outcome::{Failure, Finished, print, print_json, table};
use crate::advice::{Advice, AdviceError, Advised, Change, Effect, advise as look};
use crate::analysis::OutcomeId;
use crate::scenario::{KnobValue, Knobs};

pub(super) fn advise(options: &AdviseOptions) -> Result<Finished, Failure> {
    let (mut scenario, source) = input::scenario(&options.scenario)?;
    if let Some(host) = options.host {
        scenario.host = host;
    }
    let knobs = input::knobs(&scenario, &options.knobs)?;
    let profile = input::profile(&options.profile, &options.what_if)?;
    let advised = look(&scenario, &knobs, &profile, &mut || true).map_err(|error| match &error {
        AdviceError::Lower(fault) => Failure::input(format!("{}: {error}", source.place_or_file(fault.pointer()))),
        AdviceError::Cancelled => Failure::machine(&error),
    })?;
    if options.json {
        return print_json(&AdvisedSummary::new(&scenario.name, &knobs, &advised));
    }
    print(&report(&scenario.name, &advised))?;
    Ok(Finished::Done)
}

/// What `advise --json` prints.
#[derive(Debug, Serialize)]
struct AdvisedSummary<'a> {
    scenario: &'a str,
    knobs: &'a Knobs,
    wall_us: f64,
    comes_first: Option<OutcomeId>,
    advice: Vec<AdviceSummary<'a>>,
    tried: usize,
    untried: usize,
}

#[derive(Debug, Serialize)]
struct AdviceSummary<'a> {
    change: ChangeSummary<'a>,
    wall_us: f64,
    saves_us: f64,
    share: f64,
    effect: Effect,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum ChangeSummary<'a> {
    Set(BTreeMap<&'a str, &'a KnobValue>),
    LeaveOut(String),
    WhatIf(BTreeMap<&'static str, f64>),
}

impl<'a> AdvisedSummary<'a> {
    fn new(scenario: &'a str, knobs: &'a Knobs, advised: &'a Advised) -> Self {
        let summary = |advice: &'a Advice| AdviceSummary {
            change: match &advice.change {
                Change::SetKnobs(turned) => {
                    ChangeSummary::Set(turned.iter().map(|(id, it)| (id.as_str(), it)).collect())
                }
                Change::LeaveOut(at) => ChangeSummary::LeaveOut(at.to_string()),
                Change::WhatIf(figure, value) => ChangeSummary::WhatIf(BTreeMap::from([(*figure, *value)])),
            },
            wall_us: advice.wall.us(),
            saves_us: advice.saves.us(),
            share: advice.share,
            effect: advice.effect,
        };
        let Advised { wall, comes_first, advice, tried, untried } = advised;
        let advice = advice.iter().map(summary).collect();
        let (wall_us, comes_first) = (wall.us(), *comes_first);
        Self { scenario, knobs, wall_us, comes_first, advice, tried: *tried, untried: *untried }
    }
}

/// The same for a person.
fn report(name: &str, advised: &Advised) -> String {
    let mut text = format!("{name}: wall time {}\n\n", advised.wall);
    if let Some(outcome) = advised.comes_first {
        let what = match outcome {
            OutcomeId::Failed => "the errors of this run",
            OutcomeId::Corrupted | OutcomeId::Hazards => "the hazards of this program",
            OutcomeId::Fragile | OutcomeId::Right => "nothing",
        };
        return format!("{text}{what} come first: `streamscope run {name}` shows them.\n");
    }
    if advised.advice.is_empty() {
        text.push_str("Nothing of what was tried would help.\n");
    } else {
        let mut rows = vec![["what would help", "saves", "share", "wall time", ""].map(str::to_owned).to_vec()];
        rows.extend(advised.advice.iter().map(|advice| {
            let share = format!("{:.1} %", advice.share * 100.0);
            let what = changed(&advice.change);
            vec![what, advice.saves.to_string(), share, advice.wall.to_string(), said(advice.effect)]
        }));
        text.push_str(&table(&rows));
    }
    text.push_str(&format!("\n{} neighbours were tried", advised.tried));
    match advised.untried {
        0 => text.push_str(".\n"),
        untried => text.push_str(&format!("; {untried} more were not, since that would take long.\n")),
    }
    text
}

fn changed(change: &Change) -> String {
    match change {
        Change::SetKnobs(turned) => {
            let turned: Vec<String> = turned.iter().map(|(id, value)| format!("--set {id}={value}")).collect();
            turned.join(" ")
        }
        Change::LeaveOut(at) => format!("without {at}"),
        Change::WhatIf(figure, value) => format!("--what-if {figure}={value}"),
    }
}

/// What is to be said of an effect.
fn said(effect: Effect) -> String {
    match effect {
        Effect::Same => String::new(),
        Effect::Reads { before, after } => format!("the host reads results {after} times instead of {before}"),
        Effect::Measures => "the clock then measures something else".to_owned(),
        Effect::LessWork => "it then does less work".to_owned(),
        Effect::OtherResult => "it then has other results".to_owned(),
    }
}
