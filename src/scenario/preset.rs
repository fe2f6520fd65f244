//! The shipped scenarios.

use super::{LoadError, Scenario, SourceText, load};

/// A shipped scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Name on the command line; also that of the scenario.
    pub name: &'static str,
    /// The file.
    pub text: &'static str,
}

macro_rules! presets {
    ($($name:literal),* $(,)?) => {
        /// In the order of the course.
        const PRESETS: &[Preset] = &[
            $(Preset { name: $name, text: include_str!(concat!("../../scenarios/", $name, ".json")) },)*
        ];
    };
}

presets!["timing", "implicit-sync", "pipeline", "record-stream", "graph", "buckets"];

impl Preset {
    /// Reads the scenario.
    ///
    /// # Errors
    /// As [`load`]; a test holds that no shipped file has any.
    pub fn scenario(&self) -> Result<Scenario, LoadError> {
        load(&self.file(), self.text)
    }

    /// Its text, for errors of lowering.
    pub fn source_text(&self) -> SourceText {
        SourceText::new(&self.file(), self.text)
    }

    fn file(&self) -> String {
        format!("{}.json", self.name)
    }
}

/// The shipped scenarios in the order of the course.
pub fn presets() -> &'static [Preset] {
    PRESETS
}

/// The shipped scenario of that name.
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_shipped_file_is_a_scenario_of_its_name() {
        for preset in presets() {
            let scenario = preset.scenario().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(scenario.name, preset.name);
        }
    }

    #[test]
    fn each_file_of_the_folder_is_shipped() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            assert!(preset(name).is_some(), "scenarios/{name}.json is not in the list of presets");
        }
    }
}
