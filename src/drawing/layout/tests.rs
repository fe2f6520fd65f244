//! In these, one nanosecond is one point.

use super::testing::{WIDTH, laid_out, lane, recording, span, with_tracks};
use super::*;
use crate::drawing::drawable::Column;
use crate::drawing::theme::Rgba;
use crate::recording::{Cause, Lane, Recording, Span, SpanKind, Track, TrackId, TrackKind};
use crate::time::{Interval, Ns};
use proptest::prelude::*;

fn boxes(lane: &LaneLayout, fill: Rgba) -> Vec<(f32, f32)> {
    let found = lane.drawables.iter().filter_map(|drawable| match drawable {
        Drawable::Box { rect, fill: f, .. } if *f == fill => Some((rect.x, rect.right())),
        _ => None,
    });
    found.collect()
}

fn hatched(lane: &LaneLayout) -> Vec<(f32, f32)> {
    let found = lane.drawables.iter().filter_map(|drawable| match drawable {
        Drawable::Hatch { rect, .. } => Some((rect.x, rect.right())),
        _ => None,
    });
    found.collect()
}

#[test]
fn few_spans_are_exact_and_the_gap_between_them_is_hatched() {
    let recording = recording(vec![lane(&[(100, 300, SpanKind::Kernel), (400, 450, SpanKind::Kernel)])]);
    let (layout, _) = laid_out(&recording);
    let lane = &layout.lanes[0];
    let kernel = Theme::light().span(category::Category::Kernel).fill;
    assert_eq!(boxes(lane, kernel), [(100.0, 300.0), (400.0, 450.0)]);
    assert_eq!(hatched(lane), [(300.0, 400.0)]);
    let texts: Vec<&str> =
        lane.drawables.iter().filter_map(|d| if let Drawable::Text(t) = d { Some(&*t.text) } else { None }).collect();
    assert!(texts.iter().any(|text| text.starts_with("100 ns")), "{texts:?}");
    assert!(texts.contains(&"gemm 1024³"), "{texts:?}");
}

#[test]
fn a_span_of_no_length_is_a_point_wide_but_never_over_its_neighbour() {
    let spans = [(100, 100, SpanKind::Event), (500, 500, SpanKind::Event), (500, 600, SpanKind::Kernel)];
    let recording = recording(vec![lane(&spans)]);
    let (layout, _) = laid_out(&recording);
    let event = Theme::light().span(category::Category::Event).fill;
    assert_eq!(boxes(&layout.lanes[0], event), [(100.0, 101.0), (500.0, 500.0)]);
}

/// What is drawn of `spans`, ten nanoseconds a point.
fn folded(spans: &[(i64, i64, SpanKind)]) -> LaneLayout {
    let recording = recording(vec![lane(spans)]);
    let prepared = Prepared::new(&recording);
    let theme = Theme::light();
    let view = View::new(Interval::new(Ns(0), Ns(10 * WIDTH)));
    let options = Options { gutter: 0.0, ..Options::new(view, &theme, WIDTH as f32) };
    let mut layout = layout(&recording, &prepared, &options);
    layout.lanes.swap_remove(0)
}

fn columns(lane: &LaneLayout) -> Vec<&[Column]> {
    let found = lane.drawables.iter().filter_map(|drawable| match drawable {
        Drawable::Columns { columns, .. } => Some(&columns[..]),
        _ => None,
    });
    found.collect()
}

#[test]
fn many_spans_are_drawn_as_columns_filled_by_what_was_busy_over_the_hatching_of_the_rest() {
    // Of each point half is busy.
    let spans: Vec<_> = (0..WIDTH).map(|i| (i * 10, i * 10 + 5, SpanKind::Kernel)).collect();
    let lane = folded(&spans);
    let kernel = Theme::light().span(category::Category::Kernel).fill;
    let [busy] = columns(&lane)[..] else { panic!("what was busy, and no blanks") };
    assert_eq!(busy.len(), WIDTH as usize);
    assert!(busy.iter().all(|column| column.filled == (0.0, 0.5) && column.color == kernel), "{busy:?}");
    assert!(busy.windows(2).all(|pair| pair[0].right <= pair[1].left + 1e-3));
    // Nothing comes after the last kernel: that is not idleness, and stays clear.
    assert_eq!(hatched(&lane), [(0.0, WIDTH as f32 - 1.0)]);
}

proptest! {
    // Each looks at 20 000 points.
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_folded_lane_shows_as_much_busy_and_idle_as_there_was(gaps in prop::collection::vec((0i64..30, 1i64..25), 600..900)) {
        let mut at = 0;
        let spans: Vec<_> = gaps.iter().map(|&(gap, dur)| {
            let start = at + gap;
            at = start + dur;
            (start, at, SpanKind::Kernel)
        }).collect();
        let seen = Interval::new(Ns(0), Ns(10 * WIDTH));
        let within = |start: i64, end: i64| Interval::new(Ns(start), Ns(end)).intersect(seen).dur().0 as f32;
        let busy: f32 = spans.iter().map(|span| within(span.0, span.1)).sum();
        let idle: f32 = spans.windows(2).map(|pair| within(pair[0].1, pair[1].0)).sum();
        let lane = folded(&spans);
        let inner = lane.inner;
        let theme = Theme::light();
        let kernel = theme.span(category::Category::Kernel).fill;
        // Paints the lane point by point, from back to front; whatever is painted there last is seen.
        let rows = 20;
        let mut seen_busy = 0.0;
        let mut seen_idle = 0.0;
        for column in 0..WIDTH {
            for row in 0..rows {
                let point = Point::new(column as f32 + 0.5, inner.y + inner.h * (row as f32 + 0.5) / rows as f32);
                let painted = lane.drawables.iter().rev().find_map(|drawable| painted(drawable, point));
                seen_busy += if painted == Some(kernel) { 1.0 } else { 0.0 };
                seen_idle += if painted.is_some_and(|color| Cause::ALL.iter().any(|&cause| theme.idle(cause).0 == color)) { 1.0 } else { 0.0 };
            }
        }
        // Ten nanoseconds a point, `rows` rows; what is thin is drawn higher than it is, and edges fall into one point or the next.
        let (seen_busy, seen_idle) = (10.0 * seen_busy / rows as f32, 10.0 * seen_idle / rows as f32);
        let all = 10.0 * WIDTH as f32;
        prop_assert!((seen_busy - busy).abs() < 0.03 * all, "busy {busy} of {all}, seen {seen_busy}");
        prop_assert!((seen_idle - idle).abs() < 0.03 * all, "idle {idle} of {all}, seen {seen_idle}");
    }
}

/// The colour that `drawable` has at `point`, of hatching the ground.
fn painted(drawable: &Drawable, point: Point) -> Option<Rgba> {
    match drawable {
        Drawable::Box { rect, fill, .. } => rect.contains(point).then_some(*fill),
        Drawable::Hatch { rect, ground, .. } => rect.contains(point).then_some(*ground),
        Drawable::Columns { y, h, columns } => {
            let column = columns.iter().find(|column| column.run(column, *y, *h).contains(point))?;
            Some(column.color)
        }
        _ => None,
    }
}

#[test]
fn a_point_finds_the_span_the_bubble_or_nothing() {
    let recording = recording(vec![lane(&[(100, 300, SpanKind::Kernel), (400, 401, SpanKind::Kernel)])]);
    let (layout, prepared) = laid_out(&recording);
    let y = layout.lanes[0].inner.y + 1.0;
    let hit = |x: f32| layout.hit(&prepared, Point::new(x, y));
    assert_eq!(hit(200.0), Some(Hit::Span { lane: 0, span: 0 }));
    assert_eq!(hit(350.0), Some(Hit::Bubble { lane: 0, bubble: 0 }));
    assert_eq!(hit(402.5), Some(Hit::Span { lane: 0, span: 1 }));
    assert_eq!(hit(50.0), None);
    assert_eq!(hit(900.0), None);
    assert_eq!(layout.hit(&prepared, Point::new(200.0, -5.0)), None);
}

fn one_host_and(streams: &[Vec<Span>], calls: Vec<Span>) -> Recording {
    let host = Track::new(TrackKind::HostThread { thread: 0 });
    let tracks = std::iter::once(host).chain(
        (0..).zip(streams).map(|(number, _)| Track::named(TrackKind::Stream { stream: number, priority: 0 }, "")),
    );
    let lanes = (0..).map(TrackId).zip(std::iter::once(calls).chain(streams.to_owned()));
    let lanes = lanes.map(|(track, spans)| Lane { track, depth: 0, spans: spans.into() }).collect();
    with_tracks(tracks.collect(), lanes)
}

fn sides(rect: Rect) -> (f32, f32) {
    (rect.x, rect.right())
}

#[test]
fn the_chain_of_a_launch_leads_from_the_call_through_the_queue_to_the_work() {
    let called = vec![Span { call: Ns(50), ..span(10, 60, SpanKind::Call, 3) }];
    let ran = vec![Span { call: Ns(60), ..span(80, 200, SpanKind::Kernel, 3) }];
    let recording = one_host_and(&[ran], called);
    let (layout, prepared) = laid_out(&recording);
    let rows: Vec<RowKind> = layout.lanes.iter().map(|lane| lane.row).collect();
    assert_eq!(rows, [RowKind::Host(0), RowKind::Queue, RowKind::Stream(1)]);
    let found = chain(&layout, &recording, &prepared, Hit::Span { lane: 1, span: 0 }, &Theme::light());
    assert_eq!(found.subject.map(sides), Some((80.0, 200.0)));
    assert_eq!(found.parts.iter().copied().map(sides).collect::<Vec<_>>(), [(10.0, 60.0), (80.0, 200.0)]);
    assert_eq!(found.through.iter().copied().map(sides).collect::<Vec<_>>(), [(60.0, 80.0)]);
    assert_eq!(found.through[0].y, layout.lanes[1].inner.y);
    let [Drawable::Arrow { from, to, .. }] = found.arrows[..] else { panic!("{:?}", found.arrows) };
    assert_eq!((from.x, to.x), (60.0, 80.0));
    assert!(from.y < to.y);
    assert_eq!(found.waited_for, None);
}

#[test]
fn work_that_waited_for_another_stream_is_tied_to_what_let_it_go() {
    // The copy on the second stream ends at 300, and its event lets the kernel on the first go at 310.
    let waits =
        Span { call: Ns(50), released: Ns(310), released_by: Cause::CopyWait, ..span(310, 400, SpanKind::Kernel, 2) };
    let before = span(20, 280, SpanKind::Kernel, 1);
    let copy = span(100, 300, SpanKind::CopyH2D, 3);
    let recording = one_host_and(&[vec![before, waits], vec![copy]], Vec::new());
    let (layout, prepared) = laid_out(&recording);
    let found = chain(&layout, &recording, &prepared, Hit::Span { lane: 1, span: 1 }, &Theme::light());
    assert_eq!(found.waited_for.map(sides), Some((100.0, 300.0)));
    let [Drawable::Arrow { from, to, .. }] = found.arrows[..] else { panic!("{:?}", found.arrows) };
    assert_eq!((from.x, to.x), (300.0, 310.0));
    assert!(from.y > to.y, "the copy stands below, so the arrow leads upward");
    // What began when it was handed over has waited for nothing.
    let first = chain(&layout, &recording, &prepared, Hit::Span { lane: 1, span: 0 }, &Theme::light());
    assert_eq!((first.waited_for, first.arrows), (None, Vec::new()));
}

#[test]
fn of_a_selected_bubble_and_of_a_selected_node_the_outlines_are_their_own() {
    let node = |start, end| span(start, end, SpanKind::GraphKernel, 5);
    let recording = one_host_and(&[vec![node(100, 150), node(200, 300), node(310, 400)]], Vec::new());
    let (layout, prepared) = laid_out(&recording);
    let chain = |hit| chain(&layout, &recording, &prepared, hit, &Theme::light());
    let found = chain(Hit::Span { lane: 1, span: 1 });
    assert_eq!(found.subject.map(sides), Some((200.0, 300.0)));
    assert_eq!(found.parts.iter().copied().map(sides).collect::<Vec<_>>(), [(100.0, 400.0)]);
    let found = chain(Hit::Bubble { lane: 1, bubble: 0 });
    assert_eq!(found.subject.map(sides), Some((150.0, 200.0)));
}
