//! Expressions over knobs, loop indices and values of the run: `2*batches`, `op == 'gemm'`, `(t1 - t0) / steps`.

use std::collections::BTreeMap;
use std::fmt;

/// What an expression can be: a number or the id of a choice. A toggle is 1 or 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// The id of a choice.
    Text(String),
}

/// Names and what they stand for.
pub type Scope = BTreeMap<String, Value>;

/// A parsed expression, with its source for saving.
#[derive(Clone, Debug)]
pub struct Expression {
    source: String,
    root: Node,
}

/// Two expressions are equal when they are written alike.
impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

#[derive(Clone, Debug)]
enum Node {
    Constant(Value),
    Name(String),
    Negate(Box<Node>),
    Not(Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
    Call(Function, Vec<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    Or,
    And,
    Equal,
    Unequal,
    LessEqual,
    GreaterEqual,
    Less,
    Greater,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

#[derive(Clone, Copy, Debug)]
enum Function {
    Min,
    Max,
    Floor,
    Ceil,
}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    /// It is not written as an expression.
    #[error("the expression `{source_text}` breaks off at `{rest}`: {expected}")]
    Syntax {
        /// All of it.
        source_text: String,
        /// From where it is not understood.
        rest: String,
        /// What could stand there.
        expected: &'static str,
    },
    /// It is too deeply nested.
    #[error("the expression `{0}…` is nested more than {MAX_DEPTH} deep")]
    Depth(String),
    /// It is too long.
    #[error("an expression has more than {MAX_LENGTH} characters")]
    Length,
    /// A name stands for nothing here.
    #[error("`{name}` stands for nothing here; known are {known}")]
    Unknown {
        /// The name.
        name: String,
        /// Those that exist.
        known: String,
    },
    /// A text where a number is needed, or the other way round.
    #[error("`{0}` mixes a number with a text")]
    Kind(String),
}

const MAX_DEPTH: u32 = 64;
const MAX_LENGTH: usize = 1000;

/// Operators by how tightly they bind, loosest first; longer spellings before their prefixes.
const LEVELS: [&[(&str, Operator)]; 5] = [
    &[("||", Operator::Or)],
    &[("&&", Operator::And)],
    &[
        ("==", Operator::Equal),
        ("!=", Operator::Unequal),
        ("<=", Operator::LessEqual),
        (">=", Operator::GreaterEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ],
    &[("+", Operator::Add), ("-", Operator::Subtract)],
    &[("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Remainder)],
];

impl Expression {
    /// Reads an expression (without the leading `=`).
    ///
    /// # Errors
    /// [`ExpressionError::Syntax`] or [`ExpressionError::Depth`].
    pub fn parse(source: &str) -> Result<Self, ExpressionError> {
        if source.len() > MAX_LENGTH {
            return Err(ExpressionError::Length);
        }
        let mut parser = Parser { source, rest: source, depth: 0 };
        let root = parser.level(0)?;
        parser.skip_space();
        if parser.rest.is_empty() {
            Ok(Self { source: source.to_owned(), root })
        } else {
            Err(parser.error("expected an operator or the end"))
        }
    }

    /// The text that it was read from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The names in it, in order of appearance.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.root.collect_names(&mut names);
        names
    }

    /// Its value, with names looked up in `scope`.
    ///
    /// # Errors
    /// When a name is unknown or kinds do not fit.
    pub fn evaluate(&self, scope: &Scope) -> Result<Value, ExpressionError> {
        self.root.evaluate(&self.source, &|name| scope.get(name).cloned()).map_err(|error| match error {
            ExpressionError::Unknown { name, .. } => {
                let known = scope.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                ExpressionError::Unknown { name, known: if known.is_empty() { "none".to_owned() } else { known } }
            }
            other => other,
        })
    }

    /// Its value as a number.
    ///
    /// # Errors
    /// As [`Self::evaluate`], and when it is a text.
    pub fn number(&self, scope: &Scope) -> Result<f64, ExpressionError> {
        match self.evaluate(scope)? {
            Value::Number(value) => Ok(value),
            Value::Text(_) => Err(ExpressionError::Kind(self.source.clone())),
        }
    }

    /// Its value as a number, with names looked up by `lookup`; `None` where it has none.
    pub fn number_by(&self, lookup: &dyn Fn(&str) -> Option<Value>) -> Option<f64> {
        match self.root.evaluate(&self.source, lookup) {
            Ok(Value::Number(value)) => Some(value),
            Ok(Value::Text(_)) | Err(_) => None,
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

impl Node {
    fn collect_names<'a>(&'a self, into: &mut Vec<&'a str>) {
        match self {
            Self::Constant(_) => {}
            Self::Name(name) => into.push(name),
            Self::Negate(inner) | Self::Not(inner) => inner.collect_names(into),
            Self::Binary(_, left, right) => {
                left.collect_names(into);
                right.collect_names(into);
            }
            Self::Call(_, arguments) => arguments.iter().for_each(|argument| argument.collect_names(into)),
        }
    }

    fn evaluate(&self, source: &str, lookup: &dyn Fn(&str) -> Option<Value>) -> Result<Value, ExpressionError> {
        let number = |node: &Self| match node.evaluate(source, lookup)? {
            Value::Number(value) => Ok(value),
            Value::Text(_) => Err(ExpressionError::Kind(source.to_owned())),
        };
        let value = match self {
            Self::Constant(value) => return Ok(value.clone()),
            Self::Name(name) => {
                return lookup(name)
                    .ok_or_else(|| ExpressionError::Unknown { name: name.clone(), known: String::new() });
            }
            Self::Negate(inner) => -number(inner)?,
            Self::Not(inner) => truth(number(inner)? == 0.0),
            Self::Binary(operator @ (Operator::Equal | Operator::Unequal), left, right) => {
                let same = match (left.evaluate(source, lookup)?, right.evaluate(source, lookup)?) {
                    (Value::Number(a), Value::Number(b)) => a == b,
                    (Value::Text(a), Value::Text(b)) => a == b,
                    (Value::Number(_), Value::Text(_)) | (Value::Text(_), Value::Number(_)) => {
                        return Err(ExpressionError::Kind(source.to_owned()));
                    }
                };
                truth(same == (*operator == Operator::Equal))
            }
            Self::Binary(operator, left, right) => operator.apply(number(left)?, number(right)?),
            Self::Call(function, arguments) => {
                let values = arguments.iter().map(number).collect::<Result<Vec<_>, _>>()?;
                function.apply(&values)
            }
        };
        Ok(Value::Number(value))
    }
}

fn truth(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

impl Operator {
    fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Or => truth(a != 0.0 || b != 0.0),
            Self::And => truth(a != 0.0 && b != 0.0),
            Self::Equal => truth(a == b),
            Self::Unequal => truth(a != b),
            Self::LessEqual => truth(a <= b),
            Self::GreaterEqual => truth(a >= b),
            Self::Less => truth(a < b),
            Self::Greater => truth(a > b),
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            Self::Remainder => a.rem_euclid(b),
        }
    }
}

impl Function {
    fn apply(self, values: &[f64]) -> f64 {
        match self {
            Self::Min => values.iter().copied().fold(f64::INFINITY, f64::min),
            Self::Max => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Self::Floor => values.first().map_or(0.0, |v| v.floor()),
            Self::Ceil => values.first().map_or(0.0, |v| v.ceil()),
        }
    }
}

struct Parser<'a> {
    source: &'a str,
    rest: &'a str,
    depth: u32,
}

impl<'a> Parser<'a> {
    fn error(&self, expected: &'static str) -> ExpressionError {
        ExpressionError::Syntax {
            source_text: self.source.to_owned(),
            rest: self.rest.chars().take(20).collect(),
            expected,
        }
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip_space();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Operators of `level` and all that bind more tightly, from left to right.
    fn level(&mut self, level: usize) -> Result<Node, ExpressionError> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        while let Some(&(_, operator)) = operators.iter().find(|(token, _)| self.eat(token)) {
            let right = self.level(level + 1)?;
            left = Node::Binary(operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Node, ExpressionError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(ExpressionError::Depth(self.source.chars().take(20).collect()));
        }
        let node = if self.eat("-") {
            Node::Negate(Box::new(self.unary()?))
        } else if self.eat("!") {
            Node::Not(Box::new(self.unary()?))
        } else {
            self.atom()?
        };
        self.depth -= 1;
        Ok(node)
    }

    fn atom(&mut self) -> Result<Node, ExpressionError> {
        if self.eat("(") {
            let inner = self.level(0)?;
            return if self.eat(")") { Ok(inner) } else { Err(self.error("expected `)`")) };
        }
        if self.eat("'") {
            let (text, rest) = self.rest.split_once('\'').ok_or_else(|| self.error("expected a closing `'`"))?;
            self.rest = rest;
            return Ok(Node::Constant(Value::Text(text.to_owned())));
        }
        self.skip_space();
        let word = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        if word.is_empty() {
            return Err(self.error("expected a number, a name or `(`"));
        }
        if word.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            let value = word.parse().map_err(|_| self.error("expected a number such as 12 or 0.5"))?;
            return Ok(Node::Constant(Value::Number(value)));
        }
        match word {
            "true" => Ok(Node::Constant(Value::Number(1.0))),
            "false" => Ok(Node::Constant(Value::Number(0.0))),
            name if self.eat("(") => self.call(name),
            name => Ok(Node::Name(name.to_owned())),
        }
    }

    fn call(&mut self, name: &str) -> Result<Node, ExpressionError> {
        let function = match name {
            "min" => Function::Min,
            "max" => Function::Max,
            "floor" => Function::Floor,
            "ceil" => Function::Ceil,
            _ => return Err(self.error("functions are min, max, floor and ceil")),
        };
        let mut arguments = vec![self.level(0)?];
        while self.eat(",") {
            arguments.push(self.level(0)?);
        }
        if self.eat(")") { Ok(Node::Call(function, arguments)) } else { Err(self.error("expected `,` or `)`")) }
    }

    fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !fits(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(source: &str) -> Result<Value, ExpressionError> {
        let scope = Scope::from([
            ("steps".to_owned(), Value::Number(100.0)),
            ("item".to_owned(), Value::Number(1.0)),
            ("op".to_owned(), Value::Text("gemm".to_owned())),
        ]);
        Expression::parse(source)?.evaluate(&scope)
    }

    #[test]
    fn operators_bind_as_in_python() {
        for (source, expected) in [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("2 - 3 - 4", -5.0),
            ("-steps / 4", -25.0),
            ("-7 % 3", 2.0),
            ("item && steps > 99", 1.0),
            ("!item || steps <= 99", 0.0),
            ("op == 'gemm'", 1.0),
            ("op != 'gemm'", 0.0),
            ("max(1, min(steps, 7), 3)", 7.0),
            ("ceil(13 / 4) * 4", 16.0),
        ] {
            assert_eq!(value(source), Ok(Value::Number(expected)), "{source}");
        }
    }

    #[test]
    fn a_wrong_expression_says_where_and_what() {
        fn message(source: &str) -> String {
            value(source).expect_err(source).to_string()
        }
        assert!(message("2 * ").contains("expected a number"));
        assert!(message("2 $ 3").contains("`$ 3`"));
        assert!(message("stepz").contains("known are item, op, steps"));
        assert!(message("op + 1").contains("mixes"));
        assert!(message(&"(".repeat(100)).contains("nested"));
        assert!(message(&"1+".repeat(100_000)).contains("characters"));
        assert!(message("sin(1)").contains("min, max"));
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "\\PC{0,40}") {
            let _unused = value(&text);
        }
    }
}
