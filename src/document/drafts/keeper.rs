//! Sees to it that what lies on the disk is what is edited: all documents are compared with it after each frame, and a
//! thread writes, so that no frame waits for a disk.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, unbounded};

use super::draft::Draft;
use super::shelf::Shelf;
use crate::document::{Document, Place};

/// What is to become of the draft of that number: written, or removed when there is none.
type Order = (u64, Option<Draft>);

/// Drafts and their numbers, by where their documents are.
pub type Kept = HashMap<Place, (u64, Draft)>;

/// The near end of the thread.
#[derive(Debug)]
pub struct Keeper {
    /// None once the window closes.
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
    /// What was ordered last.
    kept: Kept,
    last: u64,
}

impl Keeper {
    /// Goes on from what lies on the shelf. `fail` is told why something could not be kept.
    pub fn start(shelf: Shelf, kept: Kept, fail: impl Fn(String) + Send + 'static) -> io::Result<Self> {
        let (orders, inbox) = unbounded();
        let last = kept.values().map(|(number, _)| *number).max().unwrap_or(0);
        let work = move || work(&inbox, shelf, &fail);
        let thread = thread::Builder::new().name("drafts".to_owned()).spawn(work)?;
        Ok(Self { orders: Some(orders), thread: Some(thread), kept, last })
    }

    /// Orders whatever it takes for the disk to hold what is edited now, and nothing else. Of two documents at one place the
    /// later one counts.
    pub fn follow<'d>(&mut self, documents: impl IntoIterator<Item = &'d Document>) {
        let all: HashMap<&Place, &Document> =
            documents.into_iter().map(|document| (document.place(), document)).collect();
        let edited: HashMap<&Place, &Document> = all.into_iter().filter(|(_, it)| it.is_edited()).collect();
        let gone: Vec<Place> = self.kept.keys().filter(|place| !edited.contains_key(place)).cloned().collect();
        for (place, document) in edited {
            let known = self.kept.get(place);
            if known.is_some_and(|(_, draft)| document.is_kept_in(draft)) {
                continue;
            }
            let Some(draft) = document.draft() else { continue };
            let number = known.map_or(self.last + 1, |(number, _)| *number);
            self.last = self.last.max(number);
            self.order((number, Some(draft.clone())));
            self.kept.insert(place.clone(), (number, draft));
        }
        for place in gone {
            if let Some((number, _)) = self.kept.remove(&place) {
                self.order((number, None));
            }
        }
    }

    fn order(&self, order: Order) {
        if let Some(orders) = &self.orders {
            // A thread that has died has said why, and the window goes on.
            let _gone = orders.send(order);
        }
    }
}

/// A window that closes waits for the last of its drafts to be on the disk.
impl Drop for Keeper {
    fn drop(&mut self) {
        self.orders = None;
        let _ended = self.thread.take().map(JoinHandle::join);
    }
}

fn work(inbox: &Receiver<Order>, mut shelf: Shelf, fail: &dyn Fn(String)) {
    while let Ok(first) = inbox.recv() {
        // Who drags a slider leaves many behind: of each draft only the last counts.
        let mut wanted: BTreeMap<u64, Option<Draft>> = BTreeMap::new();
        wanted.extend(std::iter::once(first).chain(inbox.try_iter()));
        // What has taken the place of another is safe before that goes.
        let mut orders: Vec<Order> = wanted.into_iter().collect();
        orders.sort_by_key(|(_, draft)| draft.is_none());
        for (number, draft) in orders {
            let done = match draft {
                Some(draft) => shelf.write(number, &draft),
                None => shelf.remove(number),
            };
            if let Err(error) = done {
                fail(error.to_string());
            }
        }
    }
}
