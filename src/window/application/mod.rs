//! The application: what it owns from frame to frame.

mod frame;
mod threads;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};
use egui::{Context, Ui};

use super::background::gpus::{GpuThread, Gpus};
use super::background::model::ModelThread;
use super::background::read_file;
use super::graph::panel::GraphPanel;
use super::look::palette::Palette;
use super::start::{Start, WindowError, open_by_name, open_first, profiles};
use super::state::documents::Documents;
use super::state::gpus::KnownGpus;
use super::state::progress::BackgroundProgress;
use super::state::recordings::Recordings;
use super::state::run_view::RunView;
use super::state::sentence::Sentence;
use super::state::settings::{Settings, WindowPlace};
use super::state::{Banner, WindowState};
use super::timeline::TimelinePanel;
use crate::document::drafts::{self, Keeper, Kept, Shelf};
use crate::recording::{self, Library};
use crate::text::Key;

/// How long a frame waits for the model before the run goes on in the background.
const PATIENCE: Duration = Duration::from_millis(40);

/// The application. Tests drive it without a display, by [`Window::attach`] and [`Window::frame`].
pub struct Window {
    state: WindowState,
    timeline: TimelinePanel,
    graph: GraphPanel,
    model: Option<ModelThread>,
    gpus: Option<GpuThread>,
    /// What that thread asks; it outlives the thread, should that panic.
    gpus_to_ask: Option<Arc<Mutex<dyn Gpus>>>,
    notices: (Sender<Banner>, Receiver<Banner>),
    /// What was edited before this start, until its keeper has it.
    shelf: Option<(Shelf, Kept)>,
    /// None where nothing is kept from one start to the next.
    keeper: Option<Keeper>,
    settings_path: Option<PathBuf>,
    saved: Settings,
    /// Where the window stands, as far as the system tells.
    place: Option<WindowPlace>,
    palette: Palette,
    patience: Duration,
}

impl Window {
    /// Reads settings, profiles and the scenario; nothing is shown yet.
    ///
    /// # Errors
    /// [`WindowError`] when a profile or the scenario cannot be had.
    pub fn new(start: Start) -> Result<Self, WindowError> {
        let mut faults = Vec::new();
        let settings = match start.settings.as_deref().map(Settings::read) {
            None => Settings::default(),
            Some(Ok(settings)) => settings,
            Some(Err(error)) => {
                faults.push(error.to_string());
                Settings::default()
            }
        };
        let (profiles, profile) = profiles(start.profile.as_deref())?;
        let viewed = start.scenario.as_ref().map(PathBuf::from);
        let viewed = viewed.filter(|path| read_file::kind(path) != read_file::Kind::Scenario);
        let asked = start.scenario.as_ref().filter(|_| viewed.is_none());
        let document = match (asked, &settings.last) {
            (Some(name), _) => open_by_name(name)?,
            (None, Some(last)) => open_by_name(last).or_else(|_| open_first())?,
            (None, None) => open_first()?,
        };
        let recordings = Recordings::new(Arc::new(recording::shipped()), document.scenario());
        let documents = Documents::new(document);
        let palette = Palette::new(settings.dark);
        let mut window = Self {
            state: WindowState {
                documents,
                viewed,
                shown: RunView::default(),
                progress: BackgroundProgress::default(),
                gpus: KnownGpus::NotAsked,
                recordings,
                profiles: profiles.into_iter().map(Arc::new).collect(),
                profile,
                settings: settings.clone(),
                banner: None,
                dialog: None,
                finder: None,
                keys_shown: false,
                graph_shown: false,
            },
            timeline: TimelinePanel::default(),
            graph: GraphPanel::default(),
            model: None,
            gpus: None,
            gpus_to_ask: None,
            notices: unbounded(),
            shelf: None,
            keeper: None,
            settings_path: start.settings,
            saved: settings,
            place: None,
            palette,
            patience: PATIENCE,
        };
        faults.extend(window.restore());
        window.state.banner =
            (!faults.is_empty()).then(|| Banner::Failure(Sentence::about(Key::FailedToRestore, faults.join("\n"))));
        Ok(window)
    }

    /// Puts what was edited before this start, and not saved, back into the list; what could not be is told.
    fn restore(&mut self) -> Vec<String> {
        let Some(beside) = self.settings_path.as_deref().and_then(Path::parent) else { return Vec::new() };
        let (shelf, drafts::Found { drafts, faults }) = Shelf::open(beside.join("edited"));
        let mut kept = Kept::new();
        for (number, draft) in drafts {
            let place = self.state.documents.restore(&draft);
            kept.insert(place, (number, draft));
        }
        self.shelf = Some((shelf, kept));
        faults
    }

    /// Where the window stood when it was closed last.
    pub(super) fn place(&self) -> Option<WindowPlace> {
        self.saved.window
    }

    /// Waits for the model this long in each frame; tests wait longer, so that they do not depend on the machine's speed.
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Offers these GPUs beside the model; without this, none.
    pub fn with_gpus(self, gpus: impl Gpus + 'static) -> Self {
        Self { gpus_to_ask: Some(Arc::new(Mutex::new(gpus))), ..self }
    }

    /// Offers no GPU, and says why to who asks.
    pub(super) fn without_gpus(mut self, why: &str) -> Self {
        self.state.gpus = KnownGpus::nothing(why);
        self
    }

    /// Offers these recordings in place of the shipped ones.
    pub fn with_recordings(mut self, library: Library) -> Self {
        self.state.recordings.library = Arc::new(library);
        self.state.look_up();
        self
    }
}

impl eframe::App for Window {
    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        self.frame(ui);
        self.place = place(ui.ctx()).or(self.place);
    }

    fn on_exit(&mut self, _gl: Option<&eframe::glow::Context>) {
        self.state.settings.window = self.place.or(self.state.settings.window);
        self.keep_settings();
    }
}

/// Where the window stands now. One that is maximized or minimized comes back as it was before.
fn place(ctx: &Context) -> Option<WindowPlace> {
    let zoom = ctx.zoom_factor();
    ctx.input(|input| {
        let viewport = input.viewport();
        let is = |state: Option<bool>| state == Some(true);
        if is(viewport.maximized) || is(viewport.minimized) || is(viewport.fullscreen) {
            return None;
        }
        let size = viewport.inner_rect?.size() * zoom;
        let at = viewport.outer_rect.map(|rect| rect.min.to_vec2() * zoom);
        Some(WindowPlace { size: [size.x as u32, size.y as u32], at: at.map(|at| [at.x as i32, at.y as i32]) })
    })
}
