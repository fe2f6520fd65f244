//! Whole files: read with a limit, replaced in one step. What is compressed with gzip is read as what it holds.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

/// Why a file could not be read as text.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system refuses.
    #[error("{path}: cannot read the file: {source}")]
    System {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It begins as gzip does, but what follows cannot be decompressed.
    #[error("{path}: the compressed file is damaged or incomplete ({source}); copy it again")]
    Compressed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: io::Error,
    },
    /// It, or what it holds compressed, is larger than any file of its kind.
    #[error("{path}: the file is larger than {limit_mib} MiB, the most that is read: is it the right one?")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit.
        limit_mib: u64,
    },
    /// It is not UTF-8.
    #[error("{path}: not text: the byte at offset {offset} is not UTF-8; save the file as UTF-8")]
    NotText {
        /// The file.
        path: PathBuf,
        /// Offset of the first wrong byte, from 0.
        offset: usize,
    },
}

/// A file could not be written. What was there before is still there.
#[derive(Debug, thiserror::Error)]
#[error("{path}: cannot write the file: {source}")]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// What the system says.
    pub source: io::Error,
}

/// Reads a text of at most `limit_mib` MiB; a byte order mark is left out. A file that begins as gzip does is decompressed,
/// up to the same limit.
///
/// # Errors
/// When the system refuses, the file is larger, or it is not UTF-8.
pub fn read_text(path: &Path, limit_mib: u64) -> Result<String, ReadError> {
    let file = File::open(path).map_err(|source| ReadError::System { path: path.to_owned(), source })?;
    text(path, file, limit_mib)
}

/// As [`read_text`], from what `contents` yields; `path` names it in errors.
///
/// # Errors
/// As [`read_text`].
pub fn text(path: &Path, mut contents: impl Read, limit_mib: u64) -> Result<String, ReadError> {
    let system = |source| ReadError::System { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    contents.by_ref().take(GZIP.len() as u64).read_to_end(&mut bytes).map_err(system)?;
    // By a limited read rather than by the size of the file: a pipe or a device has none, and gzip does not say how much
    // it holds.
    let limit = limit_mib << 20;
    if bytes == GZIP {
        let whole = io::Cursor::new(std::mem::take(&mut bytes)).chain(contents);
        let damaged = |source| ReadError::Compressed { path: path.to_owned(), source };
        MultiGzDecoder::new(whole).take(limit + 1).read_to_end(&mut bytes).map_err(damaged)?;
    } else {
        contents.take(limit + 1).read_to_end(&mut bytes).map_err(system)?;
    }
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { path: path.to_owned(), limit_mib });
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| ReadError::NotText { path: path.to_owned(), offset: error.utf8_error().valid_up_to() })?;
    Ok(match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// How gzip begins; no text does.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// What some editors put in front of UTF-8.
pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// Puts `contents` in place of the file: other programs, and a crash, see the old file or the new one, never a part.
///
/// # Errors
/// When the system refuses; the old file is then untouched.
pub fn replace(path: &Path, contents: &[u8]) -> Result<(), WriteError> {
    let written = write_beside(path, |file| file.write_all(contents));
    written.map_err(|source| WriteError { path: path.to_owned(), source })
}

/// As [`replace`], with what `write` writes, compressed with gzip when the name of the file ends in `.gz`. The same contents give
/// the same bytes.
///
/// # Errors
/// As [`replace`], and what `write` returns.
pub fn replace_with(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), WriteError> {
    let is_packed = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
    let written = write_beside(path, |file| {
        if is_packed {
            let mut encoder = BufWriter::with_capacity(BUFFER, GzEncoder::new(file, Compression::default()));
            write(&mut encoder)?;
            encoder.into_inner().map_err(io::IntoInnerError::into_error)?.finish().map(|_| ())
        } else {
            let mut buffer = BufWriter::with_capacity(BUFFER, file);
            write(&mut buffer)?;
            buffer.flush()
        }
    });
    written.map_err(|source| WriteError { path: path.to_owned(), source })
}

/// What is written at once.
const BUFFER: usize = 1 << 18;

fn write_beside(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    // Through a link, so that the link stays one.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&target).is_ok_and(|old| !old.is_file()) {
        return Err(io::Error::other("it is no ordinary file, and only such a one can be replaced"));
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    let everyone = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(everyone);
    let mut file = builder.prefix(".streamscope-").tempfile_in(folder)?;
    if let Ok(old) = fs::metadata(&target) {
        file.as_file().set_permissions(old.permissions())?;
    }
    write(file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(&target)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replaced_file_is_whole_and_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        replace(&path, b"first").unwrap();
        replace(&path, "\u{feff}second".as_bytes()).unwrap();
        assert_eq!(read_text(&path, 1).unwrap(), "second");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("none").join("a.json");
        assert!(replace(&path, b"x").unwrap_err().to_string().contains("none/a.json: cannot write"));
        assert!(replace(folder.path(), b"x").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        replace(&real, b"old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        replace(&link, b"new").unwrap();
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn what_is_not_text_or_too_large_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, b"{\"a\xff\"}").unwrap();
        assert!(read_text(&path, 1).unwrap_err().to_string().contains("offset 3"));
        fs::write(&path, vec![b' '; (1 << 20) + 1]).unwrap();
        assert!(read_text(&path, 1).unwrap_err().to_string().contains("larger than 1 MiB"));
        assert!(read_text(&folder.path().join("none"), 1).unwrap_err().to_string().contains("cannot read"));
    }

    #[test]
    fn what_gzip_holds_is_read_up_to_the_same_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json.gz");
        let said = |limit_mib| read_text(&path, limit_mib).unwrap_err().to_string();
        replace_with(&path, |out| out.write_all(&vec![b' '; 3 << 20])).unwrap();
        assert!(fs::metadata(&path).unwrap().len() < 1 << 14, "nothing is compressed");
        assert_eq!(read_text(&path, 3).unwrap().len(), 3 << 20);
        assert!(said(2).contains("larger than 2 MiB"));
        let packed = fs::read(&path).unwrap();
        fs::write(&path, &packed[..packed.len() / 2]).unwrap();
        assert!(said(3).contains("a.json.gz: the compressed file is damaged"));
        fs::write(&path, GZIP).unwrap();
        assert!(said(3).contains("damaged or incomplete"));
    }
}
