//! What was changed in the open scenario, and can be taken back.

use std::sync::Arc;

use crate::scenario::Scenario;

/// The versions of a scenario before and after the one that is open.
#[derive(Clone, Debug)]
pub(super) struct Edits {
    before: Vec<Arc<Scenario>>,
    after: Vec<Arc<Scenario>>,
    /// The version that its preset or file holds.
    kept: Arc<Scenario>,
}

impl Edits {
    /// Nothing has been changed.
    pub(super) fn none(scenario: &Arc<Scenario>) -> Self {
        Self { before: Vec::new(), after: Vec::new(), kept: Arc::clone(scenario) }
    }

    /// `scenario` was edited before this session, from `kept` if that is still to be had.
    pub(super) fn since(kept: Option<Arc<Scenario>>, scenario: &Arc<Scenario>) -> Self {
        // Without it, any version that is not the open one: nothing holds what is open.
        let before: Vec<_> = kept.into_iter().collect();
        let kept = before.first().map_or_else(|| Arc::new(Scenario::clone(scenario)), Arc::clone);
        Self { before, after: Vec::new(), kept }
    }

    /// Another version takes the place of `open`.
    pub(super) fn edit(&mut self, open: &mut Arc<Scenario>, edited: Scenario) {
        self.before.push(std::mem::replace(open, Arc::new(edited)));
        self.after.clear();
    }

    /// Back to the version before; `false` when there is none.
    pub(super) fn undo(&mut self, open: &mut Arc<Scenario>) -> bool {
        Self::step(&mut self.before, &mut self.after, open)
    }

    /// The version that was taken back.
    pub(super) fn redo(&mut self, open: &mut Arc<Scenario>) -> bool {
        Self::step(&mut self.after, &mut self.before, open)
    }

    fn step(from: &mut Vec<Arc<Scenario>>, to: &mut Vec<Arc<Scenario>>, open: &mut Arc<Scenario>) -> bool {
        let Some(other) = from.pop() else { return false };
        to.push(std::mem::replace(open, other));
        true
    }

    /// Whether an edit can be taken back.
    pub(super) fn can_undo(&self) -> bool {
        !self.before.is_empty()
    }

    /// Whether one that was taken back can be made again.
    pub(super) fn can_redo(&self) -> bool {
        !self.after.is_empty()
    }

    /// Whether `open` is not what its preset or file holds.
    pub(super) fn has_changed(&self, open: &Arc<Scenario>) -> bool {
        !Arc::ptr_eq(&self.kept, open)
    }

    /// What its preset or file holds, as far as that is known.
    pub(super) fn kept(&self) -> &Arc<Scenario> {
        &self.kept
    }

    /// The file holds `open` from now on.
    pub(super) fn keep(&mut self, open: &Arc<Scenario>) {
        self.kept = Arc::clone(open);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::preset;

    fn named(name: &str) -> Scenario {
        Scenario { name: name.to_owned(), ..preset("timing").unwrap().scenario().unwrap() }
    }

    #[test]
    fn edits_are_taken_back_and_made_again() {
        let mut open = Arc::new(named("first"));
        let mut edits = Edits::none(&open);
        assert!(!edits.has_changed(&open) && !edits.undo(&mut open));
        edits.edit(&mut open, named("second"));
        edits.edit(&mut open, named("third"));
        assert!(edits.has_changed(&open) && edits.undo(&mut open));
        assert_eq!(open.name, "second");
        assert!(edits.undo(&mut open) && !edits.has_changed(&open));
        assert!(edits.redo(&mut open) && edits.can_redo());
        edits.edit(&mut open, named("other"));
        assert!(!edits.can_redo() && edits.can_undo());
        edits.keep(&open);
        assert!(!edits.has_changed(&open) && edits.undo(&mut open) && edits.has_changed(&open));
    }
}
