//! Knobs and loop indices, and what is written over them.

use std::borrow::Cow;

use crate::scenario::expression::{Expression, Scope, Value};
use crate::scenario::{Flag, KnobValue, Knobs, Name, Number};
use crate::time::Ns;

/// No tensor is larger than this: a tebibyte is more than any GPU has.
pub(super) const MAX_BYTES: u64 = 1 << 40;
/// No duration in a scenario is longer than this, in µs: a hundred seconds.
const MAX_US: f64 = 1e8;

/// What knobs and loop indices stand for.
#[derive(Debug)]
pub(super) struct Values {
    scope: Scope,
}

impl Values {
    /// The knobs; no loop has begun.
    pub fn of(knobs: &Knobs) -> Self {
        let value = |value: &KnobValue| match value {
            KnobValue::Toggle(on) => Value::Number(f64::from(u8::from(*on))),
            KnobValue::Number(number) => Value::Number(*number),
            KnobValue::Choice(option) => Value::Text(option.clone()),
        };
        Self { scope: knobs.0.iter().map(|(id, it)| (id.clone(), value(it))).collect() }
    }

    /// What a knob or a loop index stands for.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.scope.get(name)
    }

    /// A loop index gets a value. Returns what the name stood for.
    pub fn set(&mut self, name: &str, value: f64) -> Option<Value> {
        let value = Value::Number(value);
        match self.scope.get_mut(name) {
            Some(known) => Some(std::mem::replace(known, value)),
            None => self.scope.insert(name.to_owned(), value),
        }
    }

    /// A loop index ends; the name stands for what it did before.
    pub fn restore(&mut self, name: &str, before: Option<Value>) {
        match before {
            Some(value) => self.scope.insert(name.to_owned(), value),
            None => self.scope.remove(name),
        };
    }

    /// A number, which is finite.
    pub fn number(&self, number: &Number) -> Result<f64, String> {
        let value = match number {
            Number::Literal(value) => *value,
            Number::Expression(expression) => self.evaluate(expression)?,
        };
        if value.is_finite() { Ok(value) } else { Err(format!("a number is needed, but this gives {value}")) }
    }

    /// A whole number from `min` to `max`.
    pub fn whole(&self, number: &Number, what: &str, min: u64, max: u64) -> Result<u64, String> {
        let value = self.number(number)?;
        if value.fract() == 0.0 && value >= min as f64 && value <= max as f64 {
            Ok(value as u64)
        } else {
            Err(format!("{what} must be a whole number from {min} to {max}, not {}", shown(value)))
        }
    }

    /// A switch.
    pub fn flag(&self, flag: &Flag) -> Result<bool, String> {
        match flag {
            Flag::Literal(value) => Ok(*value),
            Flag::Expression(expression) => self.evaluate(expression).map(|value| value != 0.0),
        }
    }

    /// A name with its index worked out, such as `buf[3]`.
    pub fn resolve<'n>(&self, name: &'n Name) -> Result<Cow<'n, str>, String> {
        match &name.index {
            None => Ok(Cow::Borrowed(&name.base)),
            Some(index) => Ok(Cow::Owned(format!("{}[{}]", name.base, self.evaluate(index)?.round() as i64))),
        }
    }

    /// A duration that is written in µs.
    pub fn duration(&self, us: &Number) -> Result<Ns, String> {
        let value = self.number(us)?;
        if (0.0..=MAX_US).contains(&value) {
            Ok(Ns::from_us(value))
        } else {
            Err(format!("`dur_us` must be from 0 to {MAX_US}, not {}", shown(value)))
        }
    }

    /// Dimensions, each at least 1, whose product fits.
    pub fn shape(&self, shape: &[Number]) -> Result<Vec<u64>, String> {
        let dims = shape.iter().map(|dim| self.whole(dim, "each dimension", 1, MAX_BYTES));
        let dims = dims.collect::<Result<Vec<u64>, String>>()?;
        fits(&dims).map(|()| dims)
    }

    fn evaluate(&self, expression: &Expression) -> Result<f64, String> {
        expression.number(&self.scope).map_err(|error| error.to_string())
    }
}

/// A number as a person writes it, however large.
fn shown(value: f64) -> String {
    if value.abs() < 1e15 { value.to_string() } else { format!("{value:e}") }
}

/// Whether a tensor of this shape is one that a GPU could have, whatever its elements: also what a kernel makes of its operands.
pub(super) fn fits(shape: &[u64]) -> Result<(), String> {
    let elements = shape.iter().try_fold(1u64, |product, dim| product.checked_mul(*dim));
    match elements.filter(|elements| *elements <= MAX_BYTES / 8) {
        Some(_) => Ok(()),
        None => Err("the tensor is larger than a tebibyte; shrink its shape".to_owned()),
    }
}
