//! The program: see [`streamscope::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    streamscope::cli::main()
}
