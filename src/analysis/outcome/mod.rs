//! What a run came to, decided in one place: errors before hazards, hazards before numbers. Window, figures, command line and JSON
//! take it from here.

mod cause;
mod wording;

use serde::Serialize;

use super::hazard::{Hazard, Verdict, object as object_of};
use super::serialized::{WrongValue, wrong_values};
use crate::program::walk::Cancelled;
use crate::program::{Program, effects};
use crate::recording::{Correlation, Recording};
use crate::text::Localized;

pub use cause::error_cause;
pub use wording::sentence;

/// What a run came to; what stands first here leads.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Calls returned errors. Nothing is said then of whether the rest was right.
    Failed(Failed),
    /// Data are not what the order of the program means.
    Corrupted {
        /// How the program fails to keep its order.
        found: Found,
        /// Reported values that show it.
        values: Vec<WrongValue>,
    },
    /// The program does not keep its order.
    Hazards {
        /// How often.
        found: Found,
        /// Whether this run was right in spite of it, as far as its times show that.
        lucky: bool,
    },
    /// Right only by what no document promises.
    Fragile(Found),
    /// Nothing is wrong.
    Right,
}

/// What is known beside a run's errors, of which the first leads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failed {
    /// Errors after the first.
    pub more: usize,
    /// Calls that were not made because of the first.
    pub skipped: usize,
    /// Who used memory that had been given back, where the first error is 700.
    pub culprit: Option<Culprit>,
}

/// Who used memory that had been given back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Culprit {
    /// The work.
    pub user: Localized,
    /// The memory.
    pub object: Localized,
    /// Who gave it back.
    pub freed_by: Localized,
}

/// How much was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Hazards.
    pub hazards: usize,
    /// Fragile orders.
    pub fragile: usize,
}

/// The name of an outcome in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "they are those of Outcome")]
pub enum OutcomeId {
    Failed,
    Corrupted,
    Hazards,
    Fragile,
    Right,
}

impl Outcome {
    /// What the errors say before there is a verdict; `None` where there are none.
    pub fn failed(recording: &Recording) -> Option<Self> {
        let more = recording.errors.len().checked_sub(1)?;
        Some(Self::Failed(Failed { more, ..Failed::default() }))
    }

    /// What a run of `program` came to. Where it failed, or reported what the program does not mean, the verdict no longer says
    /// that the run was right by luck.
    ///
    /// # Errors
    /// [`Cancelled`] when `goes_on` said that nobody waits for it any more.
    pub(super) fn of(
        program: &Program,
        recording: &Recording,
        verdict: &mut Verdict,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Self, Cancelled> {
        let found = Found { hazards: verdict.hazards.len(), fragile: verdict.fragile.len() };
        if let Some(more) = recording.errors.len().checked_sub(1) {
            verdict.forget_luck();
            let (skipped, culprit) = (skipped(program, recording), culprit(recording, verdict));
            return Ok(Self::Failed(Failed { more, skipped, culprit }));
        }
        // The values of a program without hazards are those that it means.
        if found.hazards == 0 {
            return Ok(if found.fragile > 0 { Self::Fragile(found) } else { Self::Right });
        }
        let values = wrong_values(program, recording, goes_on)?;
        let is_spoiled = |hazard: &Hazard| hazard.corrupted == Some(true);
        if !values.is_empty() || verdict.hazards.iter().any(is_spoiled) {
            if !verdict.hazards.iter().any(is_spoiled) {
                verdict.forget_luck();
            }
            return Ok(Self::Corrupted { found, values });
        }
        let lucky = verdict.hazards.iter().all(|hazard| hazard.corrupted == Some(false));
        Ok(Self::Hazards { found, lucky })
    }

    /// Its name.
    pub fn id(&self) -> OutcomeId {
        match self {
            Self::Failed(_) => OutcomeId::Failed,
            Self::Corrupted { .. } => OutcomeId::Corrupted,
            Self::Hazards { .. } => OutcomeId::Hazards,
            Self::Fragile(_) => OutcomeId::Fragile,
            Self::Right => OutcomeId::Right,
        }
    }

    /// Reported values that are not what the order of the program means.
    pub fn wrong_values(&self) -> &[WrongValue] {
        match self {
            Self::Corrupted { values, .. } => values,
            Self::Failed(_) | Self::Hazards { .. } | Self::Fragile(_) | Self::Right => &[],
        }
    }
}

/// How many calls the first error kept the program from making: all that come after an error that breaks the context, or what is
/// left of a thread that an exception ends. After other errors the thread goes on.
fn skipped(program: &Program, recording: &Recording) -> usize {
    let Some(first) = recording.errors.first() else { return 0 };
    let Some(Some(Correlation(number))) = recording.operations_of(&[&first.at]).first().copied() else { return 0 };
    let Some(index) = (number as usize).checked_sub(1).map(|offset| program.measured_from + offset) else { return 0 };
    let next = index + 1;
    let end = match first.code {
        Some(700) if program.threads.len() <= 1 => program.thread_end(index),
        Some(700) => next,
        _ => program.after_error(index),
    };
    let calls = program.operations.get(next..end).unwrap_or_default().iter();
    calls.filter(|operation| effects::cuda_call(&operation.action).is_some()).count()
}

fn culprit(recording: &Recording, verdict: &Verdict) -> Option<Culprit> {
    recording.errors.first().filter(|error| error.code == Some(700))?;
    let hazard = verdict.hazards.iter().find(|hazard| hazard.access.is_after_free())?;
    let [user, freed_by] = [&hazard.second, &hazard.first].map(|origin| origin.label.clone());
    let object = Localized::each(|lang| object_of(hazard, lang).to_owned());
    Some(Culprit { user, object, freed_by })
}
