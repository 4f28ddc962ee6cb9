//! Opening a connection to addresses that have been looked at, and to no others.

use super::Target;
use crate::Error;
use async_trait::async_trait;
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{InvalidDnsNameError, ServerName},
};
use std::{io, net::SocketAddr, pin::Pin, sync::Arc};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;

/// Opens one TCP connection. Tests put one in place that counts.
#[async_trait]
pub trait Dialer: Send + Sync {
    /// # Errors
    /// When no server answers there.
    async fn dial(&self, address: SocketAddr) -> io::Result<TcpStream>;
}

#[derive(Debug, Default, Clone, Copy)]
pub struct SystemDialer;

#[async_trait]
impl Dialer for SystemDialer {
    async fn dial(&self, address: SocketAddr) -> io::Result<TcpStream> {
        TcpStream::connect(address).await
    }
}

pub(crate) trait Wire: AsyncRead + AsyncWrite + Send {}
impl<T: AsyncRead + AsyncWrite + Send> Wire for T {}
pub(crate) type Connection = Pin<Box<dyn Wire>>;

/// The first of the addresses that answers.
pub(crate) async fn open(
    dialer: &dyn Dialer,
    target: &Target,
    pinned: &[SocketAddr],
) -> Result<TcpStream, Error> {
    let mut why = "it has no address".to_owned();
    for &address in pinned {
        match dialer.dial(address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => why = error.to_string(),
        }
    }
    Err(Error::Unreachable { host: target.host().to_owned(), why })
}

/// Puts TLS around a connection; the certificate must be the one of the name that was asked for.
pub(crate) async fn secure(
    tls: &TlsConnector,
    target: &Target,
    stream: TcpStream,
) -> Result<Connection, Error> {
    let problem = |why: String| Error::Tls { host: target.host().to_owned(), why };
    let name = server_name(target).map_err(|error| problem(error.to_string()))?;
    let stream = tls.connect(name, stream).await.map_err(|error| problem(error.to_string()))?;
    Ok(Box::pin(stream))
}

fn server_name(target: &Target) -> Result<ServerName<'static>, InvalidDnsNameError> {
    match target.literal() {
        Some(address) => Ok(ServerName::IpAddress(address.into())),
        None => ServerName::try_from(target.host().trim_end_matches('.').to_owned()),
    }
}

/// The certificates that this machine trusts.
pub(crate) fn system_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}

/// TLS as the rest of the program does it.
pub(crate) fn tls(roots: RootCertStore) -> Result<TlsConnector, rustls::Error> {
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    // A resumed session would tell the server that two fetches come from the same house.
    config.resumption = rustls::client::Resumption::disabled();
    Ok(TlsConnector::from(Arc::new(config)))
}
