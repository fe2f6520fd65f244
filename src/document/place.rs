//! Where a scenario that is edited comes from.

use std::fmt;
use std::path::PathBuf;

/// Where an open scenario is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// It is shipped.
    Preset(&'static str),
    /// It is a file.
    File(PathBuf),
    /// One was edited; nothing has been saved yet.
    Copy {
        /// What was edited.
        of: Origin,
        /// Tells copies of the same one apart; the first is 1.
        number: u32,
    },
}

/// What an edited copy was made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// A shipped scenario.
    Preset(&'static str),
    /// A file, which may have changed or gone since.
    File(PathBuf),
}

impl Origin {
    /// The scenario itself.
    pub fn place(&self) -> Place {
        match self {
            Self::Preset(name) => Place::Preset(name),
            Self::File(path) => Place::File(path.clone()),
        }
    }
}

impl Place {
    /// The shipped scenario that it is, or is a copy of.
    pub fn preset(&self) -> Option<&'static str> {
        match self {
            Self::Preset(name) | Self::Copy { of: Origin::Preset(name), .. } => Some(name),
            Self::File(_) | Self::Copy { .. } => None,
        }
    }

    /// What is edited there: the scenario itself, or what a copy was made of.
    pub fn origin(&self) -> Origin {
        match self {
            Self::Preset(name) => Origin::Preset(name),
            Self::File(path) => Origin::File(path.clone()),
            Self::Copy { of, .. } => of.clone(),
        }
    }
}

/// As settings name it, which know nothing of what was not saved.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Preset(name) | Self::Copy { of: Origin::Preset(name), .. } => f.write_str(name),
            Self::File(path) | Self::Copy { of: Origin::File(path), .. } => path.display().fmt(f),
        }
    }
}
