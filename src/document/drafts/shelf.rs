//! All drafts that a window answers for, each by its number, and their files.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::draft::{Draft, DraftError};
use super::folder::Folder;
use crate::file::WriteError;

/// Drafts on the disk. It does not know what the window shows of them.
#[derive(Debug)]
pub struct Shelf {
    root: PathBuf,
    /// For what is edited in this window; made with its first draft.
    own: Option<Folder>,
    /// What earlier windows left behind, held so that no other window takes it.
    left: Vec<Folder>,
    files: HashMap<u64, PathBuf>,
}

/// What was found at the start.
#[derive(Debug, Default)]
pub struct Found {
    /// Drafts, by their numbers.
    pub drafts: Vec<(u64, Draft)>,
    /// A sentence for each file that could not be used, in English.
    pub faults: Vec<String>,
}

impl Shelf {
    /// The drafts below `root` that windows before this one have left behind.
    pub fn open(root: PathBuf) -> (Self, Found) {
        let left = Folder::left_behind(&root);
        let mut shelf = Self { root, own: None, left: Vec::new(), files: HashMap::new() };
        let mut found = Found::default();
        for (number, path) in (1..).zip(left.iter().flat_map(Folder::drafts)) {
            match Draft::read(&path) {
                Ok(draft) => {
                    shelf.files.insert(number, path);
                    found.drafts.push((number, draft));
                }
                Err(error) => found.faults.push(shelf.put_aside(&path, &error)),
            }
        }
        shelf.left = left;
        (shelf, found)
    }

    /// Moves a damaged file out of the way, so that it is told once and stays for who wants to look; what is said about it.
    fn put_aside(&self, path: &Path, error: &DraftError) -> String {
        let begin = format!("An edited copy that was not saved cannot be opened: {error}");
        if !error.is_damage() {
            return format!("{begin}; it is tried again at the next start");
        }
        let name = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        let of = name(path.parent().and_then(Path::file_name));
        let aside = self.root.join(format!("damaged-{of}-{}", name(path.file_name())));
        match fs::rename(path, &aside) {
            Ok(()) => format!("{begin}; the file is kept as {}", aside.display()),
            Err(_) => format!("{begin}; the file stays where it is"),
        }
    }

    /// Writes a draft in place of what there was by its number.
    pub(super) fn write(&mut self, number: u64, draft: &Draft) -> Result<(), WriteError> {
        let path = match self.files.get(&number) {
            Some(path) => path.clone(),
            None => {
                let failed = |source| WriteError { path: self.root.clone(), source };
                let own = match self.own.take() {
                    Some(own) => own,
                    None => Folder::new(&self.root).map_err(failed)?,
                };
                let path = own.path().join(format!("{number}.json"));
                self.own = Some(own);
                path
            }
        };
        draft.write(&path)?;
        self.files.insert(number, path);
        Ok(())
    }

    /// Removes the file of a draft that was saved or discarded.
    pub(super) fn remove(&mut self, number: u64) -> Result<(), WriteError> {
        let Some(path) = self.files.remove(&number) else { return Ok(()) };
        match fs::remove_file(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(WriteError { path, source }),
            _ => Ok(()),
        }
    }
}
