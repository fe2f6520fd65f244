//! One run of the model for the sake of advice.

use std::collections::BTreeSet;

use super::{AdviceError, Change};
use crate::model;
use crate::profile::Profile;
use crate::program::{self, Action, LowerError, Program, VariableId};
use crate::recording::Recording;
use crate::scenario::{Knobs, Scenario};

/// What is run.
pub(super) struct Setting<'a> {
    pub scenario: &'a Scenario,
    pub knobs: &'a Knobs,
    profile: &'a Profile,
}

/// What ran.
pub(super) struct NeighbourRun {
    pub program: Program,
    pub recording: Recording,
}

impl<'a> Setting<'a> {
    pub fn new(scenario: &'a Scenario, knobs: &'a Knobs, profile: &'a Profile) -> Self {
        Self { scenario, knobs, profile }
    }

    /// Runs it as it is.
    pub fn run(&self, goes_on: &mut dyn FnMut() -> bool) -> Result<NeighbourRun, AdviceError> {
        let program = program::lower_watched(self.scenario, self.knobs, goes_on).map_err(|error| match error {
            LowerError::Cancelled => AdviceError::Cancelled,
            error => AdviceError::Lower(error),
        })?;
        let recording = model::run(self.scenario, self.knobs, &program, self.profile, &mut |_| goes_on())
            .map_err(|model::ModelError::Cancelled| AdviceError::Cancelled)?;
        Ok(NeighbourRun { program, recording })
    }

    /// Runs it with a change; `None` where there is no such program.
    pub fn run_changed(
        &self,
        change: &Change,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<NeighbourRun>, AdviceError> {
        let mut scenario = None;
        let (mut knobs, mut profile) = (self.knobs.clone(), None);
        let fits = match change {
            Change::SetKnobs(turned) => {
                turned.iter().all(|(id, value)| knobs.set(&self.scenario.knobs, id, value.clone()).is_ok())
            }
            Change::WhatIf(figure, value) => profile.insert(self.profile.clone()).what_if(figure, *value).is_ok(),
            Change::LeaveOut(_) => {
                let edited = scenario.insert(self.scenario.clone());
                change.edit().is_some_and(|edit| edit.apply(edited).is_ok())
            }
        };
        if !fits {
            return Ok(None);
        }
        let (scenario, profile) =
            (scenario.as_ref().unwrap_or(self.scenario), profile.as_ref().unwrap_or(self.profile));
        match (Setting { scenario, knobs: &knobs, profile }).run(goes_on) {
            Err(AdviceError::Lower(_)) => Ok(None),
            Err(AdviceError::Cancelled) => Err(AdviceError::Cancelled),
            Ok(run) => Ok(Some(run)),
        }
    }
}

impl NeighbourRun {
    /// The reported values that do not come from a clock.
    pub fn results(&self) -> Vec<(String, Option<f64>)> {
        let times = times(&self.program);
        let reports = self.program.reports.iter().filter(|it| !it.variables.values().any(|id| times.contains(id)));
        let value = |name: &String| self.recording.values.get(name).copied().flatten();
        reports.map(|report| (report.name.clone(), value(&report.name))).collect()
    }
}

/// The variables that say when something happened, or whether it had.
fn times(program: &Program) -> BTreeSet<VariableId> {
    let timed = program.operations.iter().filter_map(|operation| match operation.action {
        Action::Clock { into } | Action::Elapsed { into, .. } => Some(into),
        Action::Query { into, .. } | Action::QueryStream { into, .. } => into,
        _ => None,
    });
    timed.collect()
}
