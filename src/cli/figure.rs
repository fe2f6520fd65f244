//! `streamscope figure`.

use std::path::{Path, PathBuf};

use super::arguments::{FigureArguments, ThemeName};
use super::input::{recorded, time};
use super::later;
use super::outcome::{Failure, Finished};
use crate::drawing::{self, FigureOptions, Panel, Theme, knobs_caption};
use crate::file;
use crate::recording::Recording;
use crate::text::Lang;

pub(super) fn figure(arguments: &FigureArguments) -> Result<Finished, Failure> {
    let output = output(arguments);
    check_format(&output)?;
    let from = arguments.from.as_deref().map(time).transpose()?;
    let to = arguments.to.as_deref().map(time).transpose()?;
    if let (Some(from), Some(to)) = (from, to)
        && from >= to
    {
        return Err(Failure::input(format!("--from {from} is not before --to {to}")));
    }
    let recording = recorded(&arguments.input, &arguments.setting)?;
    let title = arguments.title.clone().unwrap_or_else(|| title(&recording, arguments.lang));
    let options = FigureOptions {
        title,
        theme: match arguments.theme {
            ThemeName::Light => Theme::light(),
            ThemeName::Dark => Theme::dark(),
        },
        lang: arguments.lang,
        width: arguments.width as f32,
        from,
        to,
        transparent: arguments.transparent,
        lanes: arguments.lanes.clone(),
        ..FigureOptions::default()
    };
    write(&recording, &output, &options, arguments.scale)?;
    Ok(Finished::Done)
}

/// The file to write: in a folder, a .svg named after the input.
fn output(arguments: &FigureArguments) -> PathBuf {
    if arguments.output.is_dir() {
        let stem = Path::new(&arguments.input).file_stem().unwrap_or_default();
        return arguments.output.join(stem).with_extension("svg");
    }
    arguments.output.clone()
}

/// Refuses what cannot be drawn before anything runs.
pub(super) fn check_format(path: &Path) -> Result<(), Failure> {
    match extension(path).as_str() {
        "svg" | "png" => Ok(()),
        "pdf" => Err(later("a figure as PDF (use .svg or .png)")),
        _ => Err(Failure::input(format!("{}: a figure ends in .svg or .png", path.display()))),
    }
}

fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// A figure for a white slide under the scenario's title.
pub(super) fn default_options(recording: &Recording) -> FigureOptions {
    FigureOptions { title: title(recording, Lang::En), ..FigureOptions::default() }
}

fn title(recording: &Recording, lang: Lang) -> String {
    recording.scenario.as_ref().map_or_else(String::new, |scenario| scenario.title.get(lang).to_owned())
}

/// Draws a recording to a .svg or .png file.
pub(super) fn write(recording: &Recording, path: &Path, options: &FigureOptions, scale: f32) -> Result<(), Failure> {
    let caption = knobs_caption(recording, options.lang);
    let svg = drawing::figure(&[Panel { recording, caption: &caption }], options);
    let contents = match extension(path).as_str() {
        "png" => drawing::png(&svg, scale).map_err(Failure::input)?,
        _ => svg.into_bytes(),
    };
    file::replace(path, &contents).map_err(Failure::input)
}
