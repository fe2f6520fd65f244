//! What names stand for.

use std::collections::HashMap;

use super::super::{BufferId, EventId, GraphId, Place, Region, StreamId, TensorId};
use crate::kernel::Dtype;

/// A tensor or host buffer, or a view into one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Array {
    pub region: Region,
    pub shape: Vec<u64>,
    pub dtype: Dtype,
}

impl Array {
    pub fn elements(&self) -> u64 {
        self.shape.iter().product()
    }

    /// Product of all dimensions but the last, and the last.
    pub fn rows_and_columns(&self) -> (u64, u64) {
        let columns = self.shape.last().copied().unwrap_or(1);
        (self.elements() / columns.max(1), columns)
    }

    pub fn shown(&self) -> String {
        let dims: Vec<String> = self.shape.iter().map(u64::to_string).collect();
        format!("[{}]", dims.join(", "))
    }

    pub fn tensor(&self) -> Option<TensorId> {
        match self.region.place {
            Place::Device(tensor) => Some(tensor),
            Place::Host(_) => None,
        }
    }

    pub fn buffer(&self) -> Option<BufferId> {
        match self.region.place {
            Place::Host(buffer) => Some(buffer),
            Place::Device(_) => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Binding {
    Array(Array),
    Stream(StreamId),
    Event(EventId),
    Graph(GraphId),
    Pool(u32),
}

impl Binding {
    fn kind(&self) -> &'static str {
        match self {
            Self::Array(array) if array.tensor().is_some() => "a tensor",
            Self::Array(_) => "a host buffer",
            Self::Stream(_) => "a stream",
            Self::Event(_) => "an event",
            Self::Graph(_) => "a graph",
            Self::Pool(_) => "a private pool",
        }
    }
}

/// What names stand for at this point of a thread.
#[derive(Debug, Default)]
pub(super) struct Names {
    bindings: HashMap<String, Bound>,
    /// How many threads deep: 0 in the main thread.
    depth: u32,
    /// What to put back when a thread ends, which changes no name of the one that started it.
    undo: Vec<(String, Option<Bound>)>,
}

/// A binding, and how deep the thread is that made it: one that is deeper borrows it.
#[derive(Clone, Debug)]
struct Bound {
    binding: Binding,
    depth: u32,
}

impl Names {
    /// A thread begins, with the names of this place. Returns what [`Self::end_thread`] needs.
    pub fn begin_thread(&mut self) -> usize {
        self.depth += 1;
        self.undo.len()
    }

    /// The thread ends; names stand for what they did when it began.
    pub fn end_thread(&mut self, begin: usize) {
        for (name, before) in self.undo.drain(begin..).rev() {
            match before {
                Some(bound) => self.bindings.insert(name, bound),
                None => self.bindings.remove(&name),
            };
        }
        self.depth -= 1;
    }

    /// Binds a name and returns what it stood for, if nobody else holds it under that name.
    pub fn bind(&mut self, name: &str, binding: Binding) -> Option<Binding> {
        let bound = Bound { binding, depth: self.depth };
        let before = match self.bindings.get_mut(name) {
            Some(known) => Some(std::mem::replace(known, bound)),
            None => self.bindings.insert(name.to_owned(), bound),
        };
        self.owned(name, before)
    }

    /// Removes a name and returns what it stood for, if nobody else holds it under that name.
    pub fn unbind(&mut self, name: &str) -> Option<Binding> {
        let before = self.bindings.remove(name);
        self.owned(name, before)
    }

    /// What this thread itself had bound to the name; anything else is kept to be put back.
    fn owned(&mut self, name: &str, before: Option<Bound>) -> Option<Binding> {
        match before {
            Some(bound) if bound.depth == self.depth => Some(bound.binding),
            borrowed => {
                if self.depth > 0 {
                    self.undo.push((name.to_owned(), borrowed));
                }
                None
            }
        }
    }

    /// What a name stands for.
    pub fn get(&self, name: &str) -> Option<&Binding> {
        self.bindings.get(name).map(|bound| &bound.binding)
    }

    /// What a name stands for, whatever it is.
    ///
    /// # Errors
    /// A sentence with the names that there are.
    pub fn anything(&self, name: &str) -> Result<&Binding, String> {
        let known = || self.known(|binding| !matches!(binding, Binding::Pool(_)));
        self.get(name).ok_or_else(|| format!("`{name}` is not defined; known: {}", known()))
    }

    /// An array on the device.
    ///
    /// # Errors
    /// A sentence that says what the name is instead, or what there is.
    pub fn on_device(&self, name: &str) -> Result<(&Array, TensorId), String> {
        let array = self.array(name)?;
        match array.tensor() {
            Some(tensor) => Ok((array, tensor)),
            None => Err(format!("`{name}` lives in host memory, but a tensor on the device is needed here")),
        }
    }

    /// An array in host memory.
    ///
    /// # Errors
    /// A sentence that says what the name is instead, or what there is.
    pub fn on_host(&self, name: &str) -> Result<(&Array, BufferId), String> {
        let array = self.array(name)?;
        match array.buffer() {
            Some(buffer) => Ok((array, buffer)),
            None => Err(format!("`{name}` lives on the device, but a buffer of the host is needed here")),
        }
    }

    /// The sorted names of bindings that `fits`.
    fn known(&self, fits: impl Fn(&Binding) -> bool) -> String {
        let fitting = self.bindings.iter().filter(|(_, bound)| fits(&bound.binding));
        let mut names: Vec<&str> = fitting.map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }
}

/// Generates a look-up that says what the name is instead, or what there is.
macro_rules! lookups {
    ($($method:ident($variant:ident) -> $out:ty: $what:literal;)*) => {
        impl Names {
            $(
                #[doc = concat!("What a name stands for: ", $what, ".")]
                ///
                /// # Errors
                /// A sentence that says what it is instead, or what there is.
                pub fn $method(&self, name: &str) -> Result<&$out, String> {
                    match self.get(name) {
                        Some(Binding::$variant(found)) => Ok(found),
                        Some(other) => Err(format!("`{name}` is {}, but {} is needed here", other.kind(), $what)),
                        None => Err(format!(
                            "`{name}` is not defined; {} is needed here, known: {}",
                            $what,
                            self.known(|binding| matches!(binding, Binding::$variant(_)))
                        )),
                    }
                }
            )*
        }
    };
}

lookups! {
    array(Array) -> Array: "a tensor or buffer";
    stream(Stream) -> StreamId: "a stream";
    event(Event) -> EventId: "an event";
    graph(Graph) -> GraphId: "a graph";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(number: u32) -> Binding {
        Binding::Event(EventId(number))
    }

    #[test]
    fn a_thread_borrows_names_and_changes_none_of_its_starter() {
        let mut names = Names::default();
        names.bind("a", event(0));
        names.bind("b", event(1));
        let outer = names.begin_thread();
        // What the starter holds is not this thread's to release; what it has bound itself is.
        assert_eq!(names.bind("a", event(2)), None);
        assert_eq!(names.bind("a", event(3)), Some(event(2)));
        assert_eq!(names.unbind("b"), None);
        assert_eq!(names.bind("c", event(4)), None);
        let inner = names.begin_thread();
        assert_eq!(names.unbind("a"), None);
        assert_eq!(names.bind("b", event(5)), None);
        assert_eq!(names.get("a"), None);
        names.end_thread(inner);
        assert_eq!((names.get("a"), names.get("b")), (Some(&event(3)), None));
        assert_eq!(names.unbind("a"), Some(event(3)));
        names.end_thread(outer);
        assert_eq!((names.get("a"), names.get("b"), names.get("c")), (Some(&event(0)), Some(&event(1)), None));
        assert_eq!(names.bind("a", event(6)), Some(event(0)));
    }
}
