//! `streamscope list`.

use serde::Serialize;

use super::outcome::{Failure, Finished, print, print_json, table};
use crate::scenario::{Knob, presets};
use crate::text::{Lang, Localized};

#[derive(Serialize)]
struct Listed {
    name: String,
    title: Localized,
    chapter: Option<String>,
    knobs: Vec<ListedKnob>,
}

#[derive(Serialize)]
struct ListedKnob {
    id: String,
    kind: &'static str,
    default: crate::scenario::KnobValue,
    label: Localized,
    allowed: String,
}

pub(super) fn list(json: bool) -> Result<Finished, Failure> {
    let mut listed = Vec::new();
    for preset in presets() {
        let scenario = preset.scenario().map_err(Failure::input)?;
        let knobs = scenario.knobs.iter().map(|knob| ListedKnob {
            id: knob.id().to_owned(),
            kind: match knob {
                Knob::Toggle { .. } => "toggle",
                Knob::Number { .. } => "number",
                Knob::Choice { .. } => "choice",
            },
            default: knob.default_value(),
            label: knob.label().clone(),
            allowed: knob.allowed(),
        });
        let knobs = knobs.collect();
        listed.push(Listed { name: scenario.name, title: scenario.title, chapter: scenario.chapter, knobs });
    }
    if json {
        return print_json(&listed);
    }
    let mut rows = vec![["preset", "chapter", "title", "knobs"].map(str::to_owned).to_vec()];
    for preset in &listed {
        let knobs: Vec<String> = preset.knobs.iter().map(|knob| format!("{}={}", knob.id, knob.default)).collect();
        rows.push(vec![
            preset.name.clone(),
            preset.chapter.clone().unwrap_or_default(),
            preset.title.get(Lang::En).to_owned(),
            knobs.join(" "),
        ]);
    }
    print(&table(&rows))?;
    Ok(Finished::Done)
}
