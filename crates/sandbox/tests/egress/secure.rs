//! Connections with TLS: the address is pinned, the name is proved.

use crate::world::{OTHER_PUBLIC, PUBLIC, Server, World, ok, redirect, serve};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{RootCertStore, ServerConfig, crypto::ring, pki_types::PrivateKeyDer};
use sandbox::egress::{Egress, Limits, Policy, Request};
use std::{net::SocketAddr, sync::Arc};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

const NAME: &str = "secure.example.com";

/// A server that is `secure.example.com`, and the certificate that says so.
async fn server(answer: Vec<u8>) -> (SocketAddr, RootCertStore) {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed([NAME.to_owned()]).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(cert.der().clone()).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let (acceptor, listener) =
        (TlsAcceptor::from(Arc::new(config)), TcpListener::bind("127.0.0.1:0").await.unwrap());
    let at = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(stream) = acceptor.accept(stream).await else { continue };
            assert_eq!(stream.get_ref().1.server_name(), Some(NAME));
            let answer = answer.clone();
            serve(stream, Arc::default(), Arc::new(move |_: &str| answer.clone()), false).await;
        }
    });
    (at, roots)
}

async fn world(answer: Vec<u8>) -> (Arc<World>, Egress) {
    let (at, roots) = server(answer).await;
    let world = World::new();
    world.name(NAME, &[PUBLIC]);
    world.name("other.example.com", &[PUBLIC]);
    world.server(PUBLIC, at);
    let egress = world.trusting(roots);
    (world, egress)
}

#[tokio::test]
async fn the_name_is_proved_at_the_pinned_address() {
    let (world, egress) = world(ok("secure")).await;
    let (policy, limits) = (Policy::default(), Limits::default());
    let answer = egress.fetch(Request::get(format!("https://{NAME}/")), &policy, &limits).await.unwrap();
    assert_eq!(answer.body.read().await.bytes, b"secure");
    let error =
        egress.fetch(Request::get("https://other.example.com/"), &policy, &limits).await.err().unwrap();
    assert_eq!(error.code(), "tls_failed", "another name at the same address");
    let stranger = world.egress().fetch(Request::get(format!("https://{NAME}/")), &policy, &limits).await;
    assert_eq!(stranger.err().unwrap().code(), "tls_failed", "a certificate that nobody vouches for");
}

#[tokio::test]
async fn https_is_not_given_up() {
    let (world, egress) = world(redirect(302, "http://plain.example.com/")).await;
    let plain = Server::saying(ok("plain")).await;
    world.name("plain.example.com", &[OTHER_PUBLIC]);
    world.server(OTHER_PUBLIC, plain.at);
    let (policy, limits) = (Policy::default(), Limits::default());
    let error = egress.fetch(Request::get(format!("https://{NAME}/")), &policy, &limits).await.err().unwrap();
    assert_eq!((error.code(), plain.connections()), ("redirect_downgrade", 0));
    let direct = egress.fetch(Request::get("http://plain.example.com/"), &policy, &limits).await.unwrap();
    assert_eq!((direct.status, plain.connections()), (200, 1), "control");
}
