//! The machine's own GPU: the executor that runs a program on it and measures.

mod assemble;
mod calibrate;
mod clock;
mod compute;
mod date;
mod device;
mod driver;
mod element;
mod error;
mod interface;
mod kernels;
mod plans;
mod run;
mod session;
mod slots;

pub use calibrate::calibrate;
pub use compute::compute;
pub use device::devices;
pub use error::GpuError;
pub use interface::{Calibration, DeviceInfo, Kept, RunOptions};

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::profile::Profile;
use crate::program::Program;
use crate::recording::Recording;
use crate::scenario::{Knobs, Scenario};
use assemble::Runs;
use plans::Plans;
use run::{OwnCalls, Run};
use session::Session;
use slots::{Layout, Slots};

/// Runs `program` on a GPU: once to warm up, then without an instrument, then traced. The host time of PyTorch operations
/// comes from `profile` and is spent in a busy wait. `watch` is told which part is done (0–1) and says whether to go on.
///
/// # Errors
/// [`GpuError`] when there is no GPU, when `watch` said no, or when the program holds something that the executor does not do.
pub fn run(
    scenario: &Scenario,
    knobs: &Knobs,
    program: &Program,
    profile: &Profile,
    options: &RunOptions,
    watch: &mut dyn FnMut(f32) -> bool,
) -> Result<Recording, GpuError> {
    let ran =
        with_session(options.device, |session| measure(session, scenario, knobs, program, profile, options, watch));
    let broke = match &ran {
        Ok(recording) => recording.broke_the_context(),
        Err(error) => matches!(error, GpuError::Sticky { .. }),
    };
    if broke {
        BROKEN.store(true, Ordering::Relaxed);
    }
    ran
}

/// Does something with a device; it stays open for the next time.
fn with_session<T>(device: u32, what: impl FnOnce(&Session) -> Result<T, GpuError>) -> Result<T, GpuError> {
    SESSION.with_borrow_mut(|open| {
        if open.as_ref().is_none_or(|session| session.info.index != device) {
            *open = None;
            *open = Some(Session::open(device)?);
        }
        open.as_ref().map_or(Err(GpuError::NoDriver), what)
    })
}

/// Whether a program has left the GPU in a state in which nothing works until this process ends: its run gave a recording of
/// its errors, or [`GpuError::Sticky`].
pub fn is_broken() -> bool {
    BROKEN.load(Ordering::Relaxed)
}

thread_local! {
    /// The device that was used last, kept open.
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
}

static BROKEN: AtomicBool = AtomicBool::new(false);

/// Tells `watch` how far a run is, and stops where it says no.
fn go_on(watch: &mut dyn FnMut(f32) -> bool, part: f32) -> Result<(), GpuError> {
    if watch(part) { Ok(()) } else { Err(GpuError::Cancelled) }
}

fn measure(
    session: &Session,
    scenario: &Scenario,
    knobs: &Knobs,
    program: &Program,
    profile: &Profile,
    options: &RunOptions,
    watch: &mut dyn FnMut(f32) -> bool,
) -> Result<Recording, GpuError> {
    let plans = Plans::new(session, program)?;
    // What cannot be traced is refused before anything runs; and drivers before 12.3 may load no module while a stream
    // captures, so the instruments, which are one, are loaded here.
    let layout = Layout::fitting(session, program, &plans, options.instrument)?;
    session.function("tick")?;
    let mut own_calls = OwnCalls::default();
    let mut runs = Runs { session, scenario, knobs, program, profile, untraced: Vec::new() };
    let all = options.runs + 2;
    for number in 0..=options.runs {
        let mut part = |part: f32| watch((number as f32 + part) / all as f32);
        let run = Run::carry_out(session, program, profile, &plans, None, &mut own_calls, &mut part)?;
        if run.broke_the_context() {
            return Ok(runs.without_timeline(&run));
        }
        // The first one warms up.
        if number > 0 {
            runs.untraced.push(run);
        }
        go_on(&mut part, 1.0)?;
    }
    let slots = Slots::new(layout)?;
    let mut part = |part: f32| watch((all as f32 - 1.0 + part) / all as f32);
    let traced = Run::carry_out(session, program, profile, &plans, Some(&slots), &mut own_calls, &mut part)?;
    if traced.broke_the_context() {
        return Ok(runs.without_timeline(&traced));
    }
    go_on(&mut part, 1.0)?;
    runs.recording(&slots, &traced)
}
