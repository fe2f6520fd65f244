//! A scenario being edited, without a window: where it comes from, what was done to it and can be taken back, whether it is
//! saved, and drafts of what is not.
//!
//! [`Edit`] is one change of a scenario by the paths of its statements. A [`Document`] makes edits and turns knobs, with one
//! history for both. [`drafts`] keep on the disk what nobody has saved yet.

pub mod drafts;
mod edit;
mod history;
mod place;
mod shown;
mod statement_edit;

use std::path::Path;
use std::sync::Arc;

use crate::file::WriteError;
use crate::json;
use crate::scenario::{self, KnobError, KnobValue, Knobs, LoadError, Preset, Scenario, SourceText};
use drafts::Draft;
pub use edit::{Edit, EditError, Slot};
use history::{History, Step, Version, Way};
pub use place::{Origin, Place};

/// An open scenario.
#[derive(Clone, Debug)]
pub struct Document {
    place: Place,
    scenario: Arc<Scenario>,
    knobs: Knobs,
    version: Version,
    /// The newest version so far.
    newest: Version,
    saved: Saved,
    history: History,
    is_recovered: bool,
}

/// What a document's preset or file holds, as far as that is known.
#[derive(Clone, Debug)]
struct Saved {
    scenario: Arc<Scenario>,
    /// The version of the document; `None` when none is what the file holds.
    version: Option<Version>,
    /// As it was written.
    text: Option<Arc<SourceText>>,
}

impl Document {
    /// Opens a shipped scenario or a file; of a copy, what it was made of. Knobs are at their defaults.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open(place: Place) -> Result<Self, LoadError> {
        let (scenario, text) = read(&place.origin())?;
        let scenario = Arc::new(scenario);
        let version = Version(0);
        let saved = Saved { scenario: Arc::clone(&scenario), version: Some(version), text: Some(Arc::new(text)) };
        let knobs = Knobs::defaults(&scenario.knobs);
        let history = History::default();
        Ok(Self { place, scenario, knobs, version, newest: version, saved, history, is_recovered: false })
    }

    /// What was edited before this start; it can be taken back as a whole, as long as what was edited is still there.
    pub fn of_draft(place: Place, draft: &Draft) -> Self {
        let (original, version) = (Version(0), Version(1));
        let mut history = History::default();
        let knobs = fitted(&draft.scenario, &draft.knobs);
        let saved = match read(&draft.of) {
            Ok((scenario, text)) => {
                let scenario = Arc::new(scenario);
                let edits = vec![Edit::ReplaceAll(Arc::clone(&scenario))];
                history.push(Step { edits, knobs: fitted(&scenario, &draft.knobs), version: original });
                Saved { scenario, version: Some(original), text: Some(Arc::new(text)) }
            }
            Err(_) => Saved { scenario: Arc::clone(&draft.scenario), version: None, text: None },
        };
        let scenario = Arc::clone(&draft.scenario);
        Self { place, scenario, knobs, version, newest: version, saved, history, is_recovered: true }
    }

    /// Where it comes from.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// It is somewhere else from now on, as a copy of what it was.
    pub fn move_to(&mut self, place: Place) {
        self.place = place;
    }

    /// The scenario as it is now.
    pub fn scenario(&self) -> &Arc<Scenario> {
        &self.scenario
    }

    /// The values that its knobs have now.
    pub fn knobs(&self) -> &Knobs {
        &self.knobs
    }

    /// Whether it was found as a draft of an earlier start.
    pub fn is_recovered(&self) -> bool {
        self.is_recovered
    }

    /// Whether it is not what its preset or file holds.
    pub fn is_edited(&self) -> bool {
        self.saved.version != Some(self.version)
    }

    /// The text that its preset or file holds, as long as it is not edited.
    pub fn text(&self) -> Option<&SourceText> {
        self.saved.text.as_deref().filter(|_| !self.is_edited())
    }

    /// Makes edits, as one step of the history. Measured figures are left out with what they were measured on, and a knob
    /// whose value no longer fits is at its default.
    ///
    /// # Errors
    /// When one of them cannot be made, or what comes of it could not be read again; nothing has been changed then.
    pub fn edit(&mut self, edits: Vec<Edit>) -> Result<(), EditError> {
        let mut scenario = Scenario::clone(&self.scenario);
        let says_figures = edits.iter().any(|edit| matches!(edit, Edit::SetReferences(_) | Edit::ReplaceAll(_)));
        let figures = if says_figures { Vec::new() } else { std::mem::take(&mut scenario.references) };
        let mut back = Edit::apply_all(edits, &mut scenario)?;
        if scenario.runs_like(&self.scenario) && !says_figures {
            scenario.references = figures;
        } else if !figures.is_empty() {
            // What was measured on another program says nothing about this one.
            back.push(Edit::SetReferences(figures));
        }
        check_readable(&scenario)?;
        self.history.push(Step { edits: back, knobs: self.knobs.clone(), version: self.version });
        self.newest = Version(self.newest.0 + 1);
        self.version = self.newest;
        self.knobs = fitted(&scenario, &self.knobs);
        self.scenario = Arc::new(scenario);
        Ok(())
    }

    /// Turns a knob; `false` when it has that value already.
    ///
    /// # Errors
    /// When there is no such knob, or it cannot have this value.
    pub fn set_knob(&mut self, id: &str, value: KnobValue) -> Result<bool, KnobError> {
        let mut knobs = self.knobs.clone();
        knobs.set(&self.scenario.knobs, id, value)?;
        if knobs == self.knobs {
            return Ok(false);
        }
        let before = std::mem::replace(&mut self.knobs, knobs);
        let back = Step { edits: Vec::new(), knobs: before, version: self.version };
        self.history.turn(id, back, &self.knobs);
        Ok(true)
    }

    /// The hand has left the knob: turning it again is a step of its own.
    pub fn end_turn(&mut self) {
        self.history.end_turn();
    }

    /// Turns several knobs as one step; `false` when they have those values already.
    ///
    /// # Errors
    /// When there is no such knob, or it cannot have this value; nothing has been changed then.
    pub fn set_knobs(&mut self, turned: Vec<(String, KnobValue)>) -> Result<bool, KnobError> {
        let mut knobs = self.knobs.clone();
        for (id, value) in turned {
            knobs.set(&self.scenario.knobs, &id, value)?;
        }
        if knobs == self.knobs {
            return Ok(false);
        }
        let before = std::mem::replace(&mut self.knobs, knobs);
        self.history.push(Step { edits: Vec::new(), knobs: before, version: self.version });
        Ok(true)
    }

    /// Turns all knobs back to their defaults, as one step; `false` when they are there already.
    pub fn reset_knobs(&mut self) -> bool {
        let defaults = Knobs::defaults(&self.scenario.knobs);
        if defaults == self.knobs {
            return false;
        }
        let before = std::mem::replace(&mut self.knobs, defaults);
        self.history.push(Step { edits: Vec::new(), knobs: before, version: self.version });
        true
    }

    /// Takes over the values that knobs had when it was open before, as far as they still fit. That is not a step.
    pub fn adopt_knobs(&mut self, knobs: &Knobs) {
        self.knobs = fitted(&self.scenario, knobs);
    }

    /// Takes the last step back; `false` when there is none.
    pub fn undo(&mut self) -> bool {
        self.go(Way::Back)
    }

    /// Makes the step again that was taken back last; `false` when there is none.
    pub fn redo(&mut self) -> bool {
        self.go(Way::Forth)
    }

    fn go(&mut self, way: Way) -> bool {
        let Some(step) = self.history.take(way) else { return false };
        let mut opposite = Step { edits: Vec::new(), knobs: self.knobs.clone(), version: self.version };
        if !step.edits.is_empty() {
            let mut scenario = Scenario::clone(&self.scenario);
            // What an edit has made its inverse takes back: a property test holds that.
            let Ok(edits) = Edit::apply_all(step.edits, &mut scenario) else { return false };
            opposite.edits = edits;
            self.scenario = Arc::new(scenario);
        }
        (self.knobs, self.version) = (step.knobs, step.version);
        self.history.made(way, opposite);
        true
    }

    /// Whether a step can be taken back.
    pub fn can_undo(&self) -> bool {
        self.history.can(Way::Back)
    }

    /// Whether one that was taken back can be made again.
    pub fn can_redo(&self) -> bool {
        self.history.can(Way::Forth)
    }

    /// Whether the history has an edit of the scenario, made or taken back.
    pub fn has_edits(&self) -> bool {
        self.history.has_edits()
    }

    /// It is as its preset or file holds it again, and nothing was ever done to it.
    pub fn discard_edits(&mut self) {
        self.scenario = Arc::clone(&self.saved.scenario);
        self.saved.version = Some(self.version);
        self.knobs = fitted(&self.scenario, &self.knobs);
        self.history = History::default();
    }

    /// Writes it to a file, and is that file from now on. Keys keep the order that they had in the file before.
    ///
    /// # Errors
    /// When the system refuses; the file and the document are then as they were.
    pub fn save(&mut self, path: &Path) -> Result<(), WriteError> {
        let text = scenario::save_like(&self.scenario, self.saved.text.as_deref(), path)?;
        self.saved =
            Saved { scenario: Arc::clone(&self.scenario), version: Some(self.version), text: Some(Arc::new(text)) };
        self.place = Place::File(path.to_owned());
        Ok(())
    }

    /// What has to be kept of it; `None` for a preset, of which only copies are edited.
    pub fn draft(&self) -> Option<Draft> {
        match self.place {
            Place::Preset(_) => None,
            Place::File(_) | Place::Copy { .. } => {
                let (of, scenario) = (self.place.origin(), Arc::clone(&self.scenario));
                Some(Draft { of, scenario, knobs: self.knobs.clone() })
            }
        }
    }

    /// Whether a draft holds it as it is.
    pub fn is_kept_in(&self, draft: &Draft) -> bool {
        Arc::ptr_eq(&self.scenario, &draft.scenario) && self.knobs == draft.knobs
    }
}

/// Whether what is written of a scenario can be read again, also inside a recording or a draft, where it stands deeper.
fn check_readable(scenario: &Scenario) -> Result<(), EditError> {
    let around = format!("[[{}]]", scenario::json(scenario));
    let read = json::parse::<((Scenario,),)>(&around);
    read.map_err(|fault| EditError::Unreadable(format!("the edited scenario: {}", fault.message)))?;
    scenario::check(scenario)?;
    Ok(())
}

/// The values that fit; the other knobs are at their defaults.
fn fitted(scenario: &Scenario, values: &Knobs) -> Knobs {
    let mut knobs = Knobs::defaults(&scenario.knobs);
    for (id, value) in &values.0 {
        let _unfit = knobs.set(&scenario.knobs, id, value.clone());
    }
    knobs
}

fn read(origin: &Origin) -> Result<(Scenario, SourceText), LoadError> {
    match origin {
        Origin::File(path) => scenario::open_with_text(path),
        Origin::Preset(name) => {
            // A name that no preset has is refused as an empty file.
            let preset = scenario::preset(name).copied().unwrap_or(Preset { name, text: "" });
            Ok((preset.scenario()?, preset.source_text()))
        }
    }
}
