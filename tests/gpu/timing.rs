//! Whether the times can be true: nothing runs before it is launched, a wait ends after what it waits for, one thing of a
//! stream follows another, and each replay has times of its own.

use serde_json::json;
use streamscope::recording::{Instrument, Recording, SmSpan, SpanKind, TrackId, TrackKind};
use streamscope::scenario::Knobs;
use streamscope::time::Ns;

use super::running::{
    copy, device, host, kernel, on, pinned, repeat, scenario, small, span, spans, stream, synchronize, wall,
};
use super::{Check, look, measure, runs};

pub const CHECKS: &[Check] = &[
    ("timing: causality", causality),
    ("timing: replays have times of their own", replays),
    ("timing: durations", durations),
    ("timing: copies use their engines", copies),
    ("timing: streams", streams),
    ("timing: host functions", host_functions),
    ("timing: the SM map", sm_map),
    ("timing: clock error", clock_error),
];

fn error_of(recording: &Recording) -> Ns {
    recording.measured.as_ref().unwrap().clock_error.unwrap()
}

/// Each kernel starts after its call began, and each synchronization returns after what it waits for has ended.
fn causality() -> String {
    let body = [small("K", 5.0), synchronize()];
    let recording = look(&scenario("cuda", &[], &[repeat(500, &body)]));
    let error = error_of(&recording);
    let (mut early, mut late) = (Ns(i64::MAX), Ns(i64::MAX));
    let kernels = spans(&recording, "K");
    assert_eq!(kernels.len(), 500);
    for kernel in &kernels {
        let of_call = |kind: SpanKind| host(&recording).into_iter().filter(move |span| span.kind == kind);
        let call = of_call(SpanKind::Call).find(|call| call.correlation == kernel.correlation).unwrap();
        early = early.min(kernel.start - call.start);
        let wait = of_call(SpanKind::Blocked).find(|wait| wait.end > kernel.start && wait.start >= call.end);
        late = late.min(wait.map_or(Ns(i64::MAX), |wait| wait.end - kernel.end));
    }
    assert!(
        early >= Ns::ZERO - error,
        "a kernel starts {early} after its call begins; the clocks agree within {error}"
    );
    assert!(late >= Ns::ZERO - error, "a wait ends {late} after its kernel; the clocks agree within {error}");
    format!("soonest start {early} after the call begins, soonest return {late} after the kernel's end; error ±{error}")
}

fn replays() -> String {
    let graph = json!({"capture": {"graph": "g", "stream": "c", "body": [repeat(20, &[small("N", 4.0)])]}});
    let setup = [stream("c"), graph, json!({"replay": {"graph": "g"}}), synchronize()];
    let recording = look(&scenario("cuda", &setup, &[repeat(30, &[json!({"replay": {"graph": "g"}})])]));
    let nodes = spans(&recording, "N");
    assert_eq!(nodes.len(), 600, "20 nodes in each of 30 replays");
    assert!(nodes.windows(2).all(|pair| pair[0].end <= pair[1].start), "nodes of a chain never overlap");
    let durs: Vec<Ns> = nodes.iter().map(|node| node.end - node.start).collect();
    assert!(durs.iter().all(|dur| *dur >= Ns(4000) && *dur < Ns(8000)), "a node of 4 µs takes {:?}", durs.iter().max());
    assert!(nodes.iter().all(|node| node.kind == SpanKind::GraphKernel));
    "30 replays of 20 nodes: 600 spans, in order, each of its length".to_owned()
}

fn durations() -> String {
    let lengths = [2.0, 10.0, 100.0, 1000.0];
    let body: Vec<_> = lengths.iter().map(|us| small(&format!("{us}"), *us)).collect();
    let mut lines = Vec::new();
    for instrument in [Instrument::Stamps, Instrument::Events] {
        let scenario = scenario("cuda", &[], &[repeat(5, &body)]);
        let recording = measure(&scenario, &Knobs::default(), &runs(1, instrument));
        for us in lengths {
            let found = spans(&recording, &format!("{us}"));
            let longest = found.iter().map(|span| (span.end - span.start).us()).fold(0.0, f64::max);
            let shortest = found.iter().map(|span| (span.end - span.start).us()).fold(f64::MAX, f64::min);
            lines.push(format!("{us} µs by {}: {shortest:.2} to {longest:.2}", instrument.id()));
            assert_eq!(found.len(), 5);
            assert!(shortest >= us - 0.1 && longest < us + 15.0, "{}", lines.join("\n"));
        }
    }
    lines.join("\n")
}

fn copies() -> String {
    let bytes = 64 << 20;
    let setup = [
        stream("a"),
        stream("b"),
        device("da", bytes),
        device("db", bytes),
        device("dc", bytes),
        pinned("ha", bytes),
        pinned("hb", bytes),
        pinned("hc", bytes),
        stream("c"),
        synchronize(),
    ];
    let program = [on("a", &[copy("ha", "da")]), on("b", &[copy("hb", "db")]), on("c", &[copy("dc", "hc")])];
    let recording = look(&scenario("cuda", &setup, &program));
    let engine = |wanted| {
        let kind = TrackKind::CopyEngine { engine: wanted };
        let track = recording.tracks.iter().position(|track| track.kind == kind).unwrap();
        recording.spans_of(TrackId(track as u32)).collect::<Vec<_>>()
    };
    let (up, down) = (engine(streamscope::recording::Engine::H2D), engine(streamscope::recording::Engine::D2H));
    assert_eq!((up.len(), down.len()), (2, 1));
    assert!(up[0].end <= up[1].start, "two copies on one engine");
    assert!(down[0].start < up[0].end, "the other direction has an engine of its own");
    let rates: Vec<String> = up
        .iter()
        .chain(&down)
        .map(|span| format!("{:.1} GB/s", bytes as f64 / (span.end - span.start).0 as f64))
        .collect();
    rates.join(", ")
}

fn streams() -> String {
    let two = [stream("a"), stream("b")];
    let body = |first, second| {
        [on("a", &[small("A", 1000.0)]), on(first, &[small("mid", 1.0)]), on(second, &[small("B", 1000.0)])]
    };
    let beside = wall(&look(&scenario("cuda", &two, &body("a", "b"))));
    let one = wall(&look(&scenario("cuda", &two, &body("a", "a"))));
    let blocking = [super::running::blocking_stream("a"), super::running::blocking_stream("b")];
    let legacy = wall(&look(&scenario("cuda", &blocking, &body("default", "b"))));
    assert!(beside < 1300.0 && one > 2000.0 && legacy > 2000.0, "{beside} {one} {legacy}");
    format!("two streams {beside:.0} µs, one stream {one:.0}, two with the legacy stream between {legacy:.0}")
}

fn host_functions() -> String {
    let program =
        [small("before", 50.0), json!({"host_function": {"dur_us": 300, "label": "F"}}), small("after", 50.0)];
    let recording = look(&scenario("cuda", &[stream("s")], &[on("s", &program)]));
    let lane = recording.gpu_spans().find(|span| span.kind == SpanKind::HostFunction);
    let (before, after) = (span(&recording, "before"), span(&recording, "after"));
    let function = lane.unwrap();
    let error = error_of(&recording);
    assert!(function.end - function.start >= Ns(300_000));
    assert!(function.start >= before.end - error && after.start >= function.end - error);
    format!(
        "starts {} after the kernel before it, the next kernel {} after it",
        function.start - before.end,
        after.start - function.end
    )
}

/// 528 blocks of 1024 threads: an SM holds two, so that 132 SMs work them off in two waves.
fn sm_map() -> String {
    let recording = look(&scenario("cuda", &[], &[kernel("K", 20.0, [528, 1024, 0])]));
    let stretches = &recording.measured.as_ref().unwrap().sms;
    assert_eq!(stretches.iter().map(|stretch| stretch.blocks).sum::<u32>(), 528);
    assert!(stretches.iter().all(|stretch| stretch.interval().dur() >= Ns(9_900)));
    // However long a stretch, an SM has no more than two blocks in the time of one.
    let waves = |stretch: &SmSpan| (stretch.interval().dur().us() / 9.9).floor() as u32;
    assert!(stretches.iter().all(|stretch| stretch.blocks <= 2 * waves(stretch)));
    let mut sms: Vec<u32> = stretches.iter().map(|stretch| stretch.sm).collect();
    sms.sort_unstable();
    sms.dedup();
    format!("528 blocks in {} stretches on {} SMs", stretches.len(), sms.len())
}

fn clock_error() -> String {
    let mut errors: Vec<Ns> = (0..5).map(|_| error_of(&look(&scenario("cuda", &[], &[small("K", 5.0)])))).collect();
    errors.sort_unstable();
    assert!(errors[4] < Ns(5_000), "{errors:?}");
    format!("stamps: ±{} to ±{}", errors[0], errors[4])
}
