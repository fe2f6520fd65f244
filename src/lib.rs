//! Streamscope, an oscilloscope for CUDA streams.
//!
//! Data flows one way, and a module knows only what stands before it:
//! file, json, text, time, bytes, kernel, profile → scenario → document, program → memory → recording → model | gpu → worker → analysis → advice → drawing → window, cli.
//!
//! The features `window` and `gpu`, both on by default, take the window and the GPU executor with everything that only they
//! need. Without them there are the model and the command line; what is missing says so in a sentence.

pub mod advice;
pub mod analysis;
pub mod bytes;
pub mod cli;
pub mod document;
pub mod drawing;
pub mod file;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(not(feature = "gpu"))]
#[path = "gpu/absent.rs"]
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
pub mod trace;
#[cfg(feature = "window")]
pub mod window;
pub mod worker;
