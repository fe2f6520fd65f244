//! A worker's process, with a thread for each of its three streams. The threads end with their streams.

use std::io::{self, Read, Write};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use super::frame::{self, FrameError};
use super::tail::Tail;
use super::{Command, FromWorker};

/// How long the end of a process is waited for: after a kill, and when its output has ended.
const LAST_BREATH: Duration = Duration::from_secs(1);

/// A worker's process. Dropping it kills it.
#[derive(Debug)]
pub(super) struct Process {
    /// A thread writes, since a process that does not read would block whoever does.
    requests: Sender<Vec<u8>>,
    reports: Receiver<Result<FromWorker, FrameError>>,
    heard: Arc<AtomicU64>,
    tail: Tail,
    stderr: JoinHandle<()>,
    child: Reaped,
}

/// What a wait for the next message came to.
#[derive(Debug)]
pub(super) enum Next {
    Message(FromWorker),
    /// Nothing came in time.
    Nothing,
    /// What came is no message.
    Foreign(FrameError),
    /// Nothing will come any more.
    Ended,
}

impl Process {
    pub(super) fn start(command: &Command) -> io::Result<Self> {
        let mut process = command.process();
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = Reaped(Some(process.spawn()?));
        let (stdin, stdout, stderr) = child.streams()?;

        let (requests, outbox) = unbounded::<Vec<u8>>();
        spawn("worker stdin", move || {
            let mut stdin = stdin;
            // A closed pipe shows at the other end.
            while outbox.recv().is_ok_and(|bytes| stdin.write_all(&bytes).and_then(|()| stdin.flush()).is_ok()) {}
        })?;

        // Few, so that what nobody reads does not pile up.
        let (inbox, reports) = bounded(64);
        let heard = Arc::new(AtomicU64::new(0));
        let counted = Counted { source: stdout, count: Arc::clone(&heard) };
        spawn("worker stdout", move || {
            let mut messages = frame::Reader::new(counted);
            while let Some(report) = messages.read().transpose() {
                let over = report.is_err();
                if inbox.send(report).is_err() || over {
                    return;
                }
            }
        })?;

        let tail = Tail::default();
        let follower = tail.clone();
        let stderr = spawn("worker stderr", move || follower.follow(stderr))?;
        Ok(Self { requests, reports, heard, tail, stderr, child })
    }

    /// Number of the process, as the system counts.
    pub(super) fn id(&self) -> Option<u32> {
        self.child.0.as_ref().map(Child::id)
    }

    /// Sends a message that [`frame::encode`] made, as soon as the process reads.
    pub(super) fn send(&self, message: Vec<u8>) {
        // When the thread is gone, so is the process, and the next look at the reports says so.
        let _gone = self.requests.send(message);
    }

    /// Bytes that came from standard output so far.
    pub(super) fn heard(&self) -> u64 {
        self.heard.load(Ordering::Relaxed)
    }

    pub(super) fn next(&self, patience: Duration) -> Next {
        match self.reports.recv_timeout(patience) {
            Ok(Ok(message)) => Next::Message(message),
            Ok(Err(error)) => Next::Foreign(error),
            Err(RecvTimeoutError::Timeout) => Next::Nothing,
            Err(RecvTimeoutError::Disconnected) => Next::Ended,
        }
    }

    /// How it ended, when its output has.
    pub(super) fn how_it_ended(&mut self) -> String {
        let status = self.child.status_within(LAST_BREATH);
        status.map_or_else(|| "it closed its standard output".to_owned(), |status| status.to_string())
    }

    /// The end of a sentence that quotes what it wrote to standard error last, empty for nothing.
    pub(super) fn last_words(&self) -> String {
        // A moment for what is still on its way.
        within(LAST_BREATH / 10, || self.stderr.is_finished().then_some(()));
        self.tail.quoted()
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().name(name.to_owned()).spawn(work)
}

/// Asks again and again until there is an answer.
fn within<T>(patience: Duration, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let until = Instant::now() + patience;
    loop {
        let answer = ask();
        if answer.is_some() || Instant::now() >= until {
            return answer;
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Counts the bytes that it reads.
struct Counted<R> {
    source: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.count.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// A process that is killed and reaped when it is dropped.
#[derive(Debug)]
struct Reaped(Option<Child>);

impl Reaped {
    fn streams(
        &mut self,
    ) -> io::Result<(std::process::ChildStdin, std::process::ChildStdout, std::process::ChildStderr)> {
        let child = self.0.as_mut();
        child
            .and_then(|child| Some((child.stdin.take()?, child.stdout.take()?, child.stderr.take()?)))
            .ok_or_else(|| io::Error::other("it has no pipes"))
    }

    fn status_within(&mut self, patience: Duration) -> Option<ExitStatus> {
        let child = self.0.as_mut()?;
        within(patience, || child.try_wait().ok().flatten())
    }
}

impl Drop for Reaped {
    fn drop(&mut self) {
        let Some(mut child) = self.0.take() else { return };
        let _ended_before = child.kill();
        if within(LAST_BREATH, || child.try_wait().ok().flatten()).is_none() {
            // It hangs inside the driver, where no signal reaches it. Whoever drops it must not hang with it.
            let _no_thread = spawn("worker end", move || drop(child.wait()));
        }
    }
}
