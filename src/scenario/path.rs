//! Where a statement stands: typed, and printed as the JSON pointer that recordings and errors name.

use std::fmt;
use std::str::FromStr;

use super::Name;
use super::statement::{BodyKey, StatementTag};

/// Between the tag of a call and the block that it runs.
const INTO_BLOCK: char = '>';

/// A list of statements at the top of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Section {
    /// What runs unmeasured.
    Setup,
    /// What is measured.
    Program,
}

/// How a path goes on from a statement to those that run as a part of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Descent {
    /// Into a list that stands inside it.
    Body(BodyKey),
    /// Through a call, into the list of a named block, which stands elsewhere. The name is one as [`Name::parse`] reads it,
    /// without an index.
    Block(String),
}

/// A statement on the way, and how the way goes on from there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PathStep {
    /// Its place in its list, from 0.
    pub index: usize,
    /// What it is.
    pub tag: StatementTag,
    /// Where the way goes on.
    pub into: Descent,
}

/// Where a list of statements is: `/setup`, `/program/3/repeat/body`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ListPath {
    /// Where the way begins.
    pub section: Section,
    /// The statements that it leads through, outermost first.
    pub steps: Vec<PathStep>,
}

/// Where a statement is: `/program/3/repeat/body/1/launch`. In a named block it is the block's statement as one chain of
/// calls runs it: `/program/5/call>step/1/launch` is, through the call at `/program/5/call` into the block `step`, the
/// statement at `/1/launch` there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StatementPath {
    /// The list that it stands in.
    pub list: ListPath,
    /// Its place there, from 0.
    pub index: usize,
    /// What it is.
    pub tag: StatementTag,
}

/// Why a text is not the path of a statement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not the path of a statement: {expected}, as in `/program/3/repeat/body/1/launch`")]
pub struct PathError {
    /// The text.
    pub text: String,
    /// What is expected where it is not understood.
    pub expected: String,
}

impl Section {
    /// As it stands in the file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Program => "program",
        }
    }
}

impl ListPath {
    /// A list at the top of the scenario.
    pub fn section(section: Section) -> Self {
        Self { section, steps: Vec::new() }
    }

    /// A statement of the list.
    pub fn at(&self, index: usize, tag: StatementTag) -> StatementPath {
        StatementPath { list: self.clone(), index, tag }
    }

    /// The statement whose list this is: the one around it, or the call; `None` at the top.
    pub fn owner(&self) -> Option<StatementPath> {
        let (last, before) = self.steps.split_last()?;
        let list = Self { section: self.section, steps: before.to_vec() };
        Some(StatementPath { list, index: last.index, tag: last.tag })
    }
}

impl StatementPath {
    /// One of the lists that belong to the statement.
    pub fn through(&self, into: Descent) -> ListPath {
        let mut list = self.list.clone();
        list.steps.push(PathStep { index: self.index, tag: self.tag, into });
        list
    }

    /// Whether `other` runs as a part of this statement.
    pub fn holds(&self, other: &Self) -> bool {
        let (ours, theirs) = (&self.list, &other.list);
        let Some(step) = theirs.steps.get(ours.steps.len()) else { return false };
        theirs.section == ours.section
            && theirs.steps.starts_with(&ours.steps)
            && (step.index, step.tag) == (self.index, self.tag)
    }
}

impl fmt::Display for ListPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}", self.section.word())?;
        for PathStep { index, tag, into } in &self.steps {
            write!(f, "/{index}/{tag}")?;
            match into {
                Descent::Body(key) => write!(f, "/{}", key.word())?,
                Descent::Block(name) => write!(f, "{INTO_BLOCK}{name}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for StatementPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.list, self.index, self.tag)
    }
}

impl FromStr for StatementPath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        let error = |expected: String| PathError { text: text.to_owned(), expected };
        let mut parts = text.strip_prefix('/').ok_or_else(|| error("it starts with `/`".to_owned()))?.split('/');
        let section = match parts.next() {
            Some("setup") => Section::Setup,
            Some("program") => Section::Program,
            _ => return Err(error("the first part is `setup` or `program`".to_owned())),
        };
        let mut list = ListPath::section(section);
        loop {
            let index = parts.next().unwrap_or_default();
            let index = number(index).ok_or_else(|| error(format!("`{index}` should be a place in a list")))?;
            let word = parts.next().unwrap_or_default();
            let (word, block) = match word.split_once(INTO_BLOCK) {
                Some((word, block)) => (word, Some(block)),
                None => (word, None),
            };
            let tag = StatementTag::ALL.iter().copied().find(|tag| tag.word() == word);
            let tag = tag.ok_or_else(|| error(format!("`{word}` should be what the statement is")))?;
            let into = match block {
                Some(block) if is_block_name(block) => Descent::Block(block.to_owned()),
                Some(block) => return Err(error(format!("`{block}` should be the name of a block"))),
                None => match parts.next() {
                    None => return Ok(list.at(index, tag)),
                    Some(word) => {
                        let key = tag.bodies().iter().copied().find(|key| key.word() == word);
                        Descent::Body(key.ok_or_else(|| error(format!("`{word}` is not a list of a `{tag}`")))?)
                    }
                },
            };
            list.steps.push(PathStep { index, tag, into });
        }
    }
}

/// A number as it is printed: only digits, and no zero in front.
fn number(text: &str) -> Option<usize> {
    let number: usize = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

fn is_block_name(text: &str) -> bool {
    Name::parse(text).is_ok_and(|name| name.index.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> StatementPath {
        text.parse().unwrap()
    }

    #[test]
    fn a_path_prints_as_the_pointer_that_it_was_read_from() {
        for text in [
            "/setup/0/tensor",
            "/program/3/repeat/body/1/launch",
            "/program/0/when/then/2/on/body/0/when/else/10/synchronize",
            "/program/5/repeat>step/1/repeat>layer-2/0/on/body/3/launch",
        ] {
            assert_eq!(path(text).to_string(), text);
        }
    }

    #[test]
    fn what_is_not_a_path_is_told_by_what_should_stand_there() {
        let said = |text: &str| text.parse::<StatementPath>().unwrap_err().to_string();
        assert!(said("").contains("starts with `/`"));
        assert!(said("/device").contains("`setup` or `program`"));
        assert!(said("/program").contains("a place in a list"));
        assert!(said("/program/03/launch").contains("`03` should be a place"));
        assert!(said("/program/3/lunch").contains("`lunch` should be what"));
        assert!(said("/program/3/repeat/then/0/launch").contains("`then` is not a list of a `repeat`"));
        assert!(said("/program/3/launch/body/0/launch").contains("`body` is not a list of a `launch`"));
        assert!(said("/program/3/repeat/body").contains("a place in a list"));
        assert!(said("/program/3/repeat>/0/launch").contains("the name of a block"));
    }

    #[test]
    fn a_path_knows_what_is_around_it() {
        let inner = path("/program/3/repeat/body/1/launch");
        let outer = inner.list.owner().unwrap();
        assert_eq!(outer, path("/program/3/repeat"));
        assert!(outer.holds(&inner) && !inner.holds(&outer) && !outer.holds(&outer));
        assert!(!path("/program/30/repeat").holds(&inner) && !path("/setup/3/repeat").holds(&inner));
        assert_eq!(outer.list.owner(), None);
        assert_eq!(outer.through(Descent::Body(BodyKey::Body)).at(1, StatementTag::Launch), inner);
        assert!(path("/program/5/repeat").holds(&path("/program/5/repeat>step/1/launch")));
    }
}
