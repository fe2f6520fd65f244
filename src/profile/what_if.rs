//! "What if": one figure of a profile changed.

use serde_json::Value;

use super::Profile;

/// What can be changed by a short name. Everything else is reached by its path in the file, such as `calls.record_us`.
const KEYS: [(&str, &str); 6] = [
    ("launch_us", "host time of cudaLaunchKernel in µs, alone or within a PyTorch operation"),
    ("sms", "number of SMs"),
    ("queue_depth", "operations that a stream holds before a launch blocks"),
    ("link", "speed of the link, as a factor"),
    ("kernels", "speed of all kernels, as a factor"),
    (
        "host",
        "speed of host threads, as a factor: PyTorch, CUDA calls and work of their own, not the latencies of the GPU",
    ),
];

/// A figure cannot be changed this way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WhatIfError {
    /// No such figure.
    #[error("what-if: there is no figure `{key}`; use {known}, or a path in the profile such as calls.record_us")]
    Unknown {
        /// The name that was given.
        key: String,
        /// The short names.
        known: String,
    },
    /// The value does not fit.
    #[error("what-if: `{key}` must be {needed}, not {value}")]
    Value {
        /// The figure.
        key: String,
        /// What it can be.
        needed: &'static str,
        /// What was given.
        value: String,
    },
}

impl Profile {
    /// Changes one figure and notes it in [`Profile::changes`].
    ///
    /// # Errors
    /// When there is no such figure, or it cannot have this value.
    pub fn what_if(&mut self, key: &str, value: f64) -> Result<(), WhatIfError> {
        let wrong = |needed| WhatIfError::Value { key: key.to_owned(), needed, value: value.to_string() };
        if !value.is_finite() || value < 0.0 {
            return Err(wrong("a number that is not negative"));
        }
        let whole = |from: f64| {
            let fits = value.fract() == 0.0 && value >= from && value <= 1e6;
            if fits { Ok(value as u32) } else { Err(wrong("a whole number from 1 to 1000000")) }
        };
        let factor = || {
            let fits = (1e-3..=1e6).contains(&value);
            if fits { Ok(value) } else { Err(wrong("a factor from 0.001 to 1000000")) }
        };
        match key {
            "launch_us" => self.set_path("calls.launch_us", value)?,
            "sms" => self.gpu.sms = whole(1.0)?,
            "queue_depth" => self.gpu.queue_depth = whole(1.0)?,
            "link" => self.slow_link(1.0 / factor()?),
            "kernels" => self.speed.kernels *= factor()?,
            "host" => self.speed.host *= factor()?,
            path => self.set_path(path, value)?,
        }
        self.changes.push(format!("{key}={value}"));
        Ok(())
    }

    fn slow_link(&mut self, by: f64) {
        let copies = &mut self.copies;
        for curve in [
            &mut copies.pinned_h2d_us,
            &mut copies.pinned_d2h_us,
            &mut copies.pageable_h2d_us,
            &mut copies.staged_busy_us,
            &mut copies.pageable_d2h_us,
        ] {
            curve.scale(by);
        }
    }

    fn set_path(&mut self, path: &str, value: f64) -> Result<(), WhatIfError> {
        let unknown = || WhatIfError::Unknown {
            key: path.to_owned(),
            known: KEYS.map(|(key, what)| format!("{key} ({what})")).join(", "),
        };
        if path.starts_with("calls.") && self.calls_before.is_none() {
            self.calls_before = Some(Box::new(self.calls.clone()));
        }
        let mut whole = serde_json::to_value(&*self).map_err(|_| unknown())?;
        let pointer = format!("/{}", path.replace('.', "/"));
        let place = whole.pointer_mut(&pointer).filter(|place| place.is_number()).ok_or_else(unknown)?;
        *place = if place.is_f64() { Value::from(value) } else { Value::from(value as u64) };
        *self = serde_json::from_value(whole).map_err(|_| WhatIfError::Value {
            key: path.to_owned(),
            needed: "a value that this figure can have",
            value: value.to_string(),
        })?;
        Ok(())
    }
}
