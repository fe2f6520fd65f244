//! What can be typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::help;
use crate::recording::Instrument;
use crate::scenario::{HostOverhead, LaneKind};
use crate::text::Lang;

/// An oscilloscope for CUDA streams: what the CPU launched, what the GPU executed, where bubbles form and why.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true, after_help = help::ROOT)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Opens the window with this: a preset's name, or the path of a scenario, recording or trace.
    #[arg(value_name = "SCENARIO")]
    pub file: Option<String>,
    /// Machine whose costs the model uses: h200, lecture, or a file that `calibrate` wrote [default: h200].
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<String>,
    /// Command that starts a worker on a machine with a GPU, such as "ssh gpubox streamscope worker" [default: this machine].
    #[arg(long, value_name = "COMMAND")]
    pub worker: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Lists the presets: the scenarios of the course, with their knobs.
    #[command(after_help = help::LIST)]
    List {
        /// Prints JSON.
        #[arg(long)]
        json: bool,
    },
    /// Runs a scenario and prints its numbers.
    #[command(after_help = help::RUN)]
    Run(RunOptions),
    /// Says what would make a scenario faster, by trying changes on the model.
    #[command(after_help = help::ADVISE)]
    Advise(AdviseOptions),
    /// Finds hazards in scenarios, and the errors that their run meets.
    #[command(after_help = help::CHECK)]
    Check(CheckOptions),
    /// Draws the timeline of a scenario or a recording, for a slide.
    #[command(after_help = help::FIGURE)]
    Figure(FigureArguments),
    /// Compares the model with measurements.
    #[command(after_help = help::VALIDATE)]
    Validate(ValidateOptions),
    /// Prints the JSON Schema of scenario files.
    #[command(after_help = help::SCHEMA)]
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
    #[command(after_help = help::CALIBRATE)]
    Calibrate(CalibrateOptions),
}

/// How a scenario is to be run.
#[derive(Clone, Debug, Args)]
pub(super) struct Setting {
    /// Sets a knob, such as item=true; repeatable. `streamscope list` shows the knobs.
    #[arg(long = "set", value_name = "KNOB=VALUE")]
    pub knobs: Vec<String>,
    /// Machine whose costs the model uses: h200, lecture, or a file that `calibrate` wrote.
    #[arg(long, value_name = "PROFILE", default_value = "h200")]
    pub profile: String,
    /// Changes one value of the profile, such as sms=66; repeatable.
    ///
    /// Keys: launch_us (host time of cudaLaunchKernel in µs), sms, queue_depth; kernels, link, host (factors of their speed; host
    /// is PyTorch, CUDA calls and work of host threads, not latencies); or the path of a value in the profile, such as
    /// calls.record_us.
    #[arg(long = "what-if", value_name = "KEY=VALUE")]
    pub what_if: Vec<String>,
    /// Host overhead above the CUDA calls; overrides the scenario's `host`.
    #[arg(long)]
    pub host: Option<HostOverhead>,
    /// What runs it; gpu:1 is the second GPU.
    #[arg(long, value_name = "model|gpu[:N]", default_value = "model")]
    pub on: String,
    /// How the traced run on a GPU is timed [default: stamps].
    #[arg(long)]
    pub instrument: Option<Instrument>,
    /// Command that starts a worker on a machine with a GPU, such as "ssh gpubox streamscope worker" [default: this machine].
    #[arg(long, value_name = "COMMAND")]
    pub worker: Option<String>,
    /// Seconds of silence after which the worker counts as hung [default: 30, and 10 to start].
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
    /// A preset's name, or the path of a scenario.
    #[arg(value_name = "SCENARIO")]
    pub scenario: String,
    #[command(flatten)]
    pub setting: Setting,
    /// Number of untraced runs [default: 1 on the model, 5 on a GPU].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: Option<u32>,
    /// Prints JSON.
    #[arg(long)]
    pub json: bool,
    /// Writes the recording to a file; one that ends in .gz is compressed.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Draws the timeline to a file that ends in .svg or .png.
    #[arg(long, value_name = "FILE")]
    pub figure: Option<PathBuf>,
    /// Writes a Chrome trace: not possible yet.
    #[arg(long, hide = true)]
    pub trace: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct AdviseOptions {
    /// A preset's name, or the path of a scenario.
    #[arg(value_name = "SCENARIO")]
    pub scenario: String,
    /// Sets a knob, such as item=true; repeatable. `streamscope list` shows the knobs.
    #[arg(long = "set", value_name = "KNOB=VALUE")]
    pub knobs: Vec<String>,
    /// Machine whose costs the model uses: h200, lecture, or a file that `calibrate` wrote.
    #[arg(long, value_name = "PROFILE", default_value = "h200")]
    pub profile: String,
    /// Changes one value of the profile, such as sms=66; repeatable. `streamscope run --help` lists the keys.
    #[arg(long = "what-if", value_name = "KEY=VALUE")]
    pub what_if: Vec<String>,
    /// Host overhead above the CUDA calls; overrides the scenario's `host`.
    #[arg(long)]
    pub host: Option<HostOverhead>,
    /// Prints JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(super) struct CheckOptions {
    /// Names of presets, or paths of scenarios.
    #[arg(required = true, value_name = "SCENARIO")]
    pub scenarios: Vec<String>,
    /// Sets a knob, such as item=true; repeatable. `streamscope list` shows the knobs.
    #[arg(long = "set", value_name = "KNOB=VALUE")]
    pub knobs: Vec<String>,
    /// Tries every combination of toggles and choices, up to 256.
    #[arg(long)]
    pub all: bool,
    /// Also counts fragile orders as findings: right only by behavior that no documentation promises.
    #[arg(long)]
    pub strict: bool,
    /// Prints JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(super) struct FigureArguments {
    /// A preset's name, or the path of a scenario or recording.
    #[arg(value_name = "SCENARIO|RECORDING")]
    pub input: String,
    #[command(flatten)]
    pub setting: Setting,
    /// A file that ends in .svg or .png, or a folder, which gets a .svg named after the input.
    #[arg(short, long, value_name = "FILE|FOLDER")]
    pub output: PathBuf,
    /// Where the time axis begins, such as 1.2ms [default: where the run begins].
    #[arg(long, value_name = "TIME")]
    pub from: Option<String>,
    /// Where the time axis ends, such as 2ms [default: where the run ends].
    #[arg(long, value_name = "TIME")]
    pub to: Option<String>,
    /// The lanes that are drawn; without this, those that the scenario is about, or all.
    #[arg(long, value_delimiter = ',', value_name = "LANE,…")]
    pub lanes: Option<Vec<LaneKind>>,
    /// Width in points.
    #[arg(long, value_name = "POINTS", default_value_t = 1280, value_parser = clap::value_parser!(u32).range(320..=8192))]
    pub width: u32,
    /// Pixels per point (.png only).
    #[arg(long, value_name = "PIXELS", default_value_t = 2.0)]
    pub scale: f32,
    /// Color theme.
    #[arg(long, default_value = "light")]
    pub theme: ThemeName,
    /// Language of the labels.
    #[arg(long, default_value = "en")]
    pub lang: Lang,
    /// Title above the figure; "" for none [default: the scenario's].
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Leaves the background transparent.
    #[arg(long)]
    pub transparent: bool,
}

/// Color theme of a figure.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ThemeName {
    /// For white slides.
    Light,
    /// For dark ones.
    Dark,
}

#[derive(Debug, Args)]
pub(super) struct ValidateOptions {
    /// Runs every setting on a GPU, and compares the model with that.
    #[arg(long, value_name = "gpu[:N]", conflicts_with = "against")]
    pub on: Option<String>,
    /// Number of untraced runs on the GPU [default: 5].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000), requires = "on")]
    pub runs: Option<u32>,
    /// Command that starts a worker on a machine with a GPU, such as "ssh gpubox streamscope worker" [default: this machine].
    #[arg(long, value_name = "COMMAND", requires = "on")]
    pub worker: Option<String>,
    /// Seconds of silence after which the worker counts as hung [default: 30, and 10 to start].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86400), requires = "on")]
    pub patience: Option<u32>,
    /// Writes what the GPU measured into a folder, one recording per setting.
    #[arg(long, value_name = "FOLDER", requires = "on")]
    pub save: Option<PathBuf>,
    /// Compares with the recordings of a folder instead of the shipped ones.
    #[arg(long, value_name = "FOLDER")]
    pub against: Option<PathBuf>,
    /// Machine whose costs the model uses: h200, lecture, or a file that `calibrate` wrote.
    #[arg(long, value_name = "PROFILE", default_value = "h200")]
    pub profile: String,
    /// Prints JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(super) struct CalibrateOptions {
    /// The profile to write; later commands take it as --profile FILE.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Number of the GPU, counted from 0.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub device: u32,
    /// Prints the values as JSON.
    #[arg(long)]
    pub json: bool,
}
