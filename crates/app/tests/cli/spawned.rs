//! A command whose output is watched while it runs.

use super::BINARY;
use std::{path::Path, process::Stdio, time::Duration};
use tokio::{
    io::AsyncReadExt as _,
    process::{Child, ChildStdin, ChildStdout, Command},
};

const PATIENCE: Duration = Duration::from_secs(60);

pub struct Spawned {
    child: Child,
    stdout: ChildStdout,
    seen: String,
    pub stdin: Option<ChildStdin>,
}

pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Spawned {
    pub fn start(data: &Path, model: &str, arguments: &[&str]) -> Self {
        let mut child = Command::new(BINARY)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("USER", "ann")
            .env("MAJORDOMO_PROVIDER_TEST_BASE_URL", model)
            .env("MAJORDOMO_DEFAULTS_MODEL", "test/scripted")
            .env("MAJORDOMO_DEFAULTS_TITLES", "false")
            .arg("--data")
            .arg(data)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().unwrap());
        Self { child, stdout, seen: String::new(), stdin }
    }

    /// Waits until this has been printed.
    pub async fn until(&mut self, text: &str) {
        let reading = async {
            while !self.seen.contains(text) {
                let mut bytes = [0; 1_024];
                let count = self.stdout.read(&mut bytes).await.unwrap();
                assert!(count > 0, "it ended before it printed {text:?}: {:?}", self.seen);
                self.seen.push_str(&String::from_utf8_lossy(bytes.get(..count).unwrap_or_default()));
            }
        };
        tokio::time::timeout(PATIENCE, reading).await.expect(text);
    }

    pub async fn signal(&self, name: &str) {
        let pid = self.child.id().unwrap().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().await.unwrap().success());
    }

    /// Waits for its end.
    pub async fn end(mut self) -> Ended {
        drop(self.stdin.take());
        let Self { mut child, mut stdout, mut seen, .. } = self;
        let mut stderr = child.stderr.take().unwrap();
        let mut err = String::new();
        let waiting = async {
            let (read, _, code) =
                tokio::join!(stdout.read_to_string(&mut seen), stderr.read_to_string(&mut err), child.wait());
            read.unwrap();
            code.unwrap().code()
        };
        let code = tokio::time::timeout(PATIENCE, waiting).await.expect("the command ends");
        Ended { code, out: seen, err }
    }
}
