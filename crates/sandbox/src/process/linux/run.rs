//! One run from its beginning to its certain end, on a thread of its own.

use super::{
    arguments::{ETC, NODE_OPTIONS, arguments, command, descriptor},
    cage::Parts,
    control::{self, Job, PROXY_PORT},
    leave, memory, orphans, tree, watch,
};
use crate::{
    Error,
    egress::proxy,
    process::{Captured, Exit, Network, Order, Piece, ProcessOutcome, Spec, Stream},
};
use command_fds::{CommandFdExt, FdMapping};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, pidfd_open, pidfd_send_signal, waitid},
};
use std::{
    cell::RefCell,
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::net::UnixStream,
    },
    process::Stdio,
    rc::Rc,
    time::Instant,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    net::TcpListener,
    process::{Child, Command},
    sync::mpsc,
    time::{Duration, interval, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

/// For building a cage, and for the kernel to end everything in one.
const PATIENCE: Duration = Duration::from_secs(10);
const COMPLAINTS: Duration = Duration::from_millis(500);

pub(super) fn run(
    parts: &Parts,
    spec: &Spec,
    pieces: Option<mpsc::Sender<Piece>>,
    cancel: &CancellationToken,
) -> Result<ProcessOutcome, Error> {
    let fds = descriptors(parts, spec).map_err(failed)?;
    leave::root().map_err(|error| failed(error.into()))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    runtime.block_on(carry_out(parts, spec, fds, pieces, cancel))
}

fn failed(error: io::Error) -> Error {
    Error::Cage(error.to_string())
}

/// What bubblewrap inherits, and our ends of it.
struct Descriptors {
    mappings: Vec<FdMapping>,
    notice: OwnedFd,
    control: UnixStream,
    their_control: UnixStream,
}

fn descriptors(parts: &Parts, spec: &Spec) -> io::Result<Descriptors> {
    let arguments = arguments(spec).iter().fold(Vec::new(), |mut all, argument| {
        all.extend_from_slice(argument.as_bytes());
        all.push(0);
        all
    });
    let [denied, unknown, unheard] = &parts.filters;
    let (notice, their_notice) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    let map = |parent_fd: OwnedFd, child_fd| FdMapping { parent_fd, child_fd };
    let mut mappings = vec![
        map(memory::file("arguments", &arguments)?, descriptor::ARGUMENTS),
        map(memory::file("denied", denied)?, descriptor::DENIED),
        map(memory::file("unknown", unknown)?, descriptor::UNKNOWN),
        map(memory::file("unheard", unheard)?, descriptor::UNHEARD),
        map(parts.program.try_clone()?, descriptor::PROGRAM),
        map(their_notice, descriptor::NOTICE),
    ];
    for (number, (name, text)) in (descriptor::ETC..).zip(ETC) {
        mappings.push(map(memory::file(name, text.as_bytes())?, number));
    }
    let (control, their_control) = UnixStream::pair()?;
    Ok(Descriptors { mappings, notice, control, their_control })
}

fn start(parts: &Parts, spec: &Spec, fds: Descriptors) -> Result<(Child, OwnedFd, UnixStream), Error> {
    let mut bubblewrap = std::process::Command::new(&parts.bubblewrap);
    bubblewrap.args(["--args", &descriptor::ARGUMENTS.to_string(), "--"]).args(command(&spec.network));
    bubblewrap.env_clear().current_dir("/").stdin(Stdio::from(OwnedFd::from(fds.their_control)));
    bubblewrap.stdout(Stdio::piped()).stderr(Stdio::piped());
    bubblewrap.fd_mappings(fds.mappings).map_err(|error| Error::Cage(error.to_string()))?;
    let mut bubblewrap = Command::from(bubblewrap);
    let child = bubblewrap.kill_on_drop(true).spawn().map_err(failed)?;
    Ok((child, fds.notice, fds.control))
}

async fn carry_out(
    parts: &Parts,
    spec: &Spec,
    fds: Descriptors,
    pieces: Option<mpsc::Sender<Piece>>,
    cancel: &CancellationToken,
) -> Result<ProcessOutcome, Error> {
    let (mut child, notice, control) = start(parts, spec, fds)?;
    let (said, complained) = (child.stdout.take(), child.stderr.take());
    let order = Rc::new(RefCell::new(Order::default()));
    let mut output = Listener::new(Stream::Output, spec.limits.output, pieces.clone(), order.clone());
    let mut errors = Listener::new(Stream::Errors, spec.limits.output, pieces, order.clone());
    let (init, folders, listener) = match built(&notice, &control) {
        Ok(built) => built,
        Err(error) => {
            drop(child.start_kill());
            // A cage that is still being built may keep it open.
            drop(timeout(COMPLAINTS, errors.listen(complained)).await);
            drop(timeout(PATIENCE, child.wait()).await);
            orphans::end();
            return Err(Error::Cage(format!("{error}; {}", errors.captured.text().trim())));
        }
    };
    // Taken while it waits for its job: later its number may be another process's.
    let certificate = pidfd_open(init, PidfdFlags::empty()).map_err(|error| failed(error.into()))?;
    let folder =
        folders.first().ok_or_else(|| Error::Cage("the folder of the program is missing".to_owned()))?;
    if let Err(error) = tree::fill(folder, &spec.files).and_then(|()| send_job(control, spec)) {
        buried(&certificate)?;
        reaped(&mut child, &certificate).await;
        return Err(error);
    }
    let begun = Instant::now();
    let took;
    let exit = {
        let listening = async { tokio::join!(output.listen(said), errors.listen(complained)) };
        let (served, ended) = (serve(spec, listener), end(&mut child, spec, init, &folders, cancel));
        tokio::pin!(listening, served, ended);
        let mut heard = false;
        let exit = loop {
            tokio::select! {
                exit = &mut ended => break exit,
                _ = &mut listening, if !heard => heard = true,
                () = &mut served => {}
            }
        };
        took = begun.elapsed();
        buried(&certificate)?;
        // Everybody who could say something more is dead, so this comes to its end.
        if !heard {
            listening.await;
        }
        exit
    };
    reaped(&mut child, &certificate).await;
    let (changes, left_out) = tree::changes(folder, &spec.files, &spec.limits);
    let (output, errors, order) = (output.captured, errors.captured, order.take());
    Ok(ProcessOutcome { exit, took, output, errors, order, changes, left_out })
}

type Built = (Pid, Vec<OwnedFd>, Option<OwnedFd>);

/// Waits until the cage stands: who is its first process, its folders, and where it listens.
fn built(notice: &OwnedFd, control: &UnixStream) -> io::Result<Built> {
    control.set_read_timeout(Some(PATIENCE))?;
    let mut given = control::receive_descriptors(control)?;
    // It was written before the cage was built, so it is there now.
    let mut words = [0; 512];
    let read = rustix::io::read(notice, &mut words)?;
    let words = String::from_utf8_lossy(words.get(..read).unwrap_or_default()).into_owned();
    let number = words.split("\"child-pid\":").nth(1).and_then(|rest| {
        let digits = rest.trim_start();
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits.get(..end)?.parse().ok()
    });
    let init =
        number.and_then(Pid::from_raw).ok_or_else(|| io::Error::other("its first process was not found"))?;
    let listener = (given.len() > 3).then(|| given.pop()).flatten();
    Ok((init, given, listener))
}

fn send_job(mut control: UnixStream, spec: &Spec) -> Result<(), Error> {
    let mut environment = spec.environment.clone();
    if !matches!(spec.network, Network::Off) {
        let proxy = format!("http://127.0.0.1:{PROXY_PORT}");
        let names = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"];
        environment.extend(names.map(|name| (name.to_owned(), proxy.clone())));
        let node = [("NODE_USE_ENV_PROXY", "1"), ("NODE_OPTIONS", NODE_OPTIONS)];
        let unset = |(name, _): &(&str, &str)| !spec.environment.iter().any(|(known, _)| known == name);
        let node = node.into_iter().filter(unset);
        environment.extend(node.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
    let job = Job {
        command: spec.command.clone(),
        environment,
        folder: spec.folder.clone(),
        readable: spec.readable.clone(),
        limits: spec.limits,
    };
    let input = memory::file("input", &spec.input).map_err(failed)?;
    control::send_job(&mut control, &job, &input).map_err(failed)
}

/// Never ends by itself.
async fn serve(spec: &Spec, listener: Option<OwnedFd>) {
    if let (Network::Through(way), Some(listener)) = (&spec.network, listener) {
        let listener = std::net::TcpListener::from(listener);
        if listener.set_nonblocking(true).is_ok()
            && let Ok(listener) = TcpListener::from_std(listener)
        {
            proxy::serve(listener, way.egress.clone(), way.policy.clone(), way.limits).await;
        }
    }
    std::future::pending().await
}

/// Why it ended, or has to.
async fn end(
    child: &mut Child,
    spec: &Spec,
    init: Pid,
    folders: &[OwnedFd],
    cancel: &CancellationToken,
) -> Exit {
    let id = init.as_raw_nonzero().get().unsigned_abs();
    let watched = async {
        let mut pace = interval(watch::PACE);
        loop {
            pace.tick().await;
            if let Some(exit) = watch::look(id, folders, &spec.limits) {
                return exit;
            }
        }
    };
    tokio::select! {
        status = child.wait() => Exit::Code(status.ok().and_then(|status| status.code()).unwrap_or(-1)),
        () = sleep(spec.limits.wall) => Exit::TimedOut,
        () = cancel.cancelled() => Exit::Cancelled,
        exit = watched => exit,
    }
}

/// Ends everything inside and waits until the kernel says that it is over: the first process of a namespace goes last.
fn buried(certificate: &OwnedFd) -> Result<(), Error> {
    match pidfd_send_signal(certificate, Signal::KILL) {
        Ok(()) | Err(Errno::SRCH) => {}
        Err(error) => return Err(failed(error.into())),
    }
    let patience = Timespec::try_from(PATIENCE).map_err(io::Error::other).map_err(failed)?;
    // Nothing else is to be done on this thread until then.
    let over = poll(&mut [PollFd::new(certificate, PollFlags::IN)], Some(&patience));
    match over.map_err(|error| failed(error.into()))? {
        0 => Err(Error::Cage("the system did not end it".to_owned())),
        _ => Ok(()),
    }
}

/// Takes note of the ends of both. The init is another process's child, except where this program is the first process of the
/// machine, as in a container: then no other process would, and it would stay in the list for ever.
async fn reaped(child: &mut Child, certificate: &OwnedFd) {
    drop(timeout(PATIENCE, child.wait()).await);
    let ours = waitid(WaitId::PidFd(certificate.as_fd()), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
    if matches!(ours, Ok(Some(_))) {
        tracing::trace!("sandbox: the first process of a run ended and was cleaned up here");
    }
}

struct Listener {
    stream: Stream,
    captured: Captured,
    pieces: Option<mpsc::Sender<Piece>>,
    room: usize,
    /// What its reader has not taken yet.
    waiting: Vec<u8>,
    /// Of both listeners.
    order: Rc<RefCell<Order>>,
}

impl Listener {
    fn new(
        stream: Stream,
        room: usize,
        pieces: Option<mpsc::Sender<Piece>>,
        order: Rc<RefCell<Order>>,
    ) -> Self {
        Self { stream, captured: Captured::new(room), pieces, room, waiting: Vec::new(), order }
    }

    async fn listen(&mut self, source: Option<impl AsyncRead + Unpin>) {
        let Some(mut source) = source else { return };
        let mut buffer = vec![0; 16 * 1024];
        while let Ok(read) = source.read(&mut buffer).await {
            let bytes = buffer.get(..read).unwrap_or_default();
            if bytes.is_empty() {
                break;
            }
            self.captured.push(bytes);
            self.order.borrow_mut().note(self.stream, self.captured.total());
            self.pass_on(bytes);
        }
        self.pass_on(&[]);
    }

    /// Up to the limit. A reader who does not keep up holds nothing up, and gets larger pieces later: it must not miss one of them,
    /// because what is left of a secret of which the beginning is missed is not known for one.
    fn pass_on(&mut self, bytes: &[u8]) {
        let Some(pieces) = &self.pieces else { return };
        let bytes = bytes.get(..bytes.len().min(self.room)).unwrap_or_default();
        self.room = self.room.saturating_sub(bytes.len());
        self.waiting.extend_from_slice(bytes);
        if self.waiting.is_empty() {
            return;
        }
        let piece = Piece { stream: self.stream, bytes: std::mem::take(&mut self.waiting) };
        if let Err(mpsc::error::TrySendError::Full(piece)) = pieces.try_send(piece) {
            self.waiting = piece.bytes;
        }
    }
}
