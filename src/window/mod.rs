//! The window: an eframe application around [`State`].
//!
//! In each frame, widgets read the state and send actions; these are then applied in one place, [`apply`].

mod apply;
mod banner;
mod captured;
mod command;
mod course;
mod describe;
mod describe_memory;
mod dialog;
mod discarding;
mod fixing;
mod gpus;
mod graph;
mod graph_picture;
mod hazards;
mod highlight;
mod inspector;
mod judged;
mod keys;
mod knobs;
mod listening;
mod number_cards;
mod numbers;
mod picture;
mod run;
mod seeing;
mod settings;
mod state;
mod style;
mod target;
mod thread;
mod timeline;
mod top_bar;
mod travel;
mod viewing;
mod widgets;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};
use eframe::CreationContext;
use egui::{CentralPanel, Context, Frame, Margin, Panel, Ui, ViewportBuilder};

use crate::document::drafts::{self, Keeper, Kept, Shelf};
use crate::document::{Document, Place};
use crate::drawing::egui_fonts;
use crate::profile::{self, ProfileError};
use crate::recording::{self, Library};
use crate::scenario::{self, LoadError};
use crate::worker::{self, Client};
use apply::ModelThread;
use command::{Action, pressed};
use gpus::{Found, GpuThread};
use graph::GraphPanel;
use judged::Judging;
use numbers::Below;
use settings::Settings;
use state::{Banner, Sight, State};
use style::Palette;
use thread::{Tell, Thread, Watch};
use timeline::Timeline;

pub use gpus::Gpus;

/// How long a frame waits for the model before the run goes on in the background.
const PATIENCE: Duration = Duration::from_millis(40);

/// What the window starts with.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// A preset's name or the path of a scenario; without one, what was open last.
    pub scenario: Option<String>,
    /// Profile of the model: the name of a shipped one, or a file.
    pub profile: Option<String>,
    /// Where settings are kept; without a path they are forgotten.
    pub settings: Option<PathBuf>,
    /// What leads to the process that runs scenarios on a GPU; without one, this program.
    pub worker: Option<worker::Command>,
}

impl Start {
    /// With the settings of this user.
    pub fn of_user(scenario: Option<String>, profile: Option<String>, worker: Option<worker::Command>) -> Self {
        Self { scenario, profile, settings: Settings::default_path(), worker }
    }
}

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
pub enum WindowError {
    /// A profile cannot be had.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// The scenario cannot be opened, and neither can any shipped one.
    #[error(transparent)]
    Scenario(#[from] LoadError),
    /// No display, or one without OpenGL.
    #[error("no window can be opened: {0}; the command line needs no display, see `streamscope --help`")]
    Display(String),
}

/// Opens the window and returns when it is closed.
///
/// # Errors
/// [`WindowError`] when the start is wrong or there is no display.
pub fn run(start: Start) -> Result<(), WindowError> {
    let worker = start.worker.clone().map_or_else(worker::Command::this_program, Ok);
    let mut window = Window::new(start)?;
    match worker {
        Ok(command) => window = window.with_gpus(Client::new(command)),
        Err(error) => window.state.gpus = Found::Nothing(error.to_string()),
    }
    let viewport = ViewportBuilder::default()
        .with_title("Streamscope")
        .with_app_id("streamscope")
        .with_inner_size([1440.0, 860.0])
        .with_min_inner_size([760.0, 480.0]);
    let options = eframe::NativeOptions { viewport, renderer: eframe::Renderer::Glow, ..Default::default() };
    let create = move |creation: &CreationContext<'_>| {
        let mut window = window;
        window.attach(&creation.egui_ctx);
        Ok(Box::new(window) as Box<dyn eframe::App>)
    };
    eframe::run_native("streamscope", options, Box::new(create))
        .map_err(|error| WindowError::Display(error.to_string()))
}

/// The application. Tests drive it without a display, by [`Window::attach`] and [`Window::frame`].
pub struct Window {
    state: State,
    timeline: Timeline,
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
        let library = Arc::new(recording::shipped());
        let viewed = start.scenario.as_ref().map(PathBuf::from);
        let viewed = viewed.filter(|path| viewing::kind(path) != viewing::Kind::Scenario);
        let asked = start.scenario.as_ref().filter(|_| viewed.is_none());
        let document = match (asked, &settings.last) {
            (Some(name), _) => open(name)?,
            (None, Some(last)) => open(last).or_else(|_| open_first())?,
            (None, None) => open_first()?,
        };
        let files = match document.place() {
            Place::File(path) => vec![path.clone()],
            Place::Preset(_) | Place::Copy { .. } => Vec::new(),
        };
        let palette = Palette::new(settings.dark);
        let mut window = Self {
            state: State {
                document,
                viewed,
                recorded: Vec::new(),
                run: None,
                judging: Judging::Nothing,
                run_number: 0,
                progress: None,
                gpu_progress: None,
                gpus: Found::NotAsked,
                library,
                sight: Sight::default(),
                profiles: profiles.into_iter().map(Arc::new).collect(),
                profile,
                settings: settings.clone(),
                banner: None,
                dialog: None,
                keys_shown: false,
                graph_shown: false,
                files,
                remembered: HashMap::new(),
                discarded: None,
            },
            timeline: Timeline::default(),
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
        window.state.look_up();
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
            let place = self.state.free_copy(&draft.of);
            let document = Document::of_draft(place.clone(), &draft);
            self.state.remembered.insert(place.clone(), document);
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

    /// Offers these recordings in place of the shipped ones.
    pub fn with_recordings(mut self, library: Library) -> Self {
        self.state.library = Arc::new(library);
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
        self.with_tools(ctx, State::ask_for_gpus);
        self.with_tools(ctx, |state, tools| match state.viewed.take() {
            Some(path) => state.view(path, tools),
            None => state.start(tools),
        });
    }

    fn start_model(&mut self, ctx: &Context) {
        let wake = ctx.clone();
        let run =
            |request: run::Request, watch: Watch<'_>, tell: Tell<'_, run::News>| run::carry_out(&request, watch, tell);
        self.model = Thread::start("model", run, move || wake.request_repaint()).ok();
    }

    fn start_gpus(&mut self, ctx: &Context) {
        let Some(gpus) = self.gpus_to_ask.clone() else { return };
        let wake = ctx.clone();
        let answer = move |question, watch: Watch<'_>, tell: Tell<'_, gpus::Answer>| {
            let mut gpus = gpus.lock().unwrap_or_else(PoisonError::into_inner);
            gpus::answer(&mut *gpus, question, watch, tell);
        };
        self.gpus = Thread::start("gpu", answer, move || wake.request_repaint()).ok();
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

    fn with_tools(&mut self, ctx: &Context, what: impl FnOnce(&mut State, &mut apply::Tools<'_>)) {
        let mut tools = apply::Tools {
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
        self.hear(&ctx);
        // An open dialog has the keyboard to itself.
        let mut actions = if self.state.dialog.is_some() { Vec::new() } else { pressed(&ctx) };
        actions.extend(dropped(&ctx));
        self.act(&ctx, actions);
        let mut actions = Vec::new();
        self.show(ui, &mut actions);
        if !actions.is_empty() {
            let run = self.state.run_number;
            self.act(&ctx, actions);
            if self.state.run_number != run {
                // The picture of before is not shown again: this frame is drawn anew.
                ctx.request_discard("there is a new run");
            }
            ctx.request_repaint();
        }
        if !ctx.input(|input| input.pointer.any_down()) {
            self.state.document.end_turn();
        }
        self.keep_settings();
        if let Some(keeper) = &mut self.keeper {
            keeper.follow(self.state.remembered.values().chain([&self.state.document]));
        }
    }

    /// What the background has to say.
    fn hear(&mut self, ctx: &Context) {
        self.with_tools(ctx, |state, tools| {
            let patience = std::mem::replace(&mut tools.patience, Duration::ZERO);
            state.listen(tools);
            tools.patience = patience;
            state.listen_to_gpus(tools);
        });
        while let Ok(banner) = self.notices.1.try_recv() {
            self.state.banner = Some(banner);
        }
    }

    fn act(&mut self, ctx: &Context, actions: Vec<Action>) {
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

    fn show(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
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
            let below = Below::new(ui, &self.state);
            self.timeline.show(ui, palette, &self.state, below.height(), actions);
            ui.add_space(6.0);
            self.graph.show(ui, palette, &self.state, actions);
            numbers::show(ui, palette, &self.state, &below, actions);
        });
        dialog::show(ui, palette, &mut self.state, actions);
        keys::show(ui, palette, &self.state, actions);
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
fn dropped(ctx: &Context) -> Vec<Action> {
    let files = ctx.input(|input| input.raw.dropped_files.clone());
    files.iter().map(|file| Action::OpenFile(file.path().to_owned())).collect()
}

/// The shipped profiles, and the one that was asked for if it is a file; and which of them is asked for.
fn profiles(name: Option<&str>) -> Result<(Vec<profile::Profile>, usize), ProfileError> {
    let mut profiles = Vec::new();
    for (id, _) in profile::SHIPPED {
        profiles.push(profile::shipped(id)?);
    }
    let Some(name) = name else { return Ok((profiles, 0)) };
    if let Some(index) = profile::SHIPPED.iter().position(|(id, _)| *id == name) {
        return Ok((profiles, index));
    }
    profiles.push(profile::open(name)?);
    let last = profiles.len() - 1;
    Ok((profiles, last))
}

/// A preset by name, or a scenario from a file.
fn open(name: &str) -> Result<Document, LoadError> {
    let place = match scenario::preset(name) {
        Some(preset) => Place::Preset(preset.name),
        None => Place::File(PathBuf::from(name)),
    };
    Document::open(place)
}

/// The preset that a first start shows.
fn open_first() -> Result<Document, LoadError> {
    open("implicit-sync")
}
