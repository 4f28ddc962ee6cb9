//! The least that any program would have to do.

use anyhow::Result;
use rusqlite::{Connection, params};
use std::{net::SocketAddr, path::Path, time::Instant};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// A durable SQLite database with one table of rows like ours.
pub fn database(path: &Path) -> Result<Connection> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.execute_batch("CREATE TABLE rows (id INTEGER PRIMARY KEY, kind TEXT, body BLOB)")?;
    Ok(connection)
}

/// Durable rows per second, `batch` of them per commit, on one connection that does nothing else.
pub fn rows_per_second(connection: &mut Connection, rows: usize, batch: usize) -> Result<f64> {
    let body = [7_u8; 160];
    let begun = Instant::now();
    for _ in 0..rows / batch {
        let transaction = connection.transaction()?;
        {
            let mut insert = transaction.prepare_cached("INSERT INTO rows (kind, body) VALUES (?1, ?2)")?;
            for _ in 0..batch {
                insert.execute(params!["event", body])?;
            }
        }
        transaction.commit()?;
    }
    Ok(rows as f64 / begun.elapsed().as_secs_f64())
}

/// One turn without a program around it: ask the model over an open connection, read its reply, commit it once.
pub async fn turn(stream: &mut TcpStream, model: SocketAddr, connection: &mut Connection) -> Result<()> {
    let body = format!("{{\"messages\":[{{\"role\":\"user\",\"content\":\"{}\"}}]}}", "x".repeat(300));
    let request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {model}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await?;
    let mut reply = Vec::new();
    let mut buffer = vec![0; 16_384];
    while !reply.ends_with(b"[DONE]\n\n") {
        let read = stream.read(&mut buffer).await?;
        anyhow::ensure!(read > 0, "the model hung up");
        reply.extend_from_slice(buffer.get(..read).unwrap_or_default());
    }
    connection.execute("INSERT INTO rows (kind, body) VALUES (?1, ?2)", params!["turn", reply])?;
    Ok(())
}
