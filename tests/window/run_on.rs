//! What a scenario runs on: the model, a recording, or a GPU in the background.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use streamscope::gpu::{DeviceInfo, RunOptions};
use streamscope::recording::{self, Executor, Instrument, Library, Measured, Recording, Source, file_name};
use streamscope::scenario::{Knobs, Scenario, preset};
use streamscope::time::Ns;
use streamscope::window::{Gpus, Start, Window};
use streamscope::{model, profile, program};

use super::application::{press, sees, show};

/// What a GPU might have measured: the model's run, said to be from a GPU.
fn measured(scenario: &Scenario, knobs: &Knobs) -> Recording {
    let program = program::lower(scenario, knobs).unwrap();
    let profile = profile::shipped("h200").unwrap();
    let mut recording = model::run(scenario, knobs, &program, &profile, &mut |_| true).unwrap();
    recording.source = Source {
        executor: Executor::Gpu,
        device: Some("NVIDIA H200, driver 580".to_owned()),
        profile: None,
        host: recording.source.host,
    };
    let wall = recording.wall.dur();
    recording.measured = Some(Measured {
        date: "2026-11-30".to_owned(),
        instrument: Instrument::Stamps,
        untraced: [0.98, 1.1, 0.97, 0.96, 0.98].map(|factor| wall.scale(factor)).to_vec(),
        clock_error: Ns(400),
        blocks: Vec::new(),
    });
    recording
}

/// A library that holds `graph` with its switch on.
fn library(folder: &Path) -> Library {
    let graph = preset("graph").unwrap().scenario().unwrap();
    let mut knobs = Knobs::defaults(&graph.knobs);
    knobs.set_text(&graph.knobs, "graph", "true").unwrap();
    recording::write(&measured(&graph, &knobs), &folder.join(file_name(&graph, &knobs))).unwrap();
    Library::folder(folder).unwrap()
}

/// GPUs that do what the test says, when it says so.
struct Staged {
    devices: Result<Vec<DeviceInfo>, String>,
    /// What the next run comes to; a run waits for it, and gives up when it is cancelled.
    outcomes: Receiver<Result<(), String>>,
    cancelled: Sender<()>,
}

impl Gpus for Staged {
    fn devices(&mut self) -> Result<Vec<DeviceInfo>, String> {
        self.devices.clone()
    }

    fn run(
        &mut self,
        scenario: &Scenario,
        knobs: &Knobs,
        _profile: &profile::Profile,
        _options: &RunOptions,
        watch: &mut dyn FnMut(f32) -> bool,
    ) -> Result<Recording, String> {
        loop {
            if let Ok(outcome) = self.outcomes.recv_timeout(Duration::from_millis(5)) {
                return outcome.map(|()| measured(scenario, knobs));
            }
            if !watch(0.5) {
                self.cancelled.send(()).unwrap();
                return Err("cancelled".to_owned());
            }
        }
    }
}

/// The test's end of [`Staged`].
struct Stage {
    outcomes: Sender<Result<(), String>>,
    cancelled: Receiver<()>,
}

fn staged(devices: Result<&[&str], &str>) -> (Staged, Stage) {
    let (outcomes, inbox) = unbounded();
    let (outbox, cancelled) = unbounded();
    let devices = devices.map_err(str::to_owned).map(|names| {
        let device = |(index, name): (usize, &&str)| DeviceInfo {
            index: index as u32,
            name: (*name).to_owned(),
            driver: "580".to_owned(),
            memory_bytes: 141 << 30,
        };
        names.iter().enumerate().map(device).collect()
    });
    (Staged { devices, outcomes: inbox, cancelled: outbox }, Stage { outcomes, cancelled })
}

fn open(scenario: &str, folder: &Path, gpus: Staged, size: [f32; 2]) -> Harness<'static> {
    let settings = Some(folder.join("settings.json"));
    let start = Start { scenario: Some(scenario.to_owned()), profile: None, settings };
    let recordings = folder.join("recordings");
    std::fs::create_dir_all(&recordings).unwrap();
    show(Window::new(start).unwrap().with_recordings(library(&recordings)).with_gpus(gpus), size)
}

const SMALL: [f32; 2] = [1000.0, 620.0];

/// Goes on with the window until `label` is there, or not; what comes from the background takes its time.
fn wait(harness: &mut Harness<'_>, label: &str, is_there: bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while sees(harness, label) != is_there {
        assert!(Instant::now() < until, "`{label}` should {} there", if is_there { "be" } else { "not be" });
        thread::sleep(Duration::from_millis(5));
        harness.run();
    }
}

fn choose(harness: &mut Harness<'_>, from: &str, to: &str) {
    harness.get_by_value(from).click();
    harness.run();
    harness.get_by_label(to).click();
    harness.run();
}

#[test]
fn the_chooser_lists_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let (gpus, _stage) = staged(Ok(&["NVIDIA H200", "NVIDIA L4"]));
    let mut harness = open("graph", folder.path(), gpus, SMALL);
    harness.run();
    harness.get_by_value("Model").click();
    wait(&mut harness, "GPU 1: NVIDIA L4", true);
    assert!(sees(&harness, "GPU 0: NVIDIA H200"));
    // There is no recording of the defaults, and a greyed entry says of what there is one.
    let recording = harness.get_by_label("Measured on H200");
    assert!(recording.accesskit_node().is_disabled());
    recording.hover();
    harness.run();
    wait(&mut harness, "Recorded with these knobs:", true);
    let _png = harness.render().unwrap().save("/tmp/chooser.png");
}
