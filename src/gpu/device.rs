//! What GPUs this machine has.

use cudarc::driver::{result, sys};

use super::{DeviceInfo, GpuError};

/// The GPUs of this machine, in the driver's order.
///
/// # Errors
/// [`GpuError`] when there is no driver, or it refuses.
pub fn devices() -> Result<Vec<DeviceInfo>, GpuError> {
    #[expect(unsafe_code, reason = "loading libcuda runs its initializers; it is asked for by its own name only")]
    // SAFETY: the library is the NVIDIA driver's, which may be loaded at any time and from any thread.
    let present = unsafe { sys::is_culib_present() };
    if !present {
        return Err(GpuError::NoDriver);
    }
    let refused = |what: &'static str| {
        move |error: result::DriverError| GpuError::Driver {
            what,
            code: error.0 as u32,
            name: format!("{:?}", error.0),
        }
    };
    result::init().map_err(refused("start"))?;
    let count = result::device::get_count().map_err(refused("count devices"))?;
    (0..count)
        .map(|index| {
            let device = result::device::get(index).map_err(refused("find a device"))?;
            let name = result::device::get_name(device).map_err(refused("name a device"))?;
            #[expect(unsafe_code, reason = "a call of the driver")]
            // SAFETY: `device` was just given out by the driver.
            let memory_bytes = unsafe { result::device::total_mem(device) }.map_err(refused("size a device"))? as u64;
            Ok(DeviceInfo { index: index as u32, name, driver: driver_version(), memory_bytes })
        })
        .collect()
}

/// Version of the kernel module (`580.95.05` → `580`), or of CUDA where the system does not tell.
fn driver_version() -> String {
    let module = std::fs::read_to_string("/sys/module/nvidia/version").unwrap_or_default();
    match module.trim().split('.').next() {
        Some(major) if !major.is_empty() => major.to_owned(),
        _ => cuda_version(),
    }
}

fn cuda_version() -> String {
    let mut version = 0;
    #[expect(unsafe_code, reason = "a call of the driver")]
    // SAFETY: the driver writes one integer to the place that it is given.
    let _status = unsafe { sys::cuDriverGetVersion(&raw mut version) };
    format!("CUDA {}.{}", version / 1000, version % 1000 / 10)
}
