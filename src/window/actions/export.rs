//! Pictures for elsewhere: the figure as SVG or PNG, and the window as PNG.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use crossbeam_channel::Sender;
use egui::{ColorImage, Context};
use resvg::tiny_skia::{IntSize, Pixmap};

use crate::drawing::{FigureOptions, Panel, Theme, figure, knobs_caption, png};
use crate::file;
use crate::scenario::LaneKind;
use crate::text::Key;
use crate::window::state::dialog::Dialog;
use crate::window::state::sentence::Sentence;
use crate::window::state::{Banner, WindowState};

/// Pixels for each point of a figure, so that a slide is sharp.
const SCALE: f32 = 2.0;

/// Draws the figure that the dialog asks for.
pub(super) fn export(state: &WindowState, dialog: &Dialog, path: &Path) -> Result<(), Sentence> {
    let run = state.shown.run.as_ref().ok_or_else(|| Sentence::new(Key::NoRunToDraw))?;
    let seen = state.shown.views.current().interval;
    let options = FigureOptions {
        // Of what ran, which is not always what is open.
        title: run.recording.scenario.as_ref().map_or("", |ran| ran.title.get(state.settings.lang)).to_owned(),
        theme: if dialog.dark { Theme::dark() } else { Theme::light() },
        lang: state.settings.lang,
        from: (!dialog.whole && !state.shown.follows).then_some(seen.start),
        to: (!dialog.whole && !state.shown.follows).then_some(seen.end),
        // What is folded in the window is of no interest on a slide.
        lanes: Some(LaneKind::ALL.into_iter().filter(|kind| !state.folded().contains(*kind)).collect()),
        ..FigureOptions::default()
    };
    let caption = knobs_caption(&run.recording, state.settings.lang);
    let svg = figure(&[Panel { recording: &run.recording, caption: &caption }], &options);
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let bytes = match extension.to_ascii_lowercase().as_str() {
        "svg" => svg.into_bytes(),
        "png" => png(&svg, SCALE).map_err(failed)?,
        _ => return Err(Sentence::about(Key::FigureEnding, path.display())),
    };
    file::replace(path, &bytes).map_err(failed)
}

/// Writes the next frame as PNG, and says in `notices` how that went. The error is what is wrong with the path already
/// now.
pub(super) fn screenshot(ctx: &Context, path: PathBuf, notices: Sender<Banner>) -> Result<(), Sentence> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(Sentence::about(Key::PictureNoFolder, path.display()).and(folder.display()));
    }
    if path.is_dir() {
        return Err(Sentence::about(Key::PictureIsFolder, path.display()));
    }
    let later = ctx.clone();
    ctx.request_screenshot(move |image| {
        let banner = match encode(&image).and_then(|bytes| file::replace(&path, &bytes).map_err(failed)) {
            Ok(()) => Banner::Written(path),
            Err(sentence) => Banner::Failure(sentence),
        };
        // When the window has gone, nobody is left to be told.
        let _gone = notices.send(banner);
        later.request_repaint();
    });
    Ok(())
}

fn failed(error: impl Display) -> Sentence {
    Sentence::about(Key::FailedToDraw, error)
}

fn encode(image: &ColorImage) -> Result<Vec<u8>, Sentence> {
    let [width, height] = image.size.map(|side| u32::try_from(side).unwrap_or(0));
    let bytes = image.pixels.iter().flat_map(|pixel| pixel.to_array()).collect();
    let pixmap = IntSize::from_wh(width, height).and_then(|size| Pixmap::from_vec(bytes, size));
    let pixmap = pixmap.ok_or_else(|| failed("the screenshot is empty"))?;
    pixmap.encode_png().map_err(failed)
}
