//! The application: what it owns from frame to frame, and what happens in a frame.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};
use egui::{CentralPanel, Context, Frame, Margin, Panel, Ui};

use super::actions::WindowAction;
use super::actions::action::pressed;
use super::actions::tools::Tools;
use super::background::gpus::{self, GpuThread, Gpus};
use super::background::model::{self, ModelThread};
use super::background::read_file;
use super::background::thread::{BackgroundThread, Tell, Watch};
use super::graph::panel::GraphPanel;
use super::look::palette::Palette;
use super::panels::numbers::{self, Below};
use super::panels::{banner, course, inspector, key_sheet, knobs, path_dialog, source_line, top_bar};
use super::start::{Start, WindowError, open_by_name, open_first, profiles};
use super::state::documents::Documents;
use super::state::gpus::KnownGpus;
use super::state::progress::BackgroundProgress;
use super::state::recordings::Recordings;
use super::state::run_view::RunView;
use super::state::settings::Settings;
use super::state::{Banner, WindowState};
use super::timeline::TimelinePanel;
use crate::document::drafts::{self, Keeper, Kept, Shelf};
use crate::drawing::egui_fonts;
use crate::recording::{self, Library};

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
            palette,
            patience: PATIENCE,
        };
        faults.extend(window.restore());
        window.state.banner = (!faults.is_empty()).then(|| Banner::Failure(faults.join("\n")));
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

    /// Waits for the model this long in each frame; tests wait longer, so that they do not depend on the machine's speed.
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Offers these GPUs beside the model; without this, none.
    pub fn with_gpus(self, gpus: impl Gpus + 'static) -> Self {
        Self { gpus_to_ask: Some(Arc::new(Mutex::new(gpus))), ..self }
    }

    /// Offers no GPU, and says why to who asks.
    pub(super) fn without_gpus(mut self, why: String) -> Self {
        self.state.gpus = KnownGpus::Nothing(why);
        self
    }

    /// Offers these recordings in place of the shipped ones.
    pub fn with_recordings(mut self, library: Library) -> Self {
        self.state.recordings.library = Arc::new(library);
        self.state.look_up();
        self
    }

    /// Gives the window fonts, colours and its background threads, looks for GPUs and runs the scenario.
    pub fn attach(&mut self, ctx: &Context) {
        ctx.set_fonts(egui_fonts());
        self.palette.apply(ctx);
        self.start_model(ctx);
        self.start_gpus(ctx);
        self.start_keeper(ctx);
        self.with_tools(ctx, WindowState::ask_for_gpus);
        self.with_tools(ctx, |state, tools| match state.viewed.take() {
            Some(path) => state.view(path, tools),
            None => state.run_scenario(tools),
        });
    }

    fn start_model(&mut self, ctx: &Context) {
        let wake = ctx.clone();
        let run = |request: model::ModelRequest, watch: Watch<'_>, tell: Tell<'_, model::ModelNews>| {
            model::carry_out(&request, watch, tell);
        };
        self.model = BackgroundThread::start("model", run, move || wake.request_repaint()).ok();
    }

    fn start_gpus(&mut self, ctx: &Context) {
        let Some(gpus) = self.gpus_to_ask.clone() else { return };
        let wake = ctx.clone();
        let answer = move |question, watch: Watch<'_>, tell: Tell<'_, gpus::GpuAnswer>| {
            let mut gpus = gpus.lock().unwrap_or_else(PoisonError::into_inner);
            gpus::answer(&mut *gpus, question, watch, tell);
        };
        self.gpus = BackgroundThread::start("gpu", answer, move || wake.request_repaint()).ok();
    }

    fn start_keeper(&mut self, ctx: &Context) {
        let Some((shelf, kept)) = self.shelf.take() else { return };
        let (notices, wake) = (self.notices.0.clone(), ctx.clone());
        let fail = move |sentence| {
            // When the window has gone, nobody is left to be told.
            let _gone = notices.send(Banner::Failure(sentence));
            wake.request_repaint();
        };
        match Keeper::start(shelf, kept, fail) {
            Ok(keeper) => self.keeper = Some(keeper),
            Err(error) => {
                let sentence = format!("What is edited is lost unless it is saved: no thread can be started ({error})");
                self.state.banner = Some(Banner::Failure(sentence));
            }
        }
    }

    fn with_tools(&mut self, ctx: &Context, what: impl FnOnce(&mut WindowState, &mut Tools<'_>)) {
        let mut tools = Tools {
            ctx,
            model: self.model.as_mut(),
            gpus: self.gpus.as_mut(),
            patience: self.patience,
            notices: &self.notices.0,
            lost: false,
            gpus_lost: false,
        };
        what(&mut self.state, &mut tools);
        let (lost, gpus_lost) = (tools.lost, tools.gpus_lost);
        // The next run gets a thread of its own.
        if gpus_lost {
            self.start_gpus(ctx);
        }
        if lost {
            self.start_model(ctx);
        }
    }

    /// One frame: keys, widgets, then what they asked for.
    pub fn frame(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        self.take_reports(&ctx);
        // An open dialog has the keyboard to itself.
        let mut actions = if self.state.dialog.is_some() { Vec::new() } else { pressed(&ctx) };
        actions.extend(dropped(&ctx));
        self.act(&ctx, actions);
        let mut actions = Vec::new();
        self.show(ui, &mut actions);
        if !actions.is_empty() {
            let run = self.state.shown.number;
            self.act(&ctx, actions);
            if self.state.shown.number != run {
                // The picture of before is not shown again: this frame is drawn anew.
                ctx.request_discard("there is a new run");
            }
            ctx.request_repaint();
        }
        if !ctx.input(|input| input.pointer.any_down()) {
            self.state.documents.open.end_turn();
        }
        self.keep_settings();
        if let Some(keeper) = &mut self.keeper {
            keeper.follow(self.state.documents.all());
        }
    }

    /// What the background has to say.
    fn take_reports(&mut self, ctx: &Context) {
        self.with_tools(ctx, |state, tools| {
            let patience = std::mem::replace(&mut tools.patience, Duration::ZERO);
            state.take_model_reports(tools);
            tools.patience = patience;
            state.take_gpu_reports(tools);
        });
        while let Ok(banner) = self.notices.1.try_recv() {
            self.state.banner = Some(banner);
        }
    }

    fn act(&mut self, ctx: &Context, actions: Vec<WindowAction>) {
        for action in actions {
            self.with_tools(ctx, |state, tools| state.apply(action, tools));
        }
        if self.palette.theme.dark != self.state.settings.dark {
            self.palette = Palette::new(self.state.settings.dark);
            self.palette.apply(ctx);
        }
        let zoom = if self.state.settings.projector { 1.35 } else { 1.0 };
        if ctx.zoom_factor() != zoom {
            ctx.set_zoom_factor(zoom);
        }
    }

    fn show(&mut self, ui: &mut Ui, actions: &mut Vec<WindowAction>) {
        let palette = &self.palette;
        let bar = |inner: Margin| Frame::new().fill(palette.panel).inner_margin(inner);
        Panel::top("top")
            .frame(bar(Margin::symmetric(18, 8)))
            .show(ui, |ui| top_bar::show(ui, palette, &self.state, actions));
        banner::show(ui, palette, &self.state, actions);
        let knobs = bar(Margin::symmetric(18, 8)).fill(palette.background);
        Panel::top("knobs").frame(knobs).show(ui, |ui| knobs::show(ui, palette, &self.state, actions));
        if !self.state.settings.projector {
            Panel::left("course")
                .frame(bar(Margin::same(0)))
                .default_size(232.0)
                .size_range(150.0..=320.0)
                .show(ui, |ui| course::show(ui, palette, &self.state, actions));
            Panel::right("inspector")
                .frame(bar(Margin::symmetric(18, 14)))
                .exact_size(304.0)
                .show(ui, |ui| inspector::show(ui, palette, &self.state, actions));
        }
        let middle = Frame::new().fill(palette.background).inner_margin(Margin::symmetric(18, 10));
        CentralPanel::default().frame(middle).show(ui, |ui| {
            let WindowState { settings, shown, .. } = &self.state;
            let below = Below::new(ui, &self.state);
            source_line::show(ui, palette, &self.state, actions);
            self.timeline.show(ui, palette, settings, shown, below.height(), actions);
            ui.add_space(6.0);
            if self.state.graph_shown {
                self.graph.show(ui, palette, settings.lang, shown, actions);
            }
            numbers::show(ui, palette, &self.state, &below, actions);
        });
        path_dialog::show(ui, palette, &mut self.state, actions);
        key_sheet::show(ui, palette, &self.state, actions);
    }

    fn keep_settings(&mut self) {
        if self.saved == self.state.settings {
            return;
        }
        self.saved = self.state.settings.clone();
        if let Some(Err(error)) = self.settings_path.as_deref().map(|path| self.saved.write(path)) {
            self.state.banner = Some(Banner::Failure(error.to_string()));
            self.settings_path = None;
        }
    }
}

impl eframe::App for Window {
    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        self.frame(ui);
    }
}

/// Files that were dropped onto the window.
fn dropped(ctx: &Context) -> Vec<WindowAction> {
    let files = ctx.input(|input| input.raw.dropped_files.clone());
    files.iter().map(|file| WindowAction::OpenFile(file.path().to_owned())).collect()
}
