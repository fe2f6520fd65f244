//! Statements that arrange other statements.

use super::super::{Action, MAX_OPERATIONS, Report};
use super::{LowerError, Lowering, Outcome};
use crate::scenario::Number;
use crate::scenario::expression::{Expression, Value};
use crate::scenario::statement::control as statement;

impl Lowering {
    pub(super) fn repeat(&mut self, it: &statement::Repeat) -> Result<(), LowerError> {
        let times =
            self.whole(&it.times, "`times`", 0, MAX_OPERATIONS as u64).map_err(|message| self.error(message))?;
        let shadowed = it.index.as_ref().and_then(|index| self.scope.get(index).cloned());
        let outer = self.iteration;
        self.indices.push(0);
        for turn in 0..times {
            if let Some(index) = &it.index {
                self.scope.insert(index.clone(), Value::Number(turn as f64));
            }
            if let Some(last) = self.indices.last_mut() {
                *last = turn as u32;
            }
            self.count_step()?;
            self.iteration = self.program.iterations.len() as u32;
            self.program.iterations.push(self.indices.clone());
            self.nested("body", &it.body)?;
        }
        self.indices.pop();
        self.iteration = outer;
        if let Some(index) = &it.index {
            match shadowed {
                Some(value) => self.scope.insert(index.clone(), value),
                None => self.scope.remove(index),
            };
        }
        Ok(())
    }

    pub(super) fn when(&mut self, it: &statement::When) -> Result<(), LowerError> {
        let holds = self.flag(&it.test).map_err(|message| self.error(message))?;
        if holds { self.nested("then", &it.then) } else { self.nested("else", &it.otherwise) }
    }

    pub(super) fn report(&mut self, it: &statement::Report) -> Outcome {
        let name = self.resolve(&it.name)?;
        let value = match &it.value {
            None => None,
            Some(Number::Expression(expression)) => Some(expression.clone()),
            Some(Number::Literal(value)) => {
                Some(Expression::parse(&value.to_string()).map_err(|error| error.to_string())?)
            }
        };
        let unknown = value.as_ref().and_then(|value| {
            let known = |name: &str| self.scope.contains_key(name) || self.variable_ids.contains_key(name);
            value.names().into_iter().find(|name| !known(name)).map(str::to_owned)
        });
        if let Some(unknown) = unknown {
            return Err(format!("`{unknown}` is neither a knob or index nor a value that an earlier statement named"));
        }
        let report = self.program.reports.len() as u32;
        let names = value.as_ref().map(Expression::names).unwrap_or_default();
        let variables = names.iter().filter_map(|name| Some(((*name).to_owned(), *self.variable_ids.get(*name)?)));
        let scope = names.iter().filter_map(|name| Some(((*name).to_owned(), self.scope.get(*name)?.clone())));
        let (variables, scope) = (variables.collect(), scope.collect());
        self.program.reports.push(Report { name, value, variables, scope });
        self.push(Action::Report { report }, None, "report")
    }
}
