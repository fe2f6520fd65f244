//! Lists in which each value stands once, found again by its hash.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

use super::super::LabelId;
use crate::text::{Key, Localized};

/// Values in the order in which they came, each once.
#[derive(Debug)]
pub(super) struct Interned<T> {
    list: Vec<T>,
    ids: HashMap<T, u32>,
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Self { list: Vec::new(), ids: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Interned<T> {
    /// The place of a value in the list, new or known.
    pub fn id<Q>(&mut self, value: &Q) -> u32
    where
        T: Borrow<Q>,
        Q: ?Sized + Eq + Hash + ToOwned<Owned = T>,
    {
        if let Some(id) = self.ids.get(value) {
            return *id;
        }
        let id = self.list.len() as u32;
        self.list.push(value.to_owned());
        self.ids.insert(value.to_owned(), id);
        id
    }

    /// The place of a value that is there.
    pub fn find<Q>(&self, value: &Q) -> Option<u32>
    where
        T: Borrow<Q>,
        Q: ?Sized + Eq + Hash,
    {
        self.ids.get(value).copied()
    }

    /// All values.
    pub fn into_list(self) -> Vec<T> {
        self.list
    }
}

/// What the timeline says.
#[derive(Debug, Default)]
pub(super) struct Labels {
    list: Vec<Localized>,
    /// Those that are the same in both languages.
    same: HashMap<String, LabelId>,
    each: HashMap<Localized, LabelId>,
    /// Those of the text table, by what they are about.
    of_table: HashMap<Key, HashMap<String, LabelId>>,
}

impl Labels {
    /// A label that is the same in both languages.
    pub fn same(&mut self, text: &str) -> LabelId {
        if let Some(id) = self.same.get(text) {
            return *id;
        }
        let id = self.add(text.into());
        self.same.insert(text.to_owned(), id);
        id
    }

    /// A label as a scenario writes it.
    pub fn localized(&mut self, text: &Localized) -> LabelId {
        if let Localized::Same(text) = text {
            return self.same(text);
        }
        if let Some(id) = self.each.get(text) {
            return *id;
        }
        let id = self.add(text.clone());
        self.each.insert(text.clone(), id);
        id
    }

    /// The text of `key` about `what`, which may be empty.
    pub fn of(&mut self, key: Key, what: &str) -> LabelId {
        if let Some(id) = self.of_table.get(&key).and_then(|known| known.get(what)) {
            return *id;
        }
        let id = self.localized(&Localized::of(key, &[what]));
        self.of_table.entry(key).or_default().insert(what.to_owned(), id);
        id
    }

    /// All labels.
    pub fn into_list(self) -> Vec<Localized> {
        self.list
    }

    fn add(&mut self, text: Localized) -> LabelId {
        let id = LabelId(self.list.len() as u32);
        self.list.push(text);
        id
    }
}
