//! A stretch of time that was selected: its band over the timeline, its numbers, and those as text.

pub(in crate::window) mod band;
pub(in crate::window) mod card;
pub(in crate::window) mod table;
pub(in crate::window) mod written;
