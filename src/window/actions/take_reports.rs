//! What the background has to say: the model and the GPUs, pictures first, and the verdicts that belong to them.

use std::sync::Arc;
use std::time::Duration;

use super::tools::Tools;
use crate::document::Document;
use crate::model::ModelError;
use crate::program::LowerError;
use crate::text::Key;
use crate::window::background::gpus::GpuAnswer;
use crate::window::background::model::ModelNews;
use crate::window::background::run_failure::RunFailure;
use crate::window::background::thread::ThreadReport;
use crate::window::shown_run::ShownRun;
use crate::window::shown_run::verdict::Judging;
use crate::window::state::gpus::KnownGpus;
use crate::window::state::run_view::Advising;
use crate::window::state::sentence::Sentence;
use crate::window::state::{Banner, WindowState};

/// The longest that a frame waits for anything.
const FRAME: Duration = Duration::from_secs(1);

impl WindowState {
    /// Takes what the model reports within a frame.
    pub(in crate::window) fn take_model_reports(&mut self, tools: &mut Tools<'_>) {
        while let Some(patience) = self.patience_with_model(tools)
            && let Some(model) = &tools.model
            && let Some(report) = model.report(patience)
        {
            match report {
                ThreadReport::Progress(part) => self.progress.model = self.progress.model.map(|_| part),
                ThreadReport::Answer(news) => self.take_news(news, tools),
                ThreadReport::Lost => {
                    self.progress.model = None;
                    self.shown.stop_judging();
                    tools.model = None;
                    tools.lost = true;
                    self.banner = Some(Banner::Failure(Sentence::new(Key::ModelCrashed)));
                }
            }
        }
    }

    /// How long a frame waits for the model's next word; `None` when there is nothing to wait for. The picture is there before
    /// the verdict, and does not wait long for it: only so that small scenarios have both at once.
    fn patience_with_model(&self, tools: &Tools<'_>) -> Option<Duration> {
        match (&self.progress.model, &self.shown.judging) {
            (Some(_), _) => Some(tools.patience),
            (None, Judging::Pending) => Some(tools.patience / 10),
            // No frame waits for advice; who waits longer than a frame, as tests do, has it at once.
            (None, _) if matches!(self.shown.advising, Advising::Pending) => Some(tools.patience.saturating_sub(FRAME)),
            (None, _) => None,
        }
    }

    pub(super) fn take_news(&mut self, news: ModelNews, tools: &mut Tools<'_>) {
        match news {
            ModelNews::Ran(run) => self.take_run(run, tools),
            ModelNews::Judged(run, judged) => self.shown.show_verdict(&run, judged),
            ModelNews::Advised(run, advised) => self.shown.show_advice(&run, advised),
        }
    }

    /// Takes what the GPUs have to say, without waiting for it.
    pub(in crate::window) fn take_gpu_reports(&mut self, tools: &mut Tools<'_>) {
        while let Some(gpus) = &tools.gpus
            && let Some(report) = gpus.report(Duration::ZERO)
        {
            match report {
                ThreadReport::Progress(part) => self.progress.gpu = self.progress.gpu.map(|_| part),
                ThreadReport::Answer(GpuAnswer::Devices(Err(sentence))) => self.gpus = KnownGpus::nothing(&sentence),
                ThreadReport::Answer(GpuAnswer::Devices(Ok(devices))) => {
                    self.gpus = KnownGpus::Devices(devices);
                    // One that was chosen the last time is there again.
                    if self.gpu().is_some() {
                        self.run_scenario(tools);
                    }
                }
                ThreadReport::Answer(GpuAnswer::Judged(run, judged)) => self.shown.show_verdict(&run, judged),
                ThreadReport::Answer(GpuAnswer::Run(run)) => {
                    self.progress.gpu = None;
                    match run {
                        Err(sentence) => {
                            let name = self.gpu().map_or("GPU", |device| &device.name);
                            let failed = Sentence::about(Key::GpuFailed, name).and(sentence);
                            self.banner = Some(Banner::GpuFailure(failed));
                        }
                        Ok(run) => {
                            // A measurement is not replaced by the model, should that be slower.
                            self.cancel_model(tools);
                            self.shown.show(run);
                        }
                    }
                }
                ThreadReport::Lost => {
                    self.shown.stop_judging();
                    self.progress.gpu = None;
                    tools.gpus = None;
                    tools.gpus_lost = true;
                    if self.gpus == KnownGpus::Asked {
                        self.gpus = KnownGpus::Nothing(Sentence::new(Key::GpusCrashed));
                    }
                    self.banner = Some(Banner::GpuFailure(Sentence::new(Key::GpuCrashed)));
                }
            }
        }
    }

    fn take_run(&mut self, run: Result<Arc<ShownRun>, RunFailure>, tools: &mut Tools<'_>) {
        self.progress.model = None;
        match run {
            Err(RunFailure::Model(ModelError::Cancelled) | RunFailure::Lower(LowerError::Cancelled)) => {}
            Err(error @ (RunFailure::Recording(_) | RunFailure::Trace(_))) => {
                self.viewed = None;
                self.banner = Some(Banner::Failure(Sentence::about(Key::FailedToShow, error)));
            }
            Err(error) => {
                // The GPU would say the same.
                self.cancel_gpu(tools);
                let place = place_of(self.document(), error.pointer());
                let error = format!("{place}: {error}");
                self.banner = Some(Banner::Failure(Sentence::about(Key::FailedToRun, error)));
            }
            Ok(run) => {
                if matches!(self.banner, Some(Banner::Failure(_))) && self.shown.run.is_some() {
                    self.banner = None;
                }
                self.shown.show(run);
            }
        }
    }
}

/// Where the part that a JSON pointer names stands: line and column of the file, if that says what is open.
fn place_of(document: &Document, pointer: Option<&str>) -> String {
    match (pointer, document.text()) {
        (Some(pointer), Some(text)) => text.place(pointer),
        _ => document.place().to_string(),
    }
}
