//! Design tokens: every colour that a figure or the timeline uses, for light and for dark.
//!
//! Text keeps a contrast of at least 4.5 : 1 (WCAG AA) on what it stands on, and whatever carries meaning at least 3 : 1 (WCAG 1.4.11).
//! Meaning never hangs on hue alone: idle and blocked are hatched, and what meets in one lane is told apart by the colour-blind too.
//! Tests hold all three.

use super::category::Category;
pub use super::color::Rgba;
use crate::recording::Cause;

/// How something filled looks: its colour, and that of text on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swatch {
    /// Fill.
    pub fill: Rgba,
    /// Text on the fill.
    pub text: Rgba,
}

const fn swatch(fill: u32, text: u32) -> Swatch {
    Swatch { fill: Rgba::hex(fill), text: Rgba::hex(text) }
}

/// The colours of one appearance.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    /// Whether this is a dark one.
    pub dark: bool,
    /// Behind everything.
    pub background: Rgba,
    /// Inside a lane's box.
    pub lane: Rgba,
    /// Hairline around a lane's box.
    pub border: Rgba,
    /// Titles and lane names.
    pub text: Rgba,
    /// Under-titles, ticks, footer.
    pub muted: Rgba,
    /// Tick marks of the time axis.
    pub tick: Rgba,
    /// The pad behind a label that stands on hatching.
    pub pad: Rgba,
    /// The arrow from a launch to what it started.
    pub arrow: Rgba,
    /// The outline around what is selected or linked.
    pub accent: Rgba,
    /// What went wrong: errors, and hazards.
    pub alert: Rgba,
    /// Depth of the launch queue.
    pub queue: Rgba,
    /// Its upper edge.
    pub queue_edge: Rgba,
    spans: SpanColors,
    causes: CauseColors,
    tensors: [Swatch; Theme::TENSORS],
}

#[derive(Clone, Debug, PartialEq)]
struct SpanColors {
    python: Swatch,
    dispatcher: Swatch,
    aten: Swatch,
    driver: Swatch,
    blocked: Swatch,
    work: Swatch,
    allocation: Swatch,
    capture: Swatch,
    annotation: Swatch,
    kernel: Swatch,
    graph_kernel: Swatch,
    copy: Swatch,
    memset: Swatch,
    event: Swatch,
    host_function: Swatch,
}

#[derive(Clone, Debug, PartialEq)]
struct CauseColors {
    launch_bound: Rgba,
    host_work: Rgba,
    host_blocked: Rgba,
    event_wait: Rgba,
    copy_wait: Rgba,
    engine_busy: Rgba,
    no_room: Rgba,
    legacy_barrier: Rgba,
    host_function: Rgba,
    allocation: Rgba,
    kernel_gap: Rgba,
    graph_gap: Rgba,
    launch_latency: Rgba,
}

impl Theme {
    /// Number of colours for the memory of tensors.
    pub const TENSORS: usize = 8;

    /// For paper, slides and bright rooms.
    pub fn light() -> Self {
        Self {
            dark: false,
            background: Rgba::hex(0xffffff),
            lane: Rgba::hex(0xf8f9fb),
            border: Rgba::hex(0xdfe3ea),
            text: Rgba::hex(0x1b1f27),
            muted: Rgba::hex(0x626c7a),
            tick: Rgba::hex(0xaab2bd),
            pad: Rgba::hex(0xffffff).with_alpha(0.8),
            arrow: Rgba::hex(0x1b1f27),
            accent: Rgba::hex(0x0b5cad),
            alert: Rgba::hex(0xc5221f),
            queue: Rgba::hex(0xabc8e7),
            queue_edge: Rgba::hex(0x4f86c0),
            spans: SpanColors {
                python: swatch(0x8790a1, 0x10141a),
                dispatcher: swatch(0x6a7588, 0xffffff),
                aten: swatch(0x525d72, 0xffffff),
                driver: swatch(0x3b475e, 0xffffff),
                blocked: swatch(0xb0325c, 0x1b1f27),
                work: swatch(0xb38536, 0x10141a),
                allocation: swatch(0x9a4fc4, 0xffffff),
                capture: swatch(0x00443c, 0xffffff),
                annotation: swatch(0x8f83b0, 0x10141a),
                kernel: swatch(0x2b76c6, 0xffffff),
                graph_kernel: swatch(0x2c4c93, 0xffffff),
                copy: swatch(0xbb5620, 0xffffff),
                memset: swatch(0xc0812e, 0x10141a),
                event: swatch(0x524c5e, 0xffffff),
                host_function: swatch(0x287265, 0xffffff),
            },
            causes: CauseColors {
                launch_bound: Rgba::hex(0x946200),
                host_work: Rgba::hex(0x7a6532),
                host_blocked: Rgba::hex(0xb0325c),
                event_wait: Rgba::hex(0x5b4bb7),
                copy_wait: Rgba::hex(0xb34f18),
                engine_busy: Rgba::hex(0x84390f),
                no_room: Rgba::hex(0x1f6bb8),
                legacy_barrier: Rgba::hex(0x8b2fa0),
                host_function: Rgba::hex(0x0f766e),
                allocation: Rgba::hex(0x4d7a12),
                kernel_gap: Rgba::hex(0x667080),
                graph_gap: Rgba::hex(0x3b6f85),
                launch_latency: Rgba::hex(0x8a5a44),
            },
            tensors: [
                swatch(0x77aadd, 0x1b1f27),
                swatch(0xee8866, 0x1b1f27),
                swatch(0xe6d272, 0x1b1f27),
                swatch(0xf5a3b5, 0x1b1f27),
                swatch(0x8fd4f2, 0x1b1f27),
                swatch(0x44bb99, 0x1b1f27),
                swatch(0xbbcc33, 0x1b1f27),
                swatch(0xb3a63a, 0x1b1f27),
            ],
        }
    }

    /// For screens and dark rooms.
    pub fn dark() -> Self {
        Self {
            dark: true,
            background: Rgba::hex(0x12151a),
            lane: Rgba::hex(0x171b21),
            border: Rgba::hex(0x272d37),
            text: Rgba::hex(0xe8ebf1),
            muted: Rgba::hex(0x8b94a3),
            tick: Rgba::hex(0x4a5362),
            pad: Rgba::hex(0x16191f).with_alpha(0.82),
            arrow: Rgba::hex(0xe8ebf1),
            accent: Rgba::hex(0x8cc4ff),
            alert: Rgba::hex(0xff7a70),
            queue: Rgba::hex(0x2b4763),
            queue_edge: Rgba::hex(0x5683b0),
            spans: SpanColors {
                python: swatch(0x666f80, 0xffffff),
                dispatcher: swatch(0x7f8a9e, 0x0b0e12),
                aten: swatch(0x9ca9bf, 0x0b0e12),
                driver: swatch(0xb9c7dd, 0x0b0e12),
                blocked: swatch(0xd65d80, 0xe8ebf1),
                work: swatch(0xb39347, 0x0b0e12),
                allocation: swatch(0xb070f5, 0x0b0e12),
                capture: swatch(0x9df7dd, 0x0b0e12),
                annotation: swatch(0x7a6fa0, 0xffffff),
                kernel: swatch(0x4f9fee, 0x06131f),
                graph_kernel: swatch(0xa4c9fe, 0x06131f),
                copy: swatch(0xe07a43, 0x170a03),
                memset: swatch(0xe7b464, 0x170f03),
                event: swatch(0xa1b0d1, 0x0b0e12),
                host_function: swatch(0x62cca2, 0x0b0e12),
            },
            causes: CauseColors {
                launch_bound: Rgba::hex(0xd9a23a),
                host_work: Rgba::hex(0xb7a473),
                host_blocked: Rgba::hex(0xdd6888),
                event_wait: Rgba::hex(0xa89bf0),
                copy_wait: Rgba::hex(0xf0915c),
                engine_busy: Rgba::hex(0xcb7c52),
                no_room: Rgba::hex(0x6cb2f5),
                legacy_barrier: Rgba::hex(0xd58be6),
                host_function: Rgba::hex(0x4fc3b5),
                allocation: Rgba::hex(0xa3c95a),
                kernel_gap: Rgba::hex(0x8e99a8),
                graph_gap: Rgba::hex(0x7fb4c8),
                launch_latency: Rgba::hex(0xcba38c),
            },
            tensors: [
                swatch(0x6c9bcb, 0x0b0e12),
                swatch(0xd87c5e, 0x0b0e12),
                swatch(0xcdba63, 0x0b0e12),
                swatch(0xdd93a4, 0x0b0e12),
                swatch(0x84c0dc, 0x0b0e12),
                swatch(0x3fa688, 0x0b0e12),
                swatch(0xa4b234, 0x0b0e12),
                swatch(0x9d9132, 0x0b0e12),
            ],
        }
    }

    /// How spans of `category` look.
    pub fn span(&self, category: Category) -> Swatch {
        let colors = &self.spans;
        match category {
            Category::Python => colors.python,
            Category::Dispatcher => colors.dispatcher,
            Category::Aten => colors.aten,
            Category::Driver => colors.driver,
            Category::Blocked => colors.blocked,
            Category::Work => colors.work,
            Category::Allocation => colors.allocation,
            Category::Capture => colors.capture,
            Category::Annotation => colors.annotation,
            Category::Kernel => colors.kernel,
            Category::GraphKernel => colors.graph_kernel,
            Category::Copy => colors.copy,
            Category::Memset => colors.memset,
            Category::Event => colors.event,
            Category::HostFunction => colors.host_function,
        }
    }

    /// How the memory of a tensor looks: one of [`Theme::TENSORS`] colours that the colour-blind tell apart (after Paul Tol's
    /// “light” scheme); beyond that they repeat.
    pub fn tensor(&self, hue: usize) -> Swatch {
        let [first, ..] = self.tensors;
        self.tensors.get(hue % Self::TENSORS).copied().unwrap_or(first)
    }

    /// Addresses of a segment that no block ever had.
    pub fn unused(&self) -> Rgba {
        self.border
    }

    /// The stripes of a tensor's memory once it is freed.
    pub fn tensor_stripe(&self, hue: usize) -> Rgba {
        if self.dark { self.tensor(hue).fill } else { self.tensor_edge(hue) }
    }

    /// The frame of a tensor's memory.
    pub fn tensor_edge(&self, hue: usize) -> Rgba {
        let Swatch { fill, text } = self.tensor(hue);
        let alpha = if self.dark { 0.35 } else { 0.45 };
        text.with_alpha(alpha).over(fill)
    }

    /// Ground and stripes of the hatching that a bubble of `cause` is: an idle GPU should alarm.
    pub fn idle(&self, cause: Cause) -> (Rgba, Rgba) {
        let color = self.cause(cause);
        (color.with_alpha(if self.dark { 0.2 } else { 0.16 }), color.with_alpha(0.85))
    }

    /// The colour of `cause`, for text about it; what is idle because of it is hatched with [`Theme::idle`].
    pub fn cause(&self, cause: Cause) -> Rgba {
        let colors = &self.causes;
        match cause {
            Cause::LaunchBound => colors.launch_bound,
            Cause::HostWork => colors.host_work,
            Cause::HostBlocked => colors.host_blocked,
            Cause::EventWait => colors.event_wait,
            Cause::CopyWait => colors.copy_wait,
            Cause::EngineBusy => colors.engine_busy,
            Cause::NoRoom => colors.no_room,
            Cause::LegacyBarrier => colors.legacy_barrier,
            Cause::HostFunction => colors.host_function,
            Cause::Allocation => colors.allocation,
            Cause::KernelGap => colors.kernel_gap,
            Cause::GraphGap => colors.graph_gap,
            Cause::LaunchLatency => colors.launch_latency,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::color::vision;
    use super::*;

    /// WCAG 2 AA for text.
    const READABLE: f64 = 4.5;

    #[test]
    fn text_is_readable_on_what_it_stands_on() {
        for theme in [Theme::light(), Theme::dark()] {
            let readable = |what: &str, text: Rgba, on: Rgba| {
                let ratio = text.contrast(on);
                assert!(ratio >= READABLE, "{what}, dark {}: {ratio:.2}", theme.dark);
            };
            for below in [theme.background, theme.lane] {
                readable("text", theme.text, below);
                readable("muted", theme.muted, below);
                readable("alert", theme.alert, below);
            }
            for category in Category::ALL {
                let Swatch { fill, text } = theme.span(category);
                let on = if category == Category::Blocked { theme.pad.over(fill) } else { fill };
                readable(&format!("{category:?}"), text, on);
            }
            for hue in 0..Theme::TENSORS {
                readable("tensor", theme.tensor(hue).text, theme.tensor(hue).fill);
            }
            for cause in Cause::ALL {
                readable(cause.id(), theme.cause(cause), theme.background);
            }
        }
    }

    /// WCAG 2.1, 1.4.11, for what is not text.
    const SEEN: f64 = 3.0;

    #[test]
    fn whatever_carries_meaning_is_seen_on_its_lane() {
        for theme in [Theme::light(), Theme::dark()] {
            let seen = |what: &str, color: Rgba| {
                let ratio = color.over(theme.lane).contrast(theme.lane);
                assert!(ratio >= SEEN, "{what}, dark {}: {ratio:.2}", theme.dark);
            };
            for category in Category::ALL {
                seen(&format!("{category:?}"), theme.span(category).fill);
            }
            for cause in Cause::ALL {
                let (ground, stripe) = theme.idle(cause);
                seen(cause.id(), stripe.over(ground.over(theme.lane)));
            }
            for (what, color) in
                [("queue", theme.queue_edge), ("arrow", theme.arrow), ("accent", theme.accent), ("alert", theme.alert)]
            {
                seen(what, color);
            }
        }
    }

    #[test]
    fn what_meets_in_a_lane_is_told_apart_by_the_colour_blind() {
        const APART: f64 = 0.05;
        use Category::{
            Allocation, Aten, Capture, Copy, Dispatcher, Driver, Event, GraphKernel, HostFunction, Kernel, Memset,
            Python, Work,
        };
        // A blocked call is hatched, and annotations have a lane of their own.
        let host = [Python, Dispatcher, Aten, Driver, Work, Allocation, Capture];
        let stream = [Kernel, GraphKernel, Copy, Memset, Event, HostFunction];
        for theme in [Theme::light(), Theme::dark()] {
            for lane in [&host[..], &stream[..]] {
                for (i, a) in lane.iter().enumerate() {
                    for b in &lane[..i] {
                        let apart = vision::distance(theme.span(*a).fill, theme.span(*b).fill);
                        assert!(apart >= APART, "{a:?} and {b:?}, dark {}: {apart:.3}", theme.dark);
                    }
                }
            }
        }
    }

    #[test]
    fn no_two_causes_share_a_colour() {
        for theme in [Theme::light(), Theme::dark()] {
            let colors: std::collections::HashSet<Rgba> = Cause::ALL.iter().map(|&cause| theme.cause(cause)).collect();
            assert_eq!(colors.len(), Cause::ALL.len());
        }
    }
}
