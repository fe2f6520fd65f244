//! Knobs: what can be switched in a scenario, and the values they have.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::{Key, Lang, Localized};

/// Something that can be switched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Knob {
    /// On or off.
    Toggle {
        /// Name in expressions and on the command line.
        id: String,
        /// What the window says.
        label: Localized,
        /// The value at first.
        default: bool,
    },
    /// A number within a range.
    Number {
        /// Name in expressions and on the command line.
        id: String,
        /// What the window says.
        label: Localized,
        /// The value at first.
        default: f64,
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
        /// Distance between two values; without it, 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<f64>,
    },
    /// One of several.
    Choice {
        /// Name in expressions and on the command line.
        id: String,
        /// What the window says.
        label: Localized,
        /// Id of the option at first.
        default: String,
        /// What can be chosen.
        options: Vec<ChoiceOption>,
    },
}

/// One of several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChoiceOption {
    /// Its value in expressions and on the command line.
    pub id: String,
    /// What the window says.
    pub label: Localized,
}

/// The value of a knob.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "wrong kind of value; allowed: true, false, a number, or the id of an option")]
pub enum KnobValue {
    /// Of a toggle.
    Toggle(bool),
    /// Of a number.
    Number(f64),
    /// Of a choice.
    Choice(String),
}

impl fmt::Display for KnobValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Toggle(value) => write!(f, "{value}"),
            Self::Number(value) => write!(f, "{value}"),
            Self::Choice(value) => f.write_str(value),
        }
    }
}

/// The values of all knobs of a scenario, by id.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Knobs(pub BTreeMap<String, KnobValue>);

/// A knob was given a value that it cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KnobError {
    /// No such knob.
    #[error("there is no knob `{id}`; this scenario has {known}")]
    Unknown {
        /// The name that was given.
        id: String,
        /// Those that exist.
        known: String,
    },
    /// The value does not fit.
    #[error("knob `{id}` cannot be `{value}`; allowed: {allowed}")]
    Value {
        /// The knob.
        id: String,
        /// The value that was given.
        value: String,
        /// What it can be.
        allowed: String,
    },
}

impl Knob {
    /// Name in expressions and on the command line.
    pub fn id(&self) -> &str {
        match self {
            Self::Toggle { id, .. } | Self::Number { id, .. } | Self::Choice { id, .. } => id,
        }
    }

    /// What the window says.
    pub fn label(&self) -> &Localized {
        match self {
            Self::Toggle { label, .. } | Self::Number { label, .. } | Self::Choice { label, .. } => label,
        }
    }

    /// The value at first.
    pub fn default_value(&self) -> KnobValue {
        match self {
            Self::Toggle { default, .. } => KnobValue::Toggle(*default),
            Self::Number { default, .. } => KnobValue::Number(*default),
            Self::Choice { default, .. } => KnobValue::Choice(default.clone()),
        }
    }

    /// The knob and its value in the words of a person: `CUDA graph: on`.
    pub fn said(&self, value: &KnobValue, lang: Lang) -> String {
        lang.fill(Key::Says, &[self.label().get(lang), &self.shown(value, lang)])
    }

    /// The value after `value`, or before it, and round again: the other side of a toggle, the next option, a tenth of the range
    /// further. Over several powers of ten, a number doubles.
    pub fn next(&self, value: &KnobValue, back: bool) -> KnobValue {
        match (self, value) {
            (Self::Toggle { .. }, KnobValue::Toggle(is_on)) => KnobValue::Toggle(!is_on),
            (Self::Number { min, max, step, .. }, KnobValue::Number(number)) => {
                let step = step.unwrap_or(1.0);
                let by = if *min > 0.0 && max / min >= 100.0 {
                    if back { number / 2.0 } else { *number }
                } else {
                    (max - min) / 10.0
                };
                let by = ((by / step).round() * step).max(step);
                let next = if back { number - by } else { number + by };
                KnobValue::Number(match () {
                    () if next > *max && number < max => *max,
                    () if next < *min && number > min => *min,
                    () if next > *max => *min,
                    () if next < *min => *max,
                    () => next,
                })
            }
            (Self::Choice { options, .. }, KnobValue::Choice(id)) => {
                let here = options.iter().position(|option| option.id == *id).unwrap_or(0);
                let next = if back { here + options.len().saturating_sub(1) } else { here + 1 };
                let option = options.get(next % options.len().max(1));
                option.map_or_else(|| value.clone(), |option| KnobValue::Choice(option.id.clone()))
            }
            (Self::Toggle { .. } | Self::Number { .. } | Self::Choice { .. }, _) => self.default_value(),
        }
    }

    /// The knob without what the window says.
    pub fn silent(&self) -> Self {
        let mut silent = self.clone();
        match &mut silent {
            Self::Toggle { label, .. } | Self::Number { label, .. } => *label = "".into(),
            Self::Choice { label, options, .. } => {
                *label = "".into();
                options.iter_mut().for_each(|option| option.label = "".into());
            }
        }
        silent
    }

    /// What the knob can be, in words.
    pub fn allowed(&self) -> String {
        match self {
            Self::Toggle { .. } => "true, false".to_owned(),
            Self::Number { min, max, step, .. } => match step.unwrap_or(1.0) {
                1.0 => format!("a whole number from {min} to {max}"),
                step => format!("a number from {min} to {max} in steps of {step}"),
            },
            Self::Choice { options, .. } => options.iter().map(|o| o.id.as_str()).collect::<Vec<_>>().join(", "),
        }
    }

    /// A value in words: on or off, the label of an option, or the number.
    pub fn shown(&self, value: &KnobValue, lang: Lang) -> String {
        match (self, value) {
            (_, KnobValue::Toggle(is_on)) => lang.text(if *is_on { Key::SwitchOn } else { Key::SwitchOff }).to_owned(),
            (Self::Choice { options, .. }, KnobValue::Choice(id)) => {
                let option = options.iter().find(|option| option.id == *id);
                option.map_or(id.as_str(), |option| option.label.get(lang)).to_owned()
            }
            (_, KnobValue::Choice(_) | KnobValue::Number(_)) => value.to_string(),
        }
    }

    /// Checks `value` against what this knob can be.
    ///
    /// # Errors
    /// [`KnobError::Value`] when the kind or the range does not fit.
    pub fn check(&self, value: &KnobValue) -> Result<(), KnobError> {
        let fits = match (self, value) {
            (Self::Toggle { .. }, KnobValue::Toggle(_)) => true,
            (Self::Number { min, max, step, .. }, KnobValue::Number(value)) => {
                let steps = (value - min) / step.unwrap_or(1.0);
                value.is_finite() && min <= value && value <= max && (steps - steps.round()).abs() < 1e-6
            }
            (Self::Choice { options, .. }, KnobValue::Choice(value)) => options.iter().any(|o| o.id == *value),
            (Self::Toggle { .. } | Self::Number { .. } | Self::Choice { .. }, _) => false,
        };
        if fits {
            Ok(())
        } else {
            Err(KnobError::Value { id: self.id().to_owned(), value: value.to_string(), allowed: self.allowed() })
        }
    }

    /// Reads a value from the command line.
    ///
    /// # Errors
    /// [`KnobError::Value`] when it is not one that this knob can have.
    pub fn parse(&self, text: &str) -> Result<KnobValue, KnobError> {
        let wrong = || KnobError::Value { id: self.id().to_owned(), value: text.to_owned(), allowed: self.allowed() };
        let value = match self {
            Self::Toggle { .. } => match text {
                "true" | "on" | "1" => KnobValue::Toggle(true),
                "false" | "off" | "0" => KnobValue::Toggle(false),
                _ => return Err(wrong()),
            },
            Self::Number { .. } => KnobValue::Number(text.parse().map_err(|_| wrong())?),
            Self::Choice { .. } => KnobValue::Choice(text.to_owned()),
        };
        self.check(&value)?;
        Ok(value)
    }
}

impl Knobs {
    /// The defaults of `knobs`.
    pub fn defaults(knobs: &[Knob]) -> Self {
        Self(knobs.iter().map(|knob| (knob.id().to_owned(), knob.default_value())).collect())
    }

    /// The value of `knob`: its default where none was set.
    pub fn of(&self, knob: &Knob) -> KnobValue {
        self.0.get(knob.id()).cloned().unwrap_or_else(|| knob.default_value())
    }

    /// Sets one knob.
    ///
    /// # Errors
    /// When there is no such knob, or it cannot have this value.
    pub fn set(&mut self, knobs: &[Knob], id: &str, value: KnobValue) -> Result<(), KnobError> {
        find(knobs, id)?.check(&value)?;
        self.0.insert(id.to_owned(), value);
        Ok(())
    }

    /// Sets one knob from the text of a command line.
    ///
    /// # Errors
    /// When there is no such knob, or it cannot have this value.
    pub fn set_text(&mut self, knobs: &[Knob], id: &str, text: &str) -> Result<(), KnobError> {
        let value = find(knobs, id)?.parse(text)?;
        self.0.insert(id.to_owned(), value);
        Ok(())
    }
}

fn find<'a>(knobs: &'a [Knob], id: &str) -> Result<&'a Knob, KnobError> {
    knobs.iter().find(|knob| knob.id() == id).ok_or_else(|| KnobError::Unknown {
        id: id.to_owned(),
        known: match knobs {
            [] => "none".to_owned(),
            _ => knobs.iter().map(Knob::id).collect::<Vec<_>>().join(", "),
        },
    })
}
