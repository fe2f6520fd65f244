//! The numbers of a stretch of a run: those of the whole are the run's own, and those of its parts add up.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;
use streamscope::analysis::{Analysis, RangeMetrics};
use streamscope::recording::{Cause, Recording, Span, SpanKind};
use streamscope::time::{Interval, Ns};

use super::properties::{run, step};
use super::running;
use super::running::{kernel, span, synchronize};

fn range(recording: &Recording, start: Ns, end: Ns) -> RangeMetrics {
    Analysis::new(recording).range(recording, Interval::new(start, end))
}

/// Two kernels of 100 µs on one stream, the second launched while the first runs; after both, 500 µs of work, and a third.
fn three_kernels() -> Recording {
    let of = |label| kernel(label, 100.0, [1, 32, 0]);
    let program = [of("A"), of("B"), synchronize(), json!({"work": {"dur_us": 500}}), of("C"), synchronize()];
    running::run(&[], &program)
}

#[test]
fn a_range_holds_what_happened_in_it_and_no_more() {
    let recording = three_kernels();
    let (a, c) = (span(&recording, "A"), span(&recording, "C"));
    // From the middle of the first kernel, for 30 µs: busy all the time, and `nvidia-smi` would say so of one block of 32 threads.
    let from = a.start + Ns(50_000);
    let inside = range(&recording, from, from + Ns(30_000));
    assert_eq!((inside.gpu_busy, inside.gpu_idle, inside.kernels), (Ns(30_000), Ns::ZERO, Ns(30_000)));
    assert_eq!(inside.share(inside.kernels), 1.0);
    assert!(inside.idle_by_cause.is_empty());
    assert_eq!(inside.launch.count, 0);
    // B waits in the queue all that time.
    assert_eq!((inside.launch.queue_max, inside.queue_mean()), (1, 1.0));
    // 100 µs that end with the work of the host, when the GPU waits for nothing else.
    let idle = range(&recording, c.start - Ns(200_000), c.start - Ns(100_000));
    assert_eq!((idle.gpu_busy, idle.gpu_idle), (Ns::ZERO, Ns(100_000)));
    assert_eq!(idle.idle_by_cause.values().copied().sum::<Ns>(), Ns(100_000));
    assert!(idle.idle_by_cause[&Cause::HostWork] > Ns(90_000), "{:?}", idle.idle_by_cause);
    // Around the third kernel alone.
    let around = range(&recording, c.call, c.end);
    assert_eq!((around.launch.count, around.launch.median), (1, c.start - c.call));
    assert_eq!(around.kernels, c.end - c.start);
}

#[test]
fn a_copy_is_no_utilization_in_the_sense_of_nvidia_smi() {
    let buffers = [running::device("d", 1 << 24), running::pinned("h", 1 << 24)];
    let recording = running::run(&buffers, &[running::copy("h", "d"), synchronize()]);
    let is_copy = |span: &Span| span.kind == SpanKind::CopyH2D;
    let copy = recording.gpu_spans().find(is_copy).unwrap();
    let during = range(&recording, copy.start, copy.end);
    assert_eq!((during.share(during.gpu_busy), during.share(during.kernels)), (1.0, 0.0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_whole_has_the_numbers_of_the_run(steps in vec(step(), 1..40)) {
        let recording = run("cuda", &steps);
        let metrics = Analysis::new(&recording).metrics;
        let whole = range(&recording, Ns::ZERO, recording.extent().end + Ns(1));
        prop_assert_eq!(whole.gpu_busy, metrics.gpu_busy);
        prop_assert_eq!(whole.gpu_idle, metrics.gpu_idle);
        prop_assert_eq!(&whole.idle_by_cause, &metrics.idle_by_cause);
        prop_assert_eq!(whole.launch, metrics.launch);
        let of_hosts = |time: fn(&streamscope::analysis::TrackShare) -> Ns| -> Ns {
            let hosts: Vec<_> = recording.host_threads().map(|(track, _)| track).collect();
            whole.tracks.iter().filter(|share| hosts.contains(&share.track)).map(time).sum()
        };
        prop_assert_eq!(of_hosts(|share| share.busy), metrics.host_busy);
        prop_assert_eq!(of_hosts(|share| share.blocked), metrics.blocked());
        for stream in &metrics.streams {
            let share = whole.tracks.iter().find(|share| share.track == stream.track).unwrap();
            prop_assert_eq!(share.busy, stream.busy);
        }
    }

    #[test]
    fn ranges_side_by_side_add_up(steps in vec(step(), 1..40), cut in 0.0f64..1.0, other in 0.0f64..1.0) {
        let recording = run("pytorch", &steps);
        let end = recording.extent().end;
        let (first, second) = (end.scale(cut.min(other)), end.scale(cut.max(other)));
        let parts = [(Ns::ZERO, first), (first, second), (second, end)].map(|(from, to)| range(&recording, from, to));
        let whole = range(&recording, Ns::ZERO, end);
        let sum = |of: fn(&RangeMetrics) -> Ns| -> Ns { parts.iter().map(of).sum() };
        prop_assert_eq!(sum(|it| it.gpu_busy), whole.gpu_busy);
        prop_assert_eq!(sum(|it| it.gpu_idle), whole.gpu_idle);
        prop_assert_eq!(sum(|it| it.kernels), whole.kernels);
        for part in &parts {
            prop_assert_eq!(part.idle_by_cause.values().copied().sum::<Ns>(), part.gpu_idle);
        }
        for cause in Cause::ALL {
            let time = |it: &RangeMetrics| it.idle_by_cause.get(&cause).copied().unwrap_or_default();
            prop_assert_eq!(parts.iter().map(time).sum::<Ns>(), time(&whole));
        }
        prop_assert_eq!(parts.iter().map(|it| it.queue_area).sum::<i64>(), whole.queue_area);
        prop_assert_eq!(parts.iter().map(|it| it.launch.queue_max).max().unwrap(), whole.launch.queue_max);
        prop_assert_eq!(parts.iter().map(|it| it.launch.count).sum::<usize>(), whole.launch.count);
        for (number, share) in whole.tracks.iter().enumerate() {
            prop_assert_eq!(parts.iter().map(|it| it.tracks[number].busy).sum::<Ns>(), share.busy);
            prop_assert_eq!(parts.iter().map(|it| it.tracks[number].blocked).sum::<Ns>(), share.blocked);
        }
    }
}
