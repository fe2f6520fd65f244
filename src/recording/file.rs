//! Reading and writing recordings.
pub struct ReadError;
pub fn read() {}
pub fn write() {}
