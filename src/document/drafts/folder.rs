//! The folder of one window, held by a lock as long as the window is there, however it ends.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// How the folder of a window begins.
const PREFIX: &str = "window-";
/// The file whose lock says that somebody is there.
const LOCK: &str = "lock";
/// As often is a new folder tried: another window that starts may take one for left behind.
const TRIES: usize = 8;

/// A folder that no other window touches.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// Closing it gives the lock up.
    _lock: File,
}

impl Folder {
    /// A new one below `root`.
    pub(super) fn new(root: &Path) -> io::Result<Self> {
        fs::create_dir_all(root)?;
        for _ in 0..TRIES {
            let path = tempfile::Builder::new().prefix(PREFIX).tempdir_in(root)?.keep();
            if let Some(folder) = Self::take(path) {
                return Ok(folder);
            }
        }
        Err(io::Error::other("no folder of its own can be had there"))
    }

    /// Those below `root` whose windows have gone.
    pub(super) fn left_behind(root: &Path) -> Vec<Self> {
        let entries = fs::read_dir(root).into_iter().flatten().flatten();
        let is_one = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX)) && path.is_dir()
        };
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_one).collect();
        paths.sort();
        paths.into_iter().filter_map(Self::take).collect()
    }

    /// None when another window holds it, or has just removed it.
    fn take(path: PathBuf) -> Option<Self> {
        let lock = path.join(LOCK);
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&lock).ok()?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => None,
            // A file system without locks: rather shown twice than lost.
            Ok(()) | Err(TryLockError::Error(_)) => lock.exists().then_some(Self { path, _lock: file }),
        }
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The files in it that may be drafts, in the order in which they were begun.
    pub(super) fn drafts(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let is_draft = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
        let mut drafts: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_draft).collect();
        drafts.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
        drafts
    }
}

/// A folder in which nothing is left goes; a file of somebody else keeps it.
impl Drop for Folder {
    fn drop(&mut self) {
        if self.drafts().is_empty() {
            let _may_stay = fs::remove_file(self.path.join(LOCK)).and_then(|()| fs::remove_dir(&self.path));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_belongs_to_one_window_and_then_to_the_next() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().join("deep");
        let first = Folder::new(&root).unwrap();
        let second = Folder::new(&root).unwrap();
        assert_ne!(first.path(), second.path());
        fs::write(first.path().join("1.json"), "x").unwrap();
        assert!(Folder::left_behind(&root).is_empty(), "both are there");
        drop((first, second));
        let left = Folder::left_behind(&root);
        assert_eq!(left.len(), 1, "the empty one has gone");
        assert_eq!(left[0].drafts().len(), 1);
        assert!(Folder::left_behind(&root).is_empty(), "it has been taken");
        fs::remove_file(&left[0].drafts()[0]).unwrap();
        drop(left);
        assert_eq!(fs::read_dir(&root).unwrap().count(), 0);
    }
}
