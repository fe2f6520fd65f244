//! Which operation of a recording an origin names.

use std::collections::HashMap;

use super::{Correlation, NameId, Origin, OriginEntry, Recording};
use crate::text::Lang;

/// An operation by its statement, loop indices, host thread and name in English: of equal names the first.
type OperationKey = (u32, u32, u16, NameId);

impl Recording {
    /// The operations that come from there, in the order of `origins`: of several the first, `None` where there is none.
    pub fn operations_of(&self, origins: &[&Origin]) -> Vec<Option<Correlation>> {
        if origins.is_empty() {
            return Vec::new();
        }
        let names = numbered((0..self.names.len() as u32).map(|name| self.name(NameId(name))));
        let keys = self.keys_of(origins, &names);
        let mut found: HashMap<OperationKey, Correlation> =
            keys.iter().flatten().map(|key| (*key, Correlation::NONE)).collect();
        let first = |name: NameId| names.get(self.name(name)).map_or(name, |first| NameId(*first));
        // Names are few, entries many.
        let first_of: Vec<NameId> = (0..self.names.len() as u32).map(|name| first(NameId(name))).collect();
        let key = |entry: &OriginEntry| {
            let label = first_of.get(entry.label.0 as usize).copied().unwrap_or(entry.label);
            (entry.path, entry.iter, entry.thread, label)
        };
        for (number, entry) in (0..).zip(&self.origins.entries).skip(1) {
            if let Some(first) = found.get_mut(&key(entry)).filter(|first| **first == Correlation::NONE) {
                *first = Correlation(number);
            }
        }
        let operation = |key: &Option<OperationKey>| found.get(key.as_ref()?).copied();
        keys.iter().map(|key| operation(key).filter(|it| *it != Correlation::NONE)).collect()
    }

    fn keys_of(&self, origins: &[&Origin], names: &HashMap<&str, u32>) -> Vec<Option<OperationKey>> {
        let paths = numbered(self.origins.paths.iter().map(String::as_str));
        let iters = numbered(self.origins.iters.iter().map(Vec::as_slice));
        let key = |origin: &&Origin| {
            let (path, iter) = (paths.get(origin.path.as_str())?, iters.get(origin.iter.as_slice())?);
            Some((*path, *iter, origin.thread, NameId(*names.get(origin.label.get(Lang::En))?)))
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
