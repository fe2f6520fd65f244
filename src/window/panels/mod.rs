//! What stands around the timeline: bars, the panels left and right, numbers, dialogs. Each shows the state and sends actions.

pub(in crate::window) mod advice;
pub(in crate::window) mod banner;
pub(in crate::window) mod course;
pub(in crate::window) mod errors;
pub(in crate::window) mod finder;
pub(in crate::window) mod hazards;
mod idle_bar;
pub(in crate::window) mod inspector;
pub(in crate::window) mod key_sheet;
pub(in crate::window) mod knobs;
mod number_cards;
pub(in crate::window) mod numbers;
pub(in crate::window) mod path_dialog;
pub(in crate::window) mod run_on;
pub(in crate::window) mod scenario_name;
pub(in crate::window) mod source_line;
pub(in crate::window) mod top_bar;
pub(in crate::window) mod verdict_line;
