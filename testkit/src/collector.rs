//! A collector of spans: takes whatever is posted to it, and keeps the bytes as they came.

use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};

const PATIENCE: Duration = Duration::from_secs(60);

pub struct Collector {
    address: SocketAddr,
    taken: Arc<Mutex<Vec<u8>>>,
    arrived: watch::Receiver<usize>,
    task: JoinHandle<()>,
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Collector {
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let taken = Arc::new(Mutex::new(Vec::new()));
        let (arrival, arrived) = watch::channel(0);
        let kept = taken.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, kept.clone(), arrival.clone()));
            }
        });
        Ok(Self { address, taken, arrived, task })
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Everything that was posted so far: heads and bodies.
    pub fn taken(&self) -> String {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&taken).into_owned()
    }

    /// Waits until it was told this; whether it was in time.
    pub async fn was_told(&self, words: &str) -> bool {
        let mut arrived = self.arrived.clone();
        let told = arrived.wait_for(|_| self.taken().contains(words));
        matches!(tokio::time::timeout(PATIENCE, told).await, Ok(Ok(_)))
    }
}

async fn serve(mut stream: TcpStream, kept: Arc<Mutex<Vec<u8>>>, arrival: watch::Sender<usize>) {
    while let Ok(request) = read_request(&mut stream).await {
        kept.lock().unwrap_or_else(PoisonError::into_inner).extend(request);
        arrival.send_modify(|count| *count += 1);
        let answer = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
        if stream.write_all(answer).await.is_err() {
            return;
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut request = Vec::new();
    let head = loop {
        request.push(stream.read_u8().await?);
        if request.ends_with(b"\r\n\r\n") {
            break String::from_utf8_lossy(&request).to_ascii_lowercase();
        }
    };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let length = length.and_then(|length| length.trim().parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    request.extend(body);
    Ok(request)
}
