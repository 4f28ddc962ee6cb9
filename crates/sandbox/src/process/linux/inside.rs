//! This program inside of a cage: the last doors are closed from here, and then it becomes the command.

use super::{
    arguments::{FOLDER, WRITABLE},
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
    close_inherited()?;
    let error = prepare(&job, input)?.exec();
    Err(error.into())
}

/// Closes what would be passed on to the command: the descriptor of this program, and whatever the server itself has
/// inherited from its parent.
///
/// THREAT[cage-05]: bubblewrap passes on every descriptor that is not marked, and a server has no say in what it was given.
fn close_inherited() -> Result<(), Box<dyn Error>> {
    const CLOSE_ON_EXEC: u32 = 0o2_000_000;
    let listed: Vec<i32> = std::fs::read_dir("/proc/self/fd")?
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|&number| number > 2)
        .collect();
    for number in listed {
        let about = std::fs::read_to_string(format!("/proc/self/fdinfo/{number}")).unwrap_or_default();
        let flags = about.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
        // The list itself was read by a descriptor that is gone now; ours are all marked.
        if flags.is_some_and(|flags| flags & CLOSE_ON_EXEC == 0) {
            nix::unistd::close(number)?;
        }
    }
    Ok(())
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
    set(Resource::As, limits.address_space)?;
    set(Resource::Data, limits.data)?;
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
