//! The order in which a file has its keys, so that saving an edited scenario keeps it.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::layout::Piece;

/// What a file says about the order of its keys.
pub(super) struct KeyOrder<'p> {
    /// Objects by what they hold: one that is found again, wherever it stands by now, is written as it was.
    objects: HashMap<u64, &'p Piece<'p>>,
    /// The keys of all objects below a key, in an order that these have them in: for objects that have changed, or are new.
    habits: HashMap<&'p str, Vec<&'p str>>,
}

impl<'p> KeyOrder<'p> {
    /// That of a whole file.
    pub fn of(file: &'p Piece<'p>) -> Self {
        let mut order = Self { objects: HashMap::new(), habits: HashMap::new() };
        order.learn(file, "");
        order
    }

    fn learn(&mut self, piece: &'p Piece<'p>, below: &'p str) {
        match piece {
            Piece::Atom(_) => {}
            Piece::List(items) => items.iter().for_each(|item| self.learn(item, below)),
            Piece::Object(entries) => {
                self.objects.insert(digest(piece), piece);
                merge(self.habits.entry(below).or_default(), entries.iter().map(|(key, _)| *key));
                entries.iter().for_each(|(key, value)| self.learn(value, key));
            }
        }
    }

    /// Brings the keys of `piece` into this order.
    pub fn apply<'n>(&self, piece: &mut Piece<'n>, below: &str)
    where
        'p: 'n,
    {
        match piece {
            Piece::Atom(_) => {}
            Piece::List(items) => items.iter_mut().for_each(|item| self.apply(item, below)),
            Piece::Object(entries) => {
                let mut order: Vec<&str> = self.habits.get(below).cloned().unwrap_or_default();
                merge(&mut order, entries.iter().map(|(key, _)| *key));
                entries.sort_by_key(|(key, _)| order.iter().position(|known| known == key));
                if let Some(known) = self.objects.get(&digest(piece)) {
                    *piece = Piece::clone(known);
                } else if let Piece::Object(entries) = piece {
                    entries.iter_mut().for_each(|(key, value)| self.apply(value, key));
                }
            }
        }
    }
}

/// Puts those keys into the order that it does not have yet, each behind the one that stands before it in `keys`.
fn merge<'k>(order: &mut Vec<&'k str>, keys: impl Iterator<Item = &'k str>) {
    let mut at = 0;
    for key in keys {
        at = match order.iter().position(|known| *known == key) {
            Some(known) => known,
            None => {
                order.insert(at, key);
                at
            }
        } + 1;
    }
}

/// The same for pieces that differ at most in the order of their keys.
fn digest(piece: &Piece<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    match piece {
        Piece::Atom(atom) => (0u8, atom).hash(&mut hasher),
        Piece::List(items) => {
            1u8.hash(&mut hasher);
            items.iter().for_each(|item| digest(item).hash(&mut hasher));
        }
        Piece::Object(entries) => {
            2u8.hash(&mut hasher);
            let mut entries: Vec<_> = entries.iter().map(|(key, value)| (*key, digest(value))).collect();
            entries.sort_unstable();
            entries.hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::super::layout::layout_like;

    #[test]
    fn objects_keep_their_order_wherever_they_have_gone() {
        let like = r#"{ "b" : [ {"x": 1, "a": 2}, {"a": 3, "x": 4} ], "a": {"v": 1, "u": 2} }"#;
        let compact = r#"{"a":{"u":2,"v":9},"b":[{"a":3,"x":4},{"a":0,"w":0,"x":0},{"a":2,"x":1}],"c":0}"#;
        let laid_out = layout_like(compact, like);
        let keys: Vec<&str> = laid_out.split('"').skip(1).step_by(2).collect();
        assert_eq!(keys, ["b", "a", "x", "x", "a", "w", "x", "a", "c", "a", "v", "u"]);
    }
}
