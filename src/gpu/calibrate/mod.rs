//! Calibration: the figures of a profile, measured on this machine.
//!
//! One file a family. A figure is the median of repetitions after a warm-up, and means what the comment of its field in
//! [`crate::profile`] says. What makes no sense is not believed: then the figure of the other profile stays and is named.

mod bench;
mod calls;
mod copies;
mod figures;
mod graphs;
mod host_functions;
mod host_memory;
mod kernels;
mod latencies;
mod limits;
mod provenance;
mod threads;

use super::session::Session;
use super::{Calibration, GpuError, with_session};
use crate::profile::Profile;
use bench::Bench;
use figures::Figures;

/// Measures device number `device`: every figure of a profile but the host time of PyTorch operations, which is that of
/// `base`. `watch` is told which figure comes now and which part is done (0–1), and says whether to go on.
///
/// # Errors
/// [`GpuError`] when there is no such GPU, when `watch` said no, or when the GPU broke down.
pub fn calibrate(
    device: u32,
    base: &Profile,
    watch: &mut dyn FnMut(&str, f32) -> bool,
) -> Result<Calibration, GpuError> {
    with_session(device, |session| measure(session, base, watch))
}

fn measure(
    session: &Session,
    base: &Profile,
    watch: &mut dyn FnMut(&str, f32) -> bool,
) -> Result<Calibration, GpuError> {
    let bench = Bench::new(session)?;
    let mut figures = Figures::new(base, watch);
    let calls = calls::measure(&bench, &base.calls, &mut figures);
    let latencies = latencies::measure(&bench, &base.latencies, &mut figures);
    let copies = copies::measure(&bench, &base.copies, &calls, &latencies, &mut figures);
    let gpu = limits::measure(&bench, &base.gpu, &mut figures);
    let kernels = kernels::measure(&bench, base, &mut figures);
    let kept = figures.end()?;
    let mut pytorch = base.pytorch.clone();
    pytorch.measured = provenance::of_pytorch(base);
    let profile = Profile {
        name: provenance::name(&gpu.name),
        title: provenance::title(&gpu.name),
        measured: provenance::measured(&session.info, &gpu, base, &kept),
        gpu,
        calls,
        latencies,
        copies,
        pytorch,
        kernels,
        speed: crate::profile::Speed::default(),
        calls_before: None,
        changes: Vec::new(),
    };
    Ok(Calibration { profile, kept })
}
