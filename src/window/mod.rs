//! The window.

/// What the window starts with.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// A preset's name or the path of a scenario.
    pub scenario: Option<String>,
    /// Profile of the model.
    pub profile: Option<String>,
}

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
#[error("no window can be opened: {0}")]
pub struct WindowError(String);

/// Opens the window.
///
/// # Errors
/// When there is no display.
pub fn run(_start: Start) -> Result<(), WindowError> {
    Err(WindowError("not yet".to_owned()))
}
