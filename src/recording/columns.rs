//! How the columns of a recording are written: as lists of small numbers.
//!
//! Times and correlations stand as the difference to what is known already, kinds and causes as places in a table that stands beside
//! them, and a column of zeros is left out. That makes files a third as large as plain numbers would, and as much faster to read.

use serde::de::Error;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Cause, Correlation, NameId, SpanKind, Spans};
use crate::time::Ns;

impl Serialize for Spans {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let since_start = |column: &[Ns]| -> Vec<i64> {
            column.iter().zip(&self.start).map(|(at, start)| at.0.wrapping_sub(start.0)).collect()
        };
        let (kinds, kind) = coded([&self.kind]);
        let (causes, cause) = coded([&self.released_by, &self.held_by]);
        let mut out = serializer.serialize_struct("spans", 13)?;
        out.serialize_field("start", &steps(self.start.iter().map(|at| at.0)))?;
        column(&mut out, "dur", &since_start(&self.end))?;
        column(&mut out, "call", &since_start(&self.call))?;
        column(&mut out, "released", &since_start(&self.released))?;
        out.serialize_field("kinds", &kinds)?;
        let [kind] = kind;
        column(&mut out, "kind", &kind)?;
        out.serialize_field("causes", &causes)?;
        let [released_by, held_by] = cause;
        column(&mut out, "released_by", &released_by)?;
        column(&mut out, "held_by", &held_by)?;
        // Zero is "nothing", which should stay the most frequent number.
        let after = self.after.iter().zip(&self.correlation).map(|(after, own)| match *after {
            Correlation::NONE => 0,
            Correlation(after) => i64::from(own.0) - i64::from(after) + i64::from(after <= own.0),
        });
        column(&mut out, "after", &after.collect::<Vec<i64>>())?;
        column(&mut out, "contended", &self.contended.iter().map(|by| by.0).collect::<Vec<_>>())?;
        column(&mut out, "name", &self.name.iter().map(|name| name.0).collect::<Vec<_>>())?;
        column(&mut out, "correlation", &steps(self.correlation.iter().map(|it| i64::from(it.0))))?;
        out.end()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadSpans {
    start: Vec<i64>,
    #[serde(default)]
    dur: Vec<i64>,
    #[serde(default)]
    call: Vec<i64>,
    #[serde(default)]
    released: Vec<i64>,
    kinds: Vec<SpanKind>,
    #[serde(default)]
    kind: Vec<u8>,
    causes: Vec<Cause>,
    #[serde(default)]
    released_by: Vec<u8>,
    #[serde(default)]
    held_by: Vec<u8>,
    #[serde(default)]
    after: Vec<i64>,
    #[serde(default)]
    contended: Vec<i64>,
    #[serde(default)]
    name: Vec<u32>,
    #[serde(default)]
    correlation: Vec<i64>,
}

impl<'de> Deserialize<'de> for Spans {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = ReadSpans::deserialize(deserializer)?;
        let count = read.start.len();
        let start: Vec<Ns> = summed(read.start).into_iter().map(Ns).collect();
        let since_start = |name, column| -> Result<Vec<Ns>, D::Error> {
            let column = whole::<_, D::Error>(name, column, count)?;
            Ok(column.into_iter().zip(&start).map(|(by, start)| Ns(start.0.wrapping_add(by))).collect())
        };
        let correlation = summed(whole("correlation", read.correlation, count)?);
        let after = whole::<_, D::Error>("after", read.after, count)?.into_iter().zip(&correlation);
        let after = after.map(|(by, own)| match by {
            0 => 0,
            by => own.wrapping_sub(by).wrapping_add(i64::from(by > 0)),
        });
        Ok(Self {
            after: after
                .map(number("after"))
                .collect::<Result<Vec<u32>, D::Error>>()?
                .into_iter()
                .map(Correlation)
                .collect(),
            contended: whole("contended", read.contended, count)?.into_iter().map(Ns).collect(),
            end: since_start("dur", read.dur)?,
            call: since_start("call", read.call)?,
            released: since_start("released", read.released)?,
            kind: decoded("kind", whole("kind", read.kind, count)?, &read.kinds)?,
            released_by: decoded("released_by", whole("released_by", read.released_by, count)?, &read.causes)?,
            held_by: decoded("held_by", whole("held_by", read.held_by, count)?, &read.causes)?,
            name: whole("name", read.name, count)?.into_iter().map(NameId).collect(),
            correlation: correlation
                .into_iter()
                .map(number("correlation"))
                .collect::<Result<Vec<u32>, _>>()?
                .into_iter()
                .map(Correlation)
                .collect(),
            start,
        })
    }
}

/// Origins, column by column.
pub(super) mod entries {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::super::{NameId, OriginEntry};
    use super::{number, steps, summed, whole};

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Columns {
        path: Vec<i64>,
        iter: Vec<i64>,
        thread: Vec<u16>,
        label: Vec<u32>,
    }

    pub fn serialize<S: Serializer>(entries: &[OriginEntry], serializer: S) -> Result<S::Ok, S::Error> {
        let columns = Columns {
            path: steps(entries.iter().map(|entry| i64::from(entry.path))),
            iter: steps(entries.iter().map(|entry| i64::from(entry.iter))),
            thread: entries.iter().map(|entry| entry.thread).collect(),
            label: entries.iter().map(|entry| entry.label.0).collect(),
        };
        columns.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<OriginEntry>, D::Error> {
        let Columns { path, iter, thread, label } = Columns::deserialize(deserializer)?;
        let count = path.len();
        let iter = summed(whole("iter", iter, count)?);
        let thread = whole("thread", thread, count)?;
        let label = whole("label", label, count)?;
        let numbers = summed(path).into_iter().zip(iter);
        let entry = |(((path, iter), thread), label)| {
            Ok(OriginEntry { path: number("path")(path)?, iter: number("iter")(iter)?, thread, label: NameId(label) })
        };
        numbers.zip(thread).zip(label).map(entry).collect()
    }
}

/// A column, unless it holds nothing but zeros.
fn column<S: SerializeStruct, T: Serialize + Default + PartialEq>(
    out: &mut S,
    name: &'static str,
    values: &Vec<T>,
) -> Result<(), S::Error> {
    match values.iter().all(|value| *value == T::default()) {
        true => out.skip_field(name),
        false => out.serialize_field(name, values),
    }
}

/// A column as it was read; one that was left out holds zeros.
fn whole<T: Clone + Default, E: Error>(name: &str, column: Vec<T>, count: usize) -> Result<Vec<T>, E> {
    match column.len() {
        0 => Ok(vec![T::default(); count]),
        len if len == count => Ok(column),
        len => Err(E::custom(format_args!("the column `{name}` has {len} entries, and others have {count}"))),
    }
}

/// Each number less the one before it.
fn steps(numbers: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut last = 0_i64;
    numbers.map(|number| number.wrapping_sub(std::mem::replace(&mut last, number))).collect()
}

/// What [`steps`] were taken of.
fn summed(mut steps: Vec<i64>) -> Vec<i64> {
    let mut sum = 0_i64;
    for step in &mut steps {
        sum = sum.wrapping_add(*step);
        *step = sum;
    }
    steps
}

/// The values that occur in the columns, and each column as places in that table.
fn coded<T: Copy + PartialEq, const N: usize>(columns: [&Vec<T>; N]) -> (Vec<T>, [Vec<u8>; N]) {
    let mut table: Vec<T> = Vec::new();
    let codes = columns.map(|column| {
        let code = |value: &T| {
            let known = table.iter().position(|it| it == value);
            known.unwrap_or_else(|| {
                table.push(*value);
                table.len() - 1
            }) as u8
        };
        column.iter().map(code).collect()
    });
    (table, codes)
}

/// What [`coded`] made places of.
fn decoded<T: Copy, E: Error>(name: &str, codes: Vec<u8>, table: &[T]) -> Result<Vec<T>, E> {
    let value = |code: u8| {
        let message =
            || E::custom(format_args!("the column `{name}` has {code}, and its table ends at {}", table.len()));
        table.get(usize::from(code)).copied().ok_or_else(message)
    };
    codes.into_iter().map(value).collect()
}

fn number<E: Error>(name: &str) -> impl Fn(i64) -> Result<u32, E> + '_ {
    move |number| {
        u32::try_from(number)
            .map_err(|_| E::custom(format_args!("the column `{name}` comes to {number}, which is not a 32-bit number")))
    }
}
