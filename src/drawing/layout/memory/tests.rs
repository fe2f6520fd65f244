//! In these, one nanosecond is one point, and one byte is a tenth of one.

use super::*;
use crate::drawing::Theme;
use crate::drawing::layout::testing::{self, WIDTH, laid_out};
use crate::drawing::layout::{Layout, Prepared, RowKind, View, layout};
use crate::recording::{MemoryMap, NameId, Segment};
use proptest::prelude::*;

fn a_segment(address: u64, bytes: u64, user: (u32, u32), time: (i64, i64)) -> Segment {
    Segment { address, bytes, stream: user.1, pool: user.0, start: Ns(time.0), end: Ns(time.1) }
}

fn a_block(address: u64, bytes: u64, time: (i64, i64), owner: u32, waits_for: Option<Vec<u32>>) -> MemoryBlock {
    MemoryBlock { address, bytes, start: Ns(time.0), end: Ns(time.1), owner: NameId(owner), waits_for }
}

fn recording(segments: Vec<Segment>, blocks: Vec<MemoryBlock>) -> Recording {
    let empty = testing::recording(Vec::new());
    let wall = Interval::new(Ns::ZERO, Ns(WIDTH));
    Recording { wall, memory_map: MemoryMap { segments, blocks, until: None }, ..empty }
}

fn lane(layout: &Layout, row: RowKind) -> Option<&LaneLayout> {
    layout.lanes.iter().find(|lane| lane.row == row)
}

/// Rectangles of blocks: owned and waiting.
fn rects(layout: &Layout) -> (Vec<Rect>, Vec<Rect>) {
    let fills: Vec<Rgba> = (0..Theme::TENSORS).map(|hue| Theme::light().tensor(hue).fill).collect();
    let (mut owned, mut waiting) = (Vec::new(), Vec::new());
    for drawable in &lane(layout, RowKind::Memory).unwrap().drawables {
        match drawable {
            Drawable::Box { rect, fill, .. } if fills.contains(fill) => owned.push(*rect),
            Drawable::Hatch { rect, .. } => waiting.push(*rect),
            _ => {}
        }
    }
    (owned, waiting)
}

#[test]
fn a_block_is_as_wide_as_it_lasts_and_as_high_as_it_is_large() {
    let blocks = vec![a_block(1000, 100, (100, 400), 0, None), a_block(1100, 300, (200, 700), 1, Some(vec![7]))];
    let recording = recording(vec![a_segment(1000, 400, (0, 0), (0, WIDTH))], blocks);
    let (layout, _) = laid_out(&recording);
    let (owned, waiting) = rects(&layout);
    let ([owned], [waiting]) = (&owned[..], &waiting[..]) else { panic!("{owned:?} {waiting:?}") };
    assert_eq!((owned.x, owned.right(), waiting.x, waiting.right()), (100.0, 400.0, 200.0, 700.0));
    assert_eq!(owned.bottom(), waiting.y);
    let per_byte = (owned.h + waiting.h) / 400.0;
    assert!((owned.w * owned.h - per_byte * 100.0 * 300.0).abs() < 1.0);
    assert!((waiting.w * waiting.h - per_byte * 300.0 * 500.0).abs() < 1.0);
    let memory = lane(&layout, RowKind::Memory).unwrap();
    let said = |text: &str| memory.drawables.iter().any(|it| matches!(it, Drawable::Text(it) if &*it.text == text));
    assert!(said("gemm 1024³ · 100 B") && said("cudaLaunchKernel waits for Stream 7"), "{memory:?}");
}

#[test]
fn without_memory_there_is_no_lane_and_where_nothing_changes_no_line() {
    let (none, _) = laid_out(&recording(Vec::new(), Vec::new()));
    assert!(none.lanes.is_empty());
    let held = vec![a_block(0, 512, (0, WIDTH), 0, None)];
    let (steady, _) = laid_out(&recording(vec![a_segment(0, 512, (0, 0), (0, WIDTH))], held));
    assert!(lane(&steady, RowKind::Memory).unwrap().under.contains("512 B"));
    assert!(lane(&steady, RowKind::MemoryUse).is_none());
}

#[test]
fn private_pools_and_streams_are_named_beside_their_bands() {
    let segments = vec![
        a_segment(3000, 500, (2, 0), (0, WIDTH)),
        a_segment(1000, 500, (0, 0), (0, WIDTH)),
        a_segment(2000, 500, (0, 7), (10, WIDTH)),
    ];
    let tracks = vec![testing::stream()];
    let recording = Recording { tracks, lanes: vec![testing::lane(&[])], ..recording(segments, Vec::new()) };
    let theme = Theme::light();
    let view = View::new(Interval::new(Ns(0), Ns(WIDTH)));
    let layout = layout(&recording, &Prepared::new(&recording), &Options::new(view, &theme, WIDTH as f32));
    let names = &lane(&layout, RowKind::Memory).unwrap().names;
    let texts: Vec<(&str, f32)> = names
        .iter()
        .filter_map(|it| if let Drawable::Text(it) = it { Some((&*it.text, it.at.y)) } else { None })
        .collect();
    let of = |wanted: &str| texts.iter().find(|it| it.0 == wanted).unwrap_or_else(|| panic!("{wanted} in {texts:?}")).1;
    assert!(of("compute") < of("pool 2"));
    assert!(texts.first().unwrap().1 < of("compute"), "{texts:?}");
}

#[test]
fn many_blocks_are_shaded_and_still_found() {
    let blocks = (0..50_000u64).map(|i| a_block(i % 7 * 1000, 1000, (i as i64 / 50, i as i64 / 50 + 1), 0, None));
    let recording = recording(vec![a_segment(0, 7000, (0, 0), (0, WIDTH))], blocks.collect());
    let (layout, prepared) = laid_out(&recording);
    let memory = lane(&layout, RowKind::Memory).unwrap();
    assert!(memory.drawables.len() < 200, "{}", memory.drawables.len());
    let hit = layout.hit(&prepared, Point::new(500.5, memory.inner.y + memory.inner.h * 0.5));
    let Some(Hit::Block { block }) = hit else { panic!("{hit:?}") };
    assert!(layout.block(&prepared, block).is_some_and(|rect| (rect.x - 500.5).abs() < 4.0));
}

#[test]
fn a_point_finds_the_block_the_cached_rest_or_nothing() {
    let blocks = vec![a_block(1000, 100, (100, 400), 0, None)];
    let (layout, prepared) = laid_out(&recording(vec![a_segment(1000, 400, (50, 900), (0, 0))], Vec::new()));
    assert!(layout.hit(&prepared, Point::new(1.0, 1.0)).is_none());
    let (layout, prepared) = laid_out(&recording(vec![a_segment(1000, 400, (0, 0), (50, 900))], blocks));
    let inner = lane(&layout, RowKind::Memory).unwrap().inner;
    let hit = |x: f32, share: f32| layout.hit(&prepared, Point::new(x, inner.y + share * inner.h));
    assert_eq!(hit(200.0, 0.1), Some(Hit::Block { block: 0 }));
    assert_eq!(hit(200.0, 0.8), Some(Hit::Segment { segment: 0 }));
    assert_eq!(hit(950.0, 0.8), None);
    let used = lane(&layout, RowKind::MemoryUse).unwrap().inner;
    let held = layout.hit(&prepared, Point::new(200.0, used.y + 1.0));
    assert_eq!(held, Some(Hit::Memory { allocated: 100, reserved: 400 }));
}

fn garbage() -> impl Strategy<Value = MemoryMap> {
    let number = || prop_oneof![any::<u64>(), 0u64..5000, Just(u64::MAX), Just(0)];
    let time = || prop_oneof![any::<i64>(), 0i64..2000, Just(i64::MAX), Just(i64::MIN)];
    let segment = (number(), number(), any::<u32>(), 0u32..3, time(), time());
    let segment = segment
        .prop_map(|(address, bytes, stream, pool, start, end)| a_segment(address, bytes, (pool, stream), (start, end)));
    let block =
        (number(), number(), time(), time(), 0u32..9, prop::option::of(prop::collection::vec(any::<u32>(), 0..3)));
    let block = block.prop_map(|(address, bytes, start, end, owner, waits_for)| {
        a_block(address, bytes, (start, end), owner, waits_for)
    });
    let segments = prop::collection::vec(segment, 0..12);
    (segments, prop::collection::vec(block, 0..40)).prop_map(|(segments, blocks)| MemoryMap {
        segments,
        blocks,
        until: None,
    })
}

proptest! {
    #[test]
    fn whatever_a_file_says_it_is_drawn_within_its_lane(map in garbage(), x in 0f32..1000.0, share in 0f32..1.0) {
        let recording = recording(map.segments, map.blocks);
        let (layout, prepared) = laid_out(&recording);
        let Some(memory) = lane(&layout, RowKind::Memory) else { return Ok(()) };
        let inner = memory.inner;
        let (owned, waiting) = rects(&layout);
        for rect in owned.into_iter().chain(waiting) {
            prop_assert!(rect.x >= inner.x - 0.1 && rect.right() <= inner.right() + 0.1, "{rect:?} {inner:?}");
            prop_assert!(rect.y >= inner.y - 1.0 && rect.bottom() <= inner.bottom() + 1.0, "{rect:?} {inner:?}");
        }
        if let Some(Hit::Block { block }) = layout.hit(&prepared, Point::new(x, inner.y + share * inner.h)) {
            prop_assert!(block < recording.memory_map.blocks.len());
        }
    }

    #[test]
    fn the_counters_are_the_sums_of_what_is_there(
        parts in prop::collection::vec((0u64..50, 1u64..100, 0i64..WIDTH, 1i64..300), 1..40), at in 0i64..WIDTH,
    ) {
        let blocks: Vec<MemoryBlock> =
            parts.iter().map(|&(address, bytes, start, dur)| a_block(address, bytes, (start, start + dur), 0, None)).collect();
        let recording = recording(vec![a_segment(0, 150, (0, 0), (0, 2 * WIDTH))], blocks);
        let there = recording.memory_map.blocks.iter().filter(|it| it.start <= Ns(at) && Ns(at) < it.end);
        let allocated: u64 = there.map(|it| it.bytes).sum();
        prop_assert_eq!(Prepared::new(&recording).memory.held(Ns(at)), Some((allocated, 150)));
    }
}
