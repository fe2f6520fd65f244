//! What may stand in a capture: the driver's answers beside the model's.

use super::captures::{cases, outcome};
use super::{Check, look};

pub const CHECKS: &[Check] = &[("captures: error codes", error_codes)];

fn error_codes() -> String {
    let mut differ = Vec::new();
    let cases = cases();
    for case in &cases {
        let found = outcome(&look(&case.scenario));
        if found != case.expected {
            differ.push(format!("{}: model {:?}, GPU {found:?}", case.name, case.expected));
        }
    }
    assert!(differ.is_empty(), "{} of {} differ\n{}", differ.len(), cases.len(), differ.join("\n"));
    format!("{} captures, each with the codes and nodes of the model", cases.len())
}
