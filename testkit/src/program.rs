//! The real program, as a process of its own that a test may kill.

use crate::client::Client;
use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    process::{Output, Stdio},
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStderr, ChildStdout, Command},
};

/// Nothing a test waits for takes this long.
const PATIENCE: Duration = Duration::from_secs(60);
/// Variables that would let the machine's own settings into a test.
const FOREIGN: [&str; 5] = ["OPENAI_", "ANTHROPIC_", "OLLAMA_", "MAJORDOMO_", "HTTP_PROXY"];

/// How to start it.
#[derive(Clone, Debug)]
pub struct Program {
    binary: PathBuf,
    data: PathBuf,
    environment: Vec<(String, String)>,
    /// The program that starts it, with its own arguments.
    through: Vec<String>,
}

impl Program {
    pub fn new(binary: impl Into<PathBuf>, data: impl Into<PathBuf>) -> Self {
        let (environment, through) = (Vec::new(), Vec::new());
        let program = Self { binary: binary.into(), data: data.into(), environment, through };
        // A request of its own for a title would come between the requests that a test has scripted.
        program.env("MAJORDOMO_DEFAULTS_MODEL", "demo").env("MAJORDOMO_DEFAULTS_TITLES", "false")
    }

    #[must_use]
    pub fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.environment.retain(|(known, _)| known != name);
        self.environment.push((name.to_owned(), value.into()));
        self
    }

    /// Another version of the program, on the same data directory.
    #[must_use]
    pub fn binary(self, binary: impl Into<PathBuf>) -> Self {
        Self { binary: binary.into(), ..self }
    }

    /// The same program with another data directory.
    #[must_use]
    pub fn at(&self, data: impl Into<PathBuf>) -> Self {
        Self { data: data.into(), ..self.clone() }
    }

    /// Uses the scripted model.
    #[must_use]
    pub fn model(self, url: &str) -> Self {
        self.env("MAJORDOMO_PROVIDER_TEST_WIRE", "openai")
            .env("MAJORDOMO_PROVIDER_TEST_BASE_URL", url)
            .env("MAJORDOMO_DEFAULTS_MODEL", "test/scripted")
    }

    /// Has another program start it, which becomes it.
    #[must_use]
    pub fn through(mut self, words: &[&str]) -> Self {
        self.through = words.iter().map(|word| (*word).to_owned()).collect();
        self
    }

    pub fn data(&self) -> &Path {
        &self.data
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut words = self.through.iter().map(OsStr::new).chain([self.binary.as_os_str()]);
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        for (name, _) in std::env::vars() {
            if FOREIGN.iter().any(|prefix| name.starts_with(prefix)) {
                command.env_remove(name);
            }
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.arg("--data").arg(&self.data).args(arguments).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Begins a command that the test ends itself.
    pub fn spawn(&self, arguments: &[&str]) -> io::Result<Child> {
        let mut command = self.command(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn()
    }

    /// Begins a command in a terminal of its own, as `script` makes one; what is typed and shown are its pipes.
    pub fn in_terminal(&self, arguments: &[&str]) -> io::Result<Child> {
        self.in_terminal_after("", arguments)
    }

    /// The same, for a program that says its process id first, and that the end of its terminal does not kill.
    pub fn in_stubborn_terminal(&self, arguments: &[&str]) -> io::Result<Child> {
        self.in_terminal_after("trap '' HUP; echo pid $$; ", arguments)
    }

    fn in_terminal_after(&self, before: &str, arguments: &[&str]) -> io::Result<Child> {
        let inner = self.command(arguments);
        let inner = inner.as_std();
        let words = std::iter::once(inner.get_program()).chain(inner.get_args());
        let quoted = |word: &OsStr| format!("'{}'", word.to_string_lossy().replace('\'', r"'\''"));
        let line: Vec<String> = words.map(quoted).collect();
        let mut command = Command::new("script");
        // A terminal that was made for pipes has no size.
        let line = format!("{before}stty rows 50 cols 200 && exec {}", line.join(" "));
        command
            .args(["-qfec", &line, "/dev/null"])
            .env("TERM", "xterm")
            .env("SHELL", "/bin/sh")
            .kill_on_drop(true);
        for (name, value) in inner.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn()
    }

    /// Runs one command to its end.
    pub async fn run(&self, arguments: &[&str], input: &str) -> io::Result<Output> {
        let mut child = self.command(arguments).spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(input.as_bytes()).await?;
        }
        tokio::time::timeout(PATIENCE, child.wait_with_output()).await.map_err(|_| timed_out(arguments))?
    }

    /// Runs one command that must succeed; gives what it printed.
    #[track_caller]
    pub fn must(&self, arguments: &[&str], input: &str) -> impl Future<Output = String> {
        let (program, input) = (self.clone(), input.to_owned());
        let arguments: Vec<String> = arguments.iter().map(|a| (*a).to_owned()).collect();
        async move {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let output = program.run(&arguments, &input).await;
            let (ok, text) = match &output {
                Ok(output) => (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned()),
                Err(error) => (false, error.to_string()),
            };
            assert!(ok, "{arguments:?} failed: {text}");
            output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
        }
    }

    /// An owner and a key of theirs.
    pub async fn set_up(&self) -> String {
        self.must(&["user", "add", "ada", "--role", "owner", "--password-stdin"], "correct horse\n").await;
        self.must(&["api-key", "new", "--user", "ada"], "").await
    }

    /// Starts the server and waits until it listens.
    pub async fn serve(&self) -> io::Result<Running> {
        self.serve_with(Stdio::inherit()).await
    }

    /// As [`serve`](Self::serve), with its log in a file.
    pub async fn serve_into(&self, log: &Path) -> io::Result<Running> {
        self.serve_with(std::fs::File::create(log)?.into()).await
    }

    /// As [`serve`](Self::serve), and what it logs, line by line. The test reads on: the program waits for a reader.
    pub async fn serve_heard(&self) -> io::Result<(Running, Lines<BufReader<ChildStderr>>)> {
        let mut running = self.serve_with(Stdio::piped()).await?;
        let log = running.child.stderr.take().ok_or_else(|| io::Error::other("no standard error"))?;
        Ok((running, BufReader::new(log).lines()))
    }

    async fn serve_with(&self, log: Stdio) -> io::Result<Running> {
        let mut command = self.command(&["serve", "--bind", "127.0.0.1:0"]);
        command.stderr(log);
        let mut child = command.spawn()?;
        let stdout = child.stdout.take().ok_or_else(|| io::Error::other("no standard output"))?;
        let mut lines = BufReader::new(stdout).lines();
        let listening = tokio::time::timeout(PATIENCE, address(&mut lines)).await;
        let base = listening.map_err(|_| timed_out(&["serve"]))??;
        // Whatever else it prints is read, so that it never waits for us.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Ok(Running { child, base })
    }
}

async fn address(lines: &mut Lines<BufReader<ChildStdout>>) -> io::Result<String> {
    while let Some(line) = lines.next_line().await? {
        if let Some(address) = line.trim().strip_prefix("listening on ") {
            return Ok(address.to_owned());
        }
    }
    Err(io::Error::other("the server ended before it listened"))
}

fn timed_out(arguments: &[&str]) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, format!("{arguments:?} took too long"))
}

/// A running server. Dropping it kills it.
pub struct Running {
    child: Child,
    pub base: String,
}

impl Running {
    pub fn client(&self, key: &str) -> Client {
        Client::new(&self.base, key)
    }

    /// SIGKILL, and gone.
    pub async fn kill(mut self) -> io::Result<()> {
        self.child.kill().await
    }

    /// SIGTERM; the exit code.
    pub async fn terminate(mut self) -> io::Result<Option<i32>> {
        let pid = self.child.id().map(|pid| pid.to_string()).unwrap_or_default();
        Command::new("kill").args(["-TERM", &pid]).status().await?;
        self.exit_code().await
    }

    /// Sends it a signal, such as `STOP` and `CONT`.
    pub async fn signal(&self, name: &str) -> io::Result<()> {
        let pid = self.child.id().map(|pid| pid.to_string()).unwrap_or_default();
        Command::new("kill").args([&format!("-{name}"), &pid]).status().await.map(drop)
    }

    /// Waits until the program ends by itself.
    pub async fn wait(mut self) -> io::Result<Option<i32>> {
        self.exit_code().await
    }

    async fn exit_code(&mut self) -> io::Result<Option<i32>> {
        let ended = tokio::time::timeout(PATIENCE, self.child.wait()).await;
        Ok(ended.map_err(|_| timed_out(&["serve"]))??.code())
    }

    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }
}
