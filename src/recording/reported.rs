//! What a run reported, as a person reads it.

use std::collections::HashMap;

use super::Recording;
use crate::scenario::Statement;
use crate::scenario::statement::control::Report;
use crate::text::{Lang, Localized};

/// A value of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Reported<'r> {
    /// Its name in the scenario and in JSON.
    pub name: &'r str,
    /// The number; `None` where the run did not get that far, or the scenario says so.
    pub value: Option<f64>,
    label: Option<&'r Localized>,
    unit: Option<&'r Localized>,
}

impl Reported<'_> {
    /// What a person calls it.
    pub fn label(&self, lang: Lang) -> &str {
        self.label.map_or(self.name, |label| label.get(lang))
    }

    /// Another value of it, such as the one that it should be, with its unit.
    pub fn shown(&self, value: Option<f64>, lang: Lang) -> String {
        let Some(value) = value else { return "–".to_owned() };
        match self.unit.map(|unit| unit.get(lang)) {
            None => number(value),
            Some("%") => format!("{}%", number(value * 100.0)),
            Some(unit) => format!("{} {unit}", number(value)),
        }
    }
}

/// A value with as many digits as say something.
pub fn number(value: f64) -> String {
    match value.abs() {
        _ if value.fract() == 0.0 && value.abs() < 1e9 => format!("{value:.0}"),
        size if size >= 1000.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

impl Recording {
    /// What the run reported, in the order of the scenario's file.
    pub fn reported(&self) -> Vec<Reported<'_>> {
        let mut known: HashMap<&str, (usize, &Report)> = HashMap::new();
        let mut count = 0;
        if let Some(scenario) = &self.scenario {
            let mut pending: Vec<std::slice::Iter<'_, Statement>> =
                vec![scenario.program.iter(), scenario.setup.iter()];
            while let Some(list) = pending.last_mut() {
                let Some(statement) = list.next() else {
                    pending.pop();
                    continue;
                };
                if let Statement::Report(report) = statement {
                    count += 1;
                    known.entry(&report.name.base).or_insert((count, report));
                }
                let bodies: Vec<_> = statement.bodies().map(|(_, body)| body.iter()).collect();
                pending.extend(bodies.into_iter().rev());
            }
        }
        let mut reported: Vec<(usize, Reported<'_>)> = Vec::with_capacity(self.values.len());
        for (name, value) in &self.values {
            let base = name.split('[').next().unwrap_or(name);
            let report = known.get(base);
            reported.push((
                report.map_or(usize::MAX, |(order, _)| *order),
                Reported {
                    name,
                    value: *value,
                    label: report.and_then(|(_, report)| report.label.as_ref()),
                    unit: report.and_then(|(_, report)| report.unit.as_ref()),
                },
            ));
        }
        reported.sort_by_key(|(order, _)| *order);
        reported.into_iter().map(|(_, reported)| reported).collect()
    }
}
