//! The network of a sandbox: none, or the hosts that the policy lists, through egress.

use crate::world::{run, said};
use sandbox::{
    egress::{Egress, Limits, Policy, PrivateHost},
    process::{Network, Spec, Way},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

/// A server of the house, and the policy that lets one name and port of it through.
async fn server() -> (u16, Policy) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 4096];
            drop(stream.read(&mut request).await);
            drop(stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello").await);
        }
    });
    let private_hosts = vec![PrivateHost { host: "127.0.0.1".parse().unwrap(), port }];
    (port, Policy { private_hosts, ..Policy::default() })
}

fn fetching(url: &str) -> Spec {
    let code = format!(
        "import urllib.request, urllib.error\n\
         try: print(urllib.request.urlopen({url:?}, timeout=5).read().decode())\n\
         except urllib.error.HTTPError as error: print(error.code, error.read().decode())\n\
         except Exception as error: print('failed', error)"
    );
    Spec::new(["/usr/bin/python3", "-c", &code])
}

async fn through(policy: &Policy, spec: Spec) -> String {
    let way = Way { egress: Egress::system(), policy: policy.clone(), limits: Limits::default() };
    let outcome = run(Spec { network: Network::Through(Box::new(way)), ..spec }).await;
    outcome.output.text() + &outcome.errors.text()
}

#[tokio::test(flavor = "multi_thread")]
async fn there_is_nobody_unless_somebody_is_listed() {
    let (port, policy) = server().await;
    let url = format!("http://127.0.0.1:{port}/");
    assert_eq!(
        through(&policy, fetching(&url)).await,
        "hello\n",
        "control: it is there for whom the policy lets"
    );
    let closed = through(&Policy::default(), fetching(&url)).await;
    assert!(closed.starts_with("403 127.0.0.1 has the address 127.0.0.1, which is this machine"), "{closed}");
    let alone = run(fetching(&url)).await.output.text();
    assert!(alone.starts_with("failed"), "{alone}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_proxy_is_the_only_way() {
    let (port, policy) = server().await;
    let direct = Spec::shell(&format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo through"));
    let text = through(&policy, direct).await;
    assert!(!text.contains("through") && text.contains("refused"), "{text}");
    let tunnel = "exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT 127.0.0.1:22 HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n' >&3; head -1 <&3";
    let text = through(&policy, Spec::shell(tunnel)).await;
    assert!(text.starts_with("HTTP/1.1 403"), "{text}");
    assert_eq!(said("env | grep -ci proxy").await, "0\n", "without a network nobody is told of a proxy");
}
