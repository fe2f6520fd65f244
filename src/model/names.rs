//! Names of calls, each looked up once.

use super::recorder::Recorder;
use crate::recording::NameId;

/// Names of calls that the recording knows.
#[derive(Default)]
pub(super) struct CallNames(Vec<(&'static str, NameId)>);

impl CallNames {
    /// The id of a name. A program makes few kinds of calls, and each has its text in one place.
    pub fn of(&mut self, recorder: &mut Recorder<'_>, text: &'static str) -> NameId {
        let known = self.0.iter().find(|(known, _)| std::ptr::eq(*known, text));
        if let Some((_, name)) = known {
            return *name;
        }
        let name = recorder.name(text);
        self.0.push((text, name));
        name
    }
}
