//! What a figure says of the knobs of its run.

use crate::recording::Recording;
use crate::text::Lang;

/// The knobs as they were, in the words of the scenario and in its order: `.item() each step: on · Steps: 6`. Empty where the
/// run had none.
pub fn knobs_caption(recording: &Recording, lang: Lang) -> String {
    let known = recording.scenario.as_ref().map_or(&[][..], |scenario| &scenario.knobs);
    let said = known.iter().filter_map(|knob| {
        let value = recording.knobs.0.get(knob.id())?;
        Some(knob.said(value, lang))
    });
    said.collect::<Vec<_>>().join(" · ")
}
