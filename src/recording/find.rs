//! Which operation of a recording an origin names.

use std::collections::HashMap;

use super::{Correlation, NameId, Origin, OriginEntry, Recording};

/// An operation by its statement, loop indices, host thread and name.
type OperationKey = (u32, u32, u16, NameId);

impl Recording {
    /// The operations that come from there, in the order of `origins`: of several the first, `None` where there is none.
    pub fn operations_of(&self, origins: &[&Origin]) -> Vec<Option<Correlation>> {
        if origins.is_empty() {
            return Vec::new();
        }
        let keys = self.keys_of(origins);
        let mut found: HashMap<OperationKey, Correlation> =
            keys.iter().flatten().map(|key| (*key, Correlation::NONE)).collect();
        let key = |entry: &OriginEntry| (entry.path, entry.iter, entry.thread, entry.label);
        for (number, entry) in (0..).zip(&self.origins.entries).skip(1) {
            if let Some(first) = found.get_mut(&key(entry)).filter(|first| **first == Correlation::NONE) {
                *first = Correlation(number);
            }
        }
        let operation = |key: &Option<OperationKey>| found.get(key.as_ref()?).copied();
        keys.iter().map(|key| operation(key).filter(|it| *it != Correlation::NONE)).collect()
    }

    fn keys_of(&self, origins: &[&Origin]) -> Vec<Option<OperationKey>> {
        let paths = numbered(self.origins.paths.iter().map(String::as_str));
        let iters = numbered(self.origins.iters.iter().map(Vec::as_slice));
        let names = numbered((0..self.names.len() as u32).map(|name| self.name(NameId(name))));
        let key = |origin: &&Origin| {
            let (path, iter) = (paths.get(origin.path.as_str())?, iters.get(origin.iter.as_slice())?);
            Some((*path, *iter, origin.thread, NameId(*names.get(origin.label.as_str())?)))
        };
        origins.iter().map(key).collect()
    }
}

/// The number of each, of equal ones the first.
fn numbered<K: std::hash::Hash + Eq>(all: impl Iterator<Item = K>) -> HashMap<K, u32> {
    let mut numbers = HashMap::new();
    for (number, key) in (0..).zip(all) {
        numbers.entry(key).or_insert(number);
    }
    numbers
}
