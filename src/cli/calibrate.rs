//! `streamscope calibrate`: the figures of this machine's GPU, beside those of the shipped profile.

use std::time::Instant;

use serde::Serialize;
use serde_json::{Value, json};

use super::arguments::CalibrateOptions;
use super::input;
use super::outcome::{Failure, Finished, print, print_json, table};
use super::progress::Progress;
use crate::gpu::{self, Calibration, GpuError};
use crate::profile::Profile;

/// What the host time of PyTorch operations is taken from.
const BASE: &str = "h200";

/// A figure of both profiles.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Row {
    figure: String,
    /// In the shipped profile; none where that has no such figure.
    shipped: Option<f64>,
    here: f64,
}

pub(super) fn calibrate(options: &CalibrateOptions) -> Result<Finished, Failure> {
    check_output(options)?;
    let base = input::profile(BASE, &[])?;
    let started = Instant::now();
    let mut progress = Progress::new();
    let calibrated = gpu::calibrate(options.device, &base, &mut |what, part| {
        progress.measuring(what, part);
        true
    });
    drop(progress);
    let Calibration { profile, kept } = calibrated.map_err(|error| match error {
        GpuError::NoDriver => Failure::machine("this machine has no NVIDIA driver, so there is no GPU to calibrate"),
        error => Failure::machine(error),
    })?;
    let text = profile.to_text().map_err(Failure::input)?;
    crate::file::replace(&options.output, text.as_bytes()).map_err(Failure::input)?;
    let rows = rows(&base, &profile)?;
    let kept: Vec<(String, String)> = kept.into_iter().map(|kept| (kept.figure, kept.why)).collect();
    if options.json {
        let kept: Vec<Value> = kept.iter().map(|(figure, why)| json!({"figure": figure, "why": why})).collect();
        return print_json(&json!({
            "profile": options.output, "measured": profile.measured, "seconds": started.elapsed().as_secs_f64(),
            "figures": rows, "kept": kept,
        }));
    }
    let mut report = table(&cells(&rows));
    report.push_str(&format!("\n{} in {:.1} s\n", profile.measured, started.elapsed().as_secs_f64()));
    for (figure, why) in &kept {
        report.push_str(&format!("kept: {figure}: {why}\n"));
    }
    report.push_str(&format!("written: {}\n", options.output.display()));
    print(&report)?;
    Ok(Finished::Done)
}

/// A file that cannot be written is found before the measurement.
fn check_output(options: &CalibrateOptions) -> Result<(), Failure> {
    let path = &options.output;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if path.is_dir() {
        return Err(Failure::input(format!("{}: is a folder; name a file for the profile", path.display())));
    }
    match folder {
        Some(folder) if !folder.is_dir() => {
            Err(Failure::input(format!("{}: there is no folder {}", path.display(), folder.display())))
        }
        _ => Ok(()),
    }
}

/// All figures but the host time of PyTorch operations, which is not measured.
fn rows(base: &Profile, here: &Profile) -> Result<Vec<Row>, Failure> {
    let figures = |profile: &Profile| -> Result<Vec<(String, f64)>, Failure> {
        let mut found = Vec::new();
        let whole = serde_json::to_value(profile).map_err(Failure::input)?;
        for part in ["gpu", "calls", "latencies", "copies", "kernels"] {
            flatten(part, &whole[part], &mut found);
        }
        Ok(found)
    };
    let shipped = figures(base)?;
    let row = |(figure, here): (String, f64)| {
        let shipped = shipped.iter().find(|(name, _)| *name == figure).map(|(_, value)| *value);
        Row { figure, shipped, here }
    };
    Ok(figures(here)?.into_iter().map(row).collect())
}

/// The numbers in a part of a profile, with names such as `copies.d2d_us[4096]` and `kernels.entries.add f32 2048×1×1`.
fn flatten(name: &str, value: &Value, found: &mut Vec<(String, f64)>) {
    match value {
        Value::Number(number) => found.extend(number.as_f64().map(|number| (name.to_owned(), number))),
        Value::Object(keys) => keys.iter().for_each(|(key, value)| flatten(&format!("{name}.{key}"), value, found)),
        Value::Array(values) => {
            for value in values {
                match value {
                    Value::Array(point) => {
                        let [Some(place), Some(number)] = [point.first(), point.get(1)] else { continue };
                        flatten(&format!("{name}[{}]", place.as_f64().unwrap_or(0.0)), number, found);
                    }
                    entry => {
                        let text = |key: &str| entry[key].as_str().unwrap_or_default();
                        let dims: Vec<String> =
                            entry["dims"].as_array().into_iter().flatten().map(Value::to_string).collect();
                        let shape = format!("{name}.{} {} {}", text("family"), text("dtype"), dims.join("×"));
                        flatten(&shape, &entry["us"], found);
                    }
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

fn cells(rows: &[Row]) -> Vec<Vec<String>> {
    let mut cells = vec![["figure", "h200", "here", "ratio"].map(str::to_owned).to_vec()];
    for Row { figure, shipped, here } in rows {
        let ratio = shipped.filter(|shipped| *shipped != 0.0).map(|shipped| format!("{:.3}", here / shipped));
        let shipped = shipped.map_or_else(String::new, |shipped| shipped.to_string());
        cells.push(vec![figure.clone(), shipped, here.to_string(), ratio.unwrap_or_default()]);
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measured_figure_has_a_row() {
        let base = input::profile(BASE, &[]).unwrap();
        let mut here = base.clone();
        here.calls.launch_us *= 2.0;
        here.copies.d2d_us.0[0][1] = 7.0;
        here.kernels.entries[0].dims[0] += 1;
        let rows = rows(&base, &here).unwrap();
        let row = |figure: &str| rows.iter().find(|row| row.figure == figure).unwrap_or_else(|| panic!("no {figure}"));
        assert_eq!(row("calls.launch_us").shipped, Some(base.calls.launch_us));
        assert_eq!(row("calls.launch_us").here, 2.0 * base.calls.launch_us);
        assert_eq!(row("copies.d2d_us[4096]").here, 7.0);
        assert_eq!(row("gpu.sms").here, 132.0);
        assert_eq!(rows.iter().filter(|row| row.shipped.is_none()).count(), 1);
        assert_eq!(
            rows.iter().filter(|row| row.figure.starts_with("kernels.entries.")).count(),
            here.kernels.entries.len()
        );
        assert!(rows.iter().all(|row| !row.figure.starts_with("pytorch")));
    }
}
