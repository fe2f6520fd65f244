//! The window, drawn by a rasterizer of our own, so that pictures are the same on every machine. One binary, because each
//! costs a link.

mod window {
    mod picture;
    mod renderer;
}
