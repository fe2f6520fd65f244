//! The program: the window without arguments, the command line with them.

fn main() {}
