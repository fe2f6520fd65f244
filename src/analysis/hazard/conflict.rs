//! What two operations do to the memory that they have in common.

use serde::Serialize;

/// What the first operation of a hazard does to the memory, and what the second does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Conflict {
    /// A write and a read.
    #[serde(rename = "write, read")]
    WriteRead,
    /// A read and a write.
    #[serde(rename = "read, write")]
    ReadWrite,
    /// Two writes.
    #[serde(rename = "write, write")]
    WriteWrite,
    /// Two reads.
    #[serde(rename = "read, read")]
    ReadRead,
    /// One of the two allocates or frees the memory.
    #[serde(rename = "allocation, use")]
    Lifetime,
    /// The memory is given back, then work uses it.
    #[serde(rename = "free, use")]
    FreeUse,
    /// The memory is given back, then a graph reads it.
    #[serde(rename = "free, read")]
    FreeRead,
    /// The memory is given back, then a graph writes it.
    #[serde(rename = "free, write")]
    FreeWrite,
    /// The memory is given back and another tensor is written there, then a graph reads it.
    #[serde(rename = "overwrite, read")]
    OverwriteRead,
    /// A graph writes memory that by now belongs to another tensor, which is used.
    #[serde(rename = "write, access")]
    WriteOwned,
    /// The host writes during a capture, which no replay repeats, and reads the outcome.
    #[serde(rename = "write once, read")]
    WriteOnceRead,
    /// Work runs beside a capture and touches what the graph writes.
    #[serde(rename = "access, access")]
    AccessAccess,
    /// An input is refreshed in part, then read as a whole. Found by what a program seems to mean: whether it did harm is not
    /// known.
    #[serde(rename = "write in part, read")]
    WriteInPartRead,
    /// A warm-up adds to what the first replay starts from. Found as [`Self::WriteInPartRead`] is.
    #[serde(rename = "warm-up, read")]
    WarmUpRead,
}

impl Conflict {
    /// Whether the second operation writes what the first one works with.
    pub fn is_second_write(self) -> bool {
        match self {
            Self::ReadWrite | Self::WriteWrite | Self::FreeWrite | Self::WriteOwned | Self::Lifetime => true,
            Self::WriteRead | Self::ReadRead | Self::FreeUse | Self::FreeRead | Self::OverwriteRead => false,
            Self::WriteOnceRead | Self::AccessAccess | Self::WriteInPartRead | Self::WarmUpRead => false,
        }
    }

    /// Whether nobody has had the memory since it was given back, so that it still holds what it held.
    pub fn is_after_free(self) -> bool {
        match self {
            Self::FreeUse | Self::FreeRead | Self::FreeWrite => true,
            Self::WriteRead
            | Self::ReadWrite
            | Self::WriteWrite
            | Self::ReadRead
            | Self::Lifetime
            | Self::OverwriteRead
            | Self::WriteOwned
            | Self::WriteOnceRead
            | Self::AccessAccess
            | Self::WriteInPartRead
            | Self::WarmUpRead => false,
        }
    }
}
