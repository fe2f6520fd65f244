//! The shipped scenarios.
pub struct Preset;
pub fn preset() {}
pub fn presets() {}
