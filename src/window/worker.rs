//! The background thread that runs the model. The window waits for it as long as a frame may take, so that a small scenario
//! answers in the same frame; whatever takes longer goes on in the background, with progress, and can be cancelled.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use super::run::{Run, RunFailure};
use crate::profile::Profile;
use crate::scenario::{Knobs, Scenario};

/// What to run.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) scenario: Arc<Scenario>,
    pub(super) knobs: Knobs,
    pub(super) profile: Arc<Profile>,
}

/// What the thread says about the job that is wanted.
#[derive(Debug)]
pub(super) enum Report {
    /// Which part is done, 0–1.
    Progress(f32),
    /// It is over.
    Done(Result<Box<Run>, RunFailure>),
    /// The thread has died.
    Lost,
}

/// A job, and a report on one, with the number that the window knows it by.
type Numbered<T> = (u64, T);

/// The window's end of the thread.
pub(super) struct Worker {
    jobs: Sender<Numbered<Job>>,
    reports: Receiver<Numbered<Report>>,
    /// Number of the job whose result is wanted; the thread gives up on all others.
    wanted: Arc<AtomicU64>,
    last: u64,
}

impl Worker {
    /// Starts the thread. It calls `wake` whenever there is a report.
    pub(super) fn start(wake: impl Fn() + Send + 'static) -> io::Result<Self> {
        let (jobs, inbox) = unbounded();
        // Few, so that progress nobody reads does not pile up.
        let (outbox, reports) = bounded(64);
        let wanted = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&wanted);
        thread::Builder::new().name("model".to_owned()).spawn(move || work(&inbox, &outbox, &seen, &wake))?;
        Ok(Self { jobs, reports, wanted, last: 0 })
    }

    /// Runs `job` instead of whatever runs now.
    pub(super) fn submit(&mut self, job: Job) {
        self.last += 1;
        self.wanted.store(self.last, Ordering::Relaxed);
        // When the thread is gone, the next look at the reports says so.
        let _gone = self.jobs.send((self.last, job));
    }

    /// Gives up on what runs now.
    pub(super) fn cancel(&mut self) {
        self.last += 1;
        self.wanted.store(self.last, Ordering::Relaxed);
    }

    /// The next report on the wanted job that comes within `patience`.
    pub(super) fn report(&self, patience: Duration) -> Option<Report> {
        let until = Instant::now() + patience;
        loop {
            let (number, report) = match self.reports.recv_deadline(until) {
                Ok(report) => report,
                Err(RecvTimeoutError::Disconnected) => return Some(Report::Lost),
                Err(RecvTimeoutError::Timeout) => return None,
            };
            if number == self.last {
                return Some(report);
            }
        }
    }
}

fn work(inbox: &Receiver<Numbered<Job>>, outbox: &Sender<Numbered<Report>>, wanted: &AtomicU64, wake: &dyn Fn()) {
    while let Ok((number, job)) = inbox.recv() {
        let mut told = Instant::now();
        let mut watch = |part: f32| {
            if told.elapsed() > Duration::from_millis(50) {
                told = Instant::now();
                // Nobody reads it: there will be newer progress.
                let _full = outbox.try_send((number, Report::Progress(part)));
                wake();
            }
            wanted.load(Ordering::Relaxed) == number
        };
        if !watch(0.0) {
            continue;
        }
        let run = Run::new(&job.scenario, &job.knobs, &job.profile, &mut watch).map(Box::new);
        if wanted.load(Ordering::Relaxed) == number && outbox.send((number, Report::Done(run))).is_err() {
            return;
        }
        wake();
    }
}
