//! Statements about several host threads.

use super::super::{Action, HostThread, SignalId, StreamId, StreamKind, ThreadId};
use super::names::Binding;
use super::{LowerError, Lowering, Outcome};
use crate::scenario::statement::host as statement;

impl Lowering {
    /// A thread starts where its statement stands. It sees the names of that place, its current stream is the default stream,
    /// and it has a per-thread default stream of its own.
    pub(super) fn thread(&mut self, it: &statement::Thread) -> Result<(), LowerError> {
        let thread = self.start_thread(it).map_err(|message| self.error(message))?;
        let per_thread = self.new_stream("per_thread", StreamKind::Blocking, 0);
        let mut names = self.names.inherited();
        names.bind("per_thread", Binding::Stream(per_thread));
        let names = std::mem::replace(&mut self.names, names);
        let current = std::mem::replace(&mut self.current, StreamId::LEGACY);
        let starter = std::mem::take(&mut self.program.operations);
        let outcome = self.nested("body", &it.body);
        let body = std::mem::replace(&mut self.program.operations, starter);
        self.names = names;
        self.current = current;
        if let Some(place) = self.bodies.get_mut(thread.index() - 1) {
            *place = body;
        }
        outcome
    }

    fn start_thread(&mut self, it: &statement::Thread) -> Outcome<ThreadId> {
        if self.path.starts_with("/setup") {
            return Err("a thread belongs in the `program`: the setup has ended before that begins".to_owned());
        }
        let name = self.resolve(&it.name)?;
        if self.program.threads.iter().any(|thread| thread.name == name) {
            return Err(format!("the thread `{name}` exists already; a loop needs a name such as `{name}[i]`"));
        }
        let thread = ThreadId(self.program.threads.len() as u32);
        self.push(Action::StartThread { thread }, None, &format!("start {name}"))?;
        self.program.threads.push(HostThread { name, operations: 0..0 });
        self.bodies.push(Vec::new());
        Ok(thread)
    }

    /// The main thread waits for all others before it waits for the device.
    pub(super) fn join_threads(&mut self) -> Outcome {
        for index in 1..self.program.threads.len() {
            let name = self.program.threads.get(index).map_or_else(String::new, |thread| thread.name.clone());
            self.push(Action::JoinThread { thread: ThreadId(index as u32) }, None, &format!("join {name}"))?;
        }
        Ok(())
    }

    pub(super) fn signal(&mut self, it: &statement::Signal) -> Outcome {
        let signal = self.signal_named(it)?;
        self.push(Action::Signal { signal }, None, &format!("signal {}", it.name))
    }

    pub(super) fn await_signal(&mut self, it: &statement::Signal) -> Outcome {
        let signal = self.signal_named(it)?;
        self.push(Action::Await { signal }, None, &format!("await {}", it.name))
    }

    fn signal_named(&mut self, it: &statement::Signal) -> Outcome<SignalId> {
        let name = self.resolve(&it.name)?;
        let next = SignalId(self.program.signals.len() as u32);
        let id = *self.signal_ids.entry(name.clone()).or_insert(next);
        if id == next {
            self.program.signals.push(name);
        }
        Ok(id)
    }
}
