//! How the file of a profile is laid out: a figure a line, and a curve or a kernel a line too.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use super::Profile;

/// Objects within so many others have a line for each of their keys.
const BROKEN: usize = 3;

impl Profile {
    /// The profile as the text of a file.
    ///
    /// # Errors
    /// When a figure is no number.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        let mut bytes = Vec::new();
        self.serialize(&mut Serializer::with_formatter(&mut bytes, Layout::default()))?;
        bytes.push(b'\n');
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[derive(Default)]
struct Layout {
    /// The containers that are open: for each whether its values have lines of their own.
    open: Vec<bool>,
    /// Arrays that are open.
    arrays: usize,
}

impl Layout {
    fn line<W: Write + ?Sized>(&self, out: &mut W) -> io::Result<()> {
        out.write_all(b"\n")?;
        (0..self.open.len()).try_for_each(|_| out.write_all(b" "))
    }

    fn close<W: Write + ?Sized>(&mut self, out: &mut W, end: &[u8]) -> io::Result<()> {
        if self.open.pop().unwrap_or(false) {
            self.line(out)?;
        }
        out.write_all(end)
    }

    fn is_broken(&self) -> bool {
        self.open.last().copied().unwrap_or(false)
    }
}

impl Formatter for Layout {
    fn begin_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.open.push(false);
        self.arrays += 1;
        out.write_all(b"[")
    }

    fn end_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.arrays -= 1;
        self.close(out, b"]")
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        match (first, self.is_broken()) {
            (true, _) => Ok(()),
            (false, true) => out.write_all(b","),
            (false, false) => out.write_all(b", "),
        }
    }

    fn begin_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        // An array of objects has each on a line of its own.
        if self.arrays == 1 && self.open.len() <= BROKEN {
            if let Some(array) = self.open.last_mut() {
                *array = true;
            }
            self.line(out)?;
        }
        self.open.push(self.arrays == 0 && self.open.len() < BROKEN);
        out.write_all(b"{")
    }

    fn end_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"}")
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        match (first, self.is_broken()) {
            (true, true) => self.line(out),
            (true, false) => Ok(()),
            (false, true) => {
                out.write_all(b",")?;
                self.line(out)
            }
            (false, false) => out.write_all(b", "),
        }
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use crate::profile::{SHIPPED, shipped};

    #[test]
    fn a_profile_comes_back_from_its_text() {
        for (name, _) in SHIPPED {
            let profile = shipped(name).unwrap();
            let text = profile.to_text().unwrap();
            assert_eq!(serde_json::from_str::<crate::profile::Profile>(&text).unwrap(), profile);
        }
    }

    #[test]
    fn a_curve_and_a_kernel_have_a_line_each() {
        let text = shipped("h200").unwrap().to_text().unwrap();
        assert!(text.starts_with("{\n \"name\": \"h200\",\n"), "{}", text.lines().take(5).collect::<String>());
        let launch_us = shipped("h200").unwrap().calls.launch_us;
        assert!(text.contains(&format!("\n  \"launch_us\": {launch_us},\n")));
        let entries = text.lines().filter(|line| line.contains("\"family\"")).count();
        assert_eq!(entries, shipped("h200").unwrap().kernels.entries.len());
        assert!(text.lines().any(|line| line.contains("malloc_us") && line.contains("16777216")));
    }
}
