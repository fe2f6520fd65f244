//! The captured graph.

pub(in crate::window) mod panel;
mod picture;
