//! What a run comes to, besides its time line: values that it reports, and errors that it meets.

use crate::program::order::Refusal;
use crate::program::{Program, VariableId};
use crate::recording::{Origin, RunError};

/// Values and errors.
pub(super) struct Results {
    pub errors: Vec<RunError>,
    variables: Vec<Option<f64>>,
    /// One for each report of the program.
    pub reported: Vec<Option<f64>>,
}

impl Results {
    pub fn new(program: &Program) -> Self {
        Self {
            errors: Vec::new(),
            variables: vec![None; program.variables.len()],
            reported: vec![None; program.reports.len()],
        }
    }

    pub fn set(&mut self, variable: VariableId, value: f64) {
        if let Some(place) = self.variables.get_mut(variable.index()) {
            *place = Some(value);
        }
    }

    /// The value of a report is fixed.
    pub fn report(&mut self, program: &Program, index: usize) {
        let value = program.reported(index, &self.variables);
        if let Some(place) = self.reported.get_mut(index) {
            *place = value;
        }
    }

    /// The operation at `index` met an error.
    pub fn refused(&mut self, program: &Program, index: usize, refusal: Refusal) {
        let Some(operation) = program.operations.get(index) else { return };
        let at = Origin::of(program, index, operation);
        self.errors.push(match refusal {
            Refusal::Cuda(error) => RunError::of_cuda(error, at),
            Refusal::Pytorch(class, text) => RunError::of_pytorch(class, text, at),
        });
    }
}
