//! Work for the GPU: kernels, copies, memsets, replays.

use super::super::driver::{self, Answer, CopyKind, Stream};
use super::super::plans::{self, Launch};
use super::super::slots::Mark;
use super::{Failure, Replay, Run};
use crate::program::effects::{self, Unit};
use crate::program::{Copy, GraphId, Place, Region, RegionList, StreamId};

impl Run<'_> {
    pub(super) fn launch(
        &mut self,
        index: usize,
        stream: StreamId,
        reads: RegionList,
        writes: RegionList,
    ) -> Result<(), Failure> {
        let read = self.program.regions(reads);
        let written = self.program.regions(writes);
        let at = |list: &[Region], place: usize| list.get(place).map_or(0, |region| self.address(region));
        match self.plans.launch(index) {
            None => Ok(()),
            Some(Launch::Library(gemm)) => {
                let (a, b, out) = (at(read, 0), at(read, 1), at(written, 0));
                let blas = self.handles.blas(stream)?;
                self.between_marks(index, stream, |stream| blas.gemm(stream, gemm, a, b, out))
            }
            Some(Launch::Own { function, shape, arguments }) => {
                let scratch = self.scratch.address(index);
                let mut values = plans::arguments(arguments, |i| at(read, i), |i| at(written, i), scratch);
                match self.marks.of(index) {
                    Mark::Stamps { first, .. } => {
                        values.push(self.marks.address(first));
                        Ok(function.launch(shape, self.handles.stream(stream)?, &mut values)?)
                    }
                    Mark::Between { .. } => {
                        values.push(0);
                        self.between_marks(index, stream, |stream| function.launch(shape, stream, &mut values))
                    }
                    Mark::None => {
                        values.push(0);
                        Ok(function.launch(shape, self.handles.stream(stream)?, &mut values)?)
                    }
                }
            }
        }
    }

    /// Carries out `work` between two marks, where there are any.
    pub(super) fn between_marks(
        &self,
        index: usize,
        stream: StreamId,
        work: impl FnOnce(&Stream) -> Answer,
    ) -> Result<(), Failure> {
        let stream = self.handles.stream(stream)?;
        let captured = self.captures.captures(stream);
        Ok(self.marks.between(&self.pace, index, (stream, captured), work)?)
    }

    pub(super) fn copy(&mut self, index: usize, copy: &Copy) -> Result<(), Failure> {
        let (to, from, bytes) = (self.address(&copy.to), self.address(&copy.from), copy.from.bytes);
        let kind = match effects::copy_unit(copy) {
            Unit::H2D => CopyKind::H2D,
            Unit::D2H => CopyKind::D2H,
            _ if matches!(copy.to.place, Place::Host(_)) => {
                self.buffers.copy(&copy.to, &copy.from);
                return Ok(());
            }
            _ => CopyKind::D2D,
        };
        self.between_marks(index, copy.stream, |stream| {
            #[expect(unsafe_code, reason = "a copy reaches memory of the host")]
            // SAFETY: buffers of the host live until the device has been synchronized at the end of the run, but for those
            // that the program frees: a page-locked one by a call that waits for the device, a pageable one when no copy
            // reads it any more, since those were over when their calls returned and what a graph copies is kept.
            unsafe {
                if copy.is_memcpy {
                    driver::copy_blocking(to, from, kind, bytes)
                } else {
                    driver::copy(to, from, kind, bytes, stream)
                }
            }
        })?;
        let stream = self.handles.stream(copy.stream)?;
        let captured = self.captures.captures(stream);
        if let Some(buffer) = effects::tracked_buffer(copy, captured) {
            self.buffers.pinned_cache.used(buffer.0, copy.stream.0, captured);
        }
        if copy.blocking && !copy.is_memcpy {
            stream.synchronize()?;
        }
        Ok(())
    }

    pub(super) fn memset(&mut self, index: usize, stream: StreamId, region: &Region, word: u32) -> Result<(), Failure> {
        let address = self.address(region);
        self.between_marks(index, stream, |stream| driver::fill(address, word, region.bytes, stream))
    }

    pub(super) fn replay(&mut self, index: usize, graph: GraphId, stream: StreamId) -> Result<(), Failure> {
        let Some((executable, capture, number)) = self.captures.executable(graph) else { return Ok(()) };
        self.between_marks(index, stream, |stream| executable.launch(stream))?;
        self.outcome.replays.push(Replay { operation: index, capture, number });
        self.captures.replayed(graph);
        Ok(())
    }
}
