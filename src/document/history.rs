//! What was done to a document, and can be taken back.

use super::Edit;
use crate::scenario::Knobs;

/// Numbers the versions of a scenario, so that one that was edited and taken back is known to be what it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version(pub u64);

/// The way from the state of a document to the one before or after it.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// What has to be done to the scenario; nothing, where only a knob was turned.
    pub edits: Vec<Edit>,
    /// The values of the knobs then.
    pub knobs: Knobs,
    /// The version of the scenario then.
    pub version: Version,
}

/// One history for edits of the scenario and values of its knobs.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    done: Vec<Step>,
    undone: Vec<Step>,
    /// The knob that is being turned: all of its values on the way are one step.
    turning: Option<String>,
}

/// Which way to go in a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Back,
    Forth,
}

impl History {
    /// Something was done that `back` takes back.
    pub fn push(&mut self, back: Step) {
        self.done.push(back);
        self.undone.clear();
        self.turning = None;
    }

    /// A knob was turned, from the values in `back` to `now`. All turns of one knob until [`Self::end_turn`] are one step.
    pub fn turn(&mut self, knob: &str, back: Step, now: &Knobs) {
        if self.turning.as_deref() != Some(knob) {
            self.push(back);
            self.turning = Some(knob.to_owned());
        } else if self.done.last().is_some_and(|step| step.knobs == *now) {
            // It is where it was at first.
            self.done.pop();
            self.turning = None;
        }
    }

    /// The next turn of a knob is a step of its own.
    pub fn end_turn(&mut self) {
        self.turning = None;
    }

    /// Takes the next step of that way.
    pub fn take(&mut self, way: Way) -> Option<Step> {
        self.end_turn();
        match way {
            Way::Back => self.done.pop(),
            Way::Forth => self.undone.pop(),
        }
    }

    /// A step of that way was made, and `opposite` leads back.
    pub fn made(&mut self, way: Way, opposite: Step) {
        match way {
            Way::Back => self.undone.push(opposite),
            Way::Forth => self.done.push(opposite),
        }
    }

    /// Whether there is a step of that way.
    pub fn can(&self, way: Way) -> bool {
        match way {
            Way::Back => !self.done.is_empty(),
            Way::Forth => !self.undone.is_empty(),
        }
    }

    /// Whether any step, made or taken back, is an edit of the scenario.
    pub fn has_edits(&self) -> bool {
        self.done.iter().chain(&self.undone).any(|step| !step.edits.is_empty())
    }
}
