//! One change of a scenario, and the change that takes it back.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::statement_edit;
use crate::scenario::path::{ListPath, StatementPath};
use crate::scenario::statement::BodyKey;
use crate::scenario::{self, Astray, Knob, Misfit, Reference, Scenario, Statement, StatementTag};

/// A place for a statement: before the one that has the index now, or at the end of the list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The list.
    pub list: ListPath,
    /// The place in it, from 0.
    pub index: usize,
}

/// One change of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Puts a statement in.
    Insert {
        /// Where it will stand.
        to: Slot,
        /// The statement.
        statement: Box<Statement>,
    },
    /// Takes a statement out.
    Remove {
        /// The statement.
        at: StatementPath,
    },
    /// Puts a statement in place of another.
    Replace {
        /// The one that goes.
        at: StatementPath,
        /// The one that comes.
        statement: Box<Statement>,
    },
    /// Takes a statement out and puts it in elsewhere.
    Move {
        /// The statement.
        from: StatementPath,
        /// Where it will stand, as paths are once it has been taken out: see [`Slot::without`].
        to: Slot,
    },
    /// Puts some statements of a list into a statement that takes their place.
    Wrap {
        /// The first of them.
        first: Slot,
        /// How many.
        count: usize,
        /// The statement that will hold them; its list of that key is empty.
        around: Box<Statement>,
        /// The list of it that they go into.
        key: BodyKey,
    },
    /// Puts what stands in one list of a statement in place of the statement.
    Unwrap {
        /// The statement.
        at: StatementPath,
        /// The list.
        key: BodyKey,
    },
    /// Sets a field of a statement.
    SetField {
        /// The statement.
        at: StatementPath,
        /// The field's key in the file.
        field: String,
        /// The value as in the file; `None` leaves the key out.
        value: Option<Value>,
    },
    /// Puts a knob in.
    InsertKnob {
        /// Its place among the knobs.
        index: usize,
        /// The knob.
        knob: Knob,
    },
    /// Takes a knob out.
    RemoveKnob {
        /// Its place among the knobs.
        index: usize,
    },
    /// Defines a knob anew.
    SetKnob {
        /// Its place among the knobs.
        index: usize,
        /// The new definition.
        knob: Knob,
    },
    /// Sets the measured figures that the model is held against.
    SetReferences(Vec<Reference>),
    /// Puts a whole scenario in place of the other.
    ReplaceAll(Arc<Scenario>),
}

/// Why an edit cannot be made. Nothing has been changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// A path leads nowhere.
    #[error(transparent)]
    Astray(#[from] Astray),
    /// A place lies behind the end of its list.
    #[error("there is no place {} in {}, which has {len} statements: places count from 0", slot.index, slot.list)]
    BehindEnd {
        /// The place.
        slot: Slot,
        /// How many statements the list has.
        len: usize,
    },
    /// A statement cannot hold others there.
    #[error("`{tag}` has no `{}` that statements could stand in; those that have one are {}", key.word(), holders(*key))]
    NoBody {
        /// What it is.
        tag: StatementTag,
        /// The list that was asked for.
        key: BodyKey,
    },
    /// A statement that should be put around others holds some already.
    #[error("the `{}` of the `{tag}` that is put around statements must be empty", key.word())]
    BodyTaken {
        /// What it is.
        tag: StatementTag,
        /// The list that is not empty.
        key: BodyKey,
    },
    /// A statement with that value is not one.
    #[error("{at}: {message}")]
    Field {
        /// The statement.
        at: StatementPath,
        /// What is wrong and what is allowed.
        message: String,
    },
    /// There is no such knob.
    #[error("there is no knob number {index}: the scenario has {len}, counted from 0")]
    NoKnob {
        /// The place that was asked for.
        index: usize,
        /// How many there are.
        len: usize,
    },
    /// What comes of it cannot be read again.
    #[error("{0}")]
    Unreadable(String),
    /// What comes of it does not fit together.
    #[error(transparent)]
    Misfit(#[from] Misfit),
}

/// The statements that have such a list.
fn holders(key: BodyKey) -> String {
    let holders = StatementTag::ALL.iter().filter(|tag| tag.bodies().contains(&key));
    holders.map(|tag| tag.word()).collect::<Vec<_>>().join(", ")
}

impl Slot {
    /// The place of a statement.
    pub fn of(path: &StatementPath) -> Self {
        Self { list: path.list.clone(), index: path.index }
    }

    /// The statement that stands there, which is known to be a `tag`.
    pub fn holding(&self, tag: StatementTag) -> StatementPath {
        self.list.at(self.index, tag)
    }

    /// The same place once the statement at `gone` has been taken out; `None` when the place lies inside that statement.
    pub fn without(&self, gone: &StatementPath) -> Option<Self> {
        let mut slot = self.clone();
        let depth = gone.list.steps.len();
        let shares_list = slot.list.section == gone.list.section && slot.list.steps.starts_with(&gone.list.steps);
        if !shares_list {
            return Some(slot);
        }
        let index = match slot.list.steps.get_mut(depth) {
            Some(step) if step.index == gone.index => return None,
            Some(step) => &mut step.index,
            None => &mut slot.index,
        };
        if *index > gone.index {
            *index -= 1;
        }
        Some(slot)
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.list, self.index)
    }
}

impl Edit {
    /// Makes the change, and returns the one that takes it back.
    ///
    /// # Errors
    /// [`EditError`] says why it cannot be made; the scenario is then as it was.
    pub fn apply(self, scenario: &mut Scenario) -> Result<Self, EditError> {
        match self {
            Self::Insert { to, statement } => statement_edit::insert(scenario, to, statement),
            Self::Remove { at } => statement_edit::remove(scenario, at),
            Self::Replace { at, statement } => statement_edit::replace(scenario, &at, *statement),
            Self::Move { from, to } => statement_edit::relocate(scenario, &from, to),
            Self::Wrap { first, count, around, key } => statement_edit::wrap(scenario, first, count, *around, key),
            Self::Unwrap { at, key } => statement_edit::unwrap(scenario, &at, key),
            Self::SetField { at, field, value } => statement_edit::set_field(scenario, at, field, value),
            Self::InsertKnob { index, knob } => {
                let insert = |knobs: &mut Vec<Knob>| {
                    (index <= knobs.len()).then(|| knobs.insert(index, knob))?;
                    Some(Self::RemoveKnob { index })
                };
                change_knobs(scenario, index, insert)
            }
            Self::RemoveKnob { index } => {
                let remove = |knobs: &mut Vec<Knob>| {
                    let knob = (index < knobs.len()).then(|| knobs.remove(index))?;
                    Some(Self::InsertKnob { index, knob })
                };
                change_knobs(scenario, index, remove)
            }
            Self::SetKnob { index, knob } => {
                let set = |knobs: &mut Vec<Knob>| {
                    let old = std::mem::replace(knobs.get_mut(index)?, knob);
                    Some(Self::SetKnob { index, knob: old })
                };
                change_knobs(scenario, index, set)
            }
            Self::SetReferences(references) => {
                let old = std::mem::replace(&mut scenario.references, references);
                match scenario::check(scenario) {
                    Ok(()) => Ok(Self::SetReferences(old)),
                    Err(misfit) => {
                        scenario.references = old;
                        Err(misfit.into())
                    }
                }
            }
            Self::ReplaceAll(whole) => {
                scenario::check(&whole)?;
                let whole = Arc::try_unwrap(whole).unwrap_or_else(|shared| Scenario::clone(&shared));
                Ok(Self::ReplaceAll(Arc::new(std::mem::replace(scenario, whole))))
            }
        }
    }

    /// Makes several changes one after the other, or none of them; returns those that take them back, in the order in which
    /// they have to be made.
    ///
    /// # Errors
    /// That of the first that cannot be made.
    pub fn apply_all(edits: Vec<Self>, scenario: &mut Scenario) -> Result<Vec<Self>, EditError> {
        let mut inverse = Vec::with_capacity(edits.len());
        for edit in edits {
            match edit.apply(scenario) {
                Ok(back) => inverse.push(back),
                Err(error) => {
                    for back in inverse.into_iter().rev() {
                        back.apply(scenario)?;
                    }
                    return Err(error);
                }
            }
        }
        inverse.reverse();
        Ok(inverse)
    }
}

/// Changes the knobs, unless they would not fit together.
fn change_knobs(
    scenario: &mut Scenario,
    index: usize,
    change: impl FnOnce(&mut Vec<Knob>) -> Option<Edit>,
) -> Result<Edit, EditError> {
    let old = scenario.knobs.clone();
    let inverse = change(&mut scenario.knobs).ok_or(EditError::NoKnob { index, len: old.len() })?;
    if let Err(misfit) = scenario::check(scenario) {
        scenario.knobs = old;
        return Err(misfit.into());
    }
    Ok(inverse)
}
