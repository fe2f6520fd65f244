//! Arbitrary scenarios and recordings.
//!
//! Scenarios come from the JSON Schema, so that a new statement is covered as soon as it exists, and the schema and the
//! loader are held to the same format.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use streamscope::recording::{
    Cause, Correlation, Engine, Executor, Instrument, Lane, Measured, MemoryBlock, MemoryMap, MemoryUse, NameId,
    Origin, OriginEntry, Origins, Recording, RunError, Segment, SmSpan, Source, Span, SpanKind, Track, TrackId,
    TrackKind,
};
use streamscope::scenario::{self, Knobs};
use streamscope::text::Localized;
use streamscope::time::{Interval, Ns};

/// Texts of scenario files in which every statement stands at least once, with whatever the schema allows in it.
pub fn scenario_text() -> BoxedStrategy<String> {
    let schema = scenario::schema();
    let statements = alternatives(&schema["$defs"]["Statement"]);
    let each: Vec<_> = statements.iter().map(|statement| value(&schema, statement, 2)).collect();
    let parts = (value(&schema, &schema, 1), each.prop_shuffle(), knobs(), "[a-z][a-z0-9-]{0,8}");
    let text = parts.prop_map(|(mut scenario, program, (knobs, setting), name)| {
        scenario["streamscope"] = json!(1);
        scenario["name"] = json!(name);
        scenario["knobs"] = json!(knobs);
        scenario["program"] = json!(program);
        for reference in scenario.get_mut("references").and_then(Value::as_array_mut).into_iter().flatten() {
            reference["knobs"] = setting.clone();
            reference["spread"] = json!([0.5, 1.5]);
        }
        scenario.to_string()
    });
    text.boxed()
}

/// Knobs whose parts fit together, and a setting of theirs.
fn knobs() -> impl Strategy<Value = (Vec<Value>, Value)> {
    let number = (-50i32..50, 0i32..20, 0i32..20, 1i32..8).prop_map(|(min, below, above, parts)| {
        let step = f64::from(parts) / 4.0;
        let at = |steps: i32| f64::from(min) + f64::from(steps) * step;
        (json!({"number": {"id": "n", "label": "N", "default": at(below), "min": min, "max": at(below + above), "step": step}}), at(0))
    });
    (any::<bool>(), number, select(vec!["a", "b c"])).prop_map(|(on, (number, low), option)| {
        let toggle = json!({"toggle": {"id": "t", "label": {"en": "T", "zh": "开关"}, "default": on}});
        let options = json!([{"id": "a", "label": "A"}, {"id": "b c", "label": "B"}]);
        let choice = json!({"choice": {"id": "c", "label": "C", "default": option, "options": options}});
        (vec![toggle, number, choice], json!({"t": !on, "n": low, "c": "a"}))
    })
}

fn alternatives(schema: &Value) -> Vec<Value> {
    schema["oneOf"].as_array().or(schema["anyOf"].as_array()).cloned().unwrap_or_default()
}

/// What `schema` allows; statements stand at most `depth` deep in one another.
fn value(root: &Value, schema: &Value, depth: u32) -> BoxedStrategy<Value> {
    if let Some(target) = schema["$ref"].as_str() {
        return value(root, root.pointer(&target[1..]).unwrap(), depth);
    }
    if let Some(constant) = schema.get("const") {
        return Just(constant.clone()).boxed();
    }
    let choices = alternatives(schema);
    if !choices.is_empty() {
        let choices: Vec<_> = choices.iter().map(|choice| value(root, choice, depth)).collect();
        return select((0..choices.len()).collect::<Vec<_>>()).prop_flat_map(move |i| choices[i].clone()).boxed();
    }
    let kind = schema["type"].as_str().or(schema["type"][0].as_str()).unwrap();
    match kind {
        "null" => Just(Value::Null).boxed(),
        "boolean" => any::<bool>().prop_map(Value::from).boxed(),
        "integer" => any::<u32>().prop_map(Value::from).boxed(),
        "number" => prop_oneof![
            (-1000i32..1000).prop_map(Value::from),
            (prop::num::f64::NORMAL | prop::num::f64::ZERO).prop_map(Value::from)
        ]
        .boxed(),
        "string" => match schema["pattern"].as_str() {
            None => "\\PC{0,8}".prop_map(Value::from).boxed(),
            Some("^=") => {
                select(vec!["=n", "=2 * n+1", "=t && c != 'b c'", "=max(i, -3) % 2"]).prop_map(Value::from).boxed()
            }
            Some(_) => select(vec!["x", "buf[i]", "step_us", "a-b[2*i + 1]"]).prop_map(Value::from).boxed(),
        },
        "array" => array(root, schema, depth),
        "object" => object(root, schema, depth),
        other => panic!("the schema has a type `{other}` that this generator does not know"),
    }
}

fn array(root: &Value, schema: &Value, depth: u32) -> BoxedStrategy<Value> {
    let of_statements = schema["items"]["$ref"] == "#/$defs/Statement";
    if of_statements && depth == 0 {
        return Just(json!([])).boxed();
    }
    let least = schema["minItems"].as_u64().unwrap_or(0) as usize;
    let most = schema["maxItems"].as_u64().unwrap_or(3) as usize;
    vec(value(root, &schema["items"], depth - u32::from(of_statements)), least..=most).prop_map(Value::from).boxed()
}

/// All keys that are required, and each of the others or not.
fn object(root: &Value, schema: &Value, depth: u32) -> BoxedStrategy<Value> {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let entries: Vec<_> = properties
        .map(|(key, property)| {
            let present = if required.contains(&key.as_str()) { Just(true).boxed() } else { any::<bool>().boxed() };
            (Just(key.clone()), present, value(root, property, depth))
        })
        .collect();
    entries
        .prop_map(|entries| {
            entries.into_iter().filter(|(_, present, _)| *present).map(|(key, _, value)| (key, value)).collect()
        })
        .boxed()
}

/// Recordings with whatever their types allow.
pub fn recording() -> impl Strategy<Value = Recording> {
    let names = vec("\\PC{0,12}", 1..4);
    let origins = origins();
    let values = prop::collection::btree_map("[a-z]{1,6}_us", prop::option::of(prop::num::f64::NORMAL), 0..3);
    let memory = any::<[u64; 4]>();
    let error = (prop::option::of(any::<u32>()), "\\PC{0,8}", "\\PC{0,8}", origin());
    let head = (source(), scenario_text(), any::<bool>(), 0i64..1 << 40, prop::option::of(measured()));
    let tracks = vec((track(), vec(spans(), 1..3)), 0..5);
    (head, names, origins, tracks, values, vec(error, 0..2), memory, memory_map()).prop_map(
        |((source, text, own, wall, measured), names, origins, rows, values, errors, memory, memory_map)| {
            let scenario = own.then(|| scenario::load("generated.json", &text).unwrap());
            let (mut tracks, mut lanes) = (Vec::new(), Vec::new());
            for (track, rows) in rows {
                for (depth, mut spans) in (0..).zip(rows) {
                    for span in &mut spans {
                        span.name.0 %= names.len() as u32;
                        span.correlation.0 %= origins.entries.len() as u32;
                        span.after.0 %= origins.entries.len() as u32;
                    }
                    lanes.push(Lane { track: TrackId(tracks.len() as u32), depth, spans: spans.into() });
                }
                tracks.push(track);
            }
            let [peak_bytes, reserved_bytes, raw_allocs, blocks_waiting] = memory;
            Recording {
                source,
                knobs: scenario.as_ref().map_or_else(Knobs::default, |scenario| Knobs::defaults(&scenario.knobs)),
                scenario,
                wall: Interval::new(Ns::ZERO, Ns(wall)),
                names: names.into_iter().map(Localized::Same).collect(),
                tracks,
                lanes,
                origins,
                values,
                errors: errors.into_iter().map(|(code, name, text, at)| RunError { code, name, text, at }).collect(),
                memory: MemoryUse { peak_bytes, reserved_bytes, raw_allocs, blocks_waiting },
                memory_map,
                sm_use: None,
                measured,
            }
        },
    )
}

fn origins() -> impl Strategy<Value = Origins> {
    let entry = any::<(u32, u32, u16)>().prop_map(|(path, iter, thread)| OriginEntry {
        path,
        iter,
        thread,
        label: NameId(path % 3),
    });
    (vec("/program/[0-9]{1,2}", 0..3), vec(vec(any::<u32>(), 0..3), 0..3), vec(entry, 1..4))
        .prop_map(|(paths, iters, entries)| Origins { paths, iters, entries })
}

fn localized() -> impl Strategy<Value = Localized> {
    prop_oneof![
        "\\PC{0,8}".prop_map(Localized::Same),
        ("\\PC{0,8}", "\\PC{0,8}").prop_map(|(en, zh)| Localized::Each { en, zh }),
    ]
}

fn source() -> impl Strategy<Value = Source> {
    let text = || prop::option::of("\\PC{0,8}");
    let executor = select(vec![Executor::Model, Executor::Gpu, Executor::Import]);
    (executor, text(), prop::option::of(localized()), text()).prop_map(|(executor, device, profile, host)| Source {
        executor,
        device,
        profile,
        host,
    })
}

fn origin() -> impl Strategy<Value = Origin> {
    ("\\PC{0,8}", vec(any::<u32>(), 0..3), any::<u16>(), localized()).prop_map(|(path, iter, thread, label)| Origin {
        path,
        iter,
        thread,
        label,
    })
}

fn track() -> impl Strategy<Value = Track> {
    let kind = prop_oneof![
        any::<u32>().prop_map(|thread| TrackKind::HostThread { thread }),
        any::<u32>().prop_map(|thread| TrackKind::Regions { thread }),
        any::<(u32, i32)>().prop_map(|(stream, priority)| TrackKind::Stream { stream, priority }),
        select(vec![Engine::H2D, Engine::D2H]).prop_map(|engine| TrackKind::CopyEngine { engine }),
    ];
    let number = || prop::option::of(any::<u32>());
    let all = (kind, number(), number(), vec("\\PC{0,8}", 0..3));
    all.prop_map(|(kind, device, process, names)| Track { kind, device, process, names })
}

fn spans() -> impl Strategy<Value = Vec<Span>> {
    (any::<i32>(), vec(span(), 0..20)).prop_map(|(from, mut spans)| {
        let mut at = Ns(i64::from(from));
        for span in &mut spans {
            (span.start, span.end) = (at + span.start, at + span.start + span.end);
            at = span.end;
        }
        spans
    })
}

/// A span that starts so long after the one before it, and takes so long.
fn span() -> impl Strategy<Value = Span> {
    let times = (0i64..1 << 40, 0i64..1 << 40, any::<i64>(), any::<i64>());
    let cause = || select(Cause::ALL.to_vec());
    (times, select(SpanKind::ALL.to_vec()), cause(), cause(), any::<u32>(), any::<u32>()).prop_map(
        |((gap, dur, call, released), kind, released_by, held_by, name, correlation)| Span {
            start: Ns(gap),
            end: Ns(dur),
            call: Ns(call),
            released: Ns(released),
            kind,
            released_by,
            held_by,
            after: Correlation(correlation.rotate_left(7)),
            contended: Ns::ZERO,
            name: NameId(name),
            correlation: Correlation(correlation),
        },
    )
}

/// A small recording that is whole.
pub fn small_recording() -> Recording {
    let span = |start, end| Span {
        start: Ns(start),
        end: Ns(end),
        call: Ns(0),
        released: Ns(0),
        kind: SpanKind::Kernel,
        released_by: Cause::KernelGap,
        held_by: Cause::LaunchLatency,
        after: Correlation::NONE,
        contended: Ns::ZERO,
        name: NameId(0),
        correlation: Correlation(1),
    };
    Recording {
        source: Source { executor: Executor::Model, device: None, profile: Some("H200 profile".into()), host: None },
        scenario: None,
        knobs: Knobs::default(),
        wall: Interval::new(Ns::ZERO, Ns(100)),
        names: vec!["gemm".into()],
        tracks: vec![Track::new(TrackKind::Stream { stream: 0, priority: 0 })],
        lanes: vec![Lane { track: TrackId(0), depth: 0, spans: vec![span(10, 40), span(40, 90)].into() }],
        origins: Origins {
            paths: vec!["/program/0".to_owned()],
            iters: vec![Vec::new()],
            entries: vec![OriginEntry::default(); 2],
        },
        values: [("step_us".to_owned(), Some(0.1))].into(),
        errors: Vec::new(),
        memory: MemoryUse::default(),
        memory_map: MemoryMap::default(),
        sm_use: None,
        measured: None,
    }
}

fn memory_map() -> impl Strategy<Value = MemoryMap> {
    let place = || (any::<u64>(), any::<u64>(), 0i64..1 << 40, 0i64..1000);
    let segment = (place(), any::<u32>(), any::<u32>()).prop_map(|((address, bytes, start, dur), stream, pool)| {
        Segment { address, bytes, stream, pool, start: Ns(start), end: Ns(start + dur) }
    });
    let block = (place(), 0u32..4, prop::option::of(vec(any::<u32>(), 0..3))).prop_map(
        |((address, bytes, start, dur), owner, waits_for)| MemoryBlock {
            address,
            bytes,
            start: Ns(start),
            end: Ns(start + dur),
            owner: NameId(owner),
            waits_for,
        },
    );
    let until = prop::option::of((0i64..1 << 40).prop_map(Ns));
    (vec(segment, 0..3), vec(block, 0..3), until).prop_map(|(segments, blocks, until)| MemoryMap {
        segments,
        blocks,
        until,
    })
}

fn measured() -> impl Strategy<Value = Measured> {
    let stretch =
        (0u32..132, 0i64..1 << 40, 0i64..1000, 1u32..9, 0u32..9).prop_map(|(sm, start, dur, blocks, launch)| SmSpan {
            sm,
            start: Ns(start),
            end: Ns(start + dur),
            blocks,
            correlation: Correlation(launch),
        });
    let instrument = prop_oneof![Just(Instrument::Stamps), Just(Instrument::Events)];
    (any::<bool>(), instrument, vec(1i64..1 << 40, 0..4), 0i64..9000, vec(stretch, 0..3)).prop_map(
        |(traced, instrument, untraced, error, sms)| Measured {
            date: "2026-11-30".to_owned(),
            instrument: traced.then_some(instrument),
            untraced: untraced.into_iter().map(Ns).collect(),
            clock_error: traced.then_some(Ns(error)),
            sms,
            ..Measured::default()
        },
    )
}
