//! The model against CUDA programs timed on an NVIDIA H200 (driver 580, CUDA 13.0). None of these programs is a shipped
//! scenario, so what the profile needs for them it needs for any. What depends on the memory of the host differs from one
//! machine with an H200 to the next; those figures are of the machines that the profile's kind of calibration ran on, where
//! `tests/gpu` runs the same programs.

use serde_json::{Value, json};

use super::captures;
use super::programs::programs;
use super::running::{
    Rows, blocking_stream, copy, device, gpu_span, host, kernel, on, pageable, pinned, repeat, run, run_with, small,
    span, spans, stream, synchronize, timed, value, wall,
};
use streamscope::profile::shipped;
use streamscope::recording::{Recording, SpanKind};
use streamscope::scenario::Knobs;

programs![
    small_kernels_overlap_as_far_as_there_are_streams,
    the_legacy_stream_stands_between_blocking_streams_only,
    an_urgent_grid_starts_at_the_next_wave,
    blocks_are_placed_in_waves_by_age,
    full_grids_on_two_streams_gain_only_their_gaps,
    shared_memory_keeps_grids_apart,
    no_more_than_128_grids_are_resident,
    copies_share_the_link_and_not_the_engine,
    pageable_copies_keep_the_host,
    a_copy_to_fresh_pages_pays_for_each,
    memory_calls_wait_or_not,
    a_full_queue_holds_the_next_launch,
    tiny_kernels_are_bound_by_launches_and_in_a_graph_by_its_gaps,
    a_pair_of_events_measures_more_than_the_kernel,
    backlogged_kernels_follow_at_the_front_ends_pace,
    waking_up_takes_its_time,
    one_thing_follows_another_after_a_gap,
    host_functions_are_far_away_and_one_at_a_time,
    branches_of_a_graph_run_side_by_side,
    replays_of_one_graph_never_overlap,
    a_capture_fails_with_the_numbers_of_the_driver,
];

/// What the bar allows a figure of the model.
const BAR: f64 = 0.25;
/// Where the mechanism leaves no room.
const EXACT: f64 = 0.05;
/// Bytes of a large copy: 256 MiB.
const LARGE: u64 = 256 << 20;
/// 264 blocks of 1024 threads fill the GPU once.
const FULL: u32 = 264;
/// One such wave of 100 000 cycles.
const WAVE_US: f64 = 50.75;

fn waves(label: &str, count: u32) -> Value {
    kernel(label, WAVE_US * f64::from(count), [FULL * count, 1024, 0])
}

fn small_kernels_overlap_as_far_as_there_are_streams() {
    let mut rows = Rows::default();
    let measured = [(1, 12934.9), (2, 6489.6), (4, 3284.4), (8, 1678.5), (16, 891.6), (32, 609.0), (64, 571.7)];
    for (count, measured) in measured {
        let streams = repeat(count, &[json!({"stream": {"name": "s[i]"}})]);
        let launch = json!({"on": {"stream": format!("s[i % {count}]"), "body": [kernel("spin", 200.0, [4, 128, 0])]}});
        let recording = run(&[streams], &[repeat(64, &[launch])]);
        rows.near(&format!("64 kernels on {count} streams"), wall(&recording), measured, BAR);
    }
    rows.hold();
}

fn the_legacy_stream_stands_between_blocking_streams_only() {
    let (a, b) = (on("a", &[small("A", 1000.0)]), on("b", &[small("B", 1000.0)]));
    let null = |stream| on(stream, &[small("null", 0.3)]);
    let blocking = [blocking_stream("a"), blocking_stream("b")];
    let non_blocking = [stream("a"), stream("b")];
    let mut rows = Rows::default();
    let mut row = |what, setup: &[Value], program: &[Value], measured| {
        rows.near(what, wall(&run(setup, program)), measured, EXACT);
    };
    row("A ‖ B", &blocking, &[a.clone(), b.clone()], 1024.1);
    row("A; legacy; B", &blocking, &[a.clone(), null("default"), b.clone()], 2023.2);
    row("A; per thread; B", &blocking, &[a.clone(), null("per_thread"), b.clone()], 1044.1);
    row("A; legacy; B, non-blocking", &non_blocking, &[a, null("default"), b], 1024.1);
    rows.hold();
}

fn an_urgent_grid_starts_at_the_next_wave() {
    let mut rows = Rows::default();
    for (priority, short, all) in [(0, 2146.7, 2152.9), (-5, 217.2, 2144.1)] {
        let setup = [stream("low"), json!({"stream": {"name": "other", "priority": priority}})];
        let body = [
            on("low", &[kernel("long", 107.2 * 19.0, [FULL * 19, 1024, 0])]),
            on("other", &[kernel("short", 107.2, [FULL, 1024, 0])]),
            json!({"synchronize": {"stream": "other"}}),
        ];
        let recording = run(&setup, &timed("short_us", &body));
        rows.near(&format!("priority {priority}: short"), value(&recording, "short_us"), short, 0.1);
        rows.near(&format!("priority {priority}: all"), wall(&recording), all, EXACT);
    }
    rows.hold();
}

fn blocks_are_placed_in_waves_by_age() {
    let mut rows = Rows::default();
    for (blocks, us) in [(1, 50.5), (132, 50.75), (264, 50.75), (265, 101.75), (528, 101.75), (529, 152.0)] {
        let waves = f64::from(blocks).max(1.0) / f64::from(FULL);
        let recording = run(&[], &[kernel("A", WAVE_US * waves.ceil(), [blocks, 1024, 0])]);
        rows.near(&format!("{blocks} blocks"), span(&recording, "A").interval().dur().us(), us, EXACT);
    }
    let setup = [stream("a"), stream("b"), json!({"stream": {"name": "urgent", "priority": -5}})];
    let pair = |first: Value, second: Value| {
        let recording = run(&setup, &[first, second]);
        let (a, b) = (span(&recording, "A"), span(&recording, "B"));
        let from = a.start;
        [(a.end - from).us(), (b.start - from).us(), (b.end - from).us()]
    };
    let mut row = |what: &str, model: [f64; 3], measured: [f64; 3]| {
        for (what, model, measured) in [("A ends", 0), ("B starts", 1), ("B ends", 2)]
            .map(|(part, i)| (format!("{what}: {part}"), model[i], measured[i]))
        {
            // The second launch comes 4 µs after the first; so much may both ends of a short time be apart.
            rows.near(&what, model + 100.0, measured + 100.0, EXACT);
        }
    };
    let (a, b) = (on("a", &[waves("A", 4)]), |stream| on(stream, &[waves("B", 1)]));
    row("4 waves, then 1", pair(a.clone(), b("b")), [203.5, 203.2, 254.2]);
    let part = on("b", &[kernel("B", WAVE_US, [32, 1024, 0])]);
    row("4 waves, then 32 blocks", pair(a.clone(), part.clone()), [203.8, 203.2, 254.0]);
    row("32 blocks, then 4 waves", pair(part, a.clone()), [247.2, -7.0, 44.0]);
    row("4 waves, then 1 urgent", pair(a, b("urgent")), [254.5, 51.0, 102.0]);
    rows.hold();
}

fn full_grids_on_two_streams_gain_only_their_gaps() {
    let program = |streams: u32| {
        let launch = on(&format!("s[i % {streams}]"), &[waves("full", 4)]);
        wall(&run(&[repeat(2, &[json!({"stream": {"name": "s[i]"}})])], &[repeat(8, &[launch])]))
    };
    let mut rows = Rows::default();
    rows.near("one stream", program(1), 1705.3, EXACT);
    rows.near("two streams", program(2), 1643.4, EXACT);
    rows.hold();
}

fn shared_memory_keeps_grids_apart() {
    let program = |bytes| {
        let grid = [132, 128, bytes];
        wall(&run(
            &[stream("a"), stream("b")],
            &[on("a", &[kernel("A", 205.0, grid)]), on("b", &[kernel("B", 205.0, grid)])],
        ))
    };
    let mut rows = Rows::default();
    rows.near("200 KB", program(200 << 10), 420.7, EXACT);
    rows.near("100 KB", program(100 << 10), 228.4, EXACT);
    rows.hold();
}

fn no_more_than_128_grids_are_resident() {
    let streams = repeat(200, &[json!({"stream": {"name": "s[i]"}})]);
    let launch = json!({"on": {"stream": "s[i]", "body": [small("spin", 5000.0)]}});
    let recording = run(&[streams], &[repeat(200, &[launch])]);
    let all = spans(&recording, "spin");
    let at_once = all.iter().filter(|span| span.start < all[0].end).count();
    assert_eq!((all.len(), at_once), (200, 128));
}

fn copies_share_the_link_and_not_the_engine() {
    let setup =
        [stream("a"), stream("b"), device("d", LARGE), device("e", LARGE), pinned("h", LARGE), pinned("g", LARGE)];
    let steps = |program: &[Value]| wall(&run(&setup, &[repeat(4, program)])) / 4.0;
    let (to, back, other) = (copy("h", "d"), copy("e", "g"), copy("g", "e"));
    let (a, b) = (|it: &Value| on("a", std::slice::from_ref(it)), |it: &Value| on("b", std::slice::from_ref(it)));
    let mut rows = Rows::default();
    rows.near("H2D", steps(&[a(&to)]), 4916.6, EXACT);
    rows.near("H2D ‖ D2H", steps(&[a(&to), b(&back)]), 5401.5, EXACT);
    rows.near("H2D ‖ H2D", steps(&[a(&to), b(&other)]), 9844.4, EXACT);
    rows.near("H2D; D2H", steps(&[a(&to), a(&back)]), 9798.5, EXACT);
    rows.hold();
}

/// How long a copy keeps the host, with so much work before it in its stream.
fn copy_us(memory: fn(&str, u64) -> Value, to_device: bool, bytes: u64, busy_us: f64) -> f64 {
    let setup = [stream("s"), device("d", bytes), memory("h", bytes)];
    let it = if to_device { copy("h", "d") } else { copy("d", "h") };
    let before = if busy_us > 0.0 { vec![small("spin", busy_us)] } else { Vec::new() };
    let program = [before, timed("call_us", &[it])].concat();
    value(&run(&setup, &[on("s", &program)]), "call_us")
}

fn pageable_copies_keep_the_host() {
    let mut rows = Rows::default();
    let mut row = |what: &str, model: f64, measured: f64, colder_us: f64| {
        // Behind work that was just launched a call is a cold one.
        rows.near(what, model + colder_us, measured, BAR);
    };
    row("64 KB to the device, idle", copy_us(pageable, true, 64 << 10, 0.0), 9.3, 0.0);
    row("64 KB to the device, busy", copy_us(pageable, true, 64 << 10, 5000.0), 16.3, 8.0);
    row("1 MB to the device, busy", copy_us(pageable, true, 1 << 20, 2000.0), 94.5, 8.0);
    row("4 MB to the device, idle", copy_us(pageable, true, 4 << 20, 0.0), 338.4, 0.0);
    row("4 MB to the device, busy", copy_us(pageable, true, 4 << 20, 5000.0), 5217.9, 0.0);
    row("16 MB to the device, idle", copy_us(pageable, true, 16 << 20, 0.0), 1787.8, 0.0);
    row("16 MB to the device, busy", copy_us(pageable, true, 16 << 20, 5000.0), 6542.6, 0.0);
    row("64 KB to the host, busy", copy_us(pageable, false, 64 << 10, 2000.0), 2020.8, 0.0);
    row("1 MB to the host, busy", copy_us(pageable, false, 1 << 20, 2000.0), 2132.4, 0.0);
    row("16 MB to the host, idle", copy_us(pageable, false, 16 << 20, 0.0), 1290.0, 0.0);
    row("1 MB pinned to the host, busy", copy_us(pinned, false, 1 << 20, 2000.0), 9.4, 8.0);
    rows.hold();
}

fn a_copy_to_fresh_pages_pays_for_each() {
    let bytes = 2048 * 4096 * 4;
    let mut rows = Rows::default();
    let mut row = |what: &str, memory: Value, measured: f64, part: f64| {
        let recording = run(&[device("d", bytes), memory], &[copy("d", "h")]);
        rows.near(what, wall(&recording), measured, part);
    };
    row("pinned", pinned("h", bytes), 0.63e3, BAR);
    // The profile's curve comes from a program that reached 9.7 GB/s, this figure from one that reached 12.9.
    row("touched", pageable("h", bytes), 2.6e3, 0.35);
    row("fresh", json!({"host_tensor": {"name": "h", "shape": [bytes], "dtype": "u8"}}), 27.0e3, BAR);
    rows.hold();
}

/// How long a statement keeps the host behind so much work.
fn behind(busy_us: f64, setup: &[Value], it: Value) -> f64 {
    let setup = [setup, &[stream("s")]].concat();
    let program = [vec![on("s", &[small("spin", busy_us)])], timed("call_us", &[it])].concat();
    value(&run(&setup, &program), "call_us")
}

fn memory_calls_wait_or_not() {
    let raw = json!({"raw_malloc": {"name": "q", "bytes": 1 << 20}});
    let locked = json!({"malloc_host": {"name": "q", "bytes": 1 << 20}});
    let mut rows = Rows::default();
    rows.near("cudaFree", behind(2000.0, &[raw], json!({"raw_free": {"name": "q"}})), 2024.0, EXACT);
    let large = json!({"raw_malloc": {"name": "r", "bytes": 64 << 20}});
    rows.near("cudaMalloc", behind(2000.0, &[], large), 48.4, BAR);
    rows.near("cudaFreeHost", behind(5000.0, &[locked], json!({"free_host": {"name": "q"}})), 5006.8, EXACT);
    rows.hold();
}

fn a_full_queue_holds_the_next_launch() {
    let program = [small("spin", 30_000.0), repeat(1100, &[small("null", 0.3)])];
    let recording = run(&[], &program);
    let blocked = host(&recording).into_iter().find(|span| span.kind == SpanKind::Blocked).unwrap();
    let launched = spans(&recording, "null").iter().filter(|span| span.call <= blocked.start).count();
    // One runs, 1021 wait behind it.
    assert_eq!(1 + launched, 1022, "launches before the one that waits");
}

fn tiny_kernels_are_bound_by_launches_and_in_a_graph_by_its_gaps() {
    let body = repeat(1440, &[small("null", 0.256)]);
    let mut rows = Rows::default();
    let eager = run(&[], std::slice::from_ref(&body));
    // A launch takes 3.2 to 5.4 µs on machines with the same GPU.
    rows.near("1440 launches", wall(&eager), 5216.0, BAR);
    let setup = [json!({"capture": {"graph": "g", "body": [body]}}), json!({"replay": {"graph": "g"}})];
    let graph = run(&setup, &[json!({"replay": {"graph": "g"}})]);
    rows.near("a graph of 1440 kernels", wall(&graph), 1350.2, BAR);
    let call = host(&graph)[0].interval().dur().us();
    rows.hold();
    assert!(call < 0.01 * wall(&eager), "one launch instead of 1440 takes {call} µs");
}

fn a_pair_of_events_measures_more_than_the_kernel() {
    let setup = repeat(2, &[json!({"event": {"name": "e[i]", "timing": true}})]);
    let record = |i| json!({"record": {"event": format!("e[{i}]")}});
    let pair = |us: f64, before: &[Value]| {
        let measured = [record(0), small("K", us), record(1), synchronize()];
        let elapsed = json!({"elapsed": {"start": "e[0]", "end": "e[1]", "into": "us"}});
        let report = json!({"report": {"name": "pair_us", "value": "=us"}});
        value(&run(std::slice::from_ref(&setup), &[before, &measured, &[elapsed, report]].concat()), "pair_us")
    };
    let mut rows = Rows::default();
    for (us, measured) in [(0.3, 5.95), (2.016, 8.384), (10.016, 16.16), (50.016, 55.808), (200.0, 206.304)] {
        rows.near(&format!("{us} µs, idle"), pair(us, &[]), measured, BAR);
    }
    rows.near("null, backlogged", pair(0.3, &[small("spin", 3000.0)]), 3.36, BAR);
    rows.hold();
}

fn backlogged_kernels_follow_at_the_front_ends_pace() {
    let setup = repeat(2, &[json!({"event": {"name": "e[i]", "timing": true}})]);
    let record = |i| json!({"record": {"event": format!("e[{i}]")}});
    let each = |body: &[Value]| {
        let recording = run(std::slice::from_ref(&setup), &[small("spin", 4000.0), repeat(300, body)]);
        let all = spans(&recording, "null");
        (all.last().unwrap().end - all[0].start).us() / 300.0
    };
    let mut rows = Rows::default();
    rows.near("plain", each(&[small("null", 0.15)]), 1.687, BAR);
    rows.near("with two events", each(&[record(0), small("null", 0.15), record(1)]), 5.16, BAR);
    rows.hold();
}

fn waking_up_takes_its_time() {
    let setup =
        [json!({"event": {"name": "spins"}}), json!({"event": {"name": "sleeps", "blocking_sync": true}}), stream("s")];
    let after = |record: Option<&str>, wait: Value| {
        let record = record.map(|event| json!({"record": {"event": event}}));
        let program = [vec![small("K", 500.0)], record.into_iter().collect(), vec![wait]].concat();
        let recording = run(&setup, &[on("s", &program)]);
        let blocked = host(&recording).into_iter().find(|span| span.kind == SpanKind::Blocked).unwrap();
        (blocked.end - span(&recording, "K").end).us()
    };
    let mut rows = Rows::default();
    rows.near("stream", after(None, json!({"synchronize": {"stream": "s"}})), 3.9, BAR);
    rows.near("event", after(Some("spins"), json!({"synchronize": {"event": "spins"}})), 3.5, BAR);
    rows.near("event, asleep", after(Some("sleeps"), json!({"synchronize": {"event": "sleeps"}})), 64.8, BAR);
    rows.hold();
}

/// From the end of one span to the start of another, in µs.
fn gap(recording: &Recording, from: &str, to: &str) -> f64 {
    (span(recording, to).start - span(recording, from).end).us()
}

fn one_thing_follows_another_after_a_gap() {
    let mut rows = Rows::default();
    let (a, b) = (small("A", 200.0), small("B", 50.0));
    rows.near("kernel, kernel", gap(&run(&[], &[a.clone(), b.clone()]), "A", "B"), 1.536, BAR);
    let setup = [stream("s"), stream("t"), json!({"event": {"name": "e"}})];
    let hop = [
        on("s", &[a.clone(), json!({"record": {"event": "e"}})]),
        on("t", &[json!({"wait": {"event": "e"}}), b.clone()]),
    ];
    rows.near("kernel, event, kernel", gap(&run(&setup, &hop), "A", "B"), 1.5, BAR);
    for (bytes, to_device, back) in [(64 << 10, 9.824, 9.760), (1 << 20, 33.632, 33.440)] {
        let setup = [device("d", bytes), pinned("h", bytes)];
        for (it, measured) in [(copy("h", "d"), to_device), (copy("d", "h"), back)] {
            let recording = run(&setup, &[a.clone(), it, b.clone()]);
            rows.near(&format!("kernel, copy of {bytes}, kernel"), gap(&recording, "A", "B"), measured, BAR);
        }
    }
    rows.hold();
}

fn host_functions_are_far_away_and_one_at_a_time() {
    let function = |us: f64| json!({"host_function": {"dur_us": us, "label": "F"}});
    let recording = run(&[], &[small("A", 200.0), function(0.1), small("B", 50.0)]);
    let mut rows = Rows::default();
    rows.near("kernel, function", gap(&recording, "A", "F"), 36.1, BAR);
    rows.near("kernel, function, kernel", gap(&recording, "A", "B"), 40.7, BAR);
    let setup = [stream("s"), stream("t")];
    let recording = run(&setup, &[on("s", &[function(500.0)]), on("t", &[function(500.0)])]);
    rows.near("two functions of 500 µs", wall(&recording), 1164.2, 0.15);
    rows.hold();
}

/// A captured graph of so many kernels in one chain, or in two branches.
fn graph(name: &str, nodes: u32, us: f64, branches: bool) -> Value {
    let chain = |nodes: u32| repeat(nodes, &[small("N", us)]);
    let body = if branches {
        let join = |stream: &str, other: &str| json!({"wait_stream": {"stream": stream, "other": other}});
        let left = nodes / 2;
        vec![join("t", "c"), chain(left), on("t", &[chain(nodes - left)]), join("c", "t")]
    } else {
        vec![chain(nodes)]
    };
    json!({"capture": {"graph": name, "stream": "c", "body": body}})
}

fn branches_of_a_graph_run_side_by_side() {
    let mut rows = Rows::default();
    let measured = [(2, 11.0, 6.0), (20, 116.75, 59.5), (200, 1174.25, 593.0)]
        .map(|(n, chain, two)| [(n, false, chain), (n, true, two)]);
    for (nodes, branches, measured) in measured.into_iter().flatten() {
        let setup = [stream("c"), stream("t"), graph("g", nodes, 5.0, branches)];
        let recording = run(&setup, &[json!({"replay": {"graph": "g"}})]);
        rows.near(&format!("{nodes} kernels, branches: {branches}"), gpu_span(&recording), measured, BAR);
    }
    rows.hold();
}

fn replays_of_one_graph_never_overlap() {
    let setup =
        [stream("c"), stream("t"), stream("s"), stream("u"), graph("g", 4, 20.0, false), graph("f", 4, 20.0, false)];
    let replay = |stream: &str, graph: &str| on(stream, &[json!({"replay": {"graph": graph}})]);
    let each = |body: [Value; 2]| wall(&run(&setup, &[repeat(25, &body)])) / 50.0;
    let mut rows = Rows::default();
    rows.near("one stream", each([replay("s", "g"), replay("s", "g")]), 84.7, 0.1);
    rows.near("two streams", each([replay("s", "g"), replay("u", "g")]), 84.9, 0.1);
    rows.near("two graphs on two streams", each([replay("s", "g"), replay("u", "f")]), 43.0, 0.1);
    rows.hold();
}

fn a_capture_fails_with_the_numbers_of_the_driver() {
    for case in captures::cases() {
        let recording = run_with(&case.scenario, &Knobs::default(), &shipped("h200").unwrap());
        assert_eq!(captures::outcome(&recording), case.expected, "{}", case.name);
    }
}
