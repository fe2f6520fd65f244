//! What stands below the options in `--help`: an example, and the exit codes.

macro_rules! below {
    ($example:literal, $findings:literal, $why_not:literal) => {
        concat!(
            $example,
            "\n\nExit codes:\n  0  done\n",
            $findings,
            "  2  the input is wrong; standard error says where, and what to do\n",
            "  3  this machine cannot do it",
            $why_not
        )
    };
}

pub(super) const ROOT: &str = below!(
    "Without a command, the window opens.

Examples:
  streamscope record-stream
  streamscope run implicit-sync --set item=true
  streamscope check my.json --all
  streamscope figure graph --set graph=true -o graph.svg --lang zh
  streamscope run graph --on gpu --worker \"ssh gpubox streamscope worker\"",
    "  1  findings (check, validate)\n",
    ": no display, no GPU, no driver, or an unusable worker"
);
pub(super) const LIST: &str = below!("Example:\n  streamscope list", "", "");
pub(super) const RUN: &str = below!(
    "Example:\n  streamscope run implicit-sync --set item=true --what-if launch_us=2",
    "",
    ": no GPU, no driver, or an unusable worker"
);
pub(super) const ADVISE: &str = below!("Example:\n  streamscope advise pipeline --set streams=one", "", "");
pub(super) const CHECK: &str = below!(
    "Example:\n  streamscope check record-stream my.json --all",
    "  1  a hazard; with --strict, also a fragile order\n",
    ""
);
pub(super) const FIGURE: &str = below!(
    "Example:\n  streamscope figure graph --set graph=true --to 2ms -o graph.svg --lang zh",
    "",
    ": no GPU, no driver, or an unusable worker"
);
pub(super) const VALIDATE: &str = below!(
    "Example:\n  streamscope validate --on gpu --save measured",
    "  1  a value of the model is off by more than its limit\n",
    ": no GPU, no driver, or an unusable worker"
);
pub(super) const SCHEMA: &str = below!("Example:\n  streamscope schema > scenario.schema.json", "", "");
pub(super) const CALIBRATE: &str =
    below!("Example:\n  streamscope calibrate -o mine.json", "", ": no GPU or no driver");

#[cfg(test)]
mod tests {
    use super::super::arguments::Arguments;
    use clap::{CommandFactory, Parser};

    /// The words of a line as a shell takes it apart, as far as the examples go.
    fn words(line: &str) -> Vec<String> {
        let line = line.split(" > ").next().unwrap_or_default();
        let quoted = |(number, part): (usize, &str)| match number % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
            _ => vec![part.to_owned()],
        };
        line.split('"').enumerate().flat_map(quoted).collect()
    }

    #[test]
    fn every_command_has_an_example_that_can_be_typed_and_its_exit_codes() {
        let root = Arguments::command();
        let shown = root.get_subcommands().filter(|command| !command.is_hide_set());
        for command in shown.chain([&root]) {
            let help = command.clone().render_long_help().to_string();
            assert!(help.contains("Exit codes:"), "{}", command.get_name());
            let mut examples = 0;
            for line in help.lines().filter_map(|line| line.strip_prefix("  ")) {
                if line.starts_with("streamscope ") {
                    Arguments::try_parse_from(words(line)).unwrap_or_else(|error| panic!("{line}: {error}"));
                    let is_own = command.get_name() == "streamscope" || line.contains(command.get_name());
                    examples += usize::from(is_own);
                }
            }
            assert!(examples > 0, "{} has no example", command.get_name());
        }
    }

    #[test]
    fn nothing_that_is_typed_is_named_only_by_its_option() {
        let root = Arguments::command();
        for command in root.get_subcommands().filter(|command| !command.is_hide_set()) {
            for argument in command.get_arguments().filter(|it| it.get_action().takes_values() && !it.is_hide_set()) {
                let says_what = argument.get_value_names().is_some() || !argument.get_possible_values().is_empty();
                assert!(says_what, "{} {}", command.get_name(), argument.get_id());
            }
        }
    }
}
