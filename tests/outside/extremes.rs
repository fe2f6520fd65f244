//! Numbers that nobody means: a scenario with one is lowered or refused by a sentence, never a panic.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};
use streamscope::program::lower;
use streamscope::scenario::{Knobs, Scenario, load, presets};

use super::generated::scenario_text;

const EXTREMES: [f64; 9] = [0.0, -1.0, 0.5, 1.0, 65536.0, 4_294_967_296.0, 1e18, -1e300, 1e300];

/// The numbers of statements, in the order of the file.
fn numbers(value: &mut Value) -> Vec<&mut Value> {
    match value {
        Value::Number(_) => vec![value],
        Value::Array(items) => items.iter_mut().flat_map(numbers).collect(),
        Value::Object(entries) => entries.values_mut().flat_map(numbers).collect(),
        Value::Null | Value::Bool(_) | Value::String(_) => Vec::new(),
    }
}

fn lowered(scenario: &Scenario) -> Result<(), TestCaseError> {
    if let Err(error) = lower(scenario, &Knobs::defaults(&scenario.knobs)) {
        let sections = ["/device", "/setup", "/program"];
        let path = error.pointer().unwrap_or_default();
        prop_assert!(sections.iter().any(|section| path.starts_with(section)), "{error}");
        prop_assert!(error.to_string().len() > path.len() + 2, "{error}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(super::round_trip::cases(64))]

    #[test]
    fn an_extreme_number_in_a_shipped_scenario_is_no_trap(
        which in any::<Index>(),
        section in select(vec!["setup", "program"]),
        changes in prop::collection::vec((any::<Index>(), select(EXTREMES.to_vec())), 1..4),
    ) {
        let mut document: Value = serde_json::from_str(which.get(presets()).text).unwrap();
        let mut numbers = numbers(&mut document[section]);
        let count = numbers.len();
        for (index, extreme) in changes.into_iter().filter(|_| count > 0) {
            *numbers[index.index(count)] = json!(extreme);
        }
        lowered(&load("extreme.json", &document.to_string()).unwrap())?;
    }
}

proptest! {
    #![proptest_config(super::round_trip::cases(32))]

    #[test]
    fn what_the_format_allows_is_lowered_or_refused(text in scenario_text()) {
        lowered(&load("generated.json", &text).unwrap())?;
    }
}
