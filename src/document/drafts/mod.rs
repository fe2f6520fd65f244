//! Edited copies that nobody has saved yet. They lie beside the settings from soon after an edit until they are saved or
//! discarded, and are found again at the next start, also after a crash.
//!
//! Each window writes into a folder of its own, which it holds by a lock: what another window works on is left alone, and
//! what a window that has gone left behind belongs to the next one that starts.

mod draft;
mod folder;
mod keeper;
mod shelf;

pub use draft::Draft;
pub use keeper::{Keeper, Kept};
pub use shelf::{Found, Shelf};
