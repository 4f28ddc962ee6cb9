//! A reader that takes less than it is sent, and so is always behind.

use anyhow::Result;
use rustix::net::{self, AddressFamily, SocketType, sockopt};
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

const BUFFER: usize = 4_096;

/// It reads until it is dropped.
pub struct SlowReader(Arc<AtomicBool>);

impl SlowReader {
    /// Takes some two kilobytes a second; fifty pieces are fifteen.
    pub fn open(address: SocketAddr, request: &[u8]) -> Result<Self> {
        let socket = net::socket(AddressFamily::INET, SocketType::STREAM, None)?;
        // Before it connects, so that the other end hears of no more room.
        sockopt::set_socket_recv_buffer_size(&socket, BUFFER)?;
        net::connect(&socket, &address)?;
        let mut stream = TcpStream::from(socket);
        stream.write_all(request)?;
        let stop = Arc::new(AtomicBool::new(false));
        let own = stop.clone();
        thread::spawn(move || {
            let mut buffer = [0; 256];
            while !own.load(Ordering::Relaxed) && stream.read(&mut buffer).is_ok_and(|read| read > 0) {
                thread::sleep(Duration::from_millis(125));
            }
        });
        Ok(Self(stop))
    }
}

impl Drop for SlowReader {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
