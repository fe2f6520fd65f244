//! Messages on a stream of bytes: a magic of 4 bytes, the length as a little-endian `u32`, JSON of that length.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// What each message starts with. The first byte stands in no UTF-8 text, so text is never taken for a message.
pub const MAGIC: [u8; 4] = [0xF5, b'S', b'S', b'W'];
/// Most bytes of JSON in a message: 1 GiB.
pub const LIMIT: u32 = 1 << 30;
/// Most characters of foreign bytes that an error quotes.
const QUOTED: usize = 60;

/// Why no message could be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// Something else is on the stream.
    #[error("it says `{start}`, which is no message of Streamscope")]
    Foreign {
        /// The first bytes that came, in so far as they can be printed.
        start: String,
    },
    /// The stream ended within a message.
    #[error("a message broke off after {came} bytes")]
    Cut {
        /// Bytes that came.
        came: u64,
    },
    /// A message is too large.
    #[error("a message has {bytes} bytes, more than the 1 GiB that one may have; lower a loop count")]
    TooLarge {
        /// Its length.
        bytes: u64,
    },
    /// A message is not one that this program knows.
    #[error("a message of {bytes} bytes cannot be understood: {fault}")]
    Unknown {
        /// Its length.
        bytes: usize,
        /// What is wrong with it.
        fault: serde_json::Error,
    },
    /// The system refuses.
    #[error("the connection failed: {0}")]
    System(#[from] io::Error),
}

/// The bytes of a message.
///
/// # Errors
/// [`FrameError::TooLarge`].
pub fn encode(message: &impl Serialize) -> Result<Vec<u8>, FrameError> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend([0; 4]);
    serde_json::to_writer(&mut bytes, message).map_err(|fault| FrameError::Unknown { bytes: 0, fault })?;
    let length = bytes.len() - 8;
    match u32::try_from(length) {
        Ok(short) if short <= LIMIT => {
            bytes.splice(4..8, short.to_le_bytes());
            Ok(bytes)
        }
        _ => Err(FrameError::TooLarge { bytes: length as u64 }),
    }
}

/// Writes a message and flushes.
///
/// # Errors
/// [`FrameError::TooLarge`], with nothing written, or [`FrameError::System`].
pub fn write(out: &mut impl Write, message: &impl Serialize) -> Result<(), FrameError> {
    out.write_all(&encode(message)?)?;
    Ok(out.flush()?)
}

/// Reads messages from a stream.
#[derive(Debug)]
pub struct Reader<R>(BufReader<R>);

impl<R: Read> Reader<R> {
    /// Reads from `source`.
    pub fn new(source: R) -> Self {
        Self(BufReader::new(source))
    }

    /// The next message; `None` where the stream ends behind one.
    ///
    /// # Errors
    /// When what comes is not a message. There is no sense in reading on then.
    pub fn read<T: DeserializeOwned>(&mut self) -> Result<Option<T>, FrameError> {
        if !self.skip_magic()? {
            return Ok(None);
        }
        let length = self.bytes(4)?;
        let length = length.try_into().map(u32::from_le_bytes).unwrap_or_default();
        if length > LIMIT {
            return Err(FrameError::TooLarge { bytes: length.into() });
        }
        let json = self.bytes(length.into())?;
        serde_json::from_slice(&json).map(Some).map_err(|fault| FrameError::Unknown { bytes: json.len(), fault })
    }

    /// The next bytes. The buffer grows with what comes, so that a length alone costs no memory.
    fn bytes(&mut self, count: u64) -> Result<Vec<u8>, FrameError> {
        let mut bytes = Vec::new();
        let came = Read::by_ref(&mut self.0).take(count).read_to_end(&mut bytes)? as u64;
        if came < count { Err(FrameError::Cut { came }) } else { Ok(bytes) }
    }

    /// Goes behind the magic; false at the end of the stream. The first byte that differs is an error: to wait for more
    /// could take forever.
    fn skip_magic(&mut self) -> Result<bool, FrameError> {
        for (matched, expected) in MAGIC.iter().enumerate() {
            let came = loop {
                match self.0.fill_buf() {
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    came => break came?,
                }
            };
            match came.first() {
                Some(byte) if byte == expected => self.0.consume(1),
                None if matched == 0 => return Ok(false),
                None => return Err(FrameError::Cut { came: matched as u64 }),
                Some(_) => {
                    let start: Vec<u8> = MAGIC.iter().take(matched).chain(came).copied().collect();
                    return Err(FrameError::Foreign { start: printable(&start) });
                }
            }
        }
        Ok(true)
    }
}

/// The first characters of `bytes`, on one line and harmless to a terminal.
fn printable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut characters = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut start: String = characters.by_ref().take(QUOTED).collect();
    if characters.next().is_some() {
        start.push('…');
    }
    start
}
