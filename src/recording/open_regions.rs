//! Parts of the program that host threads are in.

use crate::program::{LabelId, ThreadId};
use crate::time::{Interval, Ns};

/// The regions that each host thread is in, outermost first.
#[derive(Debug, Default)]
pub(super) struct OpenRegions {
    threads: Vec<Vec<(LabelId, Ns)>>,
}

impl OpenRegions {
    /// No thread is in any.
    pub fn new(threads: usize) -> Self {
        Self { threads: vec![Vec::new(); threads] }
    }

    /// A thread comes to a region.
    pub fn begin(&mut self, thread: ThreadId, label: LabelId, at: Ns) {
        if let Some(open) = self.threads.get_mut(thread.index()) {
            open.push((label, at));
        }
    }

    /// A thread has gone through a region. Returns what ends with it, innermost first: an error may have led past the ends of
    /// those inside, and past the beginning of this one, which then was none.
    pub fn end(&mut self, thread: ThreadId, label: LabelId, at: Ns) -> Vec<(LabelId, Interval)> {
        let Some(open) = self.threads.get_mut(thread.index()) else { return Vec::new() };
        let from = open.iter().rposition(|(known, _)| *known == label).unwrap_or(open.len());
        closed(open.drain(from..), at)
    }

    /// The run is over. Returns what the threads were still in.
    pub fn end_all(self, at: Ns) -> Vec<(ThreadId, Vec<(LabelId, Interval)>)> {
        (0..).map(ThreadId).zip(self.threads.into_iter().map(|open| closed(open.into_iter(), at))).collect()
    }
}

fn closed(open: impl DoubleEndedIterator<Item = (LabelId, Ns)>, at: Ns) -> Vec<(LabelId, Interval)> {
    open.rev().map(|(label, since)| (label, Interval::new(since, at))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_that_leads_past_an_end_closes_what_is_inside() {
        let (thread, [outer, inner]) = (ThreadId(0), [LabelId(0), LabelId(1)]);
        let mut regions = OpenRegions::new(1);
        regions.begin(thread, outer, Ns(1));
        regions.begin(thread, inner, Ns(2));
        let span = |label, start, end| (label, Interval::new(Ns(start), Ns(end)));
        assert_eq!(regions.end(thread, outer, Ns(5)), [span(inner, 2, 5), span(outer, 1, 5)]);
        // Its beginning was passed over.
        assert_eq!(regions.end(thread, inner, Ns(6)), []);
        regions.begin(thread, outer, Ns(7));
        assert_eq!(regions.end_all(Ns(9)), [(thread, vec![span(outer, 7, 9)])]);
    }
}
