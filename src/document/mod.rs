//! A scenario being edited, without a window: edits with their inverse.
//!
//! [`Edit`] is one change of a scenario by the paths of its statements.

mod edit;
mod statement_edit;

pub use edit::{Edit, EditError, Slot};
