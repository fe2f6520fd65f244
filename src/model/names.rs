//! Names of calls, each looked up once.

use super::recorder::Recorder;
use crate::profile::HostOp;
use crate::recording::NameId;
use crate::text::Key;

/// Names of calls that the recording knows.
#[derive(Default)]
pub(super) struct CallNames {
    calls: Vec<(&'static str, NameId)>,
    /// Those that are words, in the table of texts.
    words: Vec<(Key, NameId)>,
}

impl CallNames {
    /// The id of a name. A program makes few kinds of calls, and each has its text in one place.
    pub fn of(&mut self, recorder: &mut Recorder<'_>, text: &'static str) -> NameId {
        let known = self.calls.iter().find(|(known, _)| std::ptr::eq(*known, text));
        if let Some((_, name)) = known {
            return *name;
        }
        let name = recorder.name(text);
        self.calls.push((text, name));
        name
    }

    /// The id of a text of the table.
    pub fn words(&mut self, recorder: &mut Recorder<'_>, key: Key) -> NameId {
        let known = self.words.iter().find(|(known, _)| *known == key);
        if let Some((_, name)) = known {
            return *name;
        }
        let name = recorder.text(key);
        self.words.push((key, name));
        name
    }

    /// The id of the name of a PyTorch operation.
    pub fn host_op(&mut self, recorder: &mut Recorder<'_>, op: HostOp) -> NameId {
        match op.words() {
            Some(key) => self.words(recorder, key),
            None => self.of(recorder, op.shown()),
        }
    }
}
