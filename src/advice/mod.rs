//! What would help: the model runs the neighbours of a setting and says what each would save.
//!
//! A neighbour is a knob turned, a wait left out that orders nothing, or a machine that is faster in one part. Only what is
//! right is advised: no errors, no hazards, and where it is not the same work with the same results, that is said.

mod neighbours;
mod run;
mod work;

use serde::Serialize;

use crate::analysis::hazard::{self, Verdict};
use crate::analysis::{Analysis, OutcomeId};
use crate::document::Edit;
use crate::profile::Profile;
use crate::program::LowerError;
use crate::scenario::path::StatementPath;
use crate::scenario::{KnobValue, Knobs, Scenario};
use crate::time::Ns;
use run::{NeighbourRun, Setting};
use work::Work;

/// Most neighbours that are run.
pub const MOST_RUNS: usize = 64;

/// Most operations that all runs together may have: a few seconds of the model. It is a number of operations, not a time, so that
/// the same advice is given everywhere.
pub const MOST_OPERATIONS: usize = 4_000_000;

/// Savings below this share of the wall time are not told.
pub const LEAST_SHARE: f64 = 0.01;

/// What is to be changed.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Knobs are turned: one, or two that help only together.
    SetKnobs(Vec<(String, KnobValue)>),
    /// A statement that waits is left out of the program.
    LeaveOut(StatementPath),
    /// A part of the machine is faster, which no program can bring about: the figure of [`Profile::what_if`], and its value.
    WhatIf(&'static str, f64),
}

impl Change {
    /// The edit of the scenario, where it is one.
    pub fn edit(&self) -> Option<Edit> {
        match self {
            Self::LeaveOut(at) => Some(Edit::Remove { at: at.clone() }),
            Self::SetKnobs(_) | Self::WhatIf(..) => None,
        }
    }

    /// Whether it is a question about the machine, and not a change of the program.
    pub fn is_what_if(&self) -> bool {
        matches!(self, Self::WhatIf(..))
    }
}

/// Two knobs turned together are told only where they save so much more, as a share of the wall time, than the better one alone.
pub const LEAST_SHARE_OF_PAIR: f64 = 0.1;

/// Whether the program does the same after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The same work, with the same results.
    Same,
    /// The host reads its results another number of times.
    Reads {
        /// How often it read them.
        before: u64,
        /// How often it reads them now.
        after: u64,
    },
    /// The clock is read elsewhere, or after other waits: what it says means something else.
    Measures,
    /// Kernels, copies or the host have less to do. To have more and still be done sooner is a saving.
    LessWork,
    /// A value that is reported, and is no time, differs.
    OtherResult,
}

/// A change that the model has tried, with what it saves.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// What is to be changed.
    pub change: Change,
    /// The wall time then.
    pub wall: Ns,
    /// What that is less than before.
    pub saves: Ns,
    /// That as a share of the wall time before, 0–1.
    pub share: f64,
    /// Whether the program then does the same.
    pub effect: Effect,
}

/// What came of looking for advice.
#[derive(Clone, Debug, PartialEq)]
pub struct Advised {
    /// The wall time of the setting itself.
    pub wall: Ns,
    /// What has to be mended before speed matters, if anything has: no advice is given then.
    pub comes_first: Option<OutcomeId>,
    /// What would help: changes that keep what the program does, then those that do not, then faster machines; each part with the
    /// largest saving first.
    pub advice: Vec<Advice>,
    /// How many neighbours were run.
    pub tried: usize,
    /// How many were not, since that would take too long.
    pub untried: usize,
}

/// Why there is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AdviceError {
    /// The setting itself cannot be run.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// Nobody waits for it any more.
    #[error("the search for advice was cancelled")]
    Cancelled,
}

/// Looks for advice, as long as `goes_on` says that somebody waits for it.
///
/// # Errors
/// [`AdviceError`] when the setting cannot be run, or nobody waits any more.
pub fn advise(
    scenario: &Scenario,
    knobs: &Knobs,
    profile: &Profile,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Advised, AdviceError> {
    let here = Setting::new(scenario, knobs, profile);
    let run = here.run(goes_on)?;
    let mut search = Search::new(&run, goes_on)?;
    if search.found.comes_first.is_none() {
        search.go(&here, goes_on)?;
    }
    Ok(search.found)
}

/// A search that is under way.
struct Search {
    found: Advised,
    work: Work,
    verdict: Verdict,
    results: Vec<(String, Option<f64>)>,
    /// Operations that the runs may still have.
    left: usize,
}

impl Search {
    fn new(run: &NeighbourRun, goes_on: &mut dyn FnMut() -> bool) -> Result<Self, AdviceError> {
        let NeighbourRun { program, recording } = run;
        let analysis = Analysis::new(recording);
        let judged = analysis.judge(program, recording, goes_on).map_err(|_| AdviceError::Cancelled)?;
        let (verdict, id) =
            judged.map_or((Verdict::default(), OutcomeId::Right), |(verdict, outcome)| (verdict.clone(), outcome.id()));
        let comes_first = match id {
            OutcomeId::Failed | OutcomeId::Corrupted | OutcomeId::Hazards => Some(id),
            OutcomeId::Fragile | OutcomeId::Right => None,
        };
        let found = Advised { wall: recording.wall.dur(), comes_first, advice: Vec::new(), tried: 0, untried: 0 };
        let left = MOST_OPERATIONS.max(4 * program.operations.len());
        Ok(Self { found, work: Work::of(program), verdict, results: run.results(), left })
    }

    fn go(&mut self, here: &Setting<'_>, goes_on: &mut dyn FnMut() -> bool) -> Result<(), AdviceError> {
        let singles = neighbours::single(here);
        let mut saved: Vec<Ns> = Vec::new();
        for change in &singles {
            saved.push(self.attempt(here, change, Ns::ZERO, goes_on)?);
        }
        let listed = self.found.advice.len();
        for (one, other, change) in neighbours::pairs(&singles) {
            let alone = [one, other].map(|index| saved.get(index).copied().unwrap_or_default());
            let better = alone.into_iter().max().unwrap_or_default().max(Ns::ZERO);
            self.attempt(here, &change, better + self.found.wall.scale(LEAST_SHARE_OF_PAIR), goes_on)?;
        }
        let mut place = 0;
        self.found.advice.retain(|advice| {
            place += 1;
            // What does not keep the program as it is has to be worth it by itself; a wait has to be needless.
            let has_to_keep = place > listed || matches!(advice.change, Change::LeaveOut(_));
            !has_to_keep || advice.effect == Effect::Same
        });
        self.found.advice.sort_by_key(|advice| {
            let part = (advice.change.is_what_if(), advice.effect != Effect::Same);
            (part, std::cmp::Reverse(advice.saves))
        });
        Ok(())
    }

    /// Runs a neighbour, and lists it if it is right and saves more than `alone`. Returns what it saves.
    fn attempt(
        &mut self,
        here: &Setting<'_>,
        change: &Change,
        alone: Ns,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Ns, AdviceError> {
        if self.left == 0 || self.found.tried >= MOST_RUNS {
            self.found.untried += 1;
            return Ok(Ns::ZERO);
        }
        let Some(run) = here.run_changed(change, goes_on)? else { return Ok(Ns::ZERO) };
        self.found.tried += 1;
        self.left = self.left.saturating_sub(run.program.operations.len());
        let (before, wall) = (self.found.wall, run.recording.wall.dur());
        let (saves, share) = (before - wall, (before - wall).0 as f64 / before.0.max(1) as f64);
        let more = (saves - alone).0 as f64 / before.0.max(1) as f64;
        if more < LEAST_SHARE || !self.is_right(&run, goes_on)? {
            return Ok(saves);
        }
        let same_results = self.results == run.results();
        let effect = self.work.effect(&Work::of(&run.program), same_results);
        self.found.advice.push(Advice { change: change.clone(), wall, saves, share, effect });
        Ok(saves)
    }

    /// Whether a run met no errors and its program has neither hazards nor anything fragile that was not there before.
    fn is_right(&self, run: &NeighbourRun, goes_on: &mut dyn FnMut() -> bool) -> Result<bool, AdviceError> {
        if !run.recording.errors.is_empty() {
            return Ok(false);
        }
        let judged = hazard::judge_run_while(&run.program, &run.recording, goes_on);
        let Verdict { hazards, fragile } = judged.map_err(|_| AdviceError::Cancelled)?;
        Ok(hazards.is_empty() && (fragile.is_empty() || fragile == self.verdict.fragile))
    }
}
