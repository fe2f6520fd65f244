//! Shipped profiles, and profiles from files.

use std::path::{Path, PathBuf};

use super::Profile;

/// Names and texts of the shipped profiles, the default first.
pub const SHIPPED: [(&str, &str); 2] = [
    ("h200", include_str!("../../assets/profiles/h200.json")),
    ("lecture", include_str!("../../assets/profiles/lecture.json")),
];

/// Why a profile could not be had.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// Neither a shipped profile nor a file.
    #[error("there is no profile `{name}`: use {shipped}, or the path of a file that `streamscope calibrate` wrote")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        shipped: String,
    },
    /// The file cannot be read.
    #[error("{path}: cannot read the profile: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is not a profile.
    #[error("{file}:{line}:{column}: not a profile: {message}")]
    Format {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
}

/// A shipped profile by name.
///
/// # Errors
/// [`ProfileError::Unknown`] when there is none of that name.
pub fn shipped(name: &str) -> Result<Profile, ProfileError> {
    match SHIPPED.iter().find(|(id, _)| *id == name) {
        Some((id, text)) => parse(id, text),
        None => Err(ProfileError::Unknown {
            name: name.to_owned(),
            shipped: SHIPPED.map(|(id, _)| format!("`{id}`")).join(" or "),
        }),
    }
}

/// A shipped profile by name, or a profile from a file.
///
/// # Errors
/// When there is neither, or the file is not a profile.
pub fn open(name: &str) -> Result<Profile, ProfileError> {
    let path = Path::new(name);
    if SHIPPED.iter().any(|(id, _)| *id == name) || !path.exists() {
        return shipped(name);
    }
    let text = std::fs::read_to_string(path).map_err(|source| ProfileError::Read { path: path.to_owned(), source })?;
    parse(name, &text)
}

fn parse(file: &str, text: &str) -> Result<Profile, ProfileError> {
    serde_json::from_str(text).map_err(|error| ProfileError::Format {
        file: file.to_owned(),
        line: error.line(),
        column: error.column(),
        message: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{HostOp, Layers};

    #[test]
    fn shipped_profiles_are_complete() {
        for (name, _) in SHIPPED {
            let profile = shipped(name).unwrap();
            for op in HostOp::ALL {
                assert!(profile.pytorch.us(*op) > 0.0, "{name}: no host time for {op:?}");
            }
            let Layers { python, dispatcher, aten } = profile.pytorch.layers;
            assert!((python + dispatcher + aten - 1.0).abs() < 1e-9, "{name}: layers do not make a whole");
        }
    }
}
