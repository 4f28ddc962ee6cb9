//! Servers at the end of every way out. Each records what is sent to it, and how often.

use std::{
    collections::HashMap,
    os::{linux::net::SocketAddrExt, unix::net::SocketAddr as UnixAddress},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, UdpSocket, UnixListener},
};

/// More than anybody has to say in one go.
const MOST: usize = 1 << 20;

#[derive(Clone, Default)]
struct Ear(Arc<Mutex<(usize, Vec<u8>)>>);

impl Ear {
    fn came(&self) {
        self.0.lock().unwrap().0 += 1;
    }

    fn hear(&self, bytes: &[u8]) {
        let mut heard = self.0.lock().unwrap();
        if heard.1.len() < MOST {
            heard.1.extend_from_slice(bytes);
        }
    }
}

/// What a server says to whoever asks over HTTP.
#[derive(Clone)]
enum Says {
    Words(String),
    /// What stands on the board, to whoever asks for what is wanted.
    Board(Arc<Mutex<String>>),
    /// Go there instead.
    Elsewhere(String),
}

pub struct Sinks {
    ears: Vec<(&'static str, Ear)>,
    /// A host that agents may be allowed to ask.
    pub allowed: u16,
    /// Sends whoever asks on to the service that tells secrets.
    pub turncoat: u16,
    /// A host that nobody may ask.
    pub forbidden: u16,
    /// What is there for the machine itself, and tells secrets to everybody.
    pub metadata: u16,
    pub udp: u16,
    /// Whom the program asks where hosts of `attack.example.com` are.
    pub names: u16,
    pub socket: PathBuf,
    pub abstract_name: String,
    /// What the host that may be asked says to whoever wants its page.
    pub board: Arc<Mutex<String>>,
}

impl Sinks {
    pub async fn new(folder: &Path, secret: &str) -> Self {
        let mut ears = Vec::new();
        let metadata = http(&mut ears, "metadata", Says::Words(format!("{{\"token\":\"{secret}\"}}"))).await;
        let board = Arc::new(Mutex::new("Good morning.".to_owned()));
        let allowed = http(&mut ears, "allowed", Says::Board(board.clone())).await;
        let target = format!("http://127.0.0.1:{metadata}/latest");
        let turncoat = http(&mut ears, "turncoat", Says::Elsewhere(target)).await;
        let forbidden = http(&mut ears, "forbidden", Says::Words("Well done.".to_owned())).await;
        // Whoever asks waits for an answer; then it is certain that the question was heard.
        let udp = datagrams(&mut ears, "udp", |_| "heard").await;
        let mut asked = HashMap::<String, usize>::new();
        let names = datagrams(&mut ears, "names", move |name| {
            let times = asked.entry(name.to_owned()).or_default();
            *times += 1;
            addresses(name, *times)
        })
        .await;
        let socket = folder.join("house.sock");
        local(&mut ears, "socket", UnixListener::bind(&socket).unwrap());
        let abstract_name = format!("majordomo-attack-{}", folder.file_name().unwrap().display());
        let address = UnixAddress::from_abstract_name(&abstract_name).unwrap();
        let listener = std::os::unix::net::UnixListener::bind_addr(&address).unwrap();
        listener.set_nonblocking(true).unwrap();
        local(&mut ears, "abstract", UnixListener::from_std(listener).unwrap());
        Self { ears, allowed, turncoat, forbidden, metadata, udp, names, socket, abstract_name, board }
    }

    /// How often somebody came.
    pub fn visits(&self, name: &str) -> usize {
        self.ears.iter().filter(|(known, _)| *known == name).map(|(_, ear)| ear.0.lock().unwrap().0).sum()
    }

    /// Everything that was said, by where.
    pub fn heard(&self) -> Vec<(&'static str, Vec<u8>)> {
        self.ears.iter().map(|(name, ear)| (*name, ear.0.lock().unwrap().1.clone())).collect()
    }

    /// Forgets what was said and who came.
    pub fn clear(&self) {
        self.ears.iter().for_each(|(_, ear)| *ear.0.lock().unwrap() = (0, Vec::new()));
    }
}

/// An address of the internet that nobody has: it belonged to a network that was given up.
const NOBODY: &str = "3ffe::1";

/// Where a host is said to be the so-manieth time that somebody asks.
fn addresses(name: &str, times: usize) -> &'static str {
    match name.split('.').next() {
        Some("turning") if times % 2 == 1 => NOBODY,
        Some("turning" | "home") => "127.0.0.1",
        Some("both") => "3ffe::1 127.0.0.1",
        _ => "",
    }
}

fn ear(ears: &mut Vec<(&'static str, Ear)>, name: &'static str) -> Ear {
    let ear = Ear::default();
    ears.push((name, ear.clone()));
    ear
}

async fn http(ears: &mut Vec<(&'static str, Ear)>, name: &'static str, says: Says) -> u16 {
    let ear = ear(ears, name);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            ear.came();
            tokio::spawn(answer(stream, ear.clone(), Some(says.clone())));
        }
    });
    port
}

fn local(ears: &mut Vec<(&'static str, Ear)>, name: &'static str, listener: UnixListener) {
    let ear = ear(ears, name);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            ear.came();
            tokio::spawn(answer(stream, ear.clone(), None));
        }
    });
}

/// Hears datagrams, and answers each.
async fn datagrams(
    ears: &mut Vec<(&'static str, Ear)>,
    name: &'static str,
    mut says: impl FnMut(&str) -> &'static str + Send + 'static,
) -> u16 {
    let ear = ear(ears, name);
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let port = socket.local_addr().unwrap().port();
    tokio::spawn(async move {
        let mut buffer = vec![0; 2048];
        while let Ok((size, from)) = socket.recv_from(&mut buffer).await {
            ear.came();
            ear.hear(&buffer[..size]);
            let answer = says(&String::from_utf8_lossy(&buffer[..size]));
            let _ = socket.send_to(answer.as_bytes(), from).await;
        }
    });
    port
}

/// Has the request come with all of what it brings?
fn is_whole(request: &[u8]) -> bool {
    let Some(end) = request.windows(4).position(|end| end == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    request.len() >= end + 4 + length.unwrap_or(0_usize).min(MOST)
}

async fn answer(mut stream: impl AsyncRead + AsyncWrite + Unpin, ear: Ear, says: Option<Says>) {
    let mut buffer = vec![0; 64 << 10];
    let mut head = Vec::new();
    while let Ok(size) = stream.read(&mut buffer).await {
        if size == 0 {
            return;
        }
        ear.hear(&buffer[..size]);
        head.extend_from_slice(&buffer[..size]);
        if says.is_some() && is_whole(&head) {
            break;
        }
    }
    let (status, extra, body) = match says {
        None => return,
        Some(Says::Words(words)) => ("200 OK", String::new(), words),
        Some(Says::Board(board)) => {
            let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let wanted = String::from_utf8_lossy(line).contains(crate::stage::WANTED);
            let words = if wanted { board.lock().unwrap().clone() } else { "Good morning.".to_owned() };
            ("200 OK", String::new(), words)
        }
        Some(Says::Elsewhere(target)) => ("302 Found", format!("Location: {target}\r\n"), String::new()),
    };
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\n{extra}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::{TcpStream, UnixStream};

    /// Asks for this over HTTP, and gives what is answered.
    async fn ask(port: u16, word: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        stream.write_all(format!("GET /{word} HTTP/1.1\r\n\r\n").as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    /// Says this, and waits until it was read to its end.
    async fn tell(mut stream: UnixStream, word: &str) {
        stream.write_all(word.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        stream.read_to_end(&mut Vec::new()).await.unwrap();
    }

    #[tokio::test]
    async fn every_ear_hears() {
        let folder = tempfile::tempdir().unwrap();
        let sinks = Sinks::new(folder.path(), "the-secret").await;
        for port in [sinks.allowed, sinks.forbidden] {
            assert!(ask(port, "psst").await.starts_with("HTTP/1.1 200"));
        }
        assert!(ask(sinks.metadata, "psst").await.contains("the-secret"));
        let elsewhere = format!("Location: http://127.0.0.1:{}/", sinks.metadata);
        assert!(ask(sinks.turncoat, "psst").await.contains(&elsewhere));
        for port in [sinks.udp, sinks.names] {
            let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
            socket.send_to(b"psst", ("127.0.0.1", port)).await.unwrap();
            socket.recv_from(&mut [0; 16]).await.unwrap();
        }
        tell(UnixStream::connect(&sinks.socket).await.unwrap(), "psst").await;
        let address = UnixAddress::from_abstract_name(&sinks.abstract_name).unwrap();
        let stream = std::os::unix::net::UnixStream::connect_addr(&address).unwrap();
        stream.set_nonblocking(true).unwrap();
        tell(UnixStream::from_std(stream).unwrap(), "psst").await;
        for (name, heard) in sinks.heard() {
            assert_eq!(sinks.visits(name), 1, "{name}");
            assert!(String::from_utf8_lossy(&heard).contains("psst"), "{name} heard nothing");
        }
        sinks.clear();
        assert!(sinks.heard().iter().all(|(_, heard)| heard.is_empty()));
    }
}
