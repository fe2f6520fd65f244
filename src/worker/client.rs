//! The end of a worker that asks.

use std::time::{Duration, Instant};

use super::frame::{self, FrameError};
use super::process::{Next, Process};
use super::{Command, FromWorker, Job, PROTOCOL, ToWorker, VERSION, WorkerError};
use crate::gpu::DeviceInfo;
use crate::recording::{self, Recording};

/// Longest time between two looks at whether to go on.
const TICK: Duration = Duration::from_millis(50);
/// How long a cancelled worker may take to say so before it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// How long a worker may say nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// From its start until it says that it is there: `ssh` has to connect.
    pub start: Duration,
    /// While a job runs.
    pub silence: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { start: Duration::from_secs(10), silence: Duration::from_secs(30) }
    }
}

/// Runs jobs in a worker, one at a time. The process is started by the first job and kept for the next; it is started again
/// after it died, was stopped, or left its GPU unusable. Dropping the client kills it.
#[derive(Debug)]
pub struct Client {
    command: Command,
    patience: Patience,
    process: Option<Process>,
    /// One that has not said yet that it is there, since the job that started it was given up.
    starting: Option<Process>,
    last: u64,
}

/// Why no answer will come.
enum Lost {
    Silent,
    Foreign(FrameError),
    Ended,
    GivenUp,
}

/// Whose answer is waited for, and how long.
struct Wait {
    /// Of the request; `None` for the first message.
    number: Option<u64>,
    silence: Duration,
    /// After `watch` said no.
    grace: Duration,
}

impl Client {
    /// A client of the worker that `command` leads to. Nothing is started yet.
    pub fn new(command: Command) -> Self {
        Self { command, patience: Patience::default(), process: None, starting: None, last: 0 }
    }

    /// With another patience.
    #[must_use]
    pub fn with_patience(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    /// Number of the worker's process, as the system counts, while there is one.
    pub fn process_id(&self) -> Option<u32> {
        self.process.as_ref().or(self.starting.as_ref())?.id()
    }

    /// Runs a job. `watch` is told which part is done (0–1), at least 20 times a second, and says whether to go on.
    ///
    /// # Errors
    /// A sentence; [`WorkerError::Cancelled`] when `watch` said no.
    pub fn run(&mut self, job: &Job, watch: &mut dyn FnMut(f32) -> bool) -> Result<Recording, WorkerError> {
        let job = Box::new(job.clone());
        match self.ask(|number| ToWorker::Run { number, job }, watch)? {
            FromWorker::Done { recording, .. } => match recording::check(&recording) {
                Ok(()) => Ok(*recording),
                Err(damage) => Err(self.nonsense(format!("its recording is damaged {damage}"))),
            },
            _ => Err(self.nonsense("it answers what was not asked".to_owned())),
        }
    }

    /// The GPUs of the worker's machine.
    ///
    /// # Errors
    /// A sentence.
    pub fn devices(&mut self) -> Result<Vec<DeviceInfo>, WorkerError> {
        match self.ask(|number| ToWorker::Devices { number }, &mut |_| true)? {
            FromWorker::Devices { devices, .. } => Ok(devices),
            _ => Err(self.nonsense("it answers what was not asked".to_owned())),
        }
    }

    /// Sends a request and waits for what ends it. A process that is of no more use is dropped on the way.
    fn ask(
        &mut self,
        request: impl FnOnce(u64) -> ToWorker,
        watch: &mut dyn FnMut(f32) -> bool,
    ) -> Result<FromWorker, WorkerError> {
        self.last += 1;
        let request = frame::encode(&request(self.last)).map_err(|error| WorkerError::Failed {
            sentence: format!("the job cannot be sent: {error}"),
            at: None,
            machine: false,
        })?;
        let wait = Wait { number: Some(self.last), silence: self.patience.silence, grace: GRACE };
        let (mut process, is_new) = match self.process.take() {
            Some(process) => (process, false),
            None => (self.start(watch)?, true),
        };
        let heard = process.heard();
        process.send(request.clone());
        let mut answer = wait.answer(&process, watch);
        if !is_new && matches!(answer, Err(Lost::Ended)) && process.heard() == heard {
            // It had died between two jobs.
            process = self.start(watch)?;
            process.send(request);
            answer = wait.answer(&process, watch);
        }
        let (answer, cancelled) = answer.map_err(|lost| self.lost(&mut process, lost, false))?;
        if !matches!(answer, FromWorker::Failed { sticky: true, .. }) {
            self.process = Some(process);
        }
        match answer {
            _ if cancelled => Err(WorkerError::Cancelled),
            FromWorker::Failed { sentence, at, machine, .. } => {
                let sentence = if machine { self.command.says(&sentence) } else { sentence };
                Err(WorkerError::Failed { sentence, at, machine })
            }
            answer => Ok(answer),
        }
    }

    /// Starts a process, or goes on starting one, and hears that it is there, in the same version.
    fn start(&mut self, watch: &mut dyn FnMut(f32) -> bool) -> Result<Process, WorkerError> {
        let mut process = match self.starting.take() {
            Some(process) => process,
            None => self.spawn()?,
        };
        let wait = Wait { number: None, silence: self.patience.start, grace: Duration::ZERO };
        match wait.answer(&process, watch) {
            Ok((FromWorker::Hello { version, protocol }, _)) if version != VERSION || protocol != PROTOCOL => {
                Err(WorkerError::Version { command: self.command.to_string(), version, protocol })
            }
            Ok(_) => Ok(process),
            Err(Lost::GivenUp) => {
                // `ssh` takes its time: if each change of mind began anew, a person who turns a knob would never arrive.
                self.starting = Some(process);
                Err(WorkerError::Cancelled)
            }
            Err(lost) => Err(self.lost(&mut process, lost, true)),
        }
    }

    fn spawn(&self) -> Result<Process, WorkerError> {
        let cannot = |reason: String| WorkerError::Start { command: self.command.to_string(), reason };
        let process = Process::start(&self.command).map_err(|error| cannot(error.to_string()))?;
        let hello = ToWorker::Hello { version: VERSION.to_owned(), protocol: PROTOCOL };
        process.send(frame::encode(&hello).map_err(|error| cannot(error.to_string()))?);
        Ok(process)
    }

    /// The sentence for a process from which no answer will come.
    fn lost(&self, process: &mut Process, lost: Lost, starting: bool) -> WorkerError {
        let command = self.command.to_string();
        match lost {
            Lost::GivenUp => WorkerError::Cancelled,
            Lost::Silent if starting => {
                WorkerError::Unanswered { command, patience: self.patience.start, said: process.last_words() }
            }
            Lost::Silent => WorkerError::Stalled { patience: self.patience.silence, said: process.last_words() },
            Lost::Ended => WorkerError::Died { command, how: process.how_it_ended(), said: process.last_words() },
            Lost::Foreign(error) => {
                WorkerError::Nonsense { command, what: error.to_string(), said: process.last_words() }
            }
        }
    }

    fn nonsense(&mut self, what: String) -> WorkerError {
        self.process = None;
        WorkerError::Nonsense { command: self.command.to_string(), what, said: String::new() }
    }
}

impl Wait {
    /// The answer, and whether `watch` said no before it came.
    fn answer(&self, process: &Process, watch: &mut dyn FnMut(f32) -> bool) -> Result<(FromWorker, bool), Lost> {
        let mut part = 0.0;
        let mut heard = (process.heard(), Instant::now());
        let mut given_up: Option<Instant> = None;
        loop {
            match process.next(TICK) {
                Next::Message(message) if message.number() == self.number => match message {
                    FromWorker::Progress { part: done, .. } => part = done,
                    answer => return Ok((answer, given_up.is_some())),
                },
                // Of a request that was given up, or nothing.
                Next::Message(_) | Next::Nothing => {}
                Next::Foreign(error) => return Err(Lost::Foreign(error)),
                Next::Ended => return Err(Lost::Ended),
            }
            if process.heard() != heard.0 {
                heard = (process.heard(), Instant::now());
            }
            match given_up {
                None if !watch(part) => {
                    given_up = Some(Instant::now());
                    // What was not told to give up is killed after the grace.
                    if let Some(number) = self.number
                        && let Ok(cancel) = frame::encode(&ToWorker::Cancel { number })
                    {
                        process.send(cancel);
                    }
                }
                None if heard.1.elapsed() > self.silence => return Err(Lost::Silent),
                Some(since) if since.elapsed() >= self.grace => return Err(Lost::GivenUp),
                None | Some(_) => {}
            }
        }
    }
}
