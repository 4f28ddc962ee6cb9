//! A model without latency: the same short reply to whatever it is asked, over a connection that stays open.

use anyhow::Result;
use std::{net::SocketAddr, thread};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};

/// Words of the reply; with the JSON around it this is about what a short answer weighs.
const PIECES: usize = 12;

/// Runs on a thread of its own, so that it is not in the way of what is measured more than it must.
pub fn start() -> Result<SocketAddr> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    thread::Builder::new().name("model".to_owned()).spawn(move || -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async move {
            let listener = TcpListener::from_std(listener)?;
            loop {
                let (stream, _) = listener.accept().await?;
                tokio::spawn(answer(stream));
            }
        })
    })?;
    Ok(address)
}

async fn answer(stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let reply = reply();
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    loop {
        let mut length = 0_usize;
        loop {
            line.clear();
            if stream.read_line(&mut line).await? == 0 {
                return Ok(());
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        stream.get_mut().write_all(reply.as_bytes()).await?;
    }
}

fn reply() -> String {
    let mut body = String::new();
    for piece in 0..PIECES {
        body.push_str(&format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"piece {piece} of it \"}}}}]}}\n\n"
        ));
    }
    body.push_str("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],");
    body.push_str("\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":36}}\n\ndata: [DONE]\n\n");
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {length}\r\n\r\n{body}")
}
