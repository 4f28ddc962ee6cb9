//! A model that says its next piece when it is told to, so that no two pieces of a reply ever meet on the way.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
};

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
const LAST: &str = "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":\
                    [{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\
                    \"usage\":{\"prompt_tokens\":5,\"completion_tokens\":5,\"total_tokens\":10}}\n\ndata: [DONE]\n\n";

/// How many pieces every reply may have had; it ends after as many as it has.
#[derive(Default)]
struct Said {
    allowed: Mutex<u32>,
    changed: Condvar,
}

pub struct LockStep {
    pub address: SocketAddr,
    said: Arc<Said>,
}

impl LockStep {
    /// Replies have so many pieces, and then end, or not.
    pub fn start(pieces: u32, ends: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let said = Arc::new(Said::default());
        let own = said.clone();
        thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let said = own.clone();
                thread::spawn(move || drop(answer(socket, &said, pieces, ends)));
            }
        });
        Self { address, said }
    }

    /// Every reply may have so many pieces now.
    pub fn allow(&self, pieces: u32) {
        *self.said.allowed.lock().unwrap_or_else(PoisonError::into_inner) = pieces;
        self.said.changed.notify_all();
    }
}

fn answer(socket: TcpStream, said: &Said, pieces: u32, ends: bool) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let mut reader = BufReader::new(socket);
    while read_request(&mut reader)? {
        reader.get_mut().write_all(HEAD.as_bytes())?;
        for piece in 0..pieces {
            let allowed = said.allowed.lock().unwrap_or_else(PoisonError::into_inner);
            drop(said.changed.wait_while(allowed, |allowed| *allowed <= piece));
            send(reader.get_mut(), &delta(piece))?;
        }
        if !ends {
            // The other end hangs up.
            return read_request(&mut reader).map(drop);
        }
        send(reader.get_mut(), LAST)?;
        reader.get_mut().write_all(b"0\r\n\r\n")?;
    }
    Ok(())
}

fn delta(piece: u32) -> String {
    format!(
        "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":\
         [{{\"index\":0,\"delta\":{{\"content\":\"word {piece:05} \"}},\"finish_reason\":null}}]}}\n\n"
    )
}

fn send(socket: &mut TcpStream, data: &str) -> io::Result<()> {
    socket.write_all(format!("{:x}\r\n{data}\r\n", data.len()).as_bytes())
}

/// Reads a question to its end; false when there is none any more. What is no question is answered with 404.
fn read_request(reader: &mut BufReader<TcpStream>) -> io::Result<bool> {
    loop {
        let (mut length, mut is_question, mut line) = (0, false, String::new());
        loop {
            line.clear();
            if reader.read_line(&mut line)? == 0 {
                return Ok(false);
            }
            is_question |= line.starts_with("POST ");
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            if line == "\r\n" {
                break;
            }
        }
        io::copy(&mut reader.take(length), &mut io::sink())?;
        if is_question {
            return Ok(true);
        }
        reader.get_mut().write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")?;
    }
}
