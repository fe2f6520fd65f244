//! Names, each kept once.

use std::collections::HashMap;

use super::NameId;
use crate::text::Localized;

/// Gives names numbers while a recording is put together.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    list: Vec<Localized>,
    /// Those that are the same in both languages.
    same: HashMap<String, NameId>,
    each: HashMap<Localized, NameId>,
}

impl Names {
    /// The number of a name that is the same in both languages, new or known.
    pub fn same(&mut self, name: &str) -> NameId {
        if let Some(id) = self.same.get(name) {
            return *id;
        }
        let id = self.add(name.into());
        self.same.insert(name.to_owned(), id);
        id
    }

    /// The number of a name, new or known.
    pub fn localized(&mut self, name: &Localized) -> NameId {
        match name {
            Localized::Same(name) => self.same(name),
            Localized::Each { .. } => {
                if let Some(id) = self.each.get(name) {
                    return *id;
                }
                let id = self.add(name.clone());
                self.each.insert(name.clone(), id);
                id
            }
        }
    }

    /// All names in the order of their numbers.
    pub fn into_list(self) -> Vec<Localized> {
        self.list
    }

    fn add(&mut self, name: Localized) -> NameId {
        let id = NameId(self.list.len() as u32);
        self.list.push(name);
        id
    }
}
