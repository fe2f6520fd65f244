//! Statements about the host.

use super::super::{Action, HostMemory, Region};
use super::{Lowering, Outcome};
use crate::kernel::{Grid, Kernel};
use crate::profile::HostOp;
use crate::scenario::statement::host as statement;
use crate::text::Key;
use crate::time::Ns;

impl Lowering<'_> {
    pub(super) fn work(&mut self, it: &statement::Work) -> Outcome {
        let dur = self.values.duration(&it.dur_us)?;
        let label = self.label_or(it.label.as_ref(), Key::LabelWork);
        self.push_labelled(Action::Work { dur }, None, label)
    }

    pub(super) fn clock(&mut self, it: &statement::Clock) -> Outcome {
        let into = self.variable(&it.into)?;
        self.push(Action::Clock { into }, None, "time.time")
    }

    /// `.item()` and its relatives: a copy into host memory that nobody else sees, which the host waits for.
    pub(super) fn item(&mut self, it: &statement::Item, host: HostOp) -> Outcome {
        let (array, _) = self.on_device(&it.of)?;
        let one = array.dtype.bytes();
        let whole = host != HostOp::Item;
        if !whole && array.elements() > 1 {
            self.push(Action::Work { dur: Ns::ZERO }, Some(HostOp::Select), "select")?;
        }
        let bytes = if whole { array.region.bytes } else { one };
        let scratch = self.host_buffer("", vec![bytes / one], array.dtype, HostMemory::Pageable, Some(0.0))?;
        let from = Region { bytes, ..array.region };
        self.push_copy(from, scratch.region, true, host)?;
        let into = it.into.as_ref().map(|name| self.variable(name)).transpose()?;
        match into {
            Some(_) => self.push(Action::ReadHost { region: scratch.region, into, free: true }, None, host.shown()),
            None => Ok(()),
        }
    }

    /// An operation whose result has a size that only the GPU knows: two small kernels, and a wait for eight bytes.
    pub(super) fn nonzero(&mut self, it: &statement::Nonzero, label: &str) -> Outcome {
        let (array, _) = self.on_device(&it.of)?;
        let count = self.allocate("", vec![1], crate::kernel::Dtype::I64, None)?;
        let label = self.lists.labels.same(label);
        let kernel = Kernel::Timed { dur: Ns(3000), grid: Grid::elementwise(array.elements()) };
        self.push_kernel(kernel, None, &[array.region], &[count.region], Some(label))?;
        let scratch = self.host_buffer("", vec![1], count.dtype, HostMemory::Pageable, Some(0.0))?;
        self.push_copy(count.region, scratch.region, true, HostOp::Nonzero)?;
        self.push_kernel(kernel, None, &[array.region], &[], Some(label))?;
        self.release(count.region.place)
    }

    pub(super) fn read_host(&mut self, it: &statement::Access) -> Outcome {
        let (array, _) = self.on_host(&it.buffer)?;
        let into = it.into.as_ref().map(|name| self.variable(name)).transpose()?;
        self.push_about(Action::ReadHost { region: array.region, into, free: false }, None, Key::LabelRead, "")
    }

    pub(super) fn write_host(&mut self, it: &statement::Write) -> Outcome {
        let (array, _) = self.on_host(&it.buffer)?;
        let value = it.value.as_ref().map_or(Ok(0.0), |value| self.values.number(value))?;
        self.push_about(Action::WriteHost { region: array.region, value }, None, Key::LabelWrite, "")
    }
}
