//! This program inside of a cage: the last doors are closed from here, and then it becomes the command.

use super::{
    arguments::{FOLDER, WRITABLE, descriptor},
    control::{self, Job, PROXY_PORT},
};
use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr, Scope,
    path_beneath_rules,
};
use rustix::{
    fs::{Mode, OFlags},
    process::{Resource, Rlimit, setrlimit},
};
use std::{
    convert::Infallible,
    error::Error,
    net::{Ipv4Addr, TcpListener},
    os::{
        fd::{AsFd, OwnedFd},
        unix::{net::UnixStream, process::CommandExt},
    },
    path::Path,
    process::{Command, ExitCode, Stdio},
};

/// The first argument of this program when it is started inside of a cage.
pub const INSIDE: &str = "cage-inside";

/// As a shell says it: the command could not be started.
const NOT_STARTED: u8 = 126;
const NOT_FOUND: u8 = 127;

/// Call this before anything else. It comes back with nothing, unless this program was started inside of a cage; then it
/// becomes the command and only comes back with what to exit with when it could not.
#[must_use]
pub fn inside() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()?.to_str() != Some(INSIDE) {
        return None;
    }
    let listens = arguments.next().is_some_and(|word| word == "listening");
    let error = match become_command(listens) {
        Ok(never) => match never {},
        Err(error) => error,
    };
    let code = match error.downcast_ref::<std::io::Error>().map(std::io::Error::kind) {
        Some(std::io::ErrorKind::NotFound) => NOT_FOUND,
        _ => NOT_STARTED,
    };
    eprintln!("the command could not be started: {error}");
    Some(ExitCode::from(code))
}

fn become_command(listens: bool) -> Result<Infallible, Box<dyn Error>> {
    let mut control = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    hand_out(&control, listens)?;
    let (job, input) = control::receive_job(&mut control)?;
    drop(control);
    // The one descriptor that was inherited without being marked to be closed.
    nix::unistd::close(descriptor::PROGRAM)?;
    let error = prepare(&job, input)?.exec();
    Err(error.into())
}

fn hand_out(control: &UnixStream, listens: bool) -> Result<(), Box<dyn Error>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut given: Vec<OwnedFd> = Vec::new();
    for path in WRITABLE {
        given.push(rustix::fs::open(path, flags, Mode::empty())?);
    }
    if listens {
        given.push(TcpListener::bind((Ipv4Addr::LOCALHOST, PROXY_PORT))?.into());
    }
    control::send_descriptors(control, &given.iter().map(AsFd::as_fd).collect::<Vec<_>>())?;
    Ok(())
}

fn prepare(job: &Job, input: OwnedFd) -> Result<Command, Box<dyn Error>> {
    let (program, arguments) = job.command.split_first().ok_or("there is no command")?;
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(job.environment.iter().map(|(name, value)| (name, value)));
    command.current_dir(Path::new(FOLDER).join(job.folder.trim_start_matches('/')));
    command.stdin(Stdio::from(input));
    restrict_files(job)?;
    limit(job)?;
    Ok(command)
}

fn limit(job: &Job) -> rustix::io::Result<()> {
    let limits = &job.limits;
    let both = |value: u64| Rlimit { current: Some(value), maximum: Some(value) };
    let set = |resource, value| setrlimit(resource, both(value));
    set(Resource::Core, 0)?;
    set(Resource::Cpu, limits.cpu.as_secs().max(1))?;
    set(Resource::Fsize, limits.disk)?;
    set(Resource::Nofile, limits.open_files)?;
    set(Resource::Memlock, 64 * 1024)?;
    set(Resource::Msgqueue, 0)?;
    set(Resource::Sigpending, 256)?;
    set(Resource::Stack, 8 * 1024 * 1024)?;
    // Address space is reserved generously by many runtimes; what is written to is what counts.
    set(Resource::As, limits.memory.saturating_mul(8))?;
    set(Resource::Data, limits.memory)?;
    // bubblewrap's two processes are counted here, too.
    set(Resource::Nproc, limits.processes.saturating_add(2))
}

/// The second wall: if the first had a hole, nothing behind it could be opened. Where the kernel has no Landlock, or
/// an older one, it does what it can.
fn restrict_files(job: &Job) -> Result<(), Box<dyn Error>> {
    let abi = ABI::V6;
    let read = AccessFs::from_read(abi);
    let system = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/nix/store", "/proc"];
    let readable = job.readable.iter().map(std::path::PathBuf::as_path);
    let readable = system.iter().map(Path::new).chain(readable).filter(|path| path.exists());
    let devices = ["null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts"];
    let devices = devices.map(|name| Path::new("/dev").join(name));
    Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(abi))?
        .scope(Scope::from_all(abi))?
        .create()?
        .add_rules(path_beneath_rules(readable, read))?
        .add_rules(path_beneath_rules(WRITABLE, AccessFs::from_all(abi)))?
        .add_rules(path_beneath_rules(["/dev"], AccessFs::ReadDir | AccessFs::ReadFile))?
        .add_rules(path_beneath_rules(devices, AccessFs::from_file(abi)))?
        .restrict_self()?;
    Ok(())
}
