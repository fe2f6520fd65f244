//! Streams and events of a program, and what libraries keep for each stream.

use super::super::driver::{Blas, Code, Event, Stream};
use super::super::plans::{Launch, Plans};
use super::Failure;
use crate::program::{Action, EventId, Program, StreamId, StreamKind};

/// Streams and events of a program.
#[derive(Debug)]
pub(super) struct Handles {
    /// Each belongs to a stream, and goes before it.
    blas: Vec<Option<Blas>>,
    streams: Vec<Stream>,
    events: Vec<Event>,
}

impl Handles {
    pub fn new(program: &Program, plans: &Plans) -> Result<Self, Code> {
        let stream = |stream: &crate::program::Stream| match stream.kind {
            StreamKind::Legacy => Ok(Stream::legacy()),
            StreamKind::Blocking => Stream::new(true, stream.priority),
            StreamKind::NonBlocking => Stream::new(false, stream.priority),
        };
        let streams = program.streams.iter().map(stream).collect::<Result<Vec<_>, _>>()?;
        let mut blas: Vec<Option<Blas>> = streams.iter().map(|_| None).collect();
        for (index, operation) in program.operations.iter().enumerate() {
            let Action::Launch { stream, .. } = operation.action else { continue };
            if let Some(Launch::Library(_)) = plans.launch(index)
                && let (Some(place @ None), Some(stream)) = (blas.get_mut(stream.index()), streams.get(stream.index()))
            {
                *place = Some(Blas::new(stream)?);
            }
        }
        let events = program.events.iter().map(|event| Event::new(event.timing, event.blocking_sync));
        Ok(Self { blas, streams, events: events.collect::<Result<_, _>>()? })
    }

    pub fn stream(&self, id: StreamId) -> Result<&Stream, Failure> {
        self.streams.get(id.index()).ok_or(Failure::Cuda(Code(400)))
    }

    pub fn event(&self, id: EventId) -> Result<&Event, Failure> {
        self.events.get(id.index()).ok_or(Failure::Cuda(Code(400)))
    }

    /// What the library keeps for a stream.
    pub fn blas(&self, stream: StreamId) -> Result<&Blas, Failure> {
        self.blas.get(stream.index()).and_then(Option::as_ref).ok_or(Failure::Cuda(Code(801)))
    }

    pub fn streams(&self) -> impl Iterator<Item = &Stream> {
        self.streams.iter()
    }
}
