//! Streamscope, an oscilloscope for CUDA streams.
//!
//! Data flows one way, and a module knows only what stands before it:
//! file, json, text, time, kernel, profile → scenario → program → memory → recording → model | gpu → worker → analysis → drawing → window, cli.

pub mod analysis;
pub mod cli;
pub mod drawing;
pub mod file;
pub mod gpu;
pub mod json;
pub mod kernel;
pub mod memory;
pub mod model;
pub mod profile;
pub mod program;
pub mod recording;
pub mod scenario;
pub mod text;
pub mod time;
pub mod window;
pub mod worker;
