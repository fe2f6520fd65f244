//! What can be typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::recording::Instrument;
use crate::scenario::{HostOverhead, LaneKind};
use crate::text::Lang;

/// An oscilloscope for CUDA streams: what the CPU launched, what the GPU executed, where bubbles form and why.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
    /// A preset's name, or the path of a scenario, recording or trace: opens the window with it.
    pub file: Option<String>,
    /// Profile of the model: `h200`, `lecture`, or a file.
    #[arg(long)]
    pub profile: Option<String>,
    /// What leads to a machine with a GPU, for the window: `"ssh gpubox streamscope worker"`; without it, this one.
    #[arg(long, value_name = "COMMAND")]
    pub worker: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Lists the presets.
    List {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Runs a scenario and prints its numbers.
    Run(RunOptions),
    /// Says what would make a scenario faster: the model runs its neighbours.
    Advise(AdviseOptions),
    /// Checks scenarios: whether they are valid, and which errors their run meets.
    Check(CheckOptions),
    /// Draws a scenario or a recording.
    Figure(FigureArguments),
    /// Holds the model against measured figures.
    Validate(ValidateOptions),
    /// Prints the JSON Schema of scenario files.
    Schema,
    /// Takes jobs from standard input, for another Streamscope.
    #[command(hide = true)]
    Worker,
    /// Two runs, one table of differences.
    #[command(hide = true)]
    Compare {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
        rest: Vec<String>,
    },
    /// Reads a profiler trace.
    #[command(hide = true)]
    Import {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
        rest: Vec<String>,
    },
    /// Measures this machine's GPU and writes a profile for the model.
    Calibrate(CalibrateOptions),
}

/// How a scenario is to be run.
#[derive(Clone, Debug, Args)]
pub(super) struct Setting {
    /// Sets a knob; may be given several times.
    #[arg(long = "set", value_name = "KNOB=VALUE")]
    pub knobs: Vec<String>,
    /// Profile of the model: `h200`, `lecture`, or a file.
    #[arg(long, default_value = "h200")]
    pub profile: String,
    /// Changes one figure of the model, in both host modes; may be given several times: `launch_us` (host time of
    /// cudaLaunchKernel), `sms`, `queue_depth`, a factor for the speed of `kernels` (all of them), `link` or `host` (PyTorch,
    /// CUDA calls and work of host threads; not latencies), or the path of a figure in the profile, such as `calls.record_us`.
    #[arg(long = "what-if", value_name = "KEY=VALUE")]
    pub what_if: Vec<String>,
    /// Host time above the CUDA calls, instead of what the scenario says.
    #[arg(long)]
    pub host: Option<HostOverhead>,
    /// What runs it: `model`, `gpu`, or `gpu:1`.
    #[arg(long, default_value = "model")]
    pub on: String,
    /// How a GPU is watched.
    #[arg(long)]
    pub instrument: Option<Instrument>,
    /// Runs it in another process, such as one on another machine: `"ssh gpubox streamscope worker"`.
    #[arg(long, value_name = "COMMAND")]
    pub worker: Option<String>,
    /// Seconds without a word from that process after which it counts as hung; without this, 30, and 10 to start.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86400))]
    pub patience: Option<u32>,
}

impl Setting {
    /// Whether anything in it differs from what is meant without it.
    pub fn says_how_to_run(&self) -> bool {
        let asks =
            !self.knobs.is_empty() || !self.what_if.is_empty() || self.host.is_some() || self.instrument.is_some();
        asks || self.worker.is_some() || self.on != "model" || self.profile != "h200"
    }
}

#[derive(Debug, Args)]
pub(super) struct RunOptions {
    /// A preset's name or a path.
    pub scenario: String,
    #[command(flatten)]
    pub setting: Setting,
    /// Number of runs that are not watched; without this, 1 on the model and 5 on a GPU.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: Option<u32>,
    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
    /// Writes the recording to a file.
    #[arg(long)]
    pub save: Option<PathBuf>,
    /// Draws the recording to a file: .png or .svg.
    #[arg(long)]
    pub figure: Option<PathBuf>,
    /// Writes a Chrome trace.
    #[arg(long)]
    pub trace: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct AdviseOptions {
    /// A preset's name or a path.
    pub scenario: String,
    /// Sets a knob; may be given several times.
    #[arg(long = "set", value_name = "KNOB=VALUE")]
    pub knobs: Vec<String>,
    /// Profile of the model: `h200`, `lecture`, or a file.
    #[arg(long, default_value = "h200")]
    pub profile: String,
    /// Changes one figure of the model, as in `run`; may be given several times.
    #[arg(long = "what-if", value_name = "KEY=VALUE")]
    pub what_if: Vec<String>,
    /// Host time above the CUDA calls, instead of what the scenario says.
    #[arg(long)]
    pub host: Option<HostOverhead>,
    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(super) struct CheckOptions {
    /// Names of presets, or paths.
    #[arg(required = true)]
    pub scenarios: Vec<String>,
    /// Sets a knob; may be given several times.
    #[arg(long = "set", value_name = "KNOB=VALUE")]
    pub knobs: Vec<String>,
    /// Tries every toggle and choice, up to 256 settings.
    #[arg(long)]
    pub all: bool,
    /// Counts what only works by undocumented behaviour as a finding.
    #[arg(long)]
    pub strict: bool,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(super) struct FigureArguments {
    /// A preset's name, or the path of a scenario or recording.
    pub input: String,
    #[command(flatten)]
    pub setting: Setting,
    /// A file that ends in .png or .svg, or a folder, which gets a .svg named after the input.
    #[arg(short, long)]
    pub output: PathBuf,
    /// Where the time axis begins, such as `1.2ms`.
    #[arg(long)]
    pub from: Option<String>,
    /// Where it ends.
    #[arg(long)]
    pub to: Option<String>,
    /// The lanes that are drawn; without this, those that the scenario is about, or all.
    #[arg(long, value_delimiter = ',', value_name = "LANE,…")]
    pub lanes: Option<Vec<LaneKind>>,
    /// Width in points.
    #[arg(long, default_value_t = 1280, value_parser = clap::value_parser!(u32).range(320..=8192))]
    pub width: u32,
    /// Pixels a point, for .png.
    #[arg(long, default_value_t = 2.0)]
    pub scale: f32,
    /// Colours.
    #[arg(long, default_value = "light")]
    pub theme: ThemeName,
    /// Language of the labels.
    #[arg(long, default_value = "en")]
    pub lang: Lang,
    /// Title; without it the scenario's, empty for none.
    #[arg(long)]
    pub title: Option<String>,
    /// No background.
    #[arg(long)]
    pub transparent: bool,
}

/// Colours of a figure.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ThemeName {
    /// For white slides.
    Light,
    /// For dark ones.
    Dark,
}

#[derive(Debug, Args)]
pub(super) struct ValidateOptions {
    /// Runs every setting on a GPU, `gpu` or `gpu:1`, and compares with that.
    #[arg(long, conflicts_with = "against")]
    pub on: Option<String>,
    /// Number of runs of a GPU that are not watched; without this, 5.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000), requires = "on")]
    pub runs: Option<u32>,
    /// Runs it in another process, such as one on another machine: `"ssh gpubox streamscope worker"`.
    #[arg(long, value_name = "COMMAND", requires = "on")]
    pub worker: Option<String>,
    /// Seconds without a word from that process after which it counts as hung; without this, 30, and 10 to start.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86400), requires = "on")]
    pub patience: Option<u32>,
    /// Writes what the GPU measured into a folder, a recording for each setting.
    #[arg(long, value_name = "FOLDER", requires = "on")]
    pub save: Option<PathBuf>,
    /// Compares with the recordings of a folder, instead of the shipped ones.
    #[arg(long, value_name = "FOLDER")]
    pub against: Option<PathBuf>,
    /// Profile of the model.
    #[arg(long, default_value = "h200")]
    pub profile: String,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(super) struct CalibrateOptions {
    /// The profile to write, for `--profile FILE`.
    #[arg(short, long, value_name = "PROFILE")]
    pub output: PathBuf,
    /// Number of the GPU, from 0.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub device: u32,
    /// Prints the figures as one JSON object.
    #[arg(long)]
    pub json: bool,
}
