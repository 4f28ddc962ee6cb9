//! A real PostgreSQL for a test run: its own cluster in a temporary folder, reached by a Unix socket only.
//!
//! The server binaries must be installed; nothing is downloaded. PostgreSQL refuses to run as root, so a test
//! that runs as root starts it as the user `postgres`.

mod standby;
mod wire;

pub use wire::Wire;

use crate::left_out;
use std::{
    io,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

const USER: &str = "majordomo";
/// Nothing here has to survive a power loss, and many tests connect at once.
const SETTINGS: &str = "-c listen_addresses= -c fsync=off -c full_page_writes=off -c max_connections=300 \
                        -c shared_buffers=32MB -c log_min_messages=fatal";
/// Nor even the end of the server itself, mostly.
const FORGETFUL: &str = "-c synchronous_commit=off";

/// Has a server count its statements.
pub const COUNTING: &str = "-c shared_preload_libraries=pg_stat_statements";

/// A running server. It stops and its folder goes when this is dropped, and also when the test is killed.
pub struct Cluster {
    settings: String,
    folder: PathBuf,
    binaries: PathBuf,
    databases: AtomicU32,
    /// Reads from `leash` until it ends, then cleans up.
    keeper: Child,
    leash: Option<ChildStdin>,
}

impl Cluster {
    /// Starts a server; `None`, with a line that says why, when there is none to start.
    pub fn start() -> io::Result<Option<Self>> {
        Self::start_with(format!("{SETTINGS} {FORGETFUL}"))
    }

    /// One that keeps what it has acknowledged when it is stopped at once.
    pub fn start_durable() -> io::Result<Option<Self>> {
        Self::start_with(SETTINGS.to_owned())
    }

    /// A durable one with further settings, such as `-c log_statement=all`.
    pub fn start_set(settings: &str) -> io::Result<Option<Self>> {
        Self::start_with(format!("{SETTINGS} {settings}"))
    }

    fn start_with(settings: String) -> io::Result<Option<Self>> {
        if std::env::var("POSTGRES").is_ok_and(|value| value == "skip") {
            left_out("everything on PostgreSQL: POSTGRES=skip");
            return Ok(None);
        }
        let Some(binaries) = newest_binaries() else {
            left_out("everything on PostgreSQL: its server is not installed");
            return Ok(None);
        };
        let folder = PathBuf::from(output(&["mktemp", "-d", "/tmp/majordomo-postgres.XXXXXX"])?);
        let (keeper, leash) = keeper(&binaries, &folder)?;
        let cluster =
            Self { settings, folder, binaries, databases: AtomicU32::new(0), keeper, leash: Some(leash) };
        let data = cluster.folder.join("data");
        let data = path_text(&data)?;
        let initdb = cluster.binary("initdb")?;
        output(&[&initdb, "-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"])?;
        cluster.start_again()?;
        Ok(Some(cluster))
    }

    /// Starts the server on the data that are there.
    pub fn start_again(&self) -> io::Result<()> {
        let data = self.folder.join("data");
        let socket = path_text(&self.folder)?;
        let options = format!("{} -c unix_socket_directories={socket}", self.settings);
        let log = format!("{socket}/log");
        let pg_ctl = self.binary("pg_ctl")?;
        let start = [&pg_ctl, "-D", path_text(&data)?, "-l", &log, "-o", &options, "-w", "-t", "60", "start"];
        output(&start).map(drop)
    }

    /// Ends the server as a power cut would: no client is told, and nothing is put in order.
    pub fn stop_at_once(&self) -> io::Result<()> {
        let data = self.folder.join("data");
        let pg_ctl = self.binary("pg_ctl")?;
        output(&[&pg_ctl, "-D", path_text(&data)?, "-m", "immediate", "-w", "stop"]).map(drop)
    }

    /// From now on the databases take no changes, as after a failover, or take them again. Every connection is cut.
    pub fn read_only(&self, read_only: bool) -> io::Result<()> {
        let set = format!("ALTER ROLE {USER} SET default_transaction_read_only = {read_only}");
        let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                   WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
        let (psql, socket) = (self.binary("psql")?, path_text(&self.folder)?);
        let allowed = "SET default_transaction_read_only = off";
        let words = ["-q", "-h", socket, "-U", USER, "-d", "postgres", "-c", allowed, "-c", &set, "-c", cut];
        output(&[&[psql.as_str()], words.as_slice()].concat()).map(drop)
    }

    /// Lets every process of the server stand still until what this gives is dropped: it is there, and says nothing.
    pub fn hang(&self) -> io::Result<Hanging> {
        let pid = std::fs::read_to_string(self.folder.join("data/postmaster.pid"))?;
        let pid = pid.lines().next().unwrap_or_default().to_owned();
        // The first one first: it makes the others.
        output(&["sh", "-c", &format!("kill -STOP {pid} && kill -STOP $(pgrep -P {pid})")])?;
        Ok(Hanging { pid })
    }

    /// The one server of this test binary, started when it is first asked for.
    pub fn shared() -> io::Result<Option<&'static Self>> {
        static SHARED: OnceLock<Result<Option<Cluster>, String>> = OnceLock::new();
        match SHARED.get_or_init(|| Self::start().map_err(|error| error.to_string())) {
            Ok(cluster) => Ok(cluster.as_ref()),
            Err(error) => Err(io::Error::other(error.clone())),
        }
    }

    /// A new, empty database; its URL.
    pub fn database(&self) -> io::Result<String> {
        let name = format!("test{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let socket = path_text(&self.folder)?;
        output(&[&self.binary("createdb")?, "-h", socket, "-U", USER, &name])?;
        Ok(format!("postgres://{USER}@localhost/{name}?host={}", socket.replace('/', "%2F")))
    }

    /// What a database of it says to a statement: one line per row, its columns divided by `|`.
    pub fn ask(&self, url: &str, sql: &str) -> io::Result<String> {
        let name = url.rsplit('/').next().and_then(|rest| rest.split('?').next()).unwrap_or_default();
        let (psql, socket) = (self.binary("psql")?, path_text(&self.folder)?);
        output(&[&psql, "-qAt", "-h", socket, "-U", USER, "-d", name, "-c", sql])
    }

    /// A new database of a role that is no superuser, whose connections can be limited; its URL.
    pub fn database_of_role(&self) -> io::Result<String> {
        let url = self.database()?;
        let name = url.rsplit('/').next().and_then(|rest| rest.split('?').next()).unwrap_or_default();
        self.ask(
            &url,
            &format!("CREATE ROLE {name}_role LOGIN; ALTER DATABASE {name} OWNER TO {name}_role"),
        )?;
        Ok(url.replace(&format!("{USER}@"), &format!("{name}_role@")))
    }

    /// From now on so many connections at once are allowed to the role of such a database, without a limit where none is given. Those
    /// that are open are cut.
    pub fn limit_connections(&self, url: &str, most: Option<u32>) -> io::Result<()> {
        let role = url.trim_start_matches("postgres://").split('@').next().unwrap_or_default();
        let most = most.map_or_else(|| "-1".to_owned(), |most| most.to_string());
        self.ask(url, &format!("ALTER ROLE {role} CONNECTION LIMIT {most}"))?;
        let cut =
            format!("SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = '{role}'");
        self.ask(url, &cut).map(drop)
    }

    /// How many statements a database was asked to run since this was asked last. The server must have been started with
    /// [`COUNTING`].
    pub fn statements(&self, url: &str) -> io::Result<u64> {
        self.ask(url, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements")?;
        let own = "dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND query NOT LIKE '%pg_stat%'";
        let count = format!("SELECT COALESCE(SUM(calls), 0) FROM pg_stat_statements WHERE {own}");
        let count = self.ask(url, &count)?;
        self.ask(url, "SELECT pg_stat_statements_reset()")?;
        count.parse().map_err(io::Error::other)
    }

    /// The folder of the cluster, for tests that look for what must not be on the disk.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn binary(&self, name: &str) -> io::Result<String> {
        path_text(&self.binaries.join(name)).map(str::to_owned)
    }
}

/// A server that stands still.
pub struct Hanging {
    pid: String,
}

impl Drop for Hanging {
    fn drop(&mut self) {
        let _ = output(&["sh", "-c", &format!("kill -CONT $(pgrep -P {0}) {0}", self.pid)]);
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.leash.take());
        let _ = self.keeper.wait();
    }
}

/// The process that outlives us, whatever ends us: when the pipe to it closes it stops the server.
fn keeper(binaries: &Path, folder: &Path) -> io::Result<(Child, ChildStdin)> {
    let script = format!(
        "cat > /dev/null; for data in '{folder}/data' '{folder}/standby/data'; do \
         '{}/pg_ctl' -D \"$data\" -m immediate stop > /dev/null 2>&1; done; rm -rf '{folder}'",
        path_text(binaries)?,
        folder = path_text(folder)?
    );
    let mut command = unprivileged(&["sh", "-c", &script]);
    // A group of its own: Ctrl-C in the terminal is not for it.
    command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut keeper = command.spawn()?;
    let leash = keeper.stdin.take().ok_or_else(|| io::Error::other("the keeper has no standard input"))?;
    Ok((keeper, leash))
}

/// As `postgres` when we are root, as ourselves otherwise.
fn unprivileged(words: &[&str]) -> Command {
    let root =
        std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    let (program, arguments): (&str, Vec<&str>) = match (root, words.split_first()) {
        (true, _) => ("runuser", ["-u", "postgres", "--"].iter().chain(words).copied().collect()),
        (false, Some((program, rest))) => (program, rest.to_vec()),
        (false, None) => ("true", Vec::new()),
    };
    let mut command = Command::new(program);
    // The folder we are in may be closed to `postgres`, which initdb complains about.
    command.args(arguments).current_dir("/").stdin(Stdio::null());
    command
}

fn output(words: &[&str]) -> io::Result<String> {
    let done = unprivileged(words).output()?;
    if !done.status.success() {
        let told = String::from_utf8_lossy(&done.stderr);
        return Err(io::Error::other(format!("{} failed: {told}", words.first().unwrap_or(&""))));
    }
    Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned())
}

fn newest_binaries() -> Option<PathBuf> {
    let version = |folder: &PathBuf| {
        folder.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse::<u32>().ok())
    };
    let installed = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut folders: Vec<PathBuf> = installed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.sort_by_key(version);
    folders.into_iter().rev().map(|folder| folder.join("bin")).find(|bin| bin.join("initdb").is_file())
}

fn path_text(path: &Path) -> io::Result<&str> {
    path.to_str().ok_or_else(|| io::Error::other("a path is not UTF-8"))
}
