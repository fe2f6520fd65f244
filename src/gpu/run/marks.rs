//! Marks around what is watched in a traced run: events, or ticks where a stream captures and kernels stamp.

use super::super::driver::{Answer, Arguments, LaunchShape, Stream};
use super::super::session::Session;
use super::super::slots::{Mark, Slots};
use super::pace::Pace;
use crate::recording::Instrument;

/// How the work of a run is watched, if it is.
#[derive(Clone, Copy)]
pub(super) struct Marks<'a> {
    pub session: &'a Session,
    pub slots: Option<&'a Slots>,
}

impl Marks<'_> {
    /// Whether the run is traced.
    pub fn is_traced(&self) -> bool {
        self.slots.is_some()
    }

    /// How the operation at `index` is watched.
    pub fn of(&self, index: usize) -> Mark {
        self.slots.map(|slots| slots.mark(index)).unwrap_or_default()
    }

    /// Device address of a slot.
    pub fn address(&self, slot: u32) -> u64 {
        self.slots.map_or(0, |slots| slots.address(slot))
    }

    /// Carries out `work` on a stream between two events, or two ticks where it is `captured` and kernels stamp. What goes wrong
    /// with a mark is no error of the program.
    pub fn between(
        &self,
        pace: &Pace<'_>,
        index: usize,
        (stream, captured): (&Stream, bool),
        work: impl FnOnce(&Stream) -> Answer,
    ) -> Answer {
        if !self.is_traced() {
            return work(stream);
        }
        let _before = self.mark(index, stream, captured, 0);
        let began = pace.now();
        work(stream)?;
        pace.set_queued(began, pace.now());
        let _after = self.mark(index, stream, captured, 1);
        Ok(())
    }

    fn mark(&self, index: usize, stream: &Stream, captured: bool, side: u32) -> Answer {
        let Some(slots) = self.slots else { return Ok(()) };
        let Mark::Between { events, ticks } = slots.mark(index) else { return Ok(()) };
        let event = slots.events.get((events + side) as usize);
        match (captured, slots.instrument, event) {
            (false, _, Some(event)) => event.record(stream),
            (true, Instrument::Events, Some(event)) => event.record_as_node(stream),
            (true, Instrument::Stamps, _) => {
                let mut arguments = Arguments::new();
                arguments.push(slots.address(ticks + side));
                match self.session.function("tick") {
                    Ok(tick) => tick.launch(&LaunchShape::ONE_THREAD, stream, &mut arguments),
                    Err(_) => Ok(()),
                }
            }
            (_, _, None) => Ok(()),
        }
    }
}
