//! What a scenario runs on: the model, a recording, or a GPU in the background.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use egui::Key;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use streamscope::gpu::DeviceInfo;
use streamscope::recording::{self, Executor, Instrument, Library, Measured, Recording, Source, file_name};
use streamscope::scenario::{Knobs, Scenario, preset};
use streamscope::time::Ns;
use streamscope::window::{Gpus, Start, Window};
use streamscope::worker::{Client, Command, Job};
use streamscope::{gpu, model, profile, program};

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
        instrument: Some(Instrument::Stamps),
        untraced: [0.98, 1.1, 0.97, 0.96, 0.98].map(|factor| wall.scale(factor)).to_vec(),
        clock_error: Some(Ns(400)),
        ..Measured::default()
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
    begun: Sender<()>,
    cancelled: Sender<()>,
}

impl Gpus for Staged {
    fn devices(&mut self) -> Result<Vec<DeviceInfo>, String> {
        self.devices.clone()
    }

    fn run(&mut self, job: &Job, watch: &mut dyn FnMut(f32) -> bool) -> Result<Recording, String> {
        // The test may be over, or not care.
        let _unheard = self.begun.send(());
        loop {
            if let Ok(outcome) = self.outcomes.recv_timeout(Duration::from_millis(5)) {
                return outcome.map(|()| measured(&job.scenario, &job.knobs));
            }
            if !watch(0.5) {
                let _unheard = self.cancelled.send(());
                return Err("cancelled".to_owned());
            }
        }
    }
}

/// The test's end of [`Staged`].
struct Stage {
    outcomes: Sender<Result<(), String>>,
    begun: Receiver<()>,
    cancelled: Receiver<()>,
}

fn staged(devices: Result<&[&str], &str>) -> (Staged, Stage) {
    let (outcomes, inbox) = unbounded();
    let (begins, begun) = unbounded();
    let (cancels, cancelled) = unbounded();
    let devices = devices.map_err(str::to_owned).map(|names| {
        let device = |(index, name): (usize, &&str)| DeviceInfo {
            index: index as u32,
            name: (*name).to_owned(),
            driver: "580".to_owned(),
            memory_bytes: 141 << 30,
        };
        names.iter().enumerate().map(device).collect()
    });
    let gpus = Staged { devices, outcomes: inbox, begun: begins, cancelled: cancels };
    (gpus, Stage { outcomes, begun, cancelled })
}

fn open(scenario: &str, folder: &Path, gpus: impl Gpus + 'static, size: [f32; 2]) -> Harness<'static> {
    let settings = Some(folder.join("settings.json"));
    let start = Start { scenario: Some(scenario.to_owned()), settings, ..Start::default() };
    let recordings = folder.join("recordings");
    std::fs::create_dir_all(&recordings).unwrap();
    show(Window::new(start).unwrap().with_recordings(library(&recordings)).with_gpus(gpus), size)
}

const SMALL: [f32; 2] = [1000.0, 620.0];

/// No machine is so slow.
const LONG: Duration = Duration::from_secs(60);

/// Goes on with the window. It does not come to rest while something in the background makes progress.
fn go_on(harness: &mut Harness<'_>) {
    let _resting = harness.try_run();
}

/// Goes on with the window until `label` is there, or not; what comes from the background takes its time.
fn wait(harness: &mut Harness<'_>, label: &str, is_there: bool) {
    let until = Instant::now() + LONG;
    while sees(harness, label) != is_there {
        assert!(Instant::now() < until, "`{label}` should {} there", if is_there { "be" } else { "not be" });
        thread::sleep(Duration::from_millis(5));
        go_on(harness);
    }
}

fn choose(harness: &mut Harness<'_>, from: &str, to: &str) {
    harness.get_by_value(from).click();
    go_on(harness);
    wait(harness, to, true);
    harness.get_by_label(to).click();
    go_on(harness);
}

#[test]
fn the_chooser_lists_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let (gpus, _stage) = staged(Ok(&["NVIDIA H200", "NVIDIA L4"]));
    let mut harness = open("graph", folder.path(), gpus, SMALL);
    harness.get_by_value("Model").click();
    wait(&mut harness, "GPU 1: NVIDIA L4", true);
    assert!(sees(&harness, "GPU 0: NVIDIA H200"));
    // There is no recording of the defaults, and the greyed entry says of what there is one.
    let recording = harness.get_by_label("Measured on H200");
    assert!(recording.accesskit_node().is_disabled());
    recording.hover();
    go_on(&mut harness);
    wait(&mut harness, "CUDA graph: on", true);
}

#[test]
fn without_a_gpu_the_window_says_so_only_to_who_asks() {
    let folder = tempfile::tempdir().unwrap();
    let (gpus, _stage) = staged(Err("this machine has no NVIDIA driver"));
    let mut harness = open("timing", folder.path(), gpus, SMALL);
    assert!(sees(&harness, "model · H200 profile"));
    assert!(harness.query_by_label("Close").is_none(), "there is a banner");
    harness.get_by_value("Model").click();
    wait(&mut harness, "Measured on H200", true);
    wait(&mut harness, "this machine has no NVIDIA driver", true);
    harness.get_by_label("Measured on H200").hover();
    wait(&mut harness, "There is no recording of this scenario", true);
}

#[test]
fn a_worker_of_this_program_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let command = format!("'{}' worker", env!("CARGO_BIN_EXE_streamscope"));
    let gpus = Client::new(Command::written(&command).unwrap());
    let mut harness = open("timing", folder.path(), gpus, SMALL);
    let expected = match gpu::devices() {
        Ok(devices) => devices.first().map_or(String::new(), |device| device.name.clone()),
        Err(error) => error.to_string(),
    };
    harness.get_by_value("Model").click();
    wait(&mut harness, &expected, true);
    assert!(harness.query_by_label("Close").is_none(), "there is a banner");
}

#[test]
fn a_recording_is_shown_where_there_is_one_and_the_model_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open("graph", folder.path(), staged(Err("none")).0, SMALL);
    harness.get_by_label("CUDA graph").click();
    go_on(&mut harness);
    assert!(!sees(&harness, "Cost of tracing") && sees(&harness, "model · H200 profile"));
    choose(&mut harness, "Model", "Measured on H200");
    let shows_recording = |harness: &Harness<'_>| {
        // The traced run took as long as the model's, and the median of the others 0.98 of it.
        sees(harness, "measured · NVIDIA H200, driver 580") && sees(harness, "1.02×") && sees(harness, "5 runs")
    };
    assert!(shows_recording(&harness) && sees(&harness, "stamps, ±"));
    harness.snapshot("graph_measured_dark");
    harness.get_by_label("CUDA graph").click();
    go_on(&mut harness);
    assert!(sees(&harness, "model · H200 profile") && sees(&harness, "not recorded with these knobs"));
    assert!(sees(&harness, "Model (not recorded)"), "the chooser does not promise what is not shown");
    assert!(!sees(&harness, "Cost of tracing"));
    drop(harness);
    // The choice is remembered.
    let mut harness = open("graph", folder.path(), staged(Err("none")).0, SMALL);
    harness.get_by_label("CUDA graph").click();
    go_on(&mut harness);
    assert!(shows_recording(&harness));
    press(&mut harness, Key::G);
    assert!(sees(&harness, "model · H200 profile"), "the next after the recording is the model, without a GPU");
}

#[test]
fn of_a_broken_context_the_numbers_say_that_nothing_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let timing = preset("timing").unwrap().scenario().unwrap();
    let knobs = Knobs::defaults(&timing.knobs);
    let mut recording = measured(&timing, &knobs);
    recording.measured = Some(Measured { date: "2026-11-30".to_owned(), ..Measured::default() });
    recording::write(&recording, &folder.path().join(file_name(&timing, &knobs))).unwrap();
    let settings = Some(folder.path().join("settings.json"));
    let start = Start { scenario: Some("timing".to_owned()), settings, ..Start::default() };
    let window = Window::new(start).unwrap().with_recordings(Library::folder(folder.path()).unwrap());
    let mut harness = show(window, SMALL);
    assert!(!sees(&harness, "the context broke"));
    choose(&mut harness, "Model", "Measured on H200");
    assert!(sees(&harness, "the context broke") && sees(&harness, "The program broke the GPU's context"));
    assert!(!sees(&harness, "stamps, ±") && !sees(&harness, "5 runs"));
}

#[test]
fn a_gpu_answers_after_the_model_and_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let (gpus, stage) = staged(Ok(&["NVIDIA H200"]));
    let mut harness = open("implicit-sync", folder.path(), gpus, SMALL);
    choose(&mut harness, "Model", "GPU 0: NVIDIA H200");
    assert!(sees(&harness, "model · H200 profile") && sees(&harness, "Running on NVIDIA H200"));
    stage.outcomes.send(Ok(())).unwrap();
    wait(&mut harness, "measured · NVIDIA H200", true);
    assert!(!sees(&harness, "Running on NVIDIA H200") && sees(&harness, "Cost of tracing"));
    // A knob answers at once, on the model.
    harness.get_by_label(".item() each step").click();
    go_on(&mut harness);
    assert!(sees(&harness, "model · H200 profile") && sees(&harness, "Copy D2H: 100 spans"));
    wait(&mut harness, "Running on NVIDIA H200", true);
    // Only a run that has begun can say that it was given up: the second of this test.
    let second = stage.begun.recv_timeout(LONG).and_then(|()| stage.begun.recv_timeout(LONG));
    second.unwrap();
    harness.get_by_label("Cancel").click();
    go_on(&mut harness);
    stage.cancelled.recv_timeout(LONG).unwrap();
    assert!(!sees(&harness, "Running on NVIDIA H200") && sees(&harness, "model · H200 profile"));
    // The next setting runs again.
    harness.get_by_label(".item() each step").click();
    go_on(&mut harness);
    stage.outcomes.send(Ok(())).unwrap();
    wait(&mut harness, "measured · NVIDIA H200", true);
    drop(harness);
    // The choice is remembered, and waits until the GPU is found.
    let (gpus, stage) = staged(Ok(&["NVIDIA H200"]));
    let mut harness = open("implicit-sync", folder.path(), gpus, SMALL);
    stage.outcomes.send(Ok(())).unwrap();
    wait(&mut harness, "measured · NVIDIA H200", true);
    drop(harness);
    // One that has gone is not missed.
    let harness = open("implicit-sync", folder.path(), staged(Ok(&[])).0, SMALL);
    assert!(sees(&harness, "model · H200 profile") && harness.query_by_value("Model").is_some());
}

/// A GPU on which the first run panics.
struct Faulty {
    has_panicked: bool,
}

impl Gpus for Faulty {
    fn devices(&mut self) -> Result<Vec<DeviceInfo>, String> {
        staged(Ok(&["NVIDIA H200"])).0.devices
    }

    fn run(&mut self, job: &Job, _watch: &mut dyn FnMut(f32) -> bool) -> Result<Recording, String> {
        assert!(std::mem::replace(&mut self.has_panicked, true), "a fault that the test wants");
        Ok(measured(&job.scenario, &job.knobs))
    }
}

#[test]
fn after_a_fault_of_its_own_the_window_asks_the_gpu_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open("implicit-sync", folder.path(), Faulty { has_panicked: false }, SMALL);
    choose(&mut harness, "Model", "GPU 0: NVIDIA H200");
    wait(&mut harness, "The GPU run crashed on this scenario.", true);
    assert!(sees(&harness, "model · H200 profile") && !sees(&harness, "Running on NVIDIA H200"));
    harness.get_by_label(".item() each step").click();
    go_on(&mut harness);
    wait(&mut harness, "measured · NVIDIA H200", true);
    assert!(!sees(&harness, "crashed"));
}

#[test]
fn a_gpu_that_fails_leaves_the_picture_and_a_recording_is_offered() {
    let folder = tempfile::tempdir().unwrap();
    let (gpus, stage) = staged(Ok(&["NVIDIA H200"]));
    let mut harness = open("graph", folder.path(), gpus, SMALL);
    choose(&mut harness, "Model", "GPU 0: NVIDIA H200");
    stage.outcomes.send(Err("the GPU has fallen off the bus".to_owned())).unwrap();
    wait(&mut harness, "fallen off the bus", true);
    assert!(sees(&harness, "model · H200 profile") && sees(&harness, "Wall time"));
    let offer = "Show the recording measured on an H200";
    assert!(!sees(&harness, offer), "nothing is recorded with these knobs");
    harness.get_by_label("CUDA graph").click();
    go_on(&mut harness);
    assert!(!sees(&harness, "fallen off the bus"), "the next run begins without the banner of the last");
    stage.outcomes.send(Err("the GPU has fallen off the bus".to_owned())).unwrap();
    wait(&mut harness, offer, true);
    harness.get_by_label(offer).click();
    go_on(&mut harness);
    assert!(sees(&harness, "measured · NVIDIA H200, driver 580") && !sees(&harness, "fallen off the bus"));
}
