//! The window, drawn by a rasterizer of our own, so that pictures are the same on every machine. One binary, because each
//! costs a link.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, also in what tests share")]

mod window {
    mod advice;
    mod application;
    mod drafts;
    mod graph;
    mod hands;
    mod hazards;
    mod idle;
    mod lanes;
    mod legend;
    mod outcomes;
    mod picture;
    mod renderer;
    mod room;
    mod ruler;
    mod run_on;
    mod saving;
    mod verdict;
    mod viewing;
}
