//! Running the open scenario: on the model, from a recording, on a GPU; and giving up on that.

use std::sync::Arc;

use super::tools::Tools;
use crate::window::background::gpus::GpuQuestion;
use crate::window::background::model::{self, ModelRequest, WantedRun};
use crate::window::state::gpus::KnownGpus;
use crate::window::state::settings::RunOn;
use crate::window::state::{Banner, WindowState};

impl WindowState {
    pub(super) fn run_on(&mut self, target: RunOn, tools: &mut Tools<'_>) {
        if target != self.settings.run_on && self.targets().contains(&target) {
            self.settings.run_on = target;
            self.run_scenario(tools);
        }
    }

    /// Runs the scenario with its knobs as they are, and waits for it as long as a frame may take. The model answers, unless
    /// a recording is wanted and there is one; a GPU that is chosen answers later.
    pub(in crate::window) fn run_scenario(&mut self, tools: &mut Tools<'_>) {
        let Some(profile) = self.profiles.get(self.profile) else { return };
        let shows_recording = self.settings.run_on == RunOn::Recording && self.is_recorded();
        let job = WantedRun {
            scenario: Arc::clone(self.document().scenario()),
            knobs: self.document().knobs().clone(),
            profile: Arc::clone(profile),
            recorded: shows_recording.then(|| Arc::clone(&self.recordings.library)),
        };
        self.viewed = None;
        self.start_gpu(&job, tools);
        self.submit_to_model(ModelRequest::Run(job), tools);
    }

    /// Asks the thread of the model, or does it here where there is none.
    pub(super) fn submit_to_model(&mut self, request: ModelRequest, tools: &mut Tools<'_>) {
        match &mut tools.model {
            Some(model) => {
                model.submit(request);
                self.shown.stop_judging();
                self.progress.model = Some(0.0);
                self.take_model_reports(tools);
            }
            None => model::carry_out(&request, &mut |_| true, &mut |news| self.take_news(news, tools)),
        }
    }

    /// Lets the chosen GPU run the job, or gives up on what one runs now.
    fn start_gpu(&mut self, job: &WantedRun, tools: &mut Tools<'_>) {
        if matches!(self.banner, Some(Banner::GpuFailure(_))) {
            self.banner = None;
        }
        let device = self.gpu().map(|device| device.index);
        match (device, &mut tools.gpus) {
            (Some(device), Some(gpus)) => {
                gpus.submit(GpuQuestion::Run(job.clone(), device));
                self.progress.gpu = Some(0.0);
            }
            _ => self.cancel_gpu(tools),
        }
    }

    pub(super) fn cancel(&mut self, tools: &mut Tools<'_>) {
        self.cancel_model(tools);
        self.cancel_gpu(tools);
    }

    pub(super) fn cancel_model(&mut self, tools: &mut Tools<'_>) {
        if let Some(model) = &mut tools.model {
            model.cancel();
        }
        self.progress.model = None;
        self.shown.stop_judging();
    }

    pub(super) fn cancel_gpu(&mut self, tools: &mut Tools<'_>) {
        if self.progress.gpu.take().is_some()
            && let Some(gpus) = &mut tools.gpus
        {
            gpus.cancel();
        }
    }

    /// Looks for GPUs.
    pub(in crate::window) fn ask_for_gpus(&mut self, tools: &mut Tools<'_>) {
        if let Some(gpus) = &mut tools.gpus {
            gpus.submit(GpuQuestion::Devices);
            self.gpus = KnownGpus::Asked;
        }
    }
}
