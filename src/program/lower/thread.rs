//! Statements about several host threads.

use super::super::{Action, SignalId, StreamId, StreamKind, ThreadId};
use super::names::Binding;
use super::{Lowering, Outcome, wrong};
use crate::scenario::statement::host as statement;
use crate::text::Key;

impl Lowering<'_> {
    /// A thread starts where its statement stands. It sees the names of that place, its current stream is the default stream,
    /// and it has a per-thread default stream of its own.
    pub(super) fn thread(&mut self, it: &statement::Thread) -> Outcome {
        let thread = self.start_thread(it)?;
        let per_thread = self.new_stream("per_thread", StreamKind::Blocking, 0);
        let names = self.names.begin_thread();
        let starter = self.threads.begin(thread);
        let current = std::mem::replace(&mut self.current, StreamId::LEGACY);
        self.names.bind("per_thread", Binding::Stream(per_thread));
        self.nested("body", &it.body)?;
        self.current = current;
        self.threads.end(starter);
        self.names.end_thread(names);
        Ok(())
    }

    fn start_thread(&mut self, it: &statement::Thread) -> Outcome<ThreadId> {
        if self.position.path().starts_with("/setup") {
            let message = "a thread belongs in the `program`: the setup has ended before that begins";
            return wrong(message);
        }
        let name = self.resolve(&it.name)?;
        let Some(thread) = self.threads.add(&name) else {
            return wrong(format!("the thread `{name}` exists already; a loop needs a name such as `{name}[i]`"));
        };
        self.push_about(Action::StartThread { thread }, None, Key::LabelStartThread, &name)?;
        Ok(thread)
    }

    /// The main thread waits for all others before it waits for the device.
    pub(super) fn join_threads(&mut self) -> Outcome {
        for (thread, name) in self.threads.others() {
            self.push_about(Action::JoinThread { thread }, None, Key::LabelJoinThread, &name)?;
        }
        Ok(())
    }

    pub(super) fn signal(&mut self, it: &statement::Signal) -> Outcome {
        let signal = self.signal_named(it)?;
        self.push_about(Action::Signal { signal }, None, Key::LabelSignal, &it.name.to_string())
    }

    pub(super) fn await_signal(&mut self, it: &statement::Signal) -> Outcome {
        let signal = self.signal_named(it)?;
        self.push_about(Action::Await { signal }, None, Key::LabelAwait, &it.name.to_string())
    }

    fn signal_named(&mut self, it: &statement::Signal) -> Outcome<SignalId> {
        let name = self.resolve(&it.name)?;
        Ok(SignalId(self.lists.signals.id(&*name)))
    }
}
