//! What a stretch of a lane is drawn as. Finer than the kind of a span on a host thread, where one call has layers.

use crate::recording::{Span, SpanKind};
use crate::text::Key;
use crate::time::Interval;

/// Decides colour, hatching and the entry in the legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// Host: the Python interpreter.
    Python,
    /// Host: PyTorch's dispatcher.
    Dispatcher,
    /// Host: PyTorch's operators.
    Aten,
    /// Host: inside a CUDA call.
    Driver,
    /// Host: waiting inside a CUDA call.
    Blocked,
    /// Host: work of its own.
    Work,
    /// Host: allocating or freeing memory from the driver.
    Allocation,
    /// Host: capturing or instantiating a graph.
    Capture,
    /// Host: a stretch with a name of the program's own.
    Annotation,
    /// GPU: a kernel.
    Kernel,
    /// GPU: a kernel of a graph.
    GraphKernel,
    /// GPU: a copy.
    Copy,
    /// GPU: a memset.
    Memset,
    /// GPU: an event.
    Event,
    /// Stream: a host function.
    HostFunction,
}

/// The layers above the driver, from the outermost on.
pub const LAYERS: [Category; 3] = [Category::Python, Category::Dispatcher, Category::Aten];

impl Category {
    /// All, in the order of the legend.
    pub const ALL: [Self; 15] = [
        Self::Python,
        Self::Dispatcher,
        Self::Aten,
        Self::Driver,
        Self::Blocked,
        Self::Work,
        Self::Allocation,
        Self::Capture,
        Self::Annotation,
        Self::Kernel,
        Self::GraphKernel,
        Self::Copy,
        Self::Memset,
        Self::Event,
        Self::HostFunction,
    ];

    /// What the span is below the layers above the driver.
    pub fn of(kind: SpanKind) -> Self {
        match kind {
            SpanKind::Call => Self::Driver,
            SpanKind::Allocation => Self::Allocation,
            SpanKind::Blocked => Self::Blocked,
            SpanKind::Work => Self::Work,
            SpanKind::Capture => Self::Capture,
            SpanKind::Operation => Self::Aten,
            SpanKind::Python => Self::Python,
            SpanKind::Annotation => Self::Annotation,
            SpanKind::Kernel => Self::Kernel,
            SpanKind::GraphKernel => Self::GraphKernel,
            SpanKind::CopyH2D | SpanKind::CopyD2H | SpanKind::CopyD2D => Self::Copy,
            SpanKind::Memset => Self::Memset,
            SpanKind::Event => Self::Event,
            SpanKind::HostFunction => Self::HostFunction,
        }
    }

    /// Its name in the legend.
    pub fn key(self) -> Key {
        match self {
            Self::Python => Key::LayerPython,
            Self::Dispatcher => Key::LayerDispatcher,
            Self::Aten => Key::LayerAten,
            Self::Driver => Key::KindCall,
            Self::Blocked => Key::KindBlocked,
            Self::Work => Key::KindWork,
            Self::Allocation => Key::KindAllocation,
            Self::Capture => Key::KindCapture,
            Self::Annotation => Key::KindAnnotation,
            Self::Kernel => Key::KindKernel,
            Self::GraphKernel => Key::KindGraphKernel,
            Self::Copy => Key::KindCopy,
            Self::Memset => Key::KindMemset,
            Self::Event => Key::KindEvent,
            Self::HostFunction => Key::KindHostFunction,
        }
    }
}

/// The span cut into what is drawn differently, in order; empty parts stay in.
pub fn parts(span: &Span) -> [(Interval, Category); 4] {
    let [python, dispatcher, aten] = span.layers();
    let rest = Interval::new(aten.end.max(span.start), span.end);
    [
        (python, Category::Python),
        (dispatcher, Category::Dispatcher),
        (aten, Category::Aten),
        (rest, Category::of(span.kind)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{Correlation, NameId};
    use crate::time::Ns;

    #[test]
    fn the_layers_of_a_call_fill_it_in_the_proportions_of_the_lecture() {
        let times = Interval::new(Ns(1000), Ns(1150));
        let span = Span { call: Ns(1100), ..Span::on_host(times, SpanKind::Call, NameId(0), Correlation(1)) };
        let ends = parts(&span).map(|(part, _)| part.end.0);
        assert_eq!(ends, [1045, 1082, 1100, 1150]);
        assert_eq!(parts(&Span { kind: SpanKind::Kernel, ..span })[3].0, span.interval());
    }
}
