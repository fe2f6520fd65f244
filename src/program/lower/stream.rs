//! Statements about streams and events.

use super::super::{Action, Event, EventId, Stream, StreamId, StreamKind};
use super::names::Binding;
use super::{Lowering, Outcome, wrong};
use crate::profile::HostOp;
use crate::scenario::Name;
use crate::scenario::statement::stream as statement;
use crate::text::Key;
use crate::time::Ns;

impl Lowering<'_> {
    pub(super) fn stream(&mut self, it: &statement::Stream) -> Outcome {
        let name = self.resolve(&it.name)?;
        if matches!(self.names.get(&name), Some(Binding::Stream(_))) {
            return wrong(format!("the stream `{name}` exists already"));
        }
        let kind = match it.kind {
            statement::StreamKind::NonBlocking => StreamKind::NonBlocking,
            statement::StreamKind::Blocking => StreamKind::Blocking,
        };
        let priority = it.priority.as_ref().map_or(Ok(0.0), |priority| self.values.number(priority))?;
        let id = self.new_stream(&name, kind, priority.clamp(-99.0, 0.0) as i32);
        self.push(Action::Work { dur: Ns::ZERO }, Some(HostOp::StreamNew), "torch.cuda.Stream")?;
        self.bind(&name, Binding::Stream(id))
    }

    pub(super) fn new_stream(&mut self, name: &str, kind: StreamKind, priority: i32) -> StreamId {
        let id = StreamId(self.program.streams.len() as u32);
        self.program.streams.push(Stream { name: name.to_owned(), kind, priority });
        id
    }

    pub(super) fn on(&mut self, it: &statement::On) -> Outcome {
        let stream = self.stream_named(&it.stream)?;
        self.push(Action::Work { dur: Ns::ZERO }, Some(HostOp::WithStream), "with stream")?;
        let before = std::mem::replace(&mut self.current, stream);
        self.nested("body", &it.body)?;
        self.current = before;
        Ok(())
    }

    pub(super) fn event(&mut self, it: &statement::Event) -> Outcome {
        let name = self.resolve(&it.name)?;
        let id = self.new_event(&name, it.timing, it.blocking_sync);
        self.push(Action::Work { dur: Ns::ZERO }, Some(HostOp::EventNew), "torch.cuda.Event")?;
        self.bind(&name, Binding::Event(id))
    }

    fn new_event(&mut self, name: &str, timing: bool, blocking_sync: bool) -> EventId {
        let id = EventId(self.program.events.len() as u32);
        self.program.events.push(Event { name: name.to_owned(), timing, blocking_sync });
        id
    }

    pub(super) fn record(&mut self, it: &statement::Record) -> Outcome {
        let event = self.event_named(&it.event)?;
        let stream = self.stream_or_current(it.stream.as_ref())?;
        let timing = self.program.events.get(event.index()).is_some_and(|event| event.timing);
        let host = if timing { HostOp::RecordTiming } else { HostOp::Record };
        let action = Action::Record { event, stream, external: it.external };
        self.push_about(action, Some(host), Key::LabelRecord, &it.event.to_string())
    }

    pub(super) fn wait(&mut self, it: &statement::Wait) -> Outcome {
        let event = self.event_named(&it.event)?;
        let stream = self.stream_or_current(it.stream.as_ref())?;
        self.push(Action::Wait { event, stream, external: it.external }, Some(HostOp::WaitEvent), "wait_event")
    }

    pub(super) fn wait_stream(&mut self, it: &statement::WaitStream) -> Outcome {
        let other = self.stream_named(&it.other)?;
        let stream = self.stream_or_current(it.stream.as_ref())?;
        self.join(other, stream, Some(HostOp::WaitStream))
    }

    /// `stream` waits for the work of `other` so far, by an event that nobody else sees.
    pub(super) fn join(&mut self, other: StreamId, stream: StreamId, host: Option<HostOp>) -> Outcome {
        let event = self.new_event("", false, false);
        self.push(Action::Record { event, stream: other, external: false }, None, "wait_stream")?;
        self.push(Action::Wait { event, stream, external: false }, host, "wait_stream")
    }

    pub(super) fn synchronize(&mut self, it: &statement::Synchronize) -> Outcome {
        match (&it.stream, &it.event) {
            (None, None) => self.push(Action::SyncDevice, Some(HostOp::Synchronize), "synchronize"),
            (Some(stream), None) => {
                let stream = self.stream_named(stream)?;
                self.push(Action::SyncStream { stream }, Some(HostOp::StreamSynchronize), "stream.synchronize")
            }
            (None, Some(event)) => {
                let event = self.event_named(event)?;
                self.push(Action::SyncEvent { event }, Some(HostOp::EventSynchronize), "event.synchronize")
            }
            (Some(_), Some(_)) => wrong("name a `stream` or an `event` to wait for, not both"),
        }
    }

    pub(super) fn query(&mut self, it: &statement::Query) -> Outcome {
        let into = it.into.as_ref().map(|name| self.variable(name)).transpose()?;
        match (&it.event, &it.stream) {
            (Some(event), None) => {
                let event = self.event_named(event)?;
                self.push(Action::Query { event, into }, Some(HostOp::Query), "event.query")
            }
            (None, Some(stream)) => {
                let stream = self.stream_named(stream)?;
                self.push(Action::QueryStream { stream, into }, Some(HostOp::Query), "stream.query")
            }
            _ => wrong("name an `event` or a `stream` to ask about, one of the two"),
        }
    }

    pub(super) fn elapsed(&mut self, it: &statement::Elapsed) -> Outcome {
        let (start, end) = (self.event_named(&it.start)?, self.event_named(&it.end)?);
        let into = self.variable(&it.into)?;
        self.push(Action::Elapsed { start, end, into }, None, "elapsed_time")
    }

    fn event_named(&self, name: &Name) -> Outcome<EventId> {
        Ok(*self.names.event(&self.resolve(name)?)?)
    }
}
