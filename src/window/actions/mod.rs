//! What changes the state: what widgets and keys ask for, and what the background reports. Nothing else does.

pub(in crate::window) mod action;
mod apply;
pub(in crate::window) mod command;
mod discard;
mod edit;
mod export;
mod open;
pub(in crate::window) mod pressed;
mod run_scenario;
mod save;
mod take_reports;
pub(in crate::window) mod tools;

pub(in crate::window) use action::WindowAction;
pub(in crate::window) use command::WindowCommand;
