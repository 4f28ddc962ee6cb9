//! A cage that can be used, and a run in it.

use super::{detect, orphans, run, seccomp};
use crate::{
    Error,
    process::{Piece, ProcessOutcome, Program, Report, Spec, path::parts},
};
use std::{
    fs::File,
    os::fd::OwnedFd,
    path::{Component, Path, PathBuf},
    sync::Arc,
    thread,
};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

/// All mandatory layers are there; they have been tried.
pub struct Cage {
    parts: Arc<Parts>,
    report: Report,
}

/// What every run needs.
pub(super) struct Parts {
    pub bubblewrap: PathBuf,
    pub program: OwnedFd,
    pub filters: [Vec<u8>; 3],
}

/// A run. Dropping it ends everything in it.
pub struct Running {
    outcome: oneshot::Receiver<Result<ProcessOutcome, Error>>,
    cancel: CancellationToken,
    _end: DropGuard,
}

impl Cage {
    /// Looks for each layer and tries them together. What a server that was killed has left is ended first.
    ///
    /// # Errors
    /// When a mandatory layer is missing. The report says which, and what to install.
    pub fn open(program: Program) -> Result<Self, Report> {
        orphans::end();
        let path = match program {
            Program::Own => PathBuf::from("/proc/self/exe"),
            Program::At(path) => path,
        };
        let (report, bubblewrap) = detect::layers(&path);
        let (Some(bubblewrap), Ok(program), Ok(filters), true) =
            (bubblewrap, File::open(path), seccomp::filters(), report.is_complete())
        else {
            return Err(report);
        };
        let parts = Arc::new(Parts { bubblewrap, program: program.into(), filters });
        Self { parts, report }.tried()
    }

    /// What it is made of here.
    #[must_use]
    pub const fn report(&self) -> &Report {
        &self.report
    }

    /// Starts a run. What it says is offered to `pieces` while it comes; a reader who is slow misses some of it, and finds
    /// both ends in the outcome.
    ///
    /// # Errors
    /// When what is asked for cannot be done. Nothing has run then.
    pub fn start(&self, spec: Spec, pieces: Option<mpsc::Sender<Piece>>) -> Result<Running, Error> {
        check(&spec)?;
        let (sender, outcome) = oneshot::channel();
        let cancel = CancellationToken::new();
        let (parts, cancelled) = (Arc::clone(&self.parts), cancel.clone());
        let run = move || drop(sender.send(run::run(&parts, &spec, pieces, &cancelled)));
        // A thread of its own: bubblewrap ends with the thread that started it, and a thread of root becomes another user's.
        let started = thread::Builder::new().name("cage".to_owned()).spawn(run);
        started.map_err(|error| Error::Cage(error.to_string()))?;
        Ok(Running { outcome, _end: cancel.clone().drop_guard(), cancel })
    }

    /// One run, so that what the kernel forbids is known before anybody asks.
    fn tried(mut self) -> Result<Self, Report> {
        let trial = self.start(Spec::new(["/usr/bin/env", "true"]), None);
        let outcome = trial.and_then(|mut running| {
            let ended = || Error::Cage("the trial run ended too early".to_owned());
            loop {
                match running.outcome.try_recv() {
                    Ok(outcome) => return outcome,
                    Err(oneshot::error::TryRecvError::Closed) => return Err(ended()),
                    Err(oneshot::error::TryRecvError::Empty) => {
                        thread::sleep(std::time::Duration::from_millis(2))
                    }
                }
            }
        });
        self.report.layers.push(detect::trial(outcome));
        if self.report.is_complete() { Ok(self) } else { Err(self.report) }
    }
}

impl Running {
    /// Ends everything in it; [`Running::wait`] then says what there was.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// # Errors
    /// When the cage could not be built or its files do not fit.
    pub async fn wait(self) -> Result<ProcessOutcome, Error> {
        let lost = |_| Error::Cage("the program ended without a result".to_owned());
        self.outcome.await.map_err(lost)?
    }
}

fn check(spec: &Spec) -> Result<(), Error> {
    let words = spec.command.iter().chain(spec.environment.iter().flat_map(|(name, value)| [name, value]));
    if spec.command.is_empty() || words.into_iter().any(|word| word.contains('\0')) {
        return Err(Error::Cage("the command is empty or contains a NUL character".to_owned()));
    }
    if spec.environment.iter().any(|(name, _)| name.is_empty() || name.contains('=')) {
        return Err(Error::Cage("an environment variable has no name, or its name contains =".to_owned()));
    }
    if !spec.folder.is_empty() && parts(&spec.folder).is_none() {
        return Err(Error::Cage(format!("{:?} is not a folder of the conversation", spec.folder)));
    }
    if !spec.readable.iter().all(|path| may_be_read(path)) {
        let why = "a folder to read must be a whole path, and not / or a folder of the kernel";
        return Err(Error::Cage(why.to_owned()));
    }
    Ok(())
}

/// THREAT[cage-09]: the root would bring everything, and these show the machine instead of the cage.
fn may_be_read(path: &Path) -> bool {
    let plain = path.components().skip(1).all(|part| matches!(part, Component::Normal(_)));
    let kernel = ["/proc", "/sys", "/dev", "/run"].iter().any(|folder| path.starts_with(folder));
    let text = path.to_str().is_some_and(|path| !path.contains('\0'));
    path.is_absolute() && path.parent().is_some() && plain && !kernel && text
}
