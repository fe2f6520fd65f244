//! A scenario's statements as a tree: walking them with their paths, and finding the one at a path.

use std::fmt;

use super::path::{Descent, ListPath, Section, StatementPath};
use super::{Scenario, Statement};

/// A path that leads nowhere in a scenario.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is nothing at {path}: {reason}")]
pub struct Astray {
    /// The whole path.
    pub path: String,
    /// Where it ends.
    pub reason: AstrayReason,
}

/// Where a path ends that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AstrayReason {
    /// A list is not that long.
    Short {
        /// The list.
        list: ListPath,
        /// How many statements it has.
        len: usize,
    },
    /// Another statement stands there.
    Other {
        /// The one that stands there.
        found: StatementPath,
    },
    /// There is no block of that name.
    NoBlock {
        /// The name.
        name: String,
    },
}

impl fmt::Display for AstrayReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short { list, len: 1 } => write!(f, "{list} has 1 statement"),
            Self::Short { list, len } => write!(f, "{list} has {len} statements"),
            Self::Other { found } => write!(f, "what stands there is {found}"),
            Self::NoBlock { name } => write!(f, "there is no block `{name}`"),
        }
    }
}

impl Scenario {
    /// The statements of a section.
    pub fn section(&self, section: Section) -> &Vec<Statement> {
        match section {
            Section::Setup => &self.setup,
            Section::Program => &self.program,
        }
    }

    fn section_mut(&mut self, section: Section) -> &mut Vec<Statement> {
        match section {
            Section::Setup => &mut self.setup,
            Section::Program => &mut self.program,
        }
    }

    /// The list of statements at `path`.
    ///
    /// # Errors
    /// When the path leads nowhere.
    pub fn list(&self, path: &ListPath) -> Result<&Vec<Statement>, Astray> {
        let astray = |reason| Astray { path: path.to_string(), reason };
        let mut list = self.section(path.section);
        for (depth, step) in path.steps.iter().enumerate() {
            let here =
                || ListPath { section: path.section, steps: path.steps.get(..depth).unwrap_or_default().to_vec() };
            let Some(statement) = list.get(step.index) else {
                return Err(astray(AstrayReason::Short { list: here(), len: list.len() }));
            };
            let body = match &step.into {
                Descent::Block(name) => return Err(astray(AstrayReason::NoBlock { name: name.clone() })),
                Descent::Body(key) => statement.body(*key).filter(|_| statement.tag() == step.tag),
            };
            list = body.ok_or_else(|| astray(AstrayReason::Other { found: here().at(step.index, statement.tag()) }))?;
        }
        Ok(list)
    }

    /// As [`Self::list`], to be changed.
    ///
    /// # Errors
    /// As [`Self::list`].
    pub fn list_mut(&mut self, path: &ListPath) -> Result<&mut Vec<Statement>, Astray> {
        self.list(path)?;
        // The way has been gone just now.
        let lost = || Astray { path: path.to_string(), reason: AstrayReason::Short { list: path.clone(), len: 0 } };
        let mut list = self.section_mut(path.section);
        for step in &path.steps {
            let Descent::Body(key) = &step.into else { return Err(lost()) };
            list = list.get_mut(step.index).and_then(|statement| statement.body_mut(*key)).ok_or_else(lost)?;
        }
        Ok(list)
    }

    /// The statement at `path`.
    ///
    /// # Errors
    /// When the path leads nowhere, or another statement stands there.
    pub fn statement(&self, path: &StatementPath) -> Result<&Statement, Astray> {
        let list = self.list(&path.list)?;
        let astray = |reason| Astray { path: path.to_string(), reason };
        match list.get(path.index) {
            Some(statement) if statement.tag() == path.tag => Ok(statement),
            Some(other) => Err(astray(AstrayReason::Other { found: path.list.at(path.index, other.tag()) })),
            None => Err(astray(AstrayReason::Short { list: path.list.clone(), len: list.len() })),
        }
    }

    /// Visits all statements in the order of the file, those that hold others before what they hold.
    pub fn walk(&self, mut visit: impl FnMut(&StatementPath, &Statement)) {
        for section in [Section::Setup, Section::Program] {
            walk_list(&ListPath::section(section), self.section(section), &mut visit);
        }
    }
}

fn walk_list(list: &ListPath, statements: &[Statement], visit: &mut dyn FnMut(&StatementPath, &Statement)) {
    for (index, statement) in statements.iter().enumerate() {
        let path = list.at(index, statement.tag());
        visit(&path, statement);
        for (key, body) in statement.bodies() {
            walk_list(&path.through(Descent::Body(key)), body, visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::presets;

    #[test]
    fn each_statement_is_found_where_the_walk_met_it() {
        for preset in presets() {
            let scenario = preset.scenario().unwrap();
            let json = serde_json::to_value(&scenario).unwrap();
            let mut count = 0;
            scenario.walk(|path, statement| {
                assert!(std::ptr::eq(scenario.statement(path).unwrap(), statement), "{path}");
                // The printed path is a JSON pointer to the statement's own object.
                let object = json.pointer(&path.to_string()).unwrap();
                assert_eq!(*object, serde_json::to_value(statement).unwrap()[statement.tag().word()], "{path}");
                count += 1;
            });
            assert!(count > 5, "{}", preset.name);
        }
    }

    #[test]
    fn a_path_that_leads_nowhere_says_where_it_ends() {
        let mut scenario = presets()[0].scenario().unwrap();
        scenario.program.truncate(1);
        let tag = scenario.program[0].tag();
        let said = |text: &str| scenario.statement(&text.parse().unwrap()).unwrap_err().to_string();
        assert_eq!(said("/program/7/launch"), "there is nothing at /program/7/launch: /program has 1 statement");
        let other = format!("what stands there is /program/0/{tag}");
        assert!(said("/program/0/graph_update").ends_with(&other));
        assert!(said("/program/0/thread/body/0/launch").ends_with(&other));
        assert!(said(&format!("/program/0/{tag}>step/0/launch")).ends_with("there is no block `step`"));
    }
}
