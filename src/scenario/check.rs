//! What must fit together in a scenario before any knob has a value.

use std::collections::BTreeSet;

use super::{Knob, Knobs, Reference, Scenario};

/// A part of a scenario that does not fit the rest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct Misfit {
    /// JSON pointer of the part, such as `/knobs/2/number/default`.
    pub path: String,
    /// What is wrong and what is allowed.
    pub message: String,
}

/// Words that mean something else in an expression.
const RESERVED: [&str; 6] = ["true", "false", "min", "max", "floor", "ceil"];

/// Checks what needs no lowering: the name, the knobs, and the knobs that references set.
///
/// # Errors
/// The first part that does not fit.
pub fn check(scenario: &Scenario) -> Result<(), Misfit> {
    if !is_file_name(&scenario.name) {
        return Err(Misfit {
            path: "/name".to_owned(),
            message: format!("`{}` is not a name: use letters, digits, `-` and `_`", scenario.name),
        });
    }
    let mut seen = BTreeSet::new();
    for (i, knob) in scenario.knobs.iter().enumerate() {
        let misfit = |key: &str, message: String| Misfit { path: format!("/knobs/{i}/{}{key}", kind(knob)), message };
        check_knob(knob).map_err(|(key, message)| misfit(key, message))?;
        if !seen.insert(knob.id()) {
            return Err(misfit("/id", format!("`{}` is the id of a second knob: each needs its own", knob.id())));
        }
    }
    scenario.references.iter().enumerate().try_for_each(|(i, reference)| check_reference(&scenario.knobs, i, reference))
}

fn is_file_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
}

fn kind(knob: &Knob) -> &'static str {
    match knob {
        Knob::Toggle { .. } => "toggle",
        Knob::Number { .. } => "number",
        Knob::Choice { .. } => "choice",
    }
}

/// The key below the knob, and what is wrong with it.
fn check_knob(knob: &Knob) -> Result<(), (&'static str, String)> {
    let id = knob.id();
    let starts_well = id.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !starts_well || !id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') || RESERVED.contains(&id) {
        let reserved = RESERVED.join(", ");
        return Err((
            "/id",
            format!(
                "`{id}` cannot stand in an expression: use letters, digits and `_`, a letter first, and none of {reserved}"
            ),
        ));
    }
    match knob {
        Knob::Toggle { .. } => {}
        Knob::Number { min, max, step, .. } => {
            if min > max {
                return Err(("/min", format!("{min} is more than the `max` of {max}: `min` must not be")));
            }
            if step.is_some_and(|step| step <= 0.0) {
                return Err(("/step", "a step must be more than 0".to_owned()));
            }
        }
        Knob::Choice { options, .. } => {
            let mut seen = BTreeSet::new();
            for option in options {
                if option.id.is_empty() || option.id.contains('\'') {
                    return Err((
                        "/options",
                        format!("`{}` cannot be the id of an option: it must not be empty or hold a `'`", option.id),
                    ));
                }
                if !seen.insert(&option.id) {
                    return Err(("/options", format!("`{}` is there twice: each option needs its own id", option.id)));
                }
            }
        }
    }
    knob.check(&knob.default_value()).map_err(|error| ("/default", error.to_string()))
}

fn check_reference(knobs: &[Knob], index: usize, reference: &Reference) -> Result<(), Misfit> {
    let misfit = |key: &str, message: String| Misfit { path: format!("/references/{index}/{key}"), message };
    let mut set = Knobs::defaults(knobs);
    for (id, value) in &reference.knobs {
        set.set(knobs, id, value.clone()).map_err(|error| misfit(&format!("knobs/{id}"), error.to_string()))?;
    }
    match reference.spread {
        Some([low, high]) if low > high => {
            Err(misfit("spread", format!("{low} is more than {high}: the smaller figure comes first")))
        }
        _ => Ok(()),
    }
}
