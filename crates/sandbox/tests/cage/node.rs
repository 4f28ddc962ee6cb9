//! The real Node of this machine in a cage: it starts, and its own `fetch` goes the one way out. It needs a Node, and fails
//! without one, because what was not tried is not known.

use crate::world::run;
use async_trait::async_trait;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{RootCertStore, ServerConfig, crypto::ring, pki_types::PrivateKeyDer};
use sandbox::{
    egress::{Dialer, Egress, HostList, Limits, Policy, Resolver},
    process::{Exit, Network, ProcessOutcome, Spec, Way},
};
use std::{
    io,
    net::{IpAddr, SocketAddr},
    path::Path,
    sync::Arc,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::TlsAcceptor;

const NAME: &str = "node.example.com";

/// Another one than the machine's is named by `NODE=`; below `/usr` it can be seen in the cage.
fn node(code: &str) -> Spec {
    let node = std::env::var("NODE").unwrap_or_else(|_| "/usr/bin/node".to_owned());
    assert!(Path::new(&node).exists(), "there is no {node}; install Node 20 or newer to try it in a cage");
    Spec::new([node.as_str(), "--input-type=module", "-e", code])
}

fn said(outcome: &ProcessOutcome) -> String {
    outcome.output.text() + &outcome.errors.text()
}

/// An internet of one host: plain on port 80, with TLS on port 443.
struct One {
    plain: SocketAddr,
    secure: SocketAddr,
}

#[async_trait]
impl Resolver for One {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        match host {
            NAME | "other.example.com" => Ok(vec!["93.184.216.34".parse().unwrap()]),
            _ => Err(io::Error::other("no such name")),
        }
    }
}

#[async_trait]
impl Dialer for One {
    async fn dial(&self, address: SocketAddr) -> io::Result<TcpStream> {
        TcpStream::connect(if address.port() == 443 { self.secure } else { self.plain }).await
    }
}

async fn answer(mut stream: impl AsyncRead + AsyncWrite + Unpin, body: &str) {
    let (mut request, mut buffer) = (Vec::new(), [0; 4096]);
    while !request.windows(4).any(|four| four == b"\r\n\r\n") {
        match stream.read(&mut buffer).await {
            Ok(read) if read > 0 => request.extend_from_slice(&buffer[..read]),
            _ => return,
        }
    }
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    drop(stream.write_all((head + body).as_bytes()).await);
    drop(stream.shutdown().await);
}

async fn internet() -> Egress {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed([NAME.to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let plain = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let secure = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let one = || One { plain: plain.local_addr().unwrap(), secure: secure.local_addr().unwrap() };
    let egress = Egress::trusting(RootCertStore::empty(), Arc::new(one()), Arc::new(one()));
    tokio::spawn(async move {
        while let Ok((stream, _)) = plain.accept().await {
            tokio::spawn(answer(stream, "plain"));
        }
    });
    tokio::spawn(async move {
        while let Ok((stream, _)) = secure.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                if let Ok(stream) = acceptor.accept(stream).await {
                    answer(stream, "secure").await;
                }
            });
        }
    });
    egress
}

async fn with_network(code: &str) -> String {
    let allow = Some(vec![NAME.parse().unwrap()]);
    let policy = Policy { hosts: HostList { allow, deny: Vec::new() }, ..Policy::default() };
    let way = Way { egress: internet().await, policy, limits: Limits::default() };
    let mut spec = Spec { network: Network::Through(Box::new(way)), ..node(code) };
    // Who signed a certificate is between the program and its host; nobody of this machine signed this one.
    spec.environment.push(("NODE_TLS_REJECT_UNAUTHORIZED".to_owned(), "0".to_owned()));
    said(&run(spec).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn node_starts_with_everything_it_reserves() {
    // A hundred modules each reserve ten gigabytes in a Node that checks no bounds, so one is enough to see that it may.
    let code = "const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536 }); console.log(memory.buffer.byteLength, 6 * 7)";
    let outcome = run(node(code)).await;
    assert_eq!((outcome.exit, said(&outcome).as_str()), (Exit::Code(0), "65536 42\n"));
    let limits = run(Spec::shell("ulimit -d; ulimit -v")).await;
    assert_eq!(
        said(&limits),
        "1048576\n16777216\n",
        "in kilobytes: Node 24 starts with these, Node 20 fetches"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn fetch_goes_the_one_way_out() {
    let text = |url: &str| format!("console.log(await (await fetch({url:?})).text())");
    assert_eq!(with_network(&text(&format!("http://{NAME}/a?b=c"))).await, "plain\n");
    let secure = with_network(&text(&format!("https://{NAME}/"))).await;
    assert!(secure.starts_with("secure\n"), "{secure}");
    let refused = "try { await fetch('https://other.example.com/') } catch (error) { console.log(error.cause.message, error.cause.cause?.message) }";
    let refused = with_network(refused).await;
    // A Node that opens its tunnels itself, as 24 does, tells no more than the status.
    let says_why = refused.contains("other.example.com:443 cannot be reached") && refused.contains("list");
    assert!(says_why || refused.contains("Proxy response (403)"), "{refused}");
    // The control: without a network there is neither a proxy nor a word of it.
    let alone = "try { await fetch('http://node.example.com/') } catch (error) { console.log('alone', process.env.NODE_OPTIONS) }";
    assert_eq!(said(&run(node(alone)).await), "alone undefined\n");
}

/// The watch of memory is the real bound: what may be reserved is more than what may be used.
#[tokio::test(flavor = "multi_thread")]
async fn node_is_ended_when_it_uses_more_than_its_memory() {
    let mut spec = node("const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1))");
    spec.limits.memory = 256 << 20;
    assert_eq!(run(spec).await.exit, Exit::OutOfMemory);
}
