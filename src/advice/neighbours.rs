//! Which changes are tried, those that promise most first.

use super::Change;
use super::run::Setting;
use crate::scenario::path::Section;
use crate::scenario::{Knob, KnobValue, Statement};

/// What a faster machine is: these figures, each twice as good.
const FASTER: [&str; 3] = ["host", "link", "kernels"];

/// Every toggle flipped, every other option of every choice, each faster machine, each wait of the program left out. Numbers stay:
/// most are sizes of the work.
pub(super) fn single(here: &Setting<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    for knob in &here.scenario.knobs {
        let now = here.knobs.0.get(knob.id());
        let values: Vec<KnobValue> = match knob {
            Knob::Toggle { .. } => [true, false].map(KnobValue::Toggle).to_vec(),
            Knob::Choice { options, .. } => options.iter().map(|it| KnobValue::Choice(it.id.clone())).collect(),
            Knob::Number { .. } => Vec::new(),
        };
        let others = values.into_iter().filter(|value| Some(value) != now);
        changes.extend(others.map(|value| Change::SetKnobs(vec![(knob.id().to_owned(), value)])));
    }
    changes.extend(FASTER.map(|figure| Change::WhatIf(figure, 2.0)));
    here.scenario.walk(|path, statement| {
        let waits = matches!(statement, Statement::Wait(_) | Statement::WaitStream(_) | Statement::Synchronize(_));
        if waits && path.list.section == Section::Program {
            changes.push(Change::LeaveOut(path.clone()));
        }
    });
    changes
}

/// Two knobs turned at once, with the places of the two changes among `singles`.
pub(super) fn pairs(singles: &[Change]) -> Vec<(usize, usize, Change)> {
    let turns = singles.iter().enumerate().filter_map(|(index, change)| match change {
        Change::SetKnobs(turned) => Some((index, turned.first()?)),
        Change::LeaveOut(_) | Change::WhatIf(..) => None,
    });
    let turns: Vec<_> = turns.collect();
    let mut pairs = Vec::new();
    for (at, (one, first)) in turns.iter().enumerate() {
        for (other, second) in turns.iter().skip(at + 1).filter(|(_, second)| second.0 != first.0) {
            pairs.push((*one, *other, Change::SetKnobs(vec![(*first).clone(), (*second).clone()])));
        }
    }
    pairs
}
