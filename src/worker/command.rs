//! The command that leads to a worker.

use std::ffi::OsString;
use std::fmt;
use std::process;

/// A program and its arguments. It is started without a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    program: OsString,
    arguments: Vec<OsString>,
    /// Whether it is this program on this machine.
    is_this_program: bool,
}

/// A text is not a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// A quote is open at its end.
    #[error("the command of the worker, `{0}`, has a quote without its partner")]
    Quote(String),
    /// There is nothing in it.
    #[error("the command of the worker is empty; write one such as \"ssh gpubox streamscope worker\"")]
    Empty,
    /// This program does not know where it is.
    #[error(
        "the system does not tell where this program is ({0}); name it by `--worker \"/path/to/streamscope worker\"`"
    )]
    Nowhere(String),
}

impl Command {
    /// This program itself, as a worker.
    ///
    /// # Errors
    /// [`CommandError::Nowhere`].
    pub fn this_program() -> Result<Self, CommandError> {
        let program = std::env::current_exe().map_err(|error| CommandError::Nowhere(error.to_string()))?;
        Ok(Self { program: program.into(), arguments: vec!["worker".into()], is_this_program: true })
    }

    /// A command as a person writes it, such as `ssh gpubox streamscope worker`: words apart by blanks, quotes as in a shell,
    /// nothing else of a shell.
    ///
    /// # Errors
    /// When a quote is left open, or there is nothing in it.
    pub fn written(text: &str) -> Result<Self, CommandError> {
        let words = shell_words::split(text).map_err(|_| CommandError::Quote(text.to_owned()))?;
        let mut words = words.into_iter().map(OsString::from);
        let program = words.next().ok_or(CommandError::Empty)?;
        Ok(Self { program, arguments: words.collect(), is_this_program: false })
    }

    /// What the worker says about its machine, with its name where that may be another machine.
    pub(super) fn says(&self, sentence: &str) -> String {
        if self.is_this_program { sentence.to_owned() } else { format!("the worker `{self}` says: {sentence}") }
    }

    pub(super) fn process(&self) -> process::Command {
        let mut command = process::Command::new(&self.program);
        command.args(&self.arguments);
        command
    }
}

/// As it would be written.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = std::iter::once(&self.program).chain(&self.arguments).map(|word| word.to_string_lossy());
        f.write_str(&shell_words::join(words))
    }
}
