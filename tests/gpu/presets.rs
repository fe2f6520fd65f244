//! The presets with the settings that the lecture compares, beside what PyTorch took.

use streamscope::profile::shipped;
use streamscope::recording::{Instrument, check};
use streamscope::scenario::{Knobs, presets};

use super::{Check, measure, runs};

pub const CHECKS: &[Check] = &[("presets: beside PyTorch", beside_pytorch)];

fn beside_pytorch() -> String {
    assert_eq!(shipped("h200").unwrap().name, "h200");
    let mut lines = Vec::new();
    for preset in presets() {
        let scenario = preset.scenario().unwrap();
        for reference in &scenario.references {
            let mut knobs = Knobs::defaults(&scenario.knobs);
            for (id, value) in &reference.knobs {
                knobs.set(&scenario.knobs, id, value.clone()).unwrap();
            }
            let recording = measure(&scenario, &knobs, &runs(3, Instrument::Stamps));
            let what = format!("{} {:?} {}", scenario.name, reference.knobs, reference.metric);
            check(&recording).unwrap_or_else(|damage| panic!("{what}: {damage}"));
            assert!(recording.errors.is_empty(), "{what}: {:?}", recording.errors);
            let found = recording.values.get(&reference.metric).copied().flatten();
            let found = found.unwrap_or_else(|| panic!("{what}: no value"));
            let measured = recording.measured.as_ref().unwrap();
            let cost = measured.cost_of_looking(recording.wall.dur()).unwrap();
            lines.push(format!(
                "{what}: {found:.1}, PyTorch {:.1}, ratio {:.3}; looking {cost:.3}×; {} spans",
                reference.measured,
                found / reference.measured,
                recording.span_count()
            ));
        }
    }
    lines.join("\n")
}
