//! How the window's own parts look.

pub(in crate::window) mod palette;
pub(in crate::window) mod table;
pub(in crate::window) mod widgets;
