//! Makes a recording of a traced run and the untraced ones before it.

mod host;
mod intervals;
mod timeline;
mod walk;

use super::GpuError;
use super::date::today;
use super::run::{Failure, Outcome};
use super::session::Session;
use super::slots::Slots;
use crate::profile::Profile;
use crate::program::Program;
use crate::program::cuda_error::CudaError;
use crate::recording::{Built, Executor, Measured, Origin, ProgramBuilder, Recording, RunError, Source};
use crate::scenario::{Knobs, Scenario};
use crate::time::{Interval, Ns};
use timeline::Timeline;

/// What the runs of a program were like.
pub(super) struct Runs<'a> {
    pub session: &'a Session,
    pub scenario: &'a Scenario,
    pub knobs: &'a Knobs,
    pub program: &'a Program,
    pub profile: &'a Profile,
    /// Those without an instrument that came to their end.
    pub untraced: Vec<Outcome>,
}

impl Runs<'_> {
    /// The recording: spans of the traced run, wall times and values of the others.
    pub fn recording(&self, slots: &Slots, traced: &Outcome) -> Result<Recording, GpuError> {
        let clock = traced.clock.as_ref().ok_or(GpuError::Cancelled)?;
        let timeline = Timeline::new(self, slots, traced, clock);
        let timeline = timeline.map_err(|code| code.while_trying("give the stamps back"))?;
        let (built, sms, sms_until) = timeline.finish();
        let (stamps_error, events_error) = clock.error();
        let measured = Measured {
            instrument: Some(slots.instrument),
            clock_error: Some(if slots.events.is_empty() { stamps_error } else { events_error }),
            sms,
            sms_until,
            ..self.measured(traced)
        };
        Ok(self.assembled(traced, built, measured))
    }

    /// The recording of a program that broke the GPU's context in the run `broken`, so that no run could be traced: the errors
    /// of that run, and nothing of what the GPU did.
    pub fn without_timeline(&self, broken: &Outcome) -> Recording {
        self.assembled(broken, ProgramBuilder::new(self.program).finish(Ns::ZERO, Ns::ZERO), self.measured(broken))
    }

    fn measured(&self, last: &Outcome) -> Measured {
        Measured {
            date: today(),
            untraced: self.untraced.iter().map(|run| run.wall).collect(),
            spread: self
                .figures(last)
                .filter_map(|(name, known)| Some((name.to_owned(), [*known.first()?, *known.last()?])))
                .collect(),
            ..Measured::default()
        }
    }

    fn assembled(&self, last: &Outcome, built: Built, measured: Measured) -> Recording {
        let Built { tracks, lanes, names, origins, memory_map } = built;
        Recording {
            source: Source {
                executor: Executor::Gpu,
                device: Some(format!("{}, driver {}", self.session.info.name, self.session.info.driver)),
                profile: None,
                host: Source::host_of(self.program),
            },
            scenario: Some(self.scenario.clone()),
            knobs: self.knobs.clone(),
            wall: Interval::new(Ns::ZERO, last.wall),
            names,
            tracks,
            lanes,
            origins,
            values: self
                .figures(last)
                .map(|(name, known)| (name.to_owned(), known.get(known.len() / 2).copied()))
                .collect(),
            errors: self.errors(last),
            memory: last.memory.into(),
            memory_map,
            sm_use: None,
            measured: Some(measured),
        }
    }

    /// For each value the figures of the untraced runs, sorted: looking has not changed them. Without such runs, those of the
    /// last one.
    fn figures<'r>(&'r self, last: &'r Outcome) -> impl Iterator<Item = (&'r str, Vec<f64>)> {
        let runs = if self.untraced.is_empty() { std::slice::from_ref(last) } else { &self.untraced };
        self.program.reports.iter().enumerate().map(move |(index, report)| {
            let mut known: Vec<f64> = runs.iter().filter_map(|run| run.values.get(index).copied().flatten()).collect();
            known.sort_by(f64::total_cmp);
            (report.name.as_str(), known)
        })
    }

    fn errors(&self, last: &Outcome) -> Vec<RunError> {
        let error = |(index, failure): &(usize, Failure)| {
            let at = Origin::of(self.program, *index, self.program.operations.get(*index)?);
            Some(match failure {
                Failure::Cuda(code) => match CudaError::from_code(code.0) {
                    Some(error) => RunError::of_cuda(error, at),
                    None => RunError { code: Some(code.0), name: code.name(), text: code.text(), at },
                },
                Failure::Pytorch(class, text) => RunError::of_pytorch(class, text.clone(), at),
            })
        };
        last.errors.iter().filter_map(error).collect()
    }
}
