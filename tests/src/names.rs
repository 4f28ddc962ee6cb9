//! Names that a test decides about. The question is the name, the answer its addresses; both are plain words in a datagram.

use async_trait::async_trait;
use sandbox::egress::{Resolver, SystemResolver};
use std::{
    io,
    net::{IpAddr, SocketAddr},
};
use tokio::net::UdpSocket;

/// Everything below is the test's, everything else the machine's.
const ZONE: &str = ".attack.example.com";

pub struct Names {
    pub at: SocketAddr,
}

#[async_trait]
impl Resolver for Names {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        if !host.ends_with(ZONE) {
            return SystemResolver.addresses(host).await;
        }
        let socket = UdpSocket::bind("127.0.0.1:0").await?;
        socket.send_to(host.as_bytes(), self.at).await?;
        let mut buffer = vec![0; 1024];
        let (size, _) = socket.recv_from(&mut buffer).await?;
        let answer = String::from_utf8_lossy(buffer.get(..size).unwrap_or_default()).into_owned();
        Ok(answer.split_whitespace().filter_map(|address| address.parse().ok()).collect())
    }
}
