//! What there is to be stolen, reached and broken.

use sandbox::process::{Cage, Limits, Program};
use std::{
    os::{fd::OwnedFd, linux::net::SocketAddrExt, unix::net::SocketAddr},
    sync::OnceLock,
    time::Duration,
};
use tempfile::TempDir;
use tokio::{
    net::{TcpListener, UdpSocket, UnixListener},
    process::{Child, Command},
};

pub const SECRET: &str = "the-master-key-of-the-house";

pub fn cage() -> &'static Cage {
    static CAGE: OnceLock<Cage> = OnceLock::new();
    CAGE.get_or_init(|| {
        let program = Program::At(env!("CARGO_BIN_EXE_cage-inside").into());
        Cage::open(program).unwrap_or_else(|report| panic!("{report}"))
    })
}

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

pub struct World {
    folder: TempDir,
    tcp: TcpListener,
    tcp6: Option<TcpListener>,
    udp_port: u16,
    _socket: UnixListener,
    _abstract: std::os::unix::net::UnixListener,
    abstract_name: String,
    victim: Child,
    /// Not marked to be closed, as what a server inherits may not be.
    _left_open: OwnedFd,
}

impl World {
    pub async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("master.key"), SECRET).unwrap();
        let secret = std::fs::File::open(folder.path().join("master.key")).unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let udp_port = udp.local_addr().unwrap().port();
        tokio::spawn(async move {
            let mut buffer = [0; 64];
            while let Ok((size, from)) = udp.recv_from(&mut buffer).await {
                drop(udp.send_to(&buffer[..size], from).await);
            }
        });
        let abstract_name = format!("majordomo-cage-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        Self {
            tcp: TcpListener::bind("127.0.0.1:0").await.unwrap(),
            tcp6: TcpListener::bind("[::1]:0").await.ok(),
            udp_port,
            _socket: UnixListener::bind(folder.path().join("socket")).unwrap(),
            _abstract: std::os::unix::net::UnixListener::bind_addr(&address).unwrap(),
            abstract_name,
            victim: Command::new("sleep").arg("3600").kill_on_drop(true).spawn().unwrap(),
            _left_open: rustix::io::dup(&secret).unwrap(),
            folder,
        }
    }

    /// Small, so that breaking them outside takes little of the machine.
    pub fn limits(&self) -> Limits {
        Limits {
            wall: Duration::from_secs(8),
            cpu: Duration::from_secs(1),
            memory: 128 * 1024 * 1024,
            disk: 32 * 1024 * 1024,
            files: 2_000,
            ..Limits::default()
        }
    }

    /// Puts names and numbers in their places.
    pub fn fill(&self, code: &str) -> String {
        let folder = self.folder.path().to_str().unwrap();
        let port = |listener: &TcpListener| listener.local_addr().unwrap().port().to_string();
        code.replace("FILE", &format!("{folder}/master.key"))
            .replace("SOCKET", &format!("{folder}/socket"))
            .replace("FOLDER", folder)
            .replace("SECRET", SECRET)
            .replace("PORT6", &self.tcp6.as_ref().map_or_else(|| port(&self.tcp), port))
            .replace("UDP", &self.udp_port.to_string())
            .replace("PORT", &port(&self.tcp))
            .replace("ABSTRACT", &self.abstract_name)
            .replace("VICTIM", &self.victim.id().unwrap().to_string())
            .replace("OWN", &std::process::id().to_string())
    }

    /// Ends what still runs with these words, and says how many there were.
    pub fn end(&self, words: &str) -> usize {
        let words = self.fill(words);
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let found = processes.filter(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).replace('\0', " ").starts_with(&words)
        });
        let ids = found.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let ended = ids.filter_map(rustix::process::Pid::from_raw);
        ended.filter(|&id| rustix::process::kill_process(id, rustix::process::Signal::KILL).is_ok()).count()
    }
}
