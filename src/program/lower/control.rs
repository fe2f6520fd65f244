//! Statements that arrange other statements.

use super::super::{Action, MAX_OPERATIONS, Report, VariableId};
use super::{Lowering, Outcome, wrong};
use crate::scenario::Number;
use crate::scenario::expression::Expression;
use crate::scenario::statement::control as statement;

impl Lowering<'_> {
    pub(super) fn repeat(&mut self, it: &statement::Repeat) -> Outcome {
        let times = self.values.whole(&it.times, "`times`", 0, MAX_OPERATIONS as u64)? as u32;
        let shadowed = it.index.as_ref().and_then(|index| self.values.get(index).cloned());
        let outer = self.position.begin_loop();
        for turn in 0..times {
            if let Some(index) = &it.index {
                self.values.set(index, f64::from(turn));
            }
            self.position.turn(turn)?;
            self.nested("body", &it.body)?;
        }
        self.position.end_loop(outer);
        if let Some(index) = &it.index {
            self.values.restore(index, shadowed);
        }
        Ok(())
    }

    pub(super) fn when(&mut self, it: &statement::When) -> Outcome {
        if self.values.flag(&it.test)? { self.nested("then", &it.then) } else { self.nested("else", &it.otherwise) }
    }

    /// Its name stands on the timeline, and both operations cost nothing.
    pub(super) fn region(&mut self, it: &statement::Region) -> Outcome {
        let name = self.lists.labels.localized(&it.name);
        self.push_labelled(Action::BeginRegion, None, name)?;
        self.nested("body", &it.body)?;
        self.push_labelled(Action::EndRegion, None, name)
    }

    pub(super) fn report(&mut self, it: &statement::Report) -> Outcome {
        let name = self.resolve(&it.name)?.into_owned();
        let value = match &it.value {
            None => None,
            Some(Number::Expression(expression)) => Some(expression.clone()),
            Some(Number::Literal(value)) => {
                Some(Expression::parse(&value.to_string()).map_err(|error| error.to_string())?)
            }
        };
        let mut report = Report { name, value, variables: Default::default(), scope: Default::default() };
        for name in report.value.as_ref().map(Expression::names).unwrap_or_default() {
            let (variable, value) = (self.lists.variables.find(name), self.values.get(name));
            if variable.is_none() && value.is_none() {
                return wrong(format!(
                    "`{name}` is neither a knob or index nor a value that an earlier statement named"
                ));
            }
            report.variables.extend(variable.map(|variable| (name.to_owned(), VariableId(variable))));
            report.scope.extend(value.map(|value| (name.to_owned(), value.clone())));
        }
        let number = self.program.reports.len() as u32;
        self.program.reports.push(report);
        self.push(Action::Report { report: number }, None, "report")
    }
}
