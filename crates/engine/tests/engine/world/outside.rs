//! The real cage and the real way out, for tests whose tools need them; and a street of one server to go to.

use engine::Outside;
use sandbox::{
    egress::{Egress, Policy, PrivateHost},
    process::{Cage, Program},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

fn cage() -> Arc<Cage> {
    static CAGE: OnceLock<Arc<Cage>> = OnceLock::new();
    let open = || {
        let program = Program::At(env!("CARGO_BIN_EXE_engine-cage-inside").into());
        Arc::new(Cage::open(program).unwrap_or_else(|report| panic!("{report}")))
    };
    CAGE.get_or_init(open).clone()
}

/// The addresses of this machine at which servers of tests are.
const HOSTS: [&str; 2] = ["127.0.0.1", "127.0.0.2"];

/// With a cage, and with these ports of this machine as hosts that the owner allows.
pub fn outside(ports: &[u16]) -> Outside {
    let home = |port: &u16| HOSTS.map(|host| PrivateHost { host: host.parse().unwrap(), port: *port });
    Outside {
        egress: Some(Egress::system()),
        policy: Policy { private_hosts: ports.iter().flat_map(home).collect(), ..Policy::default() },
        cage: Some(cage()),
        ..Outside::default()
    }
}

/// A server whose pages are what somebody puts there. A page that ends in `…` never comes to its end; an empty one never begins.
pub struct Street {
    host: &'static str,
    pub port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Street {
    pub async fn with(pages: &[(&'static str, &'static str)]) -> Self {
        Self::at(HOSTS[0], pages).await
    }

    /// At another host than the others.
    pub async fn elsewhere(pages: &[(&'static str, &'static str)]) -> Self {
        Self::at(HOSTS[1], pages).await
    }

    async fn at(host: &'static str, pages: &[(&'static str, &'static str)]) -> Self {
        let listener = TcpListener::bind((host, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let pages: Arc<HashMap<&str, &str>> = Arc::new(pages.iter().copied().collect());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = asked.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (pages, noted) = (pages.clone(), noted.clone());
                tokio::spawn(async move {
                    let mut request = vec![0; 8192];
                    let read = stream.read(&mut request).await.unwrap_or(0);
                    let request = String::from_utf8_lossy(&request[..read]).into_owned();
                    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                    noted.lock().unwrap().push(path.clone());
                    let answer = pages.get(path.as_str()).copied().unwrap_or("HTTP/1.1 404 no\r\n\r\n");
                    let _ = stream.write_all(answer.trim_end_matches('…').as_bytes()).await;
                    if answer.is_empty() || answer.ends_with('…') {
                        std::future::pending::<()>().await;
                    }
                });
            }
        });
        Self { host, port, asked }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}:{}{path}", self.host, self.port)
    }

    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}
