//! What names stand for.

use std::collections::{HashMap, HashSet};

use super::super::{BufferId, EventId, GraphId, Place, Region, StreamId, TensorId};
use super::{Lowering, Outcome};
use crate::kernel::Dtype;
use crate::scenario::Name;

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
    bindings: HashMap<String, Binding>,
    /// Names that the thread which started this one still holds.
    borrowed: HashSet<String>,
}

impl Names {
    /// The same names for a thread that starts here.
    pub fn inherited(&self) -> Self {
        Self { bindings: self.bindings.clone(), borrowed: self.bindings.keys().cloned().collect() }
    }

    /// Binds a name and returns what it stood for, if nobody else holds it under that name.
    pub fn bind(&mut self, name: &str, binding: Binding) -> Option<Binding> {
        let before = self.bindings.insert(name.to_owned(), binding);
        before.filter(|_| !self.borrowed.remove(name))
    }

    /// Removes a name and returns what it stood for, if nobody else holds it under that name.
    pub fn unbind(&mut self, name: &str) -> Option<Binding> {
        let before = self.bindings.remove(name);
        before.filter(|_| !self.borrowed.remove(name))
    }

    pub fn get(&self, name: &str) -> Option<&Binding> {
        self.bindings.get(name)
    }

    /// The sorted names of bindings that `fits`.
    fn known(&self, fits: impl Fn(&Binding) -> bool) -> String {
        let mut names: Vec<&str> =
            self.bindings.iter().filter(|(_, b)| fits(b)).map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }
}

/// Generates a look-up that says what the name is instead, or what there is.
macro_rules! lookups {
    ($($method:ident($variant:ident) -> $out:ty: $what:literal;)*) => {
        impl Lowering {
            $(
                pub(super) fn $method(&self, name: &Name) -> Outcome<$out> {
                    let name = self.resolve(name)?;
                    match self.names.get(&name) {
                        Some(Binding::$variant(found)) => Ok(found.clone()),
                        Some(other) => Err(format!("`{name}` is {}, but {} is needed here", other.kind(), $what)),
                        None => Err(format!(
                            "`{name}` is not defined; {} is needed here, known: {}",
                            $what,
                            self.names.known(|binding| matches!(binding, Binding::$variant(_)))
                        )),
                    }
                }
            )*
        }
    };
}

lookups! {
    array(Array) -> Array: "a tensor or buffer";
    stream_named(Stream) -> StreamId: "a stream";
    event_named(Event) -> EventId: "an event";
    graph_named(Graph) -> GraphId: "a graph";
}

impl Lowering {
    /// An array on the device.
    pub(super) fn on_device(&self, name: &Name) -> Outcome<(Array, TensorId)> {
        let array = self.array(name)?;
        match array.tensor() {
            Some(tensor) => Ok((array, tensor)),
            None => Err(format!("`{name}` lives in host memory, but a tensor on the device is needed here")),
        }
    }

    /// An array in host memory.
    pub(super) fn on_host(&self, name: &Name) -> Outcome<(Array, BufferId)> {
        let array = self.array(name)?;
        match array.buffer() {
            Some(buffer) => Ok((array, buffer)),
            None => Err(format!("`{name}` lives on the device, but a buffer of the host is needed here")),
        }
    }

    /// Anything that a name stands for.
    pub(super) fn anything(&self, name: &Name) -> Outcome<Binding> {
        let name = self.resolve(name)?;
        self.names.get(&name).cloned().ok_or_else(|| {
            format!(
                "`{name}` is not defined; known: {}",
                self.names.known(|binding| !matches!(binding, Binding::Pool(_)))
            )
        })
    }

    /// The stream that a statement names, or the current one.
    pub(super) fn stream_or_current(&self, name: Option<&Name>) -> Outcome<StreamId> {
        name.map_or(Ok(self.current), |name| self.stream_named(name))
    }
}
