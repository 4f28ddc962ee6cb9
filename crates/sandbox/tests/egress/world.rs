//! A small internet: a resolver that says what the test wants, a dialer that counts, and servers that say what they
//! are told to.

use async_trait::async_trait;
use rustls::RootCertStore;
use sandbox::egress::{Dialer, Egress, Resolver};
use std::{
    collections::{HashMap, VecDeque},
    io,
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// An address on the internet; the dialer brings it to a server of the test.
pub const PUBLIC: &str = "93.184.216.34";
pub const OTHER_PUBLIC: &str = "1.0.0.1";

#[derive(Default)]
pub struct World {
    names: Mutex<HashMap<String, VecDeque<Vec<IpAddr>>>>,
    asked: Mutex<Vec<String>>,
    servers: Mutex<HashMap<IpAddr, SocketAddr>>,
    /// Where everything else arrives, so that a leak is a connection and not a timeout.
    elsewhere: Mutex<Option<SocketAddr>>,
    dialed: Mutex<Vec<SocketAddr>>,
}

impl World {
    pub fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    /// One more answer for a name. The last one is given for ever.
    pub fn name(&self, host: &str, addresses: &[&str]) {
        let addresses = addresses.iter().map(|address| address.parse().unwrap()).collect();
        self.names.lock().unwrap().entry(host.to_owned()).or_default().push_back(addresses);
    }

    pub fn server(&self, address: &str, at: SocketAddr) {
        self.servers.lock().unwrap().insert(address.parse().unwrap(), at);
    }

    pub fn everything_else(&self, at: SocketAddr) {
        *self.elsewhere.lock().unwrap() = Some(at);
    }

    pub fn dialed(&self) -> Vec<SocketAddr> {
        self.dialed.lock().unwrap().clone()
    }

    pub fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    pub fn egress(self: &Arc<Self>) -> Egress {
        self.trusting(RootCertStore::empty())
    }

    pub fn trusting(self: &Arc<Self>, roots: RootCertStore) -> Egress {
        let seen = || Arc::new(Seen(Arc::clone(self)));
        Egress::trusting(roots, seen(), seen())
    }
}

struct Seen(Arc<World>);

#[async_trait]
impl Resolver for Seen {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        self.0.asked.lock().unwrap().push(host.to_owned());
        let mut names = self.0.names.lock().unwrap();
        let Some(answers) = names.get_mut(host) else { return Err(io::Error::other("no such name")) };
        let next = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() };
        next.ok_or_else(|| io::Error::other("no such name"))
    }
}

#[async_trait]
impl Dialer for Seen {
    async fn dial(&self, address: SocketAddr) -> io::Result<TcpStream> {
        self.0.dialed.lock().unwrap().push(address);
        let known = self.0.servers.lock().unwrap().get(&address.ip()).copied();
        let Some(at) = known.or(*self.0.elsewhere.lock().unwrap()) else {
            return Err(io::Error::from(io::ErrorKind::ConnectionRefused));
        };
        TcpStream::connect(at).await
    }
}

/// Counts who comes, reads a request and answers it with fixed bytes.
pub struct Server {
    pub at: SocketAddr,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub async fn saying(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::answering(move |_| answer.clone()).await
    }

    pub async fn answering(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").await.unwrap(), answer, false)
    }

    /// Sends its answer and then nothing, with the connection left open.
    pub async fn stalling(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::on(TcpListener::bind("127.0.0.1:0").await.unwrap(), move |_| answer.clone(), true)
    }

    pub fn on(
        listener: TcpListener,
        answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static,
        stalls: bool,
    ) -> Self {
        let at = listener.local_addr().unwrap();
        let (connections, requests) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(Vec::new())));
        let (counter, log, answer) = (Arc::clone(&connections), Arc::clone(&requests), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counter.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, Arc::clone(&log), Arc::clone(&answer), stalls));
            }
        });
        Self { at, connections, requests }
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

pub async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    log: Arc<Mutex<Vec<String>>>,
    answer: Arc<impl Fn(&str) -> Vec<u8> + Send + Sync + 'static>,
    stalls: bool,
) {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    while !is_whole(&request) {
        match stream.read(&mut buffer).await {
            Ok(read) if read > 0 => request.extend_from_slice(&buffer[..read]),
            _ => return,
        }
    }
    let request = String::from_utf8_lossy(&request).into_owned();
    let answer = answer(&request);
    log.lock().unwrap().push(request);
    if stream.write_all(&answer).await.is_ok() && stalls {
        // Until the other side hangs up.
        while matches!(stream.read(&mut buffer).await, Ok(read) if read > 0) {}
    }
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length =
        head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    body.len() >= length.unwrap_or(0)
}

pub fn ok(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: {}\r\n\r\n{body}", body.len())
        .into()
}

pub fn redirect(status: u16, location: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} Go\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n").into()
}
