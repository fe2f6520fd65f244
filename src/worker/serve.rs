//! The worker: what `streamscope worker` does.
//!
//! Standard output belongs to the messages alone. A panic ends the process, and the other end says so.

use std::io;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, unbounded};

use super::frame::{self, FrameError};
use super::{FromWorker, Job, PROTOCOL, ToWorker, VERSION};
use crate::gpu;

/// Time between two messages of progress.
const BETWEEN: Duration = Duration::from_millis(50);

/// Takes requests from standard input until a run leaves the GPU unusable. The end of standard input ends the process at once,
/// also in the middle of a run: whoever asked is gone.
///
/// # Errors
/// When standard output is closed, or no thread can be had.
pub fn serve() -> Result<(), FrameError> {
    // A thread of its own reads, so that a cancel is seen while a job runs on this one.
    let (outbox, inbox) = unbounded();
    let cancelled = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&cancelled);
    thread::Builder::new().name("stdin".to_owned()).spawn(move || listen(&outbox, &seen))?;
    for request in inbox {
        let answer = match request {
            ToWorker::Hello { .. } => FromWorker::Hello { version: VERSION.to_owned(), protocol: PROTOCOL },
            ToWorker::Devices { number } => match gpu::devices() {
                Ok(devices) => FromWorker::Devices { number, devices },
                Err(error) => failed(number, &error.into()),
            },
            ToWorker::Run { number, job } => run(number, &job, &cancelled)?,
            ToWorker::Cancel { .. } => continue,
        };
        say(&answer)?;
        // The next run needs a context that works, and so another process.
        if matches!(answer, FromWorker::Failed { sticky: true, .. }) || gpu::is_broken() {
            return Ok(());
        }
    }
    Ok(())
}

/// Hands requests on. Ends the process with its standard input, or at a byte that is none of a message.
fn listen(outbox: &Sender<ToWorker>, cancelled: &AtomicU64) {
    let mut requests = frame::Reader::new(io::stdin().lock());
    let code = loop {
        match requests.read() {
            Ok(Some(ToWorker::Cancel { number })) => {
                cancelled.fetch_max(number, Ordering::Relaxed);
            }
            Ok(Some(request)) => {
                if outbox.send(request).is_err() {
                    break 0;
                }
            }
            Ok(None) => break 0,
            Err(error) => {
                let _unheard =
                    io::Write::write_all(&mut io::stderr(), format!("streamscope worker: {error}\n").as_bytes());
                break 2;
            }
        }
    };
    // Every message was flushed as it was written.
    process::exit(code);
}

fn run(number: u64, job: &Job, cancelled: &AtomicU64) -> Result<FromWorker, FrameError> {
    let mut told = Instant::now();
    let mut broken = None;
    let mut watch = |part: f32| {
        if told.elapsed() >= BETWEEN {
            told = Instant::now();
            broken = say(&FromWorker::Progress { number, part }).err();
        }
        broken.is_none() && cancelled.load(Ordering::Relaxed) < number
    };
    let ended = job.run_here(&mut watch);
    if let Some(error) = broken {
        return Err(error);
    }
    Ok(match ended {
        Ok(recording) => FromWorker::Done { number, recording: Box::new(recording) },
        Err(failure) => failed(number, &failure),
    })
}

fn failed(number: u64, failure: &super::Failure) -> FromWorker {
    FromWorker::Failed {
        number,
        sentence: failure.to_string(),
        at: failure.pointer().map(str::to_owned),
        machine: failure.is_machine(),
        sticky: failure.is_sticky(),
    }
}

/// Sends a message, or, in its place, that it is too large.
fn say(message: &FromWorker) -> Result<(), FrameError> {
    match (frame::write(&mut io::stdout(), message), message.number()) {
        (Err(error @ FrameError::TooLarge { .. }), Some(number)) => {
            let sentence = format!("the recording cannot be sent: {error}");
            let failed = FromWorker::Failed { number, sentence, at: None, machine: false, sticky: false };
            frame::write(&mut io::stdout(), &failed)
        }
        (written, _) => written,
    }
}
