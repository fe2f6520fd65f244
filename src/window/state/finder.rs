//! The list of everything that can be done, as long as it is open.

/// What was typed into it so far, and what would be done.
#[derive(Debug, Default)]
pub(in crate::window) struct Finder {
    /// What is looked for.
    pub(in crate::window) query: String,
    /// Which of those found is chosen.
    pub(in crate::window) chosen: usize,
}
