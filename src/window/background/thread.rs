//! A background thread that runs one job at a time: the model, or what a GPU is asked. The window waits for it as long as a
//! frame may take, so that a small scenario answers in the same frame; whatever takes longer goes on in the background, with
//! progress, and can be cancelled.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

/// What the thread says about the job that is wanted.
#[derive(Debug)]
pub(in crate::window) enum ThreadReport<A> {
    /// Which part is done, 0–1.
    Progress(f32),
    /// What came of it. There may be more than one answer.
    Answer(A),
    /// The thread has died.
    Lost,
}

/// Is told which part of a job is done, and says whether to go on.
pub(in crate::window) type Watch<'a> = &'a mut dyn FnMut(f32) -> bool;

/// Takes an answer to a job.
pub(in crate::window) type Tell<'a, A> = &'a mut dyn FnMut(A);

/// A job, and a report on one, with the number that the window knows it by.
type Numbered<T> = (u64, T);

/// The window's end of the thread.
#[derive(Debug)]
pub(in crate::window) struct BackgroundThread<J, A> {
    jobs: Sender<Numbered<J>>,
    reports: Receiver<Numbered<ThreadReport<A>>>,
    /// Number of the job whose result is wanted; the thread gives up on all others.
    wanted: Arc<AtomicU64>,
    last: u64,
}

impl<J: Send + 'static, A: Send + 'static> BackgroundThread<J, A> {
    /// Starts the thread. `run` carries out a job and tells what came of it, part by part if that takes long; `wake` is called
    /// whenever there is a report.
    pub(in crate::window) fn start(
        name: &str,
        run: impl FnMut(J, Watch<'_>, Tell<'_, A>) + Send + 'static,
        wake: impl Fn() + Send + 'static,
    ) -> io::Result<Self> {
        let (jobs, inbox) = unbounded();
        // Few, so that progress nobody reads does not pile up.
        let (outbox, reports) = bounded(64);
        let wanted = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&wanted);
        std::thread::Builder::new().name(name.to_owned()).spawn(move || work(&inbox, &outbox, &seen, run, &wake))?;
        Ok(Self { jobs, reports, wanted, last: 0 })
    }

    /// Runs `job` instead of whatever runs now.
    pub(in crate::window) fn submit(&mut self, job: J) {
        self.cancel();
        // When the thread is gone, the next look at the reports says so.
        let _gone = self.jobs.send((self.last, job));
    }

    /// Gives up on what runs now.
    pub(in crate::window) fn cancel(&mut self) {
        self.last += 1;
        self.wanted.store(self.last, Ordering::Relaxed);
    }

    /// The next report on the wanted job that comes within `patience`.
    pub(in crate::window) fn report(&self, patience: Duration) -> Option<ThreadReport<A>> {
        let until = Instant::now() + patience;
        loop {
            let (number, report) = match self.reports.recv_deadline(until) {
                Ok(report) => report,
                Err(RecvTimeoutError::Disconnected) => return Some(ThreadReport::Lost),
                Err(RecvTimeoutError::Timeout) => return None,
            };
            if number == self.last {
                return Some(report);
            }
        }
    }
}

/// A window that has gone wants nothing any more.
impl<J, A> Drop for BackgroundThread<J, A> {
    fn drop(&mut self) {
        self.wanted.store(u64::MAX, Ordering::Relaxed);
    }
}

fn work<J, A>(
    inbox: &Receiver<Numbered<J>>,
    outbox: &Sender<Numbered<ThreadReport<A>>>,
    wanted: &AtomicU64,
    mut run: impl FnMut(J, Watch<'_>, Tell<'_, A>),
    wake: &dyn Fn(),
) {
    while let Ok((number, job)) = inbox.recv() {
        let mut told = Instant::now();
        let mut watch = |part: f32| {
            if told.elapsed() > Duration::from_millis(50) {
                told = Instant::now();
                // Nobody reads it: there will be newer progress.
                let _full = outbox.try_send((number, ThreadReport::Progress(part)));
                wake();
            }
            wanted.load(Ordering::Relaxed) == number
        };
        if !watch(0.0) {
            continue;
        }
        let mut tell = |answer| {
            if wanted.load(Ordering::Relaxed) == number {
                // A window that has gone wants no more jobs either.
                let _gone = outbox.send((number, ThreadReport::Answer(answer)));
                wake();
            }
        };
        run(job, &mut watch, &mut tell);
        wake();
    }
}
