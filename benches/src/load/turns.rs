//! Turn after turn over one connection, for each of some sessions at once.

use super::frames::Chunks;
use anyhow::{Context, Result};
use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
};

const PATIENCE: Duration = Duration::from_secs(30);

/// Sends each request again and again, one after the other, all of them side by side; the microseconds of each answer.
pub async fn run(address: SocketAddr, requests: Vec<Vec<u8>>, times: usize) -> Result<Vec<f64>> {
    let mut tasks = JoinSet::new();
    for request in requests {
        tasks.spawn(one(address, request, times));
    }
    let mut micros = Vec::new();
    while let Some(done) = tasks.join_next().await {
        micros.extend(done??);
    }
    Ok(micros)
}

async fn one(address: SocketAddr, request: Vec<u8>, times: usize) -> Result<Vec<f64>> {
    let mut socket = TcpStream::connect(address).await?;
    socket.set_nodelay(true)?;
    let mut micros = Vec::with_capacity(times);
    let mut buffer = vec![0; 64 << 10];
    for _ in 0..times {
        let begun = Instant::now();
        socket.write_all(&request).await?;
        tokio::time::timeout(PATIENCE, answered(&mut socket, &mut buffer)).await.context("no answer")??;
        micros.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    Ok(micros)
}

async fn answered(socket: &mut TcpStream, buffer: &mut [u8]) -> Result<()> {
    let (mut head, mut chunks, mut body, mut in_body) = (Vec::new(), Chunks::default(), Vec::new(), false);
    while !chunks.ended {
        let read = socket.read(buffer).await?;
        anyhow::ensure!(read > 0, "the connection ended");
        let bytes = buffer.get(..read).unwrap_or_default();
        if in_body {
            chunks.push(bytes, &mut body);
            continue;
        }
        head.extend_from_slice(bytes);
        if let Some(at) = memchr::memmem::find(&head, b"\r\n\r\n") {
            anyhow::ensure!(head.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&head));
            chunks.push(&head.split_off(at + 4), &mut body);
            in_body = true;
        }
    }
    // The end of the chunks: its last line end may come later than the zero.
    anyhow::ensure!(memchr::memmem::find(&body, b"turn_failed").is_none(), "a turn failed");
    Ok(())
}
